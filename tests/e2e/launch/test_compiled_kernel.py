"""Compiled kernels in C++ on the CPU, from a module descriptor, files, and memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import PROJECTS, build, configure, run, succeed

LAUNCHED = """\
load: ok
ns::scale(float*, float, int): ok
launch: ok
2 4 6, 3 parameters
too few: ns::scale(float*, float, int): takes 3 arguments, not 2
double: ns::scale(float*, float, int): argument 1 has 8 bytes with an alignment of 8, but the \
parameter has 4 bytes at offset 8; pass a value of the parameter's type
empty block: ns::scale(float*, float, int): the block is (0, 1, 1), but must be from (1, 1, 1) to \
(1024, 1024, 64)
over: kernel 'over' is ambiguous; it can be over(int*), over(float*)
_ZN2ns5scaleEPffi: ok
nothing: the module has no kernel 'nothing'; it has ns::scale(float*, float, int), \
void fill<float>(float*, float), void fill<double>(double*, double), over(int*), over(float*), \
add_pair, count_threads(int*)
fill<double>: ok
launch: ok
0.5
add_pair: ok
launch: ok
-7
misaligned: add_pair: argument 1 has 8 bytes with an alignment of 8, but the parameter has 8 bytes \
at offset 4; pass a value of the parameter's type
count_threads: ok
64: ok
64 threads
192: count_threads(int*): the block (192, 1, 1) has 192 threads, but the __launch_bounds__ of \
kernel _Z13count_threadsPi allow 64
0 threads
256: count_threads(int*): the block (256, 1, 1) has 256 threads, but the __launch_bounds__ of \
kernel _Z13count_threadsPi allow 64
0 threads
96: count_threads(int*): the block (96, 1, 1) has 96 threads, but the __launch_bounds__ of \
kernel _Z13count_threadsPi allow 64
0 threads
2048: count_threads(int*): the block is (2048, 1, 1), but must be from (1, 1, 1) to \
(1024, 1024, 64)
0 threads
40 of 40 launches failed
loaded, at most -1 threads
arch '', log ''
"""


def sort_names(output: str) -> str:
    """Return an output whose lists of kernels are sorted: compilers emit kernels in other orders.

    A list of parameters stays as it is.
    """

    def sort(found: re.Match[str]) -> str:
        return found[1] + ", ".join(sorted(re.split(r", (?![^(]*\))", found[2])))

    return re.sub(r"(; it (?:has|can be) )(.*)", sort, output)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("compiled_kernel")
    succeed(configure(PROJECTS / "compiled_kernel", directory))
    succeed(build(directory))
    return directory


# `bare` does not link the runtime. It finds the runtime by its own run path.
@pytest.mark.parametrize(
    "words",
    [
        ("linked", "descriptor"),
        ("bare", "file", "kernels.fatbin"),
        ("linked", "memory", "kernels.fatbin"),
        ("linked", "file", "kernels.cu.x86-64.so"),
    ],
)
def test_kernels_are_found_checked_and_launched(programs: Path, words: tuple[str, ...]) -> None:
    result = run(*(programs / words[0], *words[1:]), cwd=programs / "kbuild" / "kernels")

    assert result.returncode == 0, result.stdout + result.stderr
    assert sort_names(result.stdout) == sort_names(LAUNCHED)


def test_wrong_files_are_explained(programs: Path, tmp_path: Path) -> None:
    image = (programs / "kbuild" / "kernels" / "kernels.cu.x86-64.so").read_bytes()
    container = (programs / "kbuild" / "kernels" / "kernels.fatbin").read_bytes()
    (tmp_path / "short_image").write_bytes(image[:4000])
    (tmp_path / "short_container").write_bytes(container[:4000])
    (tmp_path / "arm_container").write_bytes(container.replace(b"\0x86-64\0", b"\0x86-99\0"))
    (tmp_path / "other").write_bytes(image.replace(b"kbuild_cpu_image", b"kbuild_cpu_other"))

    def load(name: object) -> str:
        result = run(programs / "bare", "file", name, cwd=tmp_path)
        assert result.returncode == 1
        return result.stdout.strip()

    library = programs / "libkernels.so"
    assert load("short_image") == "load: short_image: the image is truncated"
    assert "malformed container: it extends past the end" in load("short_container")
    assert "the container was built for x86-99, but this machine is" in load("arm_container")
    assert load("other") == "load: other: the file is not an image of the CPU backend"
    assert load("missing") == "load: missing: No such file or directory"
    assert load(tmp_path) == f"load: {tmp_path}: Is a directory"
    assert "open the library with dlopen, and load its module descriptor" in load(library)


def test_missing_runtime_is_explained(programs: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes((programs / "bare").read_bytes().replace(b"cpu.so.1\0", b"cpu.so.9\0"))
    program.chmod(0o755)

    result = run(program, "file", programs / "kbuild" / "kernels" / "kernels.fatbin")

    assert "cannot load libkbuild_cpu.so.9; link kbuild::runtime_cpu" in result.stdout
