"""Tests for CUDA artifacts on a machine without a GPU."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import KBUILD, PROJECTS, ROOT, build, configure, run, run_kbuild, succeed
from support.tools.small_headers import SMALL_DEVICE_HEADERS, set_device_headers
from support.tools.toolchains import needs_backend, require_programs

KERNELS = PROJECTS / "kernels"


pytestmark = needs_backend("cuda")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cuda")
    # The linked libraries below have the other kinds.
    settings = ("BACKEND=cuda", "CMAKE_CUDA_ARCHITECTURES=80-real;90a", "KINDS=SHARED")
    further = ("FURTHER_SOURCES=matmul.cu", set_device_headers("cuda"))
    succeed(configure(KERNELS, directory, *settings, *further))
    succeed(build(directory))
    return directory


def test_artifacts_pass_verification(built: Path) -> None:
    output = run("ctest", "--output-on-failure", "-R", "verify", cwd=built)

    assert "100% tests passed" in succeed(output)


@pytest.mark.slow
def test_sources_for_other_backends_build_for_cuda(tmp_path: Path) -> None:
    settings = ("BACKEND=cuda", "CMAKE_CUDA_ARCHITECTURES=90-real", "KINDS=SHARED")
    succeed(configure(KERNELS, tmp_path, *settings))
    succeed(build(tmp_path))

    assert "100% tests passed" in succeed(run("ctest", "-R", "verify", cwd=tmp_path))


def test_smoke_is_skipped_without_a_device(built: Path) -> None:
    result = run_kbuild("smoke", built / "libshared_kernels.so")

    if result.returncode == 0:
        pytest.skip("there is a device here; tests/gpu runs the kernels")
    assert result.returncode == 77
    assert run_kbuild("smoke", built / "libshared_kernels.so", "--require-device").returncode == 1


def test_inspect_lists_images_and_resources(built: Path) -> None:
    result = run_kbuild("inspect", "--format", "json", built / "libshared_kernels.so")

    (artifact,) = json.loads(result.stdout)["artifacts"]
    images = [image for image in artifact["images"] if image["container"] == 0]
    assert [(i["arch"], i["kind"]) for i in images] == [
        ("sm_80", "elf"),
        ("sm_90a", "elf"),
        ("compute_90a", "ptx"),
    ]
    (kernel,) = images[0]["kernels"]
    assert kernel["display"] == "matmul(int, int, int, float const*, float const*, float*)"
    assert kernel["max_threads"] == 256
    assert kernel["shared_bytes"] == 2 * 16 * 16 * 4
    assert [p["offset"] for p in kernel["params"]] == [0, 4, 8, 16, 24, 32]


def test_sections_have_nvidias_names(built: Path) -> None:
    listing = succeed(run("readelf", "-SW", built / "libshared_kernels.so"))

    assert ".nv_fatbin" in listing
    assert ".nvFatBinSegment" in listing


def test_second_build_does_nothing(built: Path) -> None:
    assert "no work to do" in succeed(run("cmake", "--build", built))


@pytest.mark.slow
def test_build_needs_only_the_toolchain_in_wheels(tmp_path: Path) -> None:
    """PATH has no nvcc, and no CUDA variable is set."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "gcc", "g++", "cc", "c++", "as", "ld", "ar", "ranlib", "cmake", "ninja"):
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(ROOT / "examples" / "saxpy" / "saxpy.cu", source)
    shutil.copy(ROOT / "examples" / "saxpy" / "saxpy.hpp", source)
    (source / "kbuild.toml").write_text(
        '[target.k]\nsources = ["saxpy.cu"]\nbackend = "cuda"\narchitectures = ["90"]\n'
    )
    environment = {"PATH": str(tools), "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    words = [f"{name}={value}" for name, value in environment.items()]

    output = succeed(run("env", "-i", *words, KBUILD, "build", "-f", source / "kbuild.toml"))

    assert "Compiling kernels of saxpy.cu for 90" in output
    assert (source / "build" / "kbuild" / "k" / "libk.so").is_file()


@pytest.mark.parametrize(
    ("keys", "code", "expected"),
    [
        ('architectures = ["42"]', 2, "'42' is not supported by this toolkit"),
        pytest.param(
            *('architectures = ["native"]', 2, "name an architecture"),
            marks=pytest.mark.skipif(bool(list_devices()), reason="this machine has a GPU"),
        ),
        ('compile_options = ["--no-such-option"]', 4, "no-such-option"),
        ('compile_options = ["-Xptxas", "--no-such-option"]', 4, "no-such-option"),
    ],
)
def test_bad_input(tmp_path: Path, keys: str, code: int, expected: str) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    (tmp_path / "kbuild.toml").write_text(
        f'[target.t]\nsources = ["a.cu"]\nbackend = "cuda"\n{keys}\n'
    )

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == code, result.stderr
    assert expected in " ".join(result.stderr.split())  # CMake breaks lines
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_kernel_that_one_architecture_lacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void k(int* p) { *p = 1; }\n"
        "#if __CUDA_ARCH__ >= 900\n__global__ void wide(int* p) { *p = 2; }\n#endif\n"
    )
    (tmp_path / "kbuild.toml").write_text(
        '[target.t]\nsources = ["a.cu"]\nbackend = "cuda"\narchitectures = ["80-real", "90-real"]\n'
        f"compile_options = {list(SMALL_DEVICE_HEADERS['cuda'])}\n"
    )

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == 2
    assert "kernel 'wide(int*)' is defined for sm_90 but not for sm_80" in result.stderr


