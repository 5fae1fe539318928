"""``kbuild nvcc`` compiles device code again only if it can change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild import process
from kbuild.backends import find_builder
from kbuild.cli.main import main
from kbuild.model import Command, CommandResult
from kbuild.stages.memory.peaks import find_peak
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.caches import make_cache
from support.tools.nvidia_compiler import SMALL_CUDA_HEADERS
from support.tools.toolchains import require_backend

HEADER = "__host__ __device__ inline float both(float x) { return x * 3; }\n"
SOURCE = """\
#include <cassert>
#include "both.h"
__device__ int branch() {
#ifdef __CUDA_ARCH__
    return 5;
#else
    return 6;
#endif
}
template <class T> __global__ void scale(T* x) { x[threadIdx.x] = both(x[threadIdx.x]); }
__global__ void plain(int* p) { *p = branch(); }
void launch(float* x) { scale<<<1, 100>>>(x); }
"""
ONE = ("-cubin", "-arch=sm_90")
Compiled = Callable[..., int]


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    """Compiles the source with edits, and returns how many times a device compiler runs."""
    require_backend("cuda")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache(tmp_path / "cache")))
    monkeypatch.setenv("KBUILD_BACKEND", "cuda")
    programs: list[str] = []
    original = process.run

    def run(command: Command, **options: object) -> CommandResult:
        programs.append(Path(command.argv[0]).name)
        return original(command, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "run", run)
    texts = {"both.h": HEADER, "a.cu": SOURCE}

    def compile_source(*words: str, **edits: tuple[str, str]) -> int:
        for name, (old, new) in edits.items():
            file = {"header": "both.h", "source": "a.cu"}[name]
            assert old in texts[file]
            texts[file] = texts[file].replace(old, new)
        for name, text in texts.items():
            Path(name).write_text(text)
        # Assertions need a function of CUDA's header.
        headers = () if "assert(" in texts["a.cu"] else SMALL_CUDA_HEADERS
        programs.clear()
        assert main(("nvcc", *headers, *words, "a.cu", "-o", "image")) == 0
        return programs.count("cicc")

    return compile_source


def test_exactly_what_changed_is_compiled(compiled: Compiled) -> None:
    toolchain = find_toolchain(find_builder("cuda"), gather_hints())
    assert find_peak(Path("a.cu"), "90-real", toolchain) is None
    assert compiled(*ONE) == 1
    assert (find_peak(Path("a.cu"), "90-real", toolchain) or 0) > 30 << 20
    image = Path("image").read_bytes()
    assert compiled(*ONE) == 0
    assert compiled(*ONE, source=("return 6", "return 7")) == 0
    assert compiled(*ONE, source=("scale<<<1, 100>>>(x);", "\n\n    scale<<<2, 50>>>(x);")) == 0
    assert Path("image").read_bytes() == image
    assert compiled(*ONE, source=("return 5", "return 8")) == 1
    assert compiled(*ONE, source=("return 8", "return 5")) == 0
    assert Path("image").read_bytes() == image
    assert compiled(*ONE, header=("x * 3", "x * 4")) == 1
    assert compiled(*ONE, source=("launch(float* x)", "launch(double* x)")) == 1
    assert Path("image").read_bytes() != image


def test_another_architecture_is_compiled_alone(compiled: Compiled) -> None:
    assert compiled(*ONE) == 1
    both = (
        *("-gencode", "arch=compute_90,code=sm_90"),
        *("-gencode", "arch=compute_80,code=sm_80"),
    )
    assert compiled("-fatbin", *both) == 1
    assert compiled("-fatbin", *both, source=("return 6", "return 7")) == 0


@pytest.mark.parametrize(
    "option",
    [
        "-Xptxas=-O1",
        *(
            pytest.param(option, marks=pytest.mark.slow)
            for option in (
                "-DX",
                "-lineinfo",
                "-G",
                "-use_fast_math",
                "-maxrregcount=16",
                "-std=c++20",
            )
        ),
    ],
)
def test_other_options_are_other_images(option: str, compiled: Compiled) -> None:
    assert compiled(*ONE, option) == 1
    # The last text of the source is one with other options.
    edit = ("scale<<<1, 100>>>(x);", "scale<<<2, 50>>>(x);")
    assert compiled(*ONE, source=edit) == (option != "-DX")


@pytest.mark.parametrize(
    ("option", "device_code"),
    [
        ("-lineinfo", "*p = branch();"),
        pytest.param("-G", "*p = branch();", marks=pytest.mark.slow),
        pytest.param("-w", "assert(*p);", marks=pytest.mark.slow),
        ("-w", "*p = __LINE__;"),
        pytest.param("-w", "*p = __builtin_LINE();", marks=pytest.mark.slow),
    ],
)
def test_lines_count_where_images_have_them(
    option: str, device_code: str, compiled: Compiled
) -> None:
    assert compiled(*ONE, option, source=("*p = branch();", device_code)) == 1
    image = Path("image").read_bytes()
    below = ("scale<<<1, 100>>>(x);", "\n    scale<<<2, 50>>>(x);")
    assert compiled(*ONE, option, source=below) == 0
    assert Path("image").read_bytes() == image
    assert compiled(*ONE, option, source=("__device__ int branch", "\n__device__ int branch")) == 1


def test_warnings_name_the_lines_of_the_text(
    compiled: Compiled, capfd: pytest.CaptureFixture[str]
) -> None:
    unused = ("*p = branch();", "int unused; *p = branch();")
    assert compiled(*ONE, source=unused) == 1
    assert "a.cu(11): warning" in capfd.readouterr().err
    assert compiled(*ONE, source=("both(x[threadIdx.x]);", "both(x[threadIdx.x]); ")) == 0
    assert "a.cu(11): warning" in capfd.readouterr().err
    assert compiled(*ONE, source=("__device__ int branch", "\n__device__ int branch")) == 1
    assert "a.cu(12): warning" in capfd.readouterr().err


def test_without_the_cache_everything_is_compiled(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KBUILD_CACHE", "off")

    assert compiled(*ONE) == 1
    assert not (tmp_path / "cache" / "kbuild" / "results").exists()


def test_another_compiler_compiles_again(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kbuild.stages.images import reuse  # noqa: PLC0415 - what it sees is changed here

    assert compiled(*ONE) == 1
    monkeypatch.setattr(reuse, "describe_programs", lambda _: b"replaced")
    assert compiled(*ONE, source=("return 6", "return 7")) == 1
