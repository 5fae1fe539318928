"""Compiled kernels in C++ on a real GPU: cubin, PTX, fat binary, descriptor, and NVRTC.

The tests are skipped with a reason without one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import PROJECTS, build, configure, run, succeed

PROJECT = PROJECTS / "compiled_kernel"
KERNELS = PROJECT / "kernels.cu"
# What launches print that is the same for every source of the code.
COMMON = """\
load: ok
ns::scale(float*, float, int): ok
launch: ok
2 4 6, 3 parameters
too few: ns::scale(float*, float, int): takes 3 arguments, not 2
double: ns::scale(float*, float, int): argument 1 has 8 bytes with an alignment of 8, but the \
parameter has 4 bytes at offset 8; pass a value of the parameter's type
"""
# Blocks of 64, 192, 256, 96, and 2,048 threads of a kernel with __launch_bounds__(64).
RECOMPILED = """\
64: ok
64 threads
192: ok
192 threads
256: ok
256 threads
96: ok
96 threads
2048: count_threads(int*): a block has 2048 threads, but the code allows 64; the device allows 1024
0 threads
0 of 40 launches failed
loaded, at most 64 threads
a block has 192 threads, but the code allows 64, at most 256 threads
a block has 1024 threads, but the code allows 64, at most 1024 threads
"""


def missing() -> str:
    if not list_devices():
        return "no NVIDIA device"
    try:
        find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there is a device"),
]


@pytest.fixture(scope="module")
def architecture() -> str:
    return list_devices()[0].architecture


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory, architecture: str) -> Path:
    directory = tmp_path_factory.mktemp("compiled_kernel")
    number = architecture.removeprefix("sm_")
    succeed(configure(PROJECT, directory, "BACKEND=cuda", f"ARCHITECTURES={number}"))
    succeed(build(directory))
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    for kind in ("cubin", "ptx", "fatbin"):
        output = directory / f"kernels.{kind}"
        succeed(run(nvcc, f"-{kind}", f"-arch={architecture}", KERNELS, "-o", output))
    return directory


def launch(programs: Path, *words: object, environment: dict[str, str] | None = None) -> str:
    result = subprocess.run(
        [str(word) for word in (programs / "linked", *words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=programs,
        env={**os.environ, **(environment or {})},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def find_nvrtc() -> dict[str, str]:
    """Return the variable with which the dynamic loader finds NVRTC."""
    toolkit = find_toolchain(cuda, gather_hints()).compiler.resolve().parents[1]
    roots = (toolkit, Path(sysconfig.get_path("purelib")) / "nvidia")
    libraries = (path for root in roots for path in root.rglob("libnvrtc.so*"))
    found = next((path for path in libraries if "stubs" not in path.parts), None)
    if found is None:
        pytest.skip(f"no libnvrtc below {toolkit} or site-packages")
    return {"LD_LIBRARY_PATH": f"{found.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


@pytest.mark.parametrize("words", [("memory", "kernels.cubin"), ("file", "kernels.fatbin")])
def test_code_without_assembly(programs: Path, architecture: str, words: tuple[str, str]) -> None:
    output = launch(programs, *words)

    assert output.startswith(COMMON)
    assert "empty block: ns::scale(float*, float, int): CUDA_ERROR_INVALID_VALUE" in output
    assert "over: kernel 'over' is ambiguous; it can be over(" in output
    assert "launch: ok\n0.5\n" in output
    assert "launch: ok\n-7\n" in output
    assert "misaligned: add_pair: argument 1 has 8 bytes" in output
    assert "but the code allows 64; there is no PTX to compile again; load" in output
    assert "40 of 40 launches failed\nloaded, at most 64 threads\n" in output
    assert f"arch '{architecture}', log ''" in output


def test_ptx_is_compiled_again_for_larger_blocks(programs: Path, architecture: str) -> None:
    output = launch(programs, "file", "kernels.ptx")

    assert output.startswith(COMMON)
    assert output.endswith(f"{RECOMPILED}arch '{architecture}', log ''\n")


def test_descriptor_of_the_linked_library(programs: Path) -> None:
    output = launch(programs, "descriptor")

    assert output.startswith(COMMON)
    assert "launch: ok\n-7\n" in output
    assert "64: ok\n64 threads\n" in output
    assert re.search(r"^192: count_threads\(int\*\): \S+", output, re.MULTILINE)
    assert "loaded, at most -1 threads" in output


def test_source_text_is_compiled_with_nvrtc(programs: Path, architecture: str) -> None:
    output = launch(programs, "compile", KERNELS, environment=find_nvrtc())

    assert output.startswith(COMMON)
    assert RECOMPILED in output
    assert f"arch '{architecture}'" in output
    assert output.endswith("fill< short >: ok\nlaunch: ok\n")


def test_compile_errors_have_the_log(programs: Path, tmp_path: Path) -> None:
    source = tmp_path / "wrong.cu"
    source.write_text("\n__global__ void k() { undeclared(); }\n")
    environment = {**os.environ, **find_nvrtc()}

    result = subprocess.run(
        [programs / "linked", "compile", source],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )

    assert result.returncode == 1
    assert result.stdout.startswith("load: compiling kernels.cu: NVRTC_ERROR_COMPILATION\n")
    assert 'kernels.cu(2): error: identifier "undeclared" is undefined' in result.stdout


def test_registers_follow_the_block_size(programs: Path, tmp_path: Path) -> None:
    """A kernel that needs many registers gets as many as the size of its blocks allows."""
    names = [f"v{i}" for i in range(64)]
    source = tmp_path / "heavy.cu"
    source.write_text(
        "__global__ void __launch_bounds__(64) count_threads(int* counter) {\n"
        + "".join(f"double {n} = counter[{i}] + 0.5;\n" for i, n in enumerate(names))
        + "for (int k = 0; k < counter[64]; k++) {\n"
        + "".join(f"{n} = {n} * {names[i - 1]} + 1;\n" for i, n in enumerate(names))
        + "}\n"
        + f"counter[65] = (int)({' + '.join(names)});\n"
        + "atomicAdd(counter, 1); }\n"
    )
    ptx = tmp_path / "heavy.ptx"
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    architecture = list_devices()[0].architecture
    succeed(run(nvcc, "-ptx", f"-arch={architecture}", source, "-o", ptx))

    output = launch(programs, "registers", ptx)

    first, second = map(int, re.findall(r"(\d+) registers", output))
    assert first > 128
    assert 64 < second <= 128