@pytest.mark.parametrize("rdc", [pytest.param("false", marks=pytest.mark.slow), "true"])
def test_artifact_contains_compile_facts(tmp_path: Path, rdc: str) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void k(float* p) { float v[64];\n"
        "#pragma unroll\nfor (int i = 0; i < 64; i++) v[i] = p[i * 32 + threadIdx.x];\n"
        "__syncthreads();\n"
        "#pragma unroll\nfor (int i = 0; i < 64; i++) p[i * 32 + threadIdx.x] = v[63 - i]; }\n"
    )
    options = ["-maxrregcount=32", f"-I{tmp_path}", *SMALL_DEVICE_HEADERS["cuda"]]
    (tmp_path / "kbuild.toml").write_text(
        '[target.t]\nsources = ["a.cu"]\nbackend = "cuda"\narchitectures = ["80"]\n'
        f"rdc = {rdc}\n"
        f"compile_options = {options}\n"
    )
    assert run_kbuild("build", cwd=tmp_path).returncode == 0

    (stamp,) = tmp_path.rglob("a.cu.80.json")
    image = next(i for i in json.loads(stamp.read_text())["images"] if i["kind"] == "elf")

    expected = image["kernels"][0]["resources"]["spill_bytes"]
    assert expected > 0
    assert image["kernels"][0]["resources"]["registers"] <= 32

    # Everything is judged on the artifact alone.
    (library,) = tmp_path.rglob("libt.*")
    artifact = shutil.copy(library, tmp_path)
    shutil.rmtree(tmp_path / "build")
    assert str(tmp_path).encode() not in Path(artifact).read_bytes()
    (described,) = json.loads(succeed(run_kbuild("inspect", "--format", "json", artifact)))[
        "artifacts"
    ]
    assert described["images"][0]["kernels"][0]["spill_bytes"] == expected
    (compiled,) = described["kbuild"]["compile"]
    assert (compiled["compiler"], compiled["architectures"]) == ("nvcc", ["sm_80", "compute_80"])
    assert compiled["version"].split(".")[0].isdigit()
    assert {"-std=c++17", "-maxrregcount=32", "-I<path>"} <= set(compiled["options"])
    policy = tmp_path / "policy.toml"
    policy.write_text("max_spill_bytes = 0\n")
    words = ("verify", "--format", "json", "--select", "KB201", "--policy", policy)
    report = json.loads(run_kbuild(*words, artifact).stdout)
    assert [(f["rule"], f["severity"]) for f in report["findings"]] == [("KB201", "error")]
    assert str(expected) in report["findings"][0]["message"]


