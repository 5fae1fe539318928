"""``kbuild nvcc`` compiles device code for the CPU again only if it can change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild import process
from kbuild.cli.main import main
from kbuild.model import Command, CommandResult
from support.caches import make_cache
from support.commands import run, succeed

HEADER = "__host__ __device__ inline int both(int x) { return x + 3; }\n"
SOURCE = """\
#include "both.h"
#include <cstdio>
__device__ int branch() {
#ifdef __CUDA_ARCH__
    return 50;
#else
    return 60;
#endif
}
namespace own { template <class T> __global__ void scale(T* x) { *x = both(*x) + branch(); } }
int main() {
    int* x;
    cudaMallocManaged(&x, sizeof *x);
    *x = 100;
    own::scale<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    std::printf("%d %d\\n", *x, both(0));
}
"""
Compiled = Callable[..., int]


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    """Compiles the source with edits, and returns how often a device compiler or linker runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache(tmp_path / "cache")))
    ran: list[str] = []
    original = process.run

    def run_noted(command: Command, **options: object) -> CommandResult:
        ran.extend(word for word in command.argv if word.startswith("-march="))
        return original(command, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "run", run_noted)
    texts = {"both.h": HEADER, "a.cu": SOURCE}

    def compile_source(*words: str, **edits: tuple[str, str]) -> int:
        for name, (old, new) in edits.items():
            file = {"header": "both.h", "source": "a.cu"}[name]
            assert old in texts[file]
            texts[file] = texts[file].replace(old, new)
        for name, text in texts.items():
            Path(name).write_text(text)
        ran.clear()
        options = ("--backend=cpu", "-arch=native", "-O0", *words)
        assert main(("nvcc", *options, "-c", "a.cu", "-o", "a.o")) == 0
        return len(ran)

    return compile_source


def run_program() -> str:
    assert main(("nvcc", "--backend=cpu", "a.o", "-o", "program")) == 0
    return succeed(run("./program"))


def test_exactly_what_changed_is_compiled(compiled: Compiled) -> None:
    everything = compiled()
    assert everything > 0
    assert run_program() == "153 3\n"
    assert compiled() == 0
    assert compiled(source=("return 60", "return 70")) == 0
    assert compiled(source=('"%d %d\\n"', '\n        "%d, %d\\n"')) == 0
    assert run_program() == "153, 3\n"
    assert compiled(source=("return 50", "return 80")) == everything
    assert run_program() == "183, 3\n"
    assert compiled(source=("return 80", "return 50")) == 0
    assert compiled(header=("x + 3", "x + 4")) == everything
    assert run_program() == "154, 4\n"
    # Another instance, and one more.
    assert compiled(source=("int* x", "long* x")) == everything


def test_options_and_the_cache_count(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = compiled()
    assert compiled("-DX") == everything
    assert compiled("-G", source=("int main", "\nint main")) == everything
    monkeypatch.setenv("KBUILD_CPU_SPLIT", "off")
    assert compiled() == everything
    monkeypatch.setenv("KBUILD_CACHE", "off")
    assert compiled() == everything


def test_results_with_names_of_the_module_and_warnings_are_not_kept(
    compiled: Compiled, capfd: pytest.CaptureFixture[str]
) -> None:
    static = ("int main", "static __global__ void own_kernel() {}\nint main")
    everything = compiled("-dc", source=static)
    assert everything > 0
    assert compiled("-dc", source=("return 60", "return 61")) == everything
    for number in (1, 2):
        old = f"#warning number {number - 1}\n" if number > 1 else ""
        text = f"#warning number {number}\nint main"
        assert compiled("-dc", source=(f"{old}int main", text)) == everything
        assert f"number {number}" in capfd.readouterr().err
