"""What kernels, launches, and ``KBUILD_DUMP`` show, on the CPU and without a GPU."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from kbuild import CompiledKernel, CompiledModule, KernelCompiler, KernelExecutor, LaunchConfig
from kbuild.backends.cpu.container import write_container
from kbuild.backends.cpu.machines import list_levels
from kbuild.cli.main import main
from kbuild.errors import ConfigurationError, LaunchError, ToolchainError
from kbuild.runtime.compiling import disassembly
from kbuild.runtime.compiling.dump import dump_module
from kbuild.runtime.launch_dump import dump_launch
from support.executed_kernels import HEAVY
from support.tools.toolchains import needs_backend

SOURCE = """\
__global__ void add(float* values, float a, float b)
{
    values[threadIdx.x] = values[threadIdx.x] * a + b;
}
"""
DUMPED = ".cu", ".fatbin", ".json", ".log", ".so"


@pytest.fixture(scope="module")
def kernel() -> CompiledKernel:
    return KernelCompiler("cpu").compile(SOURCE)["add"]


@pytest.fixture(scope="module")
def heavy() -> CompiledModule:
    return KernelCompiler("cuda", "90-real", fma=False).compile(HEAVY, name="heavy.cu")


def test_executors_remember_the_last_launch(kernel: CompiledKernel) -> None:
    executor = KernelExecutor(kernel)
    values = np.zeros(64, np.float32)
    first, second = LaunchConfig(grid=1, block=32), LaunchConfig(grid=1, block=64)
    assert executor.last_launch is None
    for config in (first, second, second, first):
        executor.run(config, values, 1.0, 2.0)
        assert executor.last_launch is not None
        assert executor.last_launch.config is config
        assert executor.last_launch.variant is kernel.history[0]
    kernel[1, 16](values, 1.0, 2.0)
    assert kernel.last_launch is not None
    assert kernel.last_launch.config.threads == 16


def test_occupancy_limits_cooperative_launches(kernel: CompiledKernel) -> None:
    active = kernel.max_active_blocks(256)
    assert active > 0
    assert kernel.max_active_blocks((16, 16)) == active
    assert kernel.max_active_blocks(2048) == 0
    config = LaunchConfig(grid=1_000_000, block=256, cooperative=True)
    with pytest.raises(LaunchError, match=r"1000000 blocks of 256 threads, but the maximum"):
        KernelExecutor(kernel).run(config, np.zeros(256, np.float32), 1.0, 2.0)


def test_kernels_show_their_source_and_code(kernel: CompiledKernel) -> None:
    assert kernel.source_text == SOURCE
    assert kernel.ptx is None
    assert len(kernel.disassemble().splitlines()) > 3


@pytest.mark.skipif("x86-64-v3" not in list_levels(), reason="needs a processor with AVX2")
def test_code_and_resources_are_those_of_the_level_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = ("x86-64", "x86-64-v3")
    modules = [KernelCompiler("cpu", level).compile(SOURCE) for level in levels]
    images = [module["add"].images[0] for module in modules]
    file = tmp_path / "add.fatbin"
    file.write_bytes(write_container((image.arch, image.sha256, image.data) for image in images))
    kernel = CompiledModule.load(file)["add"]
    shown = []
    for best in levels:
        monkeypatch.setenv("KBUILD_CPU_ARCH", best)
        shown.append(kernel.disassemble())
    assert shown == [module["add"].disassemble() for module in modules]
    assert shown[0] != shown[1]
    assert kernel.resources == kernel.resources_for("x86-64-v3") == modules[1]["add"].resources


def test_missing_disassembler_is_named(
    kernel: CompiledKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disassembly, "find_program", lambda _: None)
    with pytest.raises(ToolchainError, match=r"no disassembler \S*objdump.* found; install it"):
        kernel.disassemble()


@pytest.mark.slow
@needs_backend("cuda")
def test_code_of_cuda_kernels(heavy: CompiledModule) -> None:
    kernel = heavy["heavy"]
    assert kernel.ptx is not None
    assert "fma.rn" not in kernel.ptx
    assert ".entry heavy" in kernel.ptx
    lines = kernel.disassemble().splitlines()
    assert any(line.startswith("FMUL") for line in lines)
    assert not any("FFMA" in line for line in lines)


@needs_backend("cuda")
def test_recompiled_code_is_dumped(
    heavy: CompiledModule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBUILD_DUMP", str(tmp_path / "dump"))
    dump_module(heavy)
    directory = tmp_path / "dump" / "heavy"
    names = {f"heavy{suffix}" for suffix in (".cu", ".cubin", ".json", ".log", ".ptx")}
    assert {path.name for path in directory.iterdir()} == names
    assert (directory / "heavy.cu").read_text() == HEAVY
    assert json.loads((directory / "heavy.json").read_text())["compiler"] == "nvcc"

    kernel = heavy["heavy"]
    config = LaunchConfig(grid=2, block=1024)
    dump_launch(kernel, config, kernel.select(1024))
    assert (directory / "heavy.heavy.1024-64.cubin").read_bytes() == kernel.history[1].images[
        0
    ].data
    (path,) = directory.glob("*.launch.json")
    launch = json.loads(path.read_text())
    assert (launch["grid"], launch["block"]) == ([2, 1, 1], [1024, 1, 1])
    assert launch["recompiled"] == "heavy.heavy.1024-64"
    assert launch["resources"]["registers"] == 64


def test_equal_compilations_share_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    compiler = KernelCompiler("cpu")
    monkeypatch.setenv("KBUILD_DUMP", str(tmp_path))
    first, _, third = (
        compiler.compile(text, name="k.cu")
        for text in (SOURCE, SOURCE, SOURCE.replace("add", "other"))
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k", "k-2"]
    assert {path.name for path in (tmp_path / "k").iterdir()} == {f"k{s}" for s in DUMPED}
    assert {path.name for path in (tmp_path / "k-2").iterdir()} == {f"k-2{s}" for s in DUMPED}
    assert (tmp_path / "k-2" / "k-2.cu").read_bytes() == third.text

    monkeypatch.setenv("KBUILD_DUMP_BY_TEST", "1")
    array = np.zeros(32, np.float32)
    for argument in (array, array.ctypes.data):  # copied, and as it is
        first["add"][1, 32](argument, 1.0, 2.0)
    monkeypatch.delenv("KBUILD_DUMP_BY_TEST")
    (counted,) = tmp_path.glob("*/.kbuild-launches")
    rows = [json.loads(line) for line in counted.read_text().splitlines()]
    assert [(test.rpartition("::")[2], kernel) for test, kernel in rows] == [
        (request.node.name, first["add"].display)
    ] * 2
    (path,) = (tmp_path / "k").glob("k.add-*.*.launch.json")
    assert json.loads(path.read_text())["block"] == [32, 1, 1]

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KBUILD_DUMP", str(tmp_path / "file"))
    with pytest.raises(ConfigurationError, match=r"KBUILD_DUMP: .*; name a writable directory"):
        dump_module(pickle.loads(pickle.dumps(third)))  # noqa: S301 - our own


@pytest.mark.slow
def test_kernels_of_two_runs_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, kbuild\n"
        f"text = {SOURCE!r}.replace('+ b', sys.argv[1])\n"
        "kbuild.KernelCompiler('cpu').compile(text)\n"
    )
    old, new = (f"'{sys.executable}' '{program}' '{word}'" for word in ("+ b", "- b"))
    assert main(["diff", "--run", old, new]) == 1
    assert "sub" in capsys.readouterr().out