@pytest.mark.slow
def test_host_compiler_can_differ_from_the_compiler_of_the_project(tmp_path: Path) -> None:
    """nvcc uses HOST_COMPILER, and the project keeps its own compiler and standard."""
    require_programs("clang++")
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(ROOT / "examples" / "saxpy" / "saxpy.cu", source)
    shutil.copy(ROOT / "examples" / "saxpy" / "saxpy.hpp", source)
    (source / "main.cpp").write_text(
        '#include "saxpy.hpp"\n#include <concepts>\n'
        "template <std::integral T> T twice(T x) { return 2 * x; }\n"
        "int main() { return twice(0); }\n"
    )
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\nproject(p LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
        "kbuild_add_kernels(k SHARED SOURCES saxpy.cu BACKEND cuda ARCHITECTURES 80\n"
        "    HOST_COMPILER g++)\n"
        "add_executable(main main.cpp)\ntarget_compile_features(main PRIVATE cxx_std_20)\n"
        "target_link_libraries(main PRIVATE k)\n"
    )

    succeed(configure(source, tmp_path / "b", "CMAKE_CXX_COMPILER=clang++"))
    succeed(build(tmp_path / "b"))

    assert os.access(tmp_path / "b" / "main", os.X_OK)


OVER_ALIGNED = """
struct alignas(64) Tile { float values[16]; };
__global__ void take(int i, Tile tile, char c, float* out) { *out = tile.values[i] + c; }
"""


@pytest.mark.slow
def test_offsets_of_over_aligned_parameters_can_differ_by_architecture(tmp_path: Path) -> None:
    (tmp_path / "take.cu").write_text(OVER_ALIGNED)
    (tmp_path / "kbuild.toml").write_text(
        '[target.take]\nkind = "shared"\nsources = ["take.cu"]\nbackend = "cuda"\n'
        'architectures = ["80", "90a-real"]\n'
    )

    succeed(run(KBUILD, "build", cwd=tmp_path))

    (library,) = tmp_path.rglob("libtake.so")
    (artifact,) = json.loads(run_kbuild("inspect", "--format", "json", library).stdout)["artifacts"]
    offsets = {
        image["arch"]: tuple(param["offset"] for param in kernel["params"])
        for image in artifact["images"]
        for kernel in image["kernels"]
    }
    assert len(offsets) == 3
    assert len(set(offsets.values())) == 3
    assert run_kbuild("verify", library).returncode == 0


