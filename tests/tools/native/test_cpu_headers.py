"""Compile the device headers of the CPU and the host API.

These tests use neither CMake nor kbuild's stages, so that a failure points to the headers. The
tests of the runtime are in tests/native.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.commands import ROOT
from support.tools.toolchains import list_distinct, require_programs

HERE = Path(__file__).parent
NATIVE = ROOT / "kbuild" / "native"
INCLUDE = f"-I{NATIVE / 'include'}"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
DEVICE = ("-x", "c++", "-include", "kbuild_cpu_device.h", "-fno-exceptions", "-fPIC", "-g")


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


@pytest.fixture(
    scope="module",
    params=[
        "g++",
        *(pytest.param(n, marks=pytest.mark.slow) for n in list_distinct("clang++", "clang++-14")),
    ],
)
def compiler(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    require_programs(name)
    return name


@pytest.mark.parametrize(("optimization", "standard"), [("-O0", "17"), ("-O2", "20")])
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
    ("header", "statement"),
    [
        ("cuda_runtime.h", "std::pair<int, std::size_t> x(1, 2); (void)std::move(x)"),
        ("cuda.h", "std::free(std::malloc(1)); uint64_t x = EXIT_SUCCESS; (void)x"),
        ("cuComplex.h", "(void)(M_PI + std::sqrt(2.f))"),
        ("cuda_fp16.h", 'std::size_t x = std::strlen(""); (void)std::move(x)'),
    ],
)
def test_host_headers_include_what_those_of_the_vendor_do(
    header: str, statement: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(f"#include <{header}>\nvoid f() {{ {statement}; }}\n")
    options = ("-fsyntax-only", f"-I{NATIVE / 'device' / 'cpu'}", INCLUDE)
    compile_with("g++", *options, source)


def find_errors(errors: str, source: Path, mark: str) -> str:
    """Return the errors about the line of a source that ends with a mark.

    A failed assertion is in a header. It is not about one line, and included for each.
    """
    ends = [line.endswith(f"// {mark}") for line in source.read_text().splitlines()]
    place = f"{source.name}:{ends.index(True) + 1}:"
    lines = [line for line in errors.splitlines() if "error:" in line]
    return "\n".join(line for line in lines if place in line or "assert" in line)


@pytest.fixture(scope="module")
def wrong_calls(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the errors of all wrong calls: of those that are read, and those that are compiled."""
    output = tmp_path_factory.mktemp("wrong_calls") / "host_api.o"
    return "".join(
        errors_of(
            compiler,
            *("-std=c++17", f"-DWRONG={number}", INCLUDE),
            *("-c", HERE / "host_api.cpp", "-o", output),
        )
        for number in (1, 2)
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
def test_host_api_rejects_wrong_calls(wrong_calls: str, mistake: int, message: str) -> None:
    assert message in find_errors(wrong_calls, HERE / "host_api.cpp", f"mistake {mistake}")


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


# The code that -O2 generates for all functions takes seconds, and no default test runs it.
@pytest.mark.parametrize(
    ("optimization", "standard"),
    [
        ("-O0", "17"),
        *(pytest.param(level, "20", marks=pytest.mark.slow) for level in ("-O0", "-O2")),
    ],
)
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


@pytest.fixture(scope="module")
def unsupported_features(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the errors of all unsupported features."""
    output = tmp_path_factory.mktemp("unsupported") / "device.o"
    return errors_of(
        compiler,
        *("-std=c++17", "-DUNSUPPORTED", *device_flags(compiler)),
        *("-c", HERE / "device_language.cu", "-o", output),
    )


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
        (12, "the cpu backend does not support named barriers: __barrier_sync"),
        (13, "the cpu backend does not support performance counters: __pm0"),
    ],
)
def test_unsupported_feature_is_named(
    unsupported_features: str, feature: int, message: str
) -> None:
    source = HERE / "device_language.cu"

    assert message in find_errors(unsupported_features, source, f"feature {feature}")


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
#include <cfloat>
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
        'extern "C" { const struct kbuild_cpu_device_api *kbuild_cpu_api, *kbuild_cpu_waits; }\n'
        'extern "C" { void kbuild_cpu_yield(const struct kbuild_cpu_call *, unsigned) {} }\n'
        'extern "C" { __thread void *kbuild_cpu_runner; }\n'
    )
    objects = []
    for name, flags in (("a.cu", device_flags(compiler)), ("image.cpp", (INCLUDE,))):
        objects.append(tmp_path / f"{name}.o")
        compile_with(compiler, "-std=c++17", *flags, "-c", tmp_path / name, "-o", objects[-1])
    compile_with(compiler, *objects, "-lm", "-o", tmp_path / "a")
    result = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_stores_do_not_change_the_variables_of_a_launch(compiler: str, tmp_path: Path) -> None:
    source, text = tmp_path / "a.cu", tmp_path / "a.s"
    source.write_text(
        "__device__ void fill(unsigned* to, int count)\n"
        "{ for (int i = 0; i < count; ++i) to[i * blockDim.x + gridDim.x + blockIdx.x] = 1; }\n"
    )

    compile_with(compiler, "-std=c++17", *device_flags(compiler), "-O2", "-S", source, "-o", text)

    before, store, behind = text.read_text().partition("movl\t$1, ")
    loop = before.rpartition("\n.L")[2] + store + behind.partition("\tj")[0]
    accesses = [line for line in loop.splitlines() if "(%" in line]
    assert accesses
    assert all("movl\t$1, " in line for line in accesses)


def test_qualifiers_mean_nothing_in_host_files(compiler: str, tmp_path: Path) -> None:
    source, made = tmp_path / "a.cpp", tmp_path / "a.o"
    source.write_text(
        "#include <kbuild_cpu/atomics/access.h>\n"  # as <cuda/atomic> does
        "#include <cuda_runtime.h>\n"
        "__host__ __device__ int visible() { return 1; }\n"
        "__shared__ int shared;\n"
        'template <class T> __global__ __attribute__((visibility("hidden"))) void k() {}\n'
    )
    include = ("-isystem", NATIVE / "device" / "cpu", INCLUDE)
    compile_with(compiler, "-std=c++17", *STRICT, *include, "-c", source, "-o", made)

    argv = ["readelf", "--symbols", "--wide", str(made)]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    rows = {row[-1]: row[3:6] for row in map(str.split, text.splitlines()) if len(row) > 7}
    assert rows["_Z7visiblev"] == ["FUNC", "GLOBAL", "DEFAULT"]
    assert rows["shared"] == ["OBJECT", "GLOBAL", "DEFAULT"]
