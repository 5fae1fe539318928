"""Build and run the CPU device runtime, its device headers, and the host API.

These tests use neither CMake nor kbuild's stages. They create images and modules directly, so
that a failure points to the native code.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.commands import ROOT
from support.tools.native_sources import join_runtime_sources
from support.tools.toolchains import require_programs

HERE = Path(__file__).parent
NATIVE = ROOT / "kbuild" / "native"
INCLUDE = f"-I{NATIVE / 'include'}"
RUNTIME_INCLUDES = (INCLUDE, f"-I{NATIVE / 'cpu'}")
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
DEVICE = ("-x", "c++", "-include", "kbuild_cpu_device.h", "-fno-exceptions", "-fPIC", "-g")
BASELINE = {"x86_64": "x86-64", "aarch64": "aarch64"}[platform.machine()]
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

CASES = (
    "saxpy",
    "indices",
    "barriers",
    "dynamic_shared",
    "early_exit",
    "votes",
    "atomics",
    "struct_parameter",
    "floating_point_environment",
    "many_launching_threads",
    "registration_while_launching",
    "unregister_waits",
    "second_registration_takes_over",
    "same_image_twice",
    "forked_child",
    "launch_at_exit",
    "warp_operations",
    "converging_lanes",
    "cooperative_launches",
    "spinning_threads",
    "threads_that_wait_by_clock",
    "unfinished_operations",
    "deadlocks",
    "invalid_launches",
    "layout_mismatch",
    "invalid_modules",
    "memory",
    "allocations",
    "allocations_in_threads_and_children",
    "no_memory_for_stacks",
)


@dataclass(frozen=True)
class Variant:
    """A compiler and its options for building everything."""

    compiler: str
    optimization: str = "-O2"
    defines: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "".join((self.compiler, self.optimization, *self.defines))


VARIANTS = (
    Variant("g++"),
    Variant("g++", "-O0", ("-DKBUILD_CPU_FIBER_UCONTEXT",)),
    Variant("clang++"),
)


@dataclass(frozen=True)
class Build:
    """The build that all tests of one variant share."""

    variant: Variant
    directory: Path
    image: bytes

    def container(self, *archs: str) -> Path:
        path = self.directory / ("-".join(archs) + ".bin")
        path.write_bytes(b"".join(offload_binary(self.image, arch) for arch in archs))
        return path


def compile_with(compiler: str, *arguments: object) -> None:
    result = subprocess.run(
        [compiler, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def errors_of(compiler: str, *arguments: object) -> str:
    result = subprocess.run(
        [compiler, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    return result.stderr


def device_flags(compiler: str) -> tuple[str, ...]:
    of_gcc = () if "clang" in compiler else ("-fno-gnu-unique", "-fno-extern-tls-init")
    return (*DEVICE, "-isystem", str(NATIVE / "device" / "cpu"), INCLUDE, *of_gcc)


def offload_binary(image: bytes, arch: str, sha256: str | None = None) -> bytes:
    """Return an LLVM offload binary, version 1, with one image."""
    strings = {
        b"triple": f"{platform.machine()}-unknown-linux-gnu".encode(),
        b"arch": arch.encode(),
        b"sha256": (sha256 or hashlib.sha256(image).hexdigest()).encode(),
    }
    table_offset = 32 + 40
    text_offset = table_offset + 16 * len(strings)
    text = table = b""
    for key, value in strings.items():
        table += struct.pack("<QQ", text_offset + len(text), text_offset + len(text) + len(key) + 1)
        text += key + b"\0" + value + b"\0"
    image_offset = (text_offset + len(text) + 7) // 8 * 8
    size = (image_offset + len(image) + 7) // 8 * 8
    header = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, size, 32, 40)
    entry = struct.pack("<HHIQQQQ", 1, 0, 0, table_offset, len(strings), image_offset, len(image))
    start = header + entry + table + text
    return (start.ljust(image_offset, b"\0") + image).ljust(size, b"\0")


def build_runtime(variant: Variant, directory: Path) -> None:
    flags = ("-std=c++17", variant.optimization, *variant.defines, "-fPIC", "-fvisibility=hidden")
    message = "-DKBUILD_CPU_MESSAGE_SECONDS=0.2"

    compile_with(
        variant.compiler,
        *(*flags, message, *STRICT, *RUNTIME_INCLUDES, join_runtime_sources(directory)),
        *(NATIVE / "cpu").rglob("*.S"),
        *("-shared", "-pthread", "-Wl,-z,defs", "-Wl,-soname,libkbuild_cpu.so.1"),
        f"-Wl,--version-script={NATIVE / 'cpu' / 'api' / 'exports.map'}",
        *("-ldl", "-o", directory / "libkbuild_cpu.so.1"),
    )


def build_image(variant: Variant, directory: Path) -> bytes:
    kernels, adapter, image = (directory / name for name in ("kernels.o", "adapter.o", "image.so"))
    flags = ("-std=c++17", variant.optimization)
    compile_with(
        variant.compiler,
        *(*flags, *device_flags(variant.compiler), "-c", HERE / "kernels.cu", "-o", kernels),
    )
    compile_with(
        variant.compiler,
        *(*flags, "-fPIC", INCLUDE, "-c", HERE / "adapter.cpp", "-o", adapter),
    )
    compile_with(
        variant.compiler,
        *("-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"),
        f"-Wl,--version-script={NATIVE / 'device' / 'cpu' / 'image.version'}",
        *(kernels, adapter, "-lm", "-o", image),
    )
    return image.read_bytes()


def build_program(variant: Variant, directory: Path, name: str, *sources: str) -> None:
    compile_with(
        variant.compiler,
        *("-std=c++17", "-O1", *STRICT, INCLUDE, f"-I{NATIVE / 'device' / 'cpu'}", "-pthread"),
        *(HERE / source for source in sources),
        *(directory / "libkbuild_cpu.so.1", f"-Wl,-rpath,{directory}", "-o", directory / name),
    )


@pytest.fixture(
    scope="module",
    params=[VARIANTS[0], *(pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS[1:])],
    ids=str,
)
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    variant: Variant = request.param
    require_programs(variant.compiler)
    directory = tmp_path_factory.mktemp("native")
    build_runtime(variant, directory)
    image = build_image(variant, directory)
    build_program(variant, directory, "runtime_test", "runtime_test.cpp")
    build_program(variant, directory, "host_api_run", "host_api_run.cpp", "host_api_other_unit.cpp")
    build_program(variant, directory, "vendor_api_kernels", "vendor_api_kernels.cpp")
    return Build(variant, directory, image)


Run = Callable[..., str]


@pytest.fixture
def run(build: Build, tmp_path: Path) -> Run:
    """Return a function that runs a program with an empty image cache and returns its output."""

    def run_program(*command: object, **environment: object) -> str:
        variables = {"KBUILD_CACHE_DIR": tmp_path / "cache", **environment}
        result = subprocess.run(
            [str(build.directory / str(command[0])), *map(str, command[1:])],
            env={**os.environ, **{k: str(v) for k, v in variables.items()}},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run_program


@pytest.mark.parametrize("case", CASES)
def test_runtime(build: Build, run: Run, case: str) -> None:
    run("runtime_test", case, build.container(BASELINE))


def test_host_api_launches(build: Build, run: Run) -> None:
    run("host_api_run", build.container(BASELINE))


def test_vendor_api_launches(build: Build, run: Run) -> None:
    run("vendor_api_kernels", build.container(BASELINE))


# Blocks run on several OS threads, and the first one that cannot continue reports its own.
REPORTS = {
    "block": (
        "kbuild: kernel wait_for_each_other: the threads of a block wait for each other",
        r"\n  10 threads of block \(., 0, 0\) in __syncthreads at \S+kernels.cu:\d+: \(0, 0, 0\), ",
        r"\n  22 threads of block \(., 0, 0\) in __syncwarp with mask 0xffffffff at \S+kernels.cu:",
    ),
    "mask": (
        r"kbuild: kernel name_wrong_lane: __syncwarp at \S+kernels.cu:\d+: ",
        r"the mask does not contain the calling lane; block \(0, 0, 0\), thread \(0, 0, 0\)\n",
    ),
    "grid": (
        "kbuild: kernel exit_before_grid_barrier: some blocks have exited before the grid barrier",
        r"\n  4 threads of block \(\d, 0, 0\) in grid_group::sync\(\) at \S+kernels.cu:\d+: ",
    ),
    "exit": (
        "kbuild: kernel exit_after_others_wait: some blocks have exited before the grid barrier",
        r"\n  1 threads of block \(0, 0, 0\) in grid_group::sync\(\) at \S+kernels.cu:\d+: ",
    ),
    "spin": (
        "kbuild: kernel spin_forever: no thread has made progress for 1 seconds",
        r"\n  8 threads of block \(\d, 0, 0\) in an atomic function that changes nothing: ",
    ),
    "ordinary": (
        "kernel exit_before_grid_barrier: ",
        "the launch is not cooperative; use cudaLaunchCooperativeKernel",
    ),
}


@pytest.mark.parametrize("kind", REPORTS)
def test_a_launch_that_cannot_continue_is_reported(build: Build, kind: str) -> None:
    command = (build.directory / "runtime_test", f"report_{kind}", build.container(BASELINE))
    # On a loaded machine, a thread of another launch can make no progress for this time.
    limit = {"KBUILD_CPU_TIMEOUT": "1"} if kind == "spin" else {}
    environment = {**os.environ, **limit}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    for pattern in REPORTS[kind]:
        assert re.search(pattern, done.stderr), done.stderr


def test_a_kernel_that_runs_for_long_gets_a_message(build: Build, run: Run) -> None:
    message = run("runtime_test", "report_long_run", build.container(BASELINE))

    assert message.startswith("kbuild: kernel wait_for_host has been running for 0.2 s in block")
    assert re.search(r" in block \(0, 0, 0\) at \S+kernels\.cu:\d+; if it does not end, ", message)
    assert "set KBUILD_CPU_TIMEOUT to the number of seconds" in message


def test_the_time_limit_must_be_a_number(build: Build, run: Run) -> None:
    container = build.container(BASELINE)
    with pytest.raises(AssertionError, match="KBUILD_CPU_TIMEOUT is 'soon'; expected a number of"):
        run("runtime_test", "saxpy", container, KBUILD_CPU_TIMEOUT="soon")


def test_the_setting_of_signals_must_be_known(build: Build, run: Run) -> None:
    container = build.container(BASELINE)
    with pytest.raises(AssertionError, match="KBUILD_CPU_SIGNALS is 'no'; expected on or off"):
        run("runtime_test", "saxpy", container, KBUILD_CPU_SIGNALS="no")


def test_barriers_work_with_small_stacks(build: Build, run: Run) -> None:
    run("runtime_test", "barriers", build.container(BASELINE), KBUILD_CPU_STACK_BYTES=20000)


def test_barriers_work_on_one_core(build: Build) -> None:
    program, container = build.directory / "runtime_test", build.container(BASELINE)
    core = str(min(os.sched_getaffinity(0)))
    subprocess.run(["taskset", "-c", core, program, "barriers", container], check=True, timeout=60)


def test_resolve_prefers_the_best_image(build: Build, run: Run, tmp_path: Path) -> None:
    foreign = offload_binary(b"not even ELF", "sm_90")
    container = tmp_path / "container"
    container.write_bytes(foreign + offload_binary(build.image, BASELINE))
    assert run("runtime_test", "resolve", container).startswith("0 ")


def test_resolve_names_the_architectures_when_none_is_runnable(build: Build, run: Run) -> None:
    container = build.container("x86-64-v9", "sm_90")
    output = run("runtime_test", "resolve", container, KBUILD_CPU_ARCH=BASELINE)
    assert output == (
        f"209 kernel saxpy was built for x86-64-v9, sm_90, but this machine is {BASELINE}\n"
    )


@pytest.mark.skipif(BASELINE != "x86-64", reason="only x86-64 has levels")
def test_resolve_skips_images_above_the_requested_level(build: Build, run: Run) -> None:
    container = build.container("x86-64-v2")
    output = run("runtime_test", "resolve", container, KBUILD_CPU_ARCH="x86-64")
    assert output.startswith("209 kernel saxpy was built for x86-64-v2")


def test_resolve_rejects_an_unknown_level(build: Build, run: Run) -> None:
    output = run("runtime_test", "resolve", build.container(BASELINE), KBUILD_CPU_ARCH="x86-64-v9")
    assert output.startswith("1 KBUILD_CPU_ARCH is 'x86-64-v9', which this machine cannot run")


def test_resolve_rejects_a_stack_size_that_is_too_small(build: Build, run: Run) -> None:
    container = build.container(BASELINE)
    with pytest.raises(AssertionError, match="KBUILD_CPU_STACK_BYTES is '12'; expected a number"):
        run("runtime_test", "saxpy", container, KBUILD_CPU_STACK_BYTES="12")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "built for nothing"),
        (b"\x10\xff\x10", "malformed container: the header is truncated"),
        (b"\x10\xff\x10\xad" + bytes(60), "malformed container: unsupported version"),
        (offload_binary(b"x", BASELINE, "../../etc"), "not 64 hex digits"),
        (offload_binary(b"not ELF", BASELINE), "cannot load the device image"),
    ],
    ids=("empty", "short", "version", "hash", "image"),
)
def test_resolve_reports_a_malformed_container(
    run: Run, tmp_path: Path, content: bytes, message: str
) -> None:
    container = tmp_path / "container"
    container.write_bytes(content)
    assert message in run("runtime_test", "resolve", container)


def test_cache_names_the_image_by_its_hash_and_repairs_it(
    build: Build, run: Run, tmp_path: Path
) -> None:
    name = hashlib.sha256(build.image).hexdigest() + ".so"
    cached = tmp_path / "cache" / name
    container = build.container(BASELINE)
    run("runtime_test", "resolve", container)
    assert cached.read_bytes() == build.image
    assert cached.parent.stat().st_mode & 0o777 == 0o700
    inode = cached.stat().st_ino
    run("runtime_test", "resolve", container)
    assert cached.stat().st_ino == inode
    cached.write_bytes(b"damaged")
    run("runtime_test", "resolve", container)
    assert cached.read_bytes() == build.image
    assert [path.name for path in cached.parent.iterdir()] == [name]


def test_cache_has_one_copy_per_module_with_the_same_image(
    build: Build, run: Run, tmp_path: Path
) -> None:
    run("runtime_test", "same_image_twice", build.container(BASELINE))
    digest = hashlib.sha256(build.image).hexdigest()
    names = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert names == [f"{digest}.1.so", f"{digest}.so"]


@pytest.mark.parametrize("unusable", ["shared", "link", "file"])
def test_cache_uses_the_next_directory_when_one_is_unusable(
    build: Build, run: Run, tmp_path: Path, unusable: str
) -> None:
    rejected = tmp_path / "unusable"
    if unusable == "shared":
        rejected.mkdir()
        rejected.chmod(0o777)
    elif unusable == "link":
        (tmp_path / "target").mkdir(mode=0o700)
        rejected.symlink_to(tmp_path / "target")
    else:
        rejected.write_text("")
    output = run(
        *("runtime_test", "resolve", build.container(BASELINE)),
        KBUILD_CACHE_DIR=rejected,
        XDG_CACHE_HOME=tmp_path / "xdg",
    )
    assert output.startswith("0 ")
    assert len(list((tmp_path / "xdg" / "kbuild" / "images").iterdir())) == 1
    assert not rejected.is_dir() or not list(rejected.iterdir())


def test_image_is_loaded_from_a_temporary_file_without_a_cache(
    build: Build, tmp_path: Path
) -> None:
    """The test mounts a world-writable directory over the last possible cache directory."""
    hide = "mkdir -p /tmp/kbuild-0 && mount -t tmpfs -o mode=777 none /tmp/kbuild-0"
    command = f"{hide} && exec {build.directory}/runtime_test resolve {build.container(BASELINE)}"
    result = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", command],
        env={"KBUILD_CACHE_DIR": "relative", "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0 and ("unshare:" in result.stderr or "mount:" in result.stderr):
        pytest.skip("no user namespaces")
    assert result.stdout.startswith("0 "), result.stderr
    assert list(tmp_path.iterdir()) == []


def test_container_reader_survives_damaged_input(tmp_path: Path) -> None:
    container = tmp_path / "container"
    container.write_bytes(
        offload_binary(b"i" * 20, "x86-64") + offload_binary(b"image", "x86-64-v3")
    )
    sources = [NATIVE / "cpu" / name for name in ("images/offload_binary.cpp", "api/errors.cpp")]
    compile_with(
        "g++",
        *("-std=c++17", "-O1", *SANITIZE, *RUNTIME_INCLUDES),
        *(HERE / "container_fuzz.cpp", *sources, "-o", tmp_path / "container_fuzz"),
    )
    subprocess.run(
        [tmp_path / "container_fuzz", container, "100000"],
        check=True,
        timeout=60,
        stdout=subprocess.DEVNULL,
    )


@pytest.fixture(params=["g++", "clang++", "clang++-14"])
def compiler(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    require_programs(name)
    return name


@pytest.mark.parametrize("standard", ["17", "20"])
@pytest.mark.parametrize("optimization", ["-O0", "-O2"])
def test_host_api_compiles(compiler: str, standard: str, optimization: str, tmp_path: Path) -> None:
    compile_with(
        compiler,
        *(f"-std=c++{standard}", optimization, *STRICT, "-Wconversion", INCLUDE),
        *("-c", HERE / "host_api.cpp", "-o", tmp_path / "host_api.o"),
    )


def test_host_api_compiles_as_c(tmp_path: Path) -> None:
    compile_with(
        "gcc",
        *("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", INCLUDE),
        *("-c", HERE / "host_api.c", "-o", tmp_path / "host_api.o"),
    )


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (1, "a kernel cannot be called on the host; launch it"),
        (2, "a kernel cannot be called on the host; launch it"),
        (3, "kbuild::launch: wrong number of arguments for this kernel"),
        (4, "no matching function for call to"),
        (5, "no matching function for call to"),
    ],
)
def test_host_api_rejects_wrong_calls(
    compiler: str, mistake: int, message: str, tmp_path: Path
) -> None:
    assert message in errors_of(
        compiler,
        *("-std=c++17", f"-DWRONG={mistake}", INCLUDE),
        *("-c", HERE / "host_api.cpp", "-o", tmp_path / "host_api.o"),
    )


@pytest.mark.parametrize(
    ("backend", "fix"),
    [
        ("HIP", "link the kbuild target, or add ROCm's include directory"),
        ("CUDA", "link the kbuild target, or add the CUDA Toolkit's include directory"),
    ],
)
def test_host_api_names_the_fix_without_the_headers_of_the_runtime(
    tmp_path: Path, backend: str, fix: str
) -> None:
    # Excludes all system headers, because a vendor's headers might be installed among them.
    (tmp_path / "host_api.c").write_text("#include <kbuild/kbuild.h>\n")
    for name in ("stddef.h", "stdint.h"):
        (tmp_path / name).touch()
    assert fix in errors_of(
        *("gcc", "-nostdinc", f"-I{tmp_path}"),
        *(f"-DKBUILD_BACKEND_{backend}", INCLUDE),
        *("-c", tmp_path / "host_api.c", "-o", tmp_path / "host_api.o"),
    )


@pytest.mark.parametrize(("optimization", "standard"), [("-O0", "17"), ("-O2", "20")])
def test_device_language_compiles(
    compiler: str, standard: str, optimization: str, tmp_path: Path
) -> None:
    compile_with(
        compiler,
        *(f"-std=c++{standard}", optimization, "-Wall", "-Wextra", "-Werror"),
        *("-Wno-unused-function", *device_flags(compiler)),
        *("-c", HERE / "device_language.cu", "-o", tmp_path / "device.o"),
    )


@pytest.mark.parametrize("header", ["cuda_runtime.h", "hip/hip_common.h", "vector_types.h"])
def test_vendor_headers_include_the_device_language(
    compiler: str, header: str, tmp_path: Path
) -> None:
    source = tmp_path / "k.cu"
    source.write_text(f"#include <{header}>\n__global__ void k(int *p) {{ *p = threadIdx.x; }}\n")
    flags = ("-std=c++17", *device_flags(compiler))
    compile_with(compiler, *flags, "-c", source, "-o", tmp_path / "k.o")


@pytest.mark.parametrize("vendor", ["", "hip/"])
def test_all_vendor_headers_can_be_included_together(
    compiler: str, vendor: str, tmp_path: Path
) -> None:
    names = [
        f"{vendor}{path.name}"
        for path in sorted((NATIVE / "device" / "cpu" / vendor).glob("*.h"))
        if not path.name.startswith("kbuild_")
    ]
    assert {f"{vendor}device_functions.h", f"{vendor}math_functions.h"} <= set(names)
    source = tmp_path / "k.cu"
    source.write_text("".join(f"#include <{name}>\n" for name in names))
    flags = ("-std=c++17", *device_flags(compiler))
    compile_with(compiler, *flags, "-fsyntax-only", source)


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (1, "warp operations without a mask in CUDA sources; use __shfl_down_sync"),
        (2, "warp operations without a mask in CUDA sources; use __ballot_sync"),
        (3, "the cpu backend does not support multi_grid_group, which CUDA 13 removed"),
        (9, "the cpu backend does not support address spaces: __isShared"),
        (
            10,
            (
                "the cpu backend does not support thread block clusters: "
                "__cluster_map_shared_multicast"
            ),
        ),
        (11, "the cpu backend does not support thread block clusters: __cluster_dims__"),
        (12, "the cpu backend does not support named barriers: __barrier_sync"),
        (13, "the cpu backend does not support performance counters: __pm0"),
    ],
)
def test_unsupported_feature_is_named(
    compiler: str, feature: int, message: str, tmp_path: Path
) -> None:
    assert message in errors_of(
        compiler,
        *("-std=c++17", f"-DUNSUPPORTED={feature}", *device_flags(compiler)),
        *("-c", HERE / "device_language.cu", "-o", tmp_path / "device.o"),
    )


# Words that projects define as macros. Excludes x, y, z, and w, which are members of vector types.
COMMON_MACRO_NAMES = (
    *"abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ",
    *("value", "address", "type", "name", "Arguments", "Types", "Update", "old", "result"),
    *("args", "config", "kernel", "count", "source", "direction", "bytes", "pointer"),
    *("ll", "ull", "uint", "eq", "lt", "add", "sub", "bits", "mode", "sign", "call"),
)


@pytest.mark.parametrize("language", ["device", "host"])
def test_headers_compile_when_the_project_defines_common_macros(
    compiler: str, language: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.cu"
    # The standard library comes first, because it does not support all of these macros.
    library = "#include <memory>\n#include <string>\n#include <limits>\n#include <type_traits>\n"
    library += "#include <utility>\n"
    library += "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    library += "#include <assert.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    library += "#include <float.h>\n#include <limits.h>\n#include <fcntl.h>\n#include <sched.h>\n"
    library += "#include <signal.h>\n#include <dlfcn.h>\n#include <unistd.h>\n#include <stdarg.h>\n"
    library += "#include <sys/file.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n"
    macros = "".join(f"#define {word} 1.5f\n" for word in COMMON_MACRO_NAMES)
    main = "kbuild_cpu_device.h" if language == "device" else "kbuild/kbuild.hpp"
    host = '#define KBUILD_TARGET_VISIBILITY "hidden"\n#include <kbuild/cpu_registration.h>\n'
    host += "#include <kbuild/debug_stub.hpp>\n#include <kbuild/chevron.hpp>\n"
    device = "#include <cuda_fp6.h>\n#include <cuda_fp4.h>\n"
    device += "#include <cooperative_groups/memcpy_async.h>\n#include <cooperative_groups/scan.h>\n"
    source.write_text(
        library + macros + f"#include <{main}>\n" + (host if language == "host" else device)
    )
    flags = [
        flag for flag in device_flags(compiler) if flag not in ("-include", "kbuild_cpu_device.h")
    ]
    if language == "host":
        flags = ["-x", "c++", INCLUDE]
    compile_with(compiler, "-std=c++17", *flags, "-c", source, "-o", tmp_path / "a.o")


INTRINSICS = """
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#define EXPECT(x) do { if (!(x)) { printf("%s\\n", #x); exit(1); } } while (0)
// At erfc(y) = 1e-300, a change of y in its last digit changes the result by a factor of 1e-13.
static bool near(double a, double b) { return fabs(a - b) <= 5e-13 * fabs(b); }
int main()
{
    EXPECT(__byte_perm(0x33221100, 0x77665544, 0x7340) == 0x77334400);
    EXPECT(__byte_perm(0x80, 0, 0x0008) == 0x80808080);  // only the low three bits count
    EXPECT(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_l(1, 2, 32) == 2);
    EXPECT(__funnelshift_lc(1, 2, 40) == 1 && __funnelshift_rc(1, 2, 32) == 2);
    EXPECT(__funnelshift_r(2, 1, 1) == 0x80000001);
    EXPECT(__hadd(INT_MAX, INT_MAX) == INT_MAX && __rhadd(-3, 0) == -1 && __hadd(-3, 0) == -2);
    EXPECT(__uhadd(UINT_MAX, 1) == 0x80000000 && __urhadd(1, 2) == 2);
    EXPECT(__sad(INT_MIN, INT_MAX, 1) == 0 && __usad(3, 5, 1) == 3);
    EXPECT(__dp4a(0x01ff0203, 0x01010101, 1) == 6 && __dp4a(0xffu, 0x02u, 1u) == 511);
    EXPECT(__dp2a_lo(0x0002ffff, 0x0304, 0) == 2 && __dp2a_hi(0x0002ffff, 0x03040000, 1) == 3);
    EXPECT(erfinv(0.0) == 0 && isinf(erfinv(1.0)) && isnan(erfinv(1.5)) && isinf(erfcinv(0.0)));
    for (double p : {1e-300, 1e-100, 1e-10, 1e-3, 0.05, 0.2, 0.7, 1.0 - 1e-3})
        EXPECT(near(erfc(erfcinv(p)), p) && near(normcdf(normcdfinv(p)), p));
    for (double x : {1e-10, 0.1, 0.49, 0.51, 0.9, 0.999999})
        EXPECT(near(erf(erfinv(x)), x) && erfinv(-x) == -erfinv(x));
    EXPECT(erfinvf(0.5f) > 0.476f && FLT_MAX > 1e38f && normcdfinvf(0.5f) == 0);
    __assume(INT_MAX > 0);
    if (getenv("NO_SUCH_VARIABLE")) { __trap(); __brkpt(); __prof_trigger(1); __nanosleep(1); }
}
"""


def test_intrinsics_compute_the_documented_results(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(INTRINSICS)
    (tmp_path / "image.cpp").write_text(
        "#include <kbuild/cpu_image.h>\n"
        'extern "C" { const struct kbuild_cpu_device_api *kbuild_cpu_api; }\n'
        'extern "C" { __thread void *kbuild_cpu_runner; }\n'
    )
    objects = []
    for name, flags in (("a.cu", device_flags(compiler)), ("image.cpp", (INCLUDE,))):
        objects.append(tmp_path / f"{name}.o")
        compile_with(compiler, "-std=c++17", *flags, "-c", tmp_path / name, "-o", objects[-1])
    compile_with(compiler, *objects, "-lm", "-o", tmp_path / "a")
    result = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