@pytest.mark.slow
def test_compression_mode_selects_the_compression_of_each_image(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    modes = ("none", "speed", "balance", "size")
    manifest = "".join(
        f'[target.{mode}]\nsources = ["a.cu"]\nbackend = "cuda"\narchitectures = ["90"]\n'
        f'verify = false\ncompression = "{mode}"\n'
        for mode in modes
    )
    (tmp_path / "kbuild.toml").write_text(manifest)
    succeed(run_kbuild("build", cwd=tmp_path))
    found = {}
    for mode in modes:
        library = tmp_path / "build" / "kbuild" / mode / f"lib{mode}.so"
        listed = json.loads(succeed(run_kbuild("inspect", "--format", "json", library)))
        images = listed["artifacts"][0]["images"]
        found[mode] = {image["kind"]: image["compression"] for image in images}

    assert found == {
        "none": {"elf": "none", "ptx": "none"},
        "speed": {"elf": "none", "ptx": "lz4"},
        "balance": {"elf": "none", "ptx": "zstd"},
        "size": {"elf": "zstd", "ptx": "zstd"},
    }


@pytest.mark.slow
def test_device_variables_have_shadows(tmp_path: Path) -> None:
    project = PROJECTS / "variables"
    settings = ("CMAKE_CUDA_ARCHITECTURES=80-real", set_device_headers("cuda"))
    succeed(configure(project, tmp_path, "BACKEND=cuda", *settings))
    succeed(build(tmp_path, "shared_kernels"))

    result = run_kbuild("inspect", "--format", "json", tmp_path / "libshared_kernels.so")

    (artifact,) = json.loads(succeed(result))["artifacts"]
    found = {v["display"]: (v["kind"], v["size"]) for v in artifact["variables"]}
    # Cubins do not tell that `own` and `own_managed` are static.
    assert found == {
        "weights": ("device", 16),
        "factor": ("constant", 4),
        "calls": ("managed", 4),
        "sums": ("managed", 16),
        "ns::offset": ("device", 4),
        "plain_c": ("device", 4),
        "own": ("device", 4),
        "own_managed": ("managed", 4),
    }
    assert "weights" in succeed(run("nm", "-D", tmp_path / "libshared_kernels.so"))


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cuda_rdc")
    project = PROJECTS / "rdc"
    settings = ("BACKEND=cuda", "CMAKE_CUDA_ARCHITECTURES=80-real;90", set_device_headers("cuda"))
    succeed(configure(project, directory, *settings))
    succeed(build(directory))
    return directory


@pytest.mark.slow  # tests/e2e/build/test_rdc.py links device code, too
def test_device_link_yields_one_container(linked: Path) -> None:
    result = run_kbuild("inspect", "--format", "json", linked / "libshared_kernels.so")

    (artifact,) = json.loads(succeed(result))["artifacts"]
    images = [(i["container"], i["arch"], i["kind"]) for i in artifact["images"]]
    assert images == [
        (0, "sm_80", "elf"),
        (0, "sm_90", "elf"),
        # The driver links these for devices that cannot use a cubin.
        (1, "compute_90", "ptx"),
        (2, "compute_90", "ptx"),
    ]
    names = {kernel["display"] for kernel in artifact["images"][0]["kernels"]}
    assert names == {"own(int*)", "first(int*)", "second(int*)", "void apply<Scale>(Scale, int*)"}
    verified = run_kbuild("verify", linked / "libshared_kernels.so", linked / "libstatic_kernels.a")
    assert "no findings" in succeed(verified)


@pytest.mark.slow  # tests/tools/nvcc/test_relocatable.py links objects with a host linker, too
def test_host_linker_can_link_an_archive_of_linked_device_code(
    linked: Path, tmp_path: Path
) -> None:
    (runtime, *_) = cuda.find_runtimes(gather_hints())
    directories = [f"-I{directory}" for directory in runtime.include_directories]
    succeed(
        run(
            *("g++", "-std=c++17", "-DKBUILD_BACKEND_CUDA=1", *directories),
            *("-I", ROOT / "kbuild/native/include", PROJECTS / "rdc/host.cpp"),
            *(linked / "libstatic_kernels.a", runtime.library),
            *(f"-Wl,-rpath,{runtime.library.parent}", "-o", tmp_path / "host"),
        )
    )

    # The program starts, and reports that there is no device.
    assert "FAILED allocate" in run(tmp_path / "host").stdout or has_device()


def has_device() -> bool:
    return bool(list_devices())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "sources", "code", "expected"),
    [
        ("90", "__device__ int missing(int);", 4, "define it in a source of the target"),
        (
            "90-virtual",
            "__device__ int missing(int v) { return v; }",
            2,
            "add one, such as 90-real",
        ),
    ],
)
def test_device_link_errors_state_the_fix(
    tmp_path: Path, architecture: str, sources: str, code: int, expected: str
) -> None:
    (tmp_path / "a.cu").write_text(f"{sources}\n__global__ void k(int* p) {{ *p = missing(1); }}\n")
    (tmp_path / "kbuild.toml").write_text(
        '[target.t]\nsources = ["a.cu"]\nbackend = "cuda"\nrdc = true\n'
        f'architectures = ["{architecture}"]\n'
        f"compile_options = {list(SMALL_DEVICE_HEADERS['cuda'])}\n"
    )

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == code, result.stderr
    assert expected in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_kernels_with_cub_and_thrust_types_have_the_same_name_in_all_compilers(
    tmp_path: Path,
) -> None:
    project = PROJECTS / "cub"
    succeed(configure(project, tmp_path, "CMAKE_CUDA_ARCHITECTURES=80-real;90-real"))

    succeed(build(tmp_path))

    listed = run_kbuild("inspect", "--format", "json", tmp_path / "libtyped_kernels.so")
    (artifact,) = json.loads(succeed(listed))["artifacts"]
    # CCCL of CUDA 13.0 adds another kernel.
    names = {kernel["name"] for image in artifact["images"] for kernel in image["kernels"]}
    (name,) = (name for name in names if "largest" in name)
    # The host program links because g++ uses the same name. By default, the types of CUB and Thrust
    # have the architectures in their names.
    assert name in succeed(run("nm", tmp_path / "host"))
    assert "_NS" not in name


