"""Tests that the HIP backend builds, links, and verifies artifacts, without a device."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kbuild import resources
from kbuild.backends.hip import build as hip
from kbuild.inspect import inspect_path
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.calls import write_record
from support.commands import (
    PROJECTS,
    build,
    configure,
    configure_and_build,
    ctest,
    find_kbuild,
    run,
    run_kbuild,
    succeed,
)
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.small_headers import SMALL_DEVICE_HEADERS, set_device_headers
from support.tools.toolchains import NEWER_CLANG, needs_backend, require_programs

# For a fast build. The demo builds for all default architectures.
ONE_TARGET = "CMAKE_HIP_ARCHITECTURES=gfx90a"


pytestmark = needs_backend("hip")
SMALL_HEADERS = f"compile_options = {list(SMALL_DEVICE_HEADERS['hip'])}"
needs_newer_clang = needs_backend("hip", NEWER_CLANG)


def run_with(environment: dict[str, str], *argv: object, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in argv],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def build_target(directory: Path, text: str, environment: dict[str, str] | None = None) -> Any:
    (directory / "kbuild.toml").write_text(
        f'[target.t]\nsources = ["*.cu"]\nbackend = "hip"\n{text}\n'
    )
    code, output = run_with(environment or {}, find_kbuild(), "build", cwd=directory)
    return code, " ".join(output.split())


def inspect_json(path: Path) -> Any:
    (artifact,) = json.loads(succeed(run_kbuild("inspect", "--format", "json", path)))["artifacts"]
    return artifact


def build_kernels(directory: Path, *settings: str) -> None:
    """Build the shared library of the project `kernels` with Makefiles.

    Makefiles give colons a meaning, and target ids contain them.
    """
    targets = "CMAKE_HIP_ARCHITECTURES=gfx90a:xnack-"
    settings = ("BACKEND=hip", targets, "KINDS=SHARED", *settings)
    succeed(configure(PROJECTS / "kernels", directory, *settings, generator="Unix Makefiles"))
    succeed(build(directory))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # The fixture hip_launch has other kinds of libraries, and images for two architectures.
    directory = tmp_path_factory.mktemp("kernels")
    build_kernels(directory, "FURTHER_SOURCES=matmul.cu", set_device_headers("hip"))
    return directory


@pytest.mark.slow
def test_sources_for_other_backends_build_for_hip(tmp_path: Path) -> None:
    build_kernels(tmp_path)

    output = ctest(tmp_path).stdout

    assert "shared_kernels.verify" in output
    assert output.count(".verify ") == output.count("Passed")
    assert output.count("***Skipped") == 1


def test_smoke_test_is_skipped_without_a_device(kernels: Path) -> None:
    cases = PROJECTS / "kernels/kernel_cases.py"

    result = run_kbuild("smoke", kernels / "libshared_kernels.so", cases)

    assert result.returncode == 77
    assert "skipped: no AMD device" in result.stdout
    required = run_kbuild("smoke", kernels / "libshared_kernels.so", "--require-device")
    assert required.returncode == 1
    assert "no AMD device" in required.stdout


def test_inspect_and_the_record_agree_with_the_code_objects(
    kernels: Path, hip_launch: Path
) -> None:
    library = kernels / "libshared_kernels.so"

    artifact = inspect_json(library)

    assert {i["arch"] for i in artifact["images"]} == {"gfx90a:xnack-"}
    assert {(i["backend"], i["kind"]) for i in artifact["images"]} == {("hip", "elf")}
    found = {k["display"]: k for i in artifact["images"] for k in i["kernels"]}
    scale = found["void scale<double>(int, double, double*)"]
    assert [(p["offset"], p["size"], p["type"], p["kind"]) for p in scale["params"]] == [
        (0, 4, "int", "by_value"),
        (8, 8, "double", "by_value"),
        (16, 8, "double*", "global_buffer"),
    ]
    matmul = next(k for name, k in found.items() if name.startswith("matmul("))
    assert (matmul["shared_bytes"], matmul["max_threads"]) == (2048, 256)
    assert matmul["registers"] > 0
    images = inspect_json(hip_launch / "object_host")["images"]
    wavefronts = {i["arch"]: k["wavefront_size"] for i in images for k in i["kernels"]}
    assert wavefronts == {"gfx90a": 64, "gfx1030": 32}
    handles = {h["kernel"]: h for h in artifact["handles"]}
    assert len(handles) == len(found)
    # The handles of explicit instances are code.
    assert {name: handle["section"] for name, handle in handles.items()} == {
        kernel["name"]: ".text" if display.startswith("void scale<") else ".data.rel.ro"
        for display, kernel in found.items()
    }
    # The record in the artifact agrees.
    (facts,) = inspect_path(library)
    rows = {row.display: row for module in facts.modules for row in module.record.kernels}
    assert [p.kind for p in rows[scale["display"]].params] == [p["kind"] for p in scale["params"]]


def test_clang_offload_bundler_reads_the_fat_binary(
    kernels: Path, hip_launch: Path, tmp_path: Path
) -> None:
    tools = find_toolchain(hip, gather_hints())
    assert tools.packer is not None
    section = tmp_path / "section"
    for artifact, targets in (
        (kernels / "libshared_kernels.so", {"gfx90a:xnack-"}),
        (hip_launch / "object_host", {"gfx90a", "gfx1030"}),
    ):
        succeed(run("objcopy", "-O", "binary", "-j", ".hip_fatbin", artifact, section))
        listed = succeed(run(tools.packer, "-type=o", "-list", f"-input={section}"))
        assert {f"hipv4-amdgcn-amd-amdhsa--{target}" for target in targets} <= set(listed.split())


@pytest.mark.slow
def test_device_code_of_several_sources_is_linked(tmp_path: Path) -> None:
    targets = "CMAKE_HIP_ARCHITECTURES=gfx90a:xnack-;gfx90a:xnack+"
    configure_and_build(PROJECTS / "rdc", tmp_path, "BACKEND=hip", "KINDS=SHARED", targets)

    assert "shared_kernels.verify" in ctest(tmp_path).stdout
    artifact = inspect_json(tmp_path / "libshared_kernels.so")
    assert [image["arch"] for image in artifact["images"]] == ["gfx90a:xnack-", "gfx90a:xnack+"]
    for image in artifact["images"]:
        names = sorted(kernel["display"] for kernel in image["kernels"])
        assert names == [
            "first(int*)",
            "own(int*)",
            "own(int*)",
            "second(int*)",
            "void apply<Scale>(Scale, int*)",
        ]
    own = [h for h in artifact["handles"] if ".intern." in h["kernel"]]
    assert [h["binding"] for h in own] == ["local", "local"]
    assert {v["display"] for v in artifact["variables"]} == {"total", "step"}


def test_undefined_device_function_error_states_the_fix_and_leaves_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__device__ int missing(int);\n__global__ void k(int* p) { *p = missing(1); }\n"
    )

    settings = f'rdc = true\narchitectures = ["gfx90a"]\n{SMALL_HEADERS}'
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code, output = build_target(tmp_path, settings, {"TMPDIR": str(temporary)})

    assert code == 4
    assert "symbol: missing(int)" in output
    assert "define it in a source of the target" in output
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_device_variables_are_registered(tmp_path: Path) -> None:
    succeed(configure(PROJECTS / "variables", tmp_path, "BACKEND=hip", ONE_TARGET))
    succeed(build(tmp_path, "shared_host"))

    artifact = inspect_json(tmp_path / "libshared_kernels.so")

    found = {v["display"]: (v["kind"], v["size"]) for v in artifact["variables"]}
    assert found == {
        "weights": ("device", 16),
        "factor": ("device", 4),
        "calls": ("managed", 4),
        "sums": ("managed", 16),
        "ns::offset": ("device", 4),
        "plain_c": ("device", 4),
    }
    # HIP 5 kills a process that registers a managed variable without a device.
    result = run(tmp_path / "shared_host")
    assert "no AMD device" in result.stdout + result.stderr
    assert result.returncode == 1


# The project hip_launch has C programs and builds for several architectures, and other tests skip
# smoke tests.
@pytest.mark.slow
@pytest.mark.parametrize("example", ["c_host", "saxpy", "multi_arch"])
def test_examples_build_and_start(tmp_path: Path, example: str) -> None:
    source = resources.examples_directory() / example
    configure_and_build(source, tmp_path, "BACKEND=hip", ONE_TARGET)

    output = ctest(tmp_path).stdout

    assert ".smoke" in output
    assert "***Skipped" in output
    assert "Passed" in output  # .verify
    assert "100% tests passed" in output
    program = {"multi_arch": "which"}.get(example, example)
    result = run(tmp_path / program)
    assert result.returncode == 77
    assert "skipped: " in result.stdout
    assert "no AMD device" in result.stdout


@pytest.mark.slow
def test_demo_skips_the_launch_without_a_device() -> None:
    result = run_kbuild("demo", "--backend", "hip")

    assert result.returncode == 77
    assert "verify  kbuild verify" in result.stdout
    assert "skipped: no device" in result.stdout


@pytest.mark.slow
@needs_newer_clang
def test_hipcxx_selects_the_compiler(tmp_path: Path) -> None:
    """Only newer compilers support the compression mode of the target `u`."""
    (tmp_path / "a.cu").write_text(KERNEL)
    settings = 'kind = "shared"\narchitectures = ["gfx90a"]\ncompression = '
    u = f'[target.u]\nsources = ["a.cu"]\nbackend = "hip"\n{settings}"size"'

    code, output = build_target(tmp_path, f'{settings}"none"\n{u}', {"HIPCXX": NEWER_CLANG})

    assert code == 0, output
    for name, compression in (("t", "none"), ("u", "zstd")):
        (image,) = inspect_json(tmp_path / f"build/kbuild/{name}/lib{name}.so")["images"]
        assert image["compression"] == compression


@pytest.mark.slow
@needs_nvcc
def test_hip_platform_nvidia_builds_for_cuda(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "b.cu").write_text(
        "#include <hip/hip_runtime.h>\n__global__ void l(int* p) { p[hipThreadIdx_x] = 1; }\n"
    )

    code, output = build_target(
        tmp_path, 'kind = "shared"\narchitectures = ["90-real"]', {"HIP_PLATFORM": "nvidia"}
    )

    assert code == 0, output
    images = inspect_json(tmp_path / "build/kbuild/t/libt.so")["images"]
    assert [(image["backend"], image["arch"]) for image in images] == [("cuda", "sm_90")] * 2


@pytest.mark.slow
def test_sources_that_include_cudas_headers_build(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "#include <cuda.h>\n#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
        "__global__ void k(__half* p) { cooperative_groups::this_thread_block().sync(); *p = 1; }\n"
    )

    code, output = build_target(tmp_path, 'kind = "shared"\narchitectures = ["gfx90a"]')

    assert code == 0, output


KERNEL = "__global__ void k(int* p) { *p = 1; }\n"


def plan_target(directory: Path, *arguments: str) -> tuple[int, str]:
    """Plan ``kbuild_add_kernels(t SOURCES a.cu BACKEND hip <arguments>)``, without CMake."""
    words = ("SOURCES", "a.cu", "BACKEND", "hip", *arguments)
    record = write_record(directory, "kbuild_add_kernels", "t", *words)
    done = run_kbuild("plan", record, "-o", directory / "plan.cmake")
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ("ARCHITECTURES gfx1", {}, (2, "unknown architecture 'gfx1'; there are device lib")),
        ("ARCHITECTURES gfx1250", {}, (3, "install newer ones (Debian: rocm-device-libs")),
        ("ARCHITECTURES gfx90a:xnack+:xnack-", {}, (2, "names xnack twice")),
        ("ARCHITECTURES gfx90a gfx90a:xnack-", {}, (2, "a device could use either")),
        ("ARCHITECTURES native", {}, (2, "the driver lists no AMD device here")),
        ("STATIC RUNTIME static", {}, (2, "backend hip has no static runtime here")),
        ("", {"HIPCXX": "g++"}, (3, "is not clang")),
        ("", {"HIPCXX": "/no/clang"}, (3, "compiler /no/clang not found; check the path")),
        ("", {"ROCM_PATH": "/no/rocm"}, (3, "ROCM_PATH is '/no/rocm': no such directory")),
        ("", {"HIP_PLATFORM": "intel"}, (2, "HIP_PLATFORM is 'intel'; expected amd or nvidia")),
    ],
)
def test_error_states_the_problem(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    environment: dict[str, str],
    expected: tuple[int, str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    code, output = plan_target(tmp_path, *arguments.split())

    assert expected[1] in output
    assert code == expected[0]
    assert "Traceback" not in output


@needs_nvcc
def test_amd_architecture_on_the_nvidia_platform_is_an_error_with_the_reason(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)

    code, output = build_target(tmp_path, 'architectures = ["gfx90a"]', {"HIP_PLATFORM": "nvidia"})

    assert code == 2
    assert "HIP_PLATFORM is nvidia: backend cuda builds the target instead of hip; " in output
    assert "gfx90a" in output


def test_unsupported_compression_is_rejected_before_compiling(
    tmp_path: Path,
) -> None:
    if int(find_toolchain(hip, gather_hints()).version.partition(".")[0]) >= 19:
        pytest.skip("this clang supports it")

    code, output = plan_target(tmp_path, "COMPRESSION", "size")

    assert code == 2
    assert "COMPRESSION size needs clang 19 or newer" in output


def test_error_names_a_missing_bundler(tmp_path: Path) -> None:
    """The compiler is in another directory than its tools."""
    tools = find_toolchain(hip, gather_hints())
    compiler = tmp_path / "bin" / "clang++"
    compiler.parent.mkdir()
    compiler.write_text(
        "#!/bin/sh\n"
        'case "$1" in -print-prog-name=*) echo "${1#*=}" ;; '
        f'*) exec {tools.compiler} "$@" ;; esac\n'
    )
    compiler.chmod(0o755)
    (tmp_path / "a.cu").write_text(KERNEL)

    code, output = build_target(tmp_path, "", {"HIPCXX": str(compiler)})

    assert code == 3
    assert "clang-offload-bundler, which writes fat binaries, is missing; install it" in output


@pytest.mark.slow
@needs_nvcc
def test_note_says_why_hipcc_is_not_used_when_nvcc_is_on_path(tmp_path: Path) -> None:
    """hipcc would call nvcc unless HIP_PLATFORM says otherwise."""
    for name in ("hipcc", "nvcc"):
        require_programs(name)
    (tmp_path / "a.cu").write_text(KERNEL)

    code, output = build_target(
        tmp_path,
        f'kind = "shared"\narchitectures = ["gfx90a"]\nverify = false\n{SMALL_HEADERS}\n'
        '[target.u]\nsources = ["a.cu"]\nbackend = "hip"\narchitectures = ["gfx90a"]\n'
        f"verify = false\n{SMALL_HEADERS}",
    )

    assert code == 0
    # Two targets have the note, and it is printed once.
    assert output.count("hipcc calls nvcc if it is on PATH, as it is here") == 1
