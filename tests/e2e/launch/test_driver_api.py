"""The driver API, NVRTC, and NVML on the CPU, with programs that `kbuild nvcc` builds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.resources import native_directory
from support.commands import KBUILD, PROJECTS, run_kbuild

PROJECT = PROJECTS / "driver_api"
HEADERS = native_directory() / "device" / "cpu"


def compile_files(*words: object) -> subprocess.CompletedProcess[str]:
    done = run_kbuild("nvcc", "--backend=cpu", *words)
    assert done.returncode == 0, done.stderr
    return done


def run_program(program: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with the `kbuild` that the tests installed."""
    environment = {"KBUILD_EXECUTABLE": str(KBUILD), "PATH": "/usr/bin:/bin"}
    argv = [str(program), *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    "kind", ["-fatbin", *(pytest.param(k, marks=pytest.mark.slow) for k in ("-cubin", "-ptx"))]
)
def test_driver_api(tmp_path: Path, kind: str) -> None:
    image, program = tmp_path / "image", tmp_path / "driver"
    made = compile_files(kind, PROJECT / "kernels.cu", "-o", image)
    compile_files(PROJECT / "driver.c", "-o", program)
    done = run_program(program, image)

    assert (done.returncode, done.stdout) == (0, "")
    assert "the image is PTX, which the cpu backend does not run; compile its source" in done.stderr
    note = f"kbuild: note: backend cpu has no PTX, so {image} is a device image for this machine"
    assert (note in made.stderr) == (kind == "-ptx")


@pytest.mark.slow
@pytest.mark.parametrize("version", [pytest.param("11", marks=pytest.mark.slow), "12"])
def test_older_driver_api(tmp_path: Path, version: str) -> None:
    image, program = tmp_path / "image", tmp_path / "driver"
    compile_files("-cubin", PROJECT / "kernels.cu", "-o", image)
    compile_files("--cuda-version", version, PROJECT / "driver.c", "-o", program)
    done = run_program(program, image)
    assert (done.returncode, done.stdout) == (0, "")


def test_device_code_is_linked_at_run_time(tmp_path: Path) -> None:
    kernel, function, archive = (tmp_path / name for name in ("k.cubin", "f.o", "f.a"))
    compile_files("-cubin", "-rdc=true", PROJECT / "link_kernel.cu", "-o", kernel)
    compile_files("-dc", "-arch=native", PROJECT / "link_function.cu", "-o", function)
    subprocess.run(["ar", "rc", str(archive), str(function)], check=True)
    compile_files(PROJECT / "link.cpp", "-o", tmp_path / "link")
    source, managed = tmp_path / "m.cu", tmp_path / "m.fatbin"
    source.write_text('__managed__ int m = 3;\nextern "C" __global__ void k(int* p) { *p = m; }\n')
    compile_files("-fatbin", "-arch=native", source, "-o", managed)
    done = run_program(tmp_path / "link", kernel, archive, managed)
    assert (done.returncode, done.stdout) == (0, "")
    assert "undefined reference to `twice(int)'\n" in done.stderr
    assert "add an input that defines it, and that is compiled with -rdc=true" in done.stderr
    assert str(tmp_path) not in done.stderr
    assert "the device image is damaged" in done.stderr
    assert "the memory of managed variable kbuild_managed.m is in its program" in done.stderr


def test_linkers_find_the_names(tmp_path: Path) -> None:
    program = tmp_path / "symbols"
    sources = (PROJECT / "symbols.c", PROJECT / "management.c")
    compile_files(*sources, "-o", program, "-lcuda", "-lnvrtc", "-lnvidia-ml")
    done = run_program(program)
    assert (done.returncode, done.stdout) == (0, "")


def test_nvrtc(tmp_path: Path) -> None:
    program = tmp_path / "rtc"
    compile_files(PROJECT / "rtc.cpp", "-o", program)
    done = run_program(program)
    assert (done.returncode, done.stdout) == (0, "")


def test_missing_command_is_in_the_log(tmp_path: Path) -> None:
    program = tmp_path / "rtc"
    compile_files(PROJECT / "rtc.cpp", "-o", program)
    environment = {"KBUILD_EXECUTABLE": str(tmp_path / "none")}
    done = subprocess.run([program], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode != 0
    assert f"cannot run {tmp_path / 'none'}, which compiles; add it to PATH" in done.stdout
