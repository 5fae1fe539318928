"""The CUDA backend on a real GPU; the tests are skipped with a reason without one."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import PROJECTS


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

KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))


def run(*argv: object, cwd: Path | None = None, code: int = 0) -> str:
    done = subprocess.run(
        [str(word) for word in argv], capture_output=True, text=True, check=False, cwd=cwd
    )
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    return output


def build(source: Path, directory: Path, *definitions: str) -> Path:
    run(
        *("cmake", "-S", source, "-B", directory, "-G", "Ninja"),
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={KBUILD}",
        *(f"-D{definition}" for definition in definitions),
    )
    run("cmake", "--build", directory)
    return directory


@pytest.fixture(scope="module")
def device_architecture() -> str:
    return list_devices()[0].architecture.removeprefix("sm_")


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory, device_architecture: str) -> Path:
    directory = tmp_path_factory.mktemp("probes")
    return build(PROJECTS / "runtime_api", directory, f"ARCHITECTURES={device_architecture}")


def test_kernels_agree_with_numpy(tmp_path: Path, device_architecture: str) -> None:
    kernels = PROJECTS / "kernels"
    architectures = f"CMAKE_CUDA_ARCHITECTURES={device_architecture}"
    build(kernels, tmp_path, "BACKEND=cuda", architectures, "COMPLETE_KINDS=SHARED;STATIC;OBJECT")

    output = run("ctest", "--output-on-failure", cwd=tmp_path)

    assert "100% tests passed" in output
    assert "11/11 Test" in output
    assert "Skipped" not in output


@pytest.mark.parametrize("program", ["probe", "ptx", "stub", "static"])
def test_runtime_functions_accept_handles(probes: Path, program: str) -> None:
    output = run(probes / program)

    assert "FAILED" not in output
    assert output.count("ok ") >= 25


@pytest.mark.parametrize("kernels", ["probe", "archive", "static"])
def test_repeated_launches_succeed(probes: Path, kernels: str) -> None:
    output = run(probes / f"prepared_{kernels}")

    assert "FAILED" not in output
    assert output.count("ok ") >= 30


@pytest.mark.parametrize("program", ["plain_c", "plain_cpp"])
def test_host_programs_without_kbuild_headers_launch(probes: Path, program: str) -> None:
    run(probes / program)


def test_library_can_be_reopened_in_a_live_context(probes: Path) -> None:
    assert "ok" in run(probes / "reopen", probes / "libprobe_kernels.so")


def test_launch_without_an_image_for_the_device_fails(
    probes: Path, device_architecture: str
) -> None:
    output = run(probes / "far", "say")

    assert "no kernel image is available" in output
    assert f"the device is sm_{device_architecture}, and far_kernels was built for sm_120" in output


def test_smoke_names_the_missing_architecture(probes: Path, device_architecture: str) -> None:
    output = run(KBUILD, "smoke", probes / "libfar_kernels.so", code=1)

    assert f"the device is sm_{device_architecture}, and far_kernels was built for sm_120" in output


def test_device_variables_work(tmp_path: Path, device_architecture: str) -> None:
    project = PROJECTS / "variables"
    build(project, tmp_path, "BACKEND=cuda", f"CMAKE_CUDA_ARCHITECTURES={device_architecture}")

    output = run("ctest", "--output-on-failure", cwd=tmp_path)

    assert "100% tests passed" in output
    assert "5/5 Test" in output


@pytest.mark.parametrize("kind", ["real", "linked by the driver"])
def test_separable_compilation_works(tmp_path: Path, device_architecture: str, kind: str) -> None:
    # The second list has no linked image for the device; the driver links the PTX of all sources.
    listed = device_architecture if kind == "real" else "120-real;80-virtual"
    project = PROJECTS / "rdc"
    build(project, tmp_path, "BACKEND=cuda", f"CMAKE_CUDA_ARCHITECTURES={listed}")

    output = run("ctest", "--output-on-failure", cwd=tmp_path)

    assert "100% tests passed" in output
    assert "4/4 Test" in output
    assert "Skipped" not in output


def test_kernels_can_launch_kernels(tmp_path: Path, device_architecture: str) -> None:
    project = PROJECTS / "dynamic_parallelism"
    build(project, tmp_path, f"CMAKE_CUDA_ARCHITECTURES={device_architecture}-real")

    assert "ok" in run(tmp_path / "host")


def test_kernels_with_cub_and_thrust_types_can_be_launched(
    tmp_path: Path, device_architecture: str
) -> None:
    project = PROJECTS / "cub"
    build(project, tmp_path, f"CMAKE_CUDA_ARCHITECTURES=80-real;{device_architecture}-real")

    assert "ok" in run(tmp_path / "host")


def test_multi_arch_example_runs(tmp_path: Path) -> None:
    build(resources.examples_directory() / "multi_arch", tmp_path, "BACKEND=cuda")

    assert "runs" in run(tmp_path / "which")


def test_saxpy_example_runs(tmp_path: Path, device_architecture: str) -> None:
    source = resources.examples_directory() / "saxpy"
    build(source, tmp_path, "BACKEND=cuda", f"CMAKE_CUDA_ARCHITECTURES={device_architecture}")

    assert "all 5" in run(tmp_path / "saxpy")
    assert "passed" in run(
        KBUILD, "smoke", tmp_path / "libsaxpy_kernels.so", source / "saxpy_cases.py"
    )


LAUNCH_CHECKS = PROJECTS / "launch_checks"


@pytest.fixture(scope="module")
def launch_checks(tmp_path_factory: pytest.TempPathFactory, device_architecture: str) -> Path:
    directory = tmp_path_factory.mktemp("checks")
    definitions = ("BACKEND=cuda", f"CMAKE_CUDA_ARCHITECTURES={device_architecture}-real")
    return build(LAUNCH_CHECKS, directory, *definitions)


def test_debug_stubs_check_the_limits_of_the_device(launch_checks: Path) -> None:
    lines = run(launch_checks / "ON_wrong").splitlines()

    reports = [line.rpartition(": ")[2] for line in lines if line.startswith("kbuild: launch of")]
    assert reports[:3] == [
        "out is a null pointer",
        "the block is (2048, 1, 1), but block.x must be at most 1024",
        "the grid is (0, 1, 1), but grid.x must be at least 1",
    ]
    assert reports[3].startswith("the launch requests 1073741824 bytes of dynamic shared memory ")
    assert len(reports) == 4
    codes = [line.split()[0] for line in lines if not line.startswith("kbuild: ")]
    assert codes[-2:] == ["0", "0"]
    assert "0" not in codes[:3]


def test_debug_stubs_check_launch_bounds_and_host_memory(launch_checks: Path) -> None:
    text = run(launch_checks / "ON_limits")

    assert "the block (128, 1, 1) has 128 threads, but the kernel allows at most" in text
    # The driver decides whether kernels can use host memory; if not, one note says so.
    assert text.count("note: in is not device memory") <= 1
    assert "kbuild: " not in run(launch_checks / "OFF_limits")


def test_launches_are_traced(launch_checks: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    environment = {**os.environ, "KBUILD_TRACE": str(file)}
    subprocess.run([launch_checks / "ON_wrong"], env=environment, check=True)

    events = json.loads(file.read_text())[1:]

    assert len(events) == 5
    assert all(event["name"].startswith("ns::set(") for event in events)
    assert events[-1]["args"]["arguments"]["value"] == 1


def test_mixed_sources_run(tmp_path: Path, device_architecture: str) -> None:
    architectures = f"ARCHITECTURES={device_architecture}"
    directory = build(PROJECTS / "mixed", tmp_path, "BACKEND=cuda", architectures)

    assert run(directory / "mixed") == "PASSED\n"


def test_run_uses_the_device_and_returns_the_exit_status(tmp_path: Path) -> None:
    source = tmp_path / "main.cu"
    source.write_text(
        "#include <cstdio>\n"
        "__global__ void add(int* out, int value) { out[0] += value; }\n"
        "int main(int argc, char**) {\n"
        "    int* out;\n"
        "    cudaMallocManaged(&out, sizeof *out);\n"
        "    *out = 40;\n"
        "    add<<<1, 1>>>(out, argc);\n"
        "    cudaDeviceSynchronize();\n"
        "    cudaDeviceProp properties;\n"
        "    cudaGetDeviceProperties(&properties, 0);\n"
        '    std::printf("%s\\n", properties.name);\n'
        "    return *out;\n"
        "}\n"
    )

    assert list_devices()[0].name in run(KBUILD, "run", source, "--", "argument", code=42)