# The demo builds saxpy, and the other tests have builds for several architectures.
@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [
        "c_host",
        pytest.param("saxpy", marks=pytest.mark.slow),
        pytest.param("multi_arch", marks=pytest.mark.slow),
    ],
)
def test_examples_build_for_cuda(tmp_path: Path, example: str) -> None:
    source = ROOT / "examples" / example
    succeed(configure(source, tmp_path, "BACKEND=cuda", "CMAKE_CUDA_ARCHITECTURES=90-real"))

    succeed(build(tmp_path))  # and verifies

    if not has_device():
        tests = succeed(run("ctest", "-E", "smoke", cwd=tmp_path))
        assert "100% tests passed" in tests
        assert "***Skipped" in tests
    if example == "multi_arch":
        listing = succeed(run_kbuild("inspect", tmp_path / "libwhich_kernels.so"))
        assert all(arch in listing for arch in ("cuda sm_80", "cuda sm_90", "cuda compute_90"))


@pytest.mark.slow
def test_compiler_and_architectures_come_from_cmakes_cuda_language(tmp_path: Path) -> None:
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    elsewhere = tmp_path / "toolkit"
    elsewhere.symlink_to(nvcc.parent.parent)
    source = tmp_path / "source"
    source.mkdir()
    (source / "k.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\nproject(p LANGUAGES CXX CUDA)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
        "kbuild_add_kernels(k SHARED SOURCES k.cu BACKEND cuda)\n"
    )
    own = elsewhere / "bin" / "nvcc"
    succeed(
        configure(
            *(source, tmp_path / "build", f"CMAKE_CUDA_COMPILER={own}"),
            "CMAKE_CUDA_ARCHITECTURES=80-real;90-virtual",
        )
    )

    succeed(build(tmp_path / "build"))

    edges = [json.loads(path.read_text()) for path in tmp_path.rglob("k.cu.*.edge")]
    assert {edge["toolchain"]["compiler"] for edge in edges} == {str(own)}
    listing = succeed(run_kbuild("inspect", tmp_path / "build" / "libk.so"))
    assert "cuda sm_80" in listing
    assert "cuda compute_90" in listing
    assert "sm_90" not in listing


@pytest.mark.slow
def test_demo_skips_the_launch_without_a_device(tmp_path: Path) -> None:
    result = run_kbuild("demo", "--backend", "cuda", "--keep", tmp_path / "kept")

    if has_device():
        pytest.skip("there is a device here; tests/gpu runs the kernels")
    assert result.returncode == 77
    assert "smoke   kbuild smoke            skipped: no device" in result.stdout
    assert "libsaxpy_kernels.so" in result.stdout
    assert "error" not in result.stderr.splitlines()[-1]
