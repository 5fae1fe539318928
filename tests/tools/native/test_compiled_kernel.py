"""The C++ header for compiled kernels compiles everywhere, and calls vendors' libraries correctly.

The driver, HIP's runtime, and the runtime compilers are libraries that print what they are asked to
do, so that no device is needed.  Tests on real devices are in tests/gpu (of CUDA only), and those
with the CPU's runtime in tests/e2e/launch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import run, succeed
from support.files.amd_builders import (
    CodeObjectBuilder,
    argument,
    kernel_metadata,
    metadata_note,
)
from support.tools.strict_compilers import INCLUDE, compile_strictly
from support.tools.toolchains import list_distinct, require_programs

HERE = Path(__file__).parent / "compiled_kernel"
# Both sanitizers together take twice as long to compile. AddressSanitizer is for the program that
# reads hostile files.
UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
ADDRESSES = ("-g", "-fsanitize=address")
MEMBERS = """
#include <kbuild/compiled_kernel.hpp>
#include <kbuild/kbuild.hpp>
kbuild::error use(kbuild::CompiledModule& module, const kbuild_module& descriptor, double* memory);
kbuild::error use(kbuild::CompiledModule& module, const kbuild_module& descriptor, double* memory)
{
    kbuild::CompiledKernel kernel;
    const kbuild::KernelCompiler compiler("cuda", "sm_90", {"-lineinfo"});
    if (auto problem = compiler.compile(&module, "text", {"scale<float>"})) return problem;
    if (auto problem = kbuild::CompiledModule::load(&module, descriptor)) return problem;
    if (auto problem = module.find(&kernel, "scale")) return problem;
    return kbuild::KernelExecutor(kernel).run({4, 256, 0, nullptr}, memory, 1.0f, 'c', true);
}
"""


@pytest.mark.parametrize(
    ("compiler", "standard"),
    [
        ("g++", "c++17"),
        *(
            pytest.param(compiler, standard, marks=pytest.mark.slow)
            for compiler in list_distinct("g++", "clang++", "clang++-14")
            for standard in ("c++17", "c++20")
            if (compiler, standard) != ("g++", "c++17")
        ),
    ],
)
def test_header_compiles_without_warnings(tmp_path: Path, compiler: str, standard: str) -> None:
    require_programs(compiler)
    source = tmp_path / "host.cpp"
    source.write_text(MEMBERS)

    result = compile_strictly(
        *(compiler, "c++", source, f"-std={standard}", "-Wshadow", "-Wconversion"),
        *("-fno-exceptions", "-fno-rtti"),
    )

    assert result.returncode == 0, result.stderr


WRONG_ARGUMENTS = ("nullptr", "std::string()", "array")


def compile_wrong_calls(directory: Path, standard: str) -> str:
    """Return the errors of calls with wrong arguments. Each call has its own line, from 5 on."""
    source = directory / "host.cpp"
    calls = (f"(void)executor.run({{1, 1}}, {argument});" for argument in WRONG_ARGUMENTS)
    lines = (
        "#include <kbuild/compiled_kernel.hpp>",
        "static int array[2];",
        "void run(kbuild::KernelExecutor executor);",
        "void run(kbuild::KernelExecutor executor) { (void)array;",
        *(*calls, "}", ""),
    )
    source.write_text("\n".join(lines))
    result = compile_strictly("g++", "c++", source, f"-std={standard}", "-fsyntax-only")
    assert result.returncode != 0
    return result.stderr


def test_older_standards_are_explained(tmp_path: Path) -> None:
    message = "kbuild/compiled_kernel.hpp requires C++17"

    assert message in compile_wrong_calls(tmp_path, "c++14")


@pytest.fixture(scope="module")
def wrong_calls(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compile_wrong_calls(tmp_path_factory.mktemp("wrong_calls"), "c++17")


@pytest.mark.parametrize("argument", WRONG_ARGUMENTS)
def test_wrong_arguments_are_explained(wrong_calls: str, argument: str) -> None:
    call = f"host.cpp:{WRONG_ARGUMENTS.index(argument) + 5}:"
    message = "an argument must be a value that can be copied as bytes"

    # The compiler names the call, and then the assertion that failed.
    assert re.search(rf"{call}\d+:   required from here\n[^\n]*{message}", wrong_calls)


@pytest.fixture(
    scope="module",
    params=[(), pytest.param(UNDEFINED, marks=pytest.mark.slow)],
    ids=["plain", "sanitized"],
)
def output(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("driver")
    library, program = directory / "libcuda.so.1", directory / "program"
    succeed(run("g++", "-shared", "-fPIC", HERE / "driver.cpp", "-o", library))
    succeed(
        run(
            *("g++", "-std=c++17", *request.param, f"-I{INCLUDE}"),
            *(HERE / "main.cpp", "-o", program, "-ldl"),
        )
    )
    result = run("env", f"LD_LIBRARY_PATH={directory}", program)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_launch_uses_the_best_code_that_fits(output: str) -> None:
    launches = output.partition("required block")[0]

    assert [line for line in launches.splitlines() if line.startswith(("load ", "launch "))] == [
        "load 1: 200 registers, 128 threads",
        "launch 32 threads with 200 registers, 0 bytes, stream (nil), argument 32",
        "launch 128 threads with 200 registers, 0 bytes, stream (nil), argument 128",
        "load 2: 255 registers, 256 threads",
        "launch 129 threads with 255 registers, 0 bytes, stream (nil), argument 129",
        "load 3: 168 registers, 384 threads",
        "launch 300 threads with 168 registers, 0 bytes, stream (nil), argument 300",
        "load 4: 128 registers, 512 threads",
        "launch 500 threads with 128 registers, 0 bytes, stream (nil), argument 500",
        "launch 290 threads with 168 registers, 0 bytes, stream (nil), argument 290",
        "load 5: 64 registers, 1024 threads",
        "launch 1024 threads with 64 registers, 0 bytes, stream (nil), argument 1024",
        "launch 16 threads with 200 registers, 50000 bytes, stream 0x10, argument 7",
        (
            "launch 1 threads with 200 registers, 0 bytes, stream (nil), argument 8, "
            "attribute 4 = 2, attribute 2 = 1, attribute 6 = 1, attribute 8 = 4294967293"
        ),
    ]
    assert "set attribute 8 to 232192\n" in launches  # all that the device and the kernel leave
    assert "a block has 2000 threads, but the code allows 128; the device allows 1024" in launches
    assert "a block has 300 threads, but the code allows 128: 384 threads, 168 reg" in launches
    assert "sm_90: 256 shared, 16 local, 3 constant" in launches
    assert launches.count("unload\n") == 5


def test_required_block_size_is_kept(output: str) -> None:
    required = output.partition("required block")[2].partition("errors")[0]

    assert "the code allows 64; its block size is required (.reqntid)" in required
    assert required.count("load 6") == 1
    assert "load 7" not in required


def test_errors_name_the_cause(output: str) -> None:
    assert output.partition("errors\n")[2].splitlines() == [
        "load: loading device code (line 1): CUDA_ERROR_INVALID_PTX: the description",
        "load: the image is truncated",
        "load: the image is truncated",
        (
            "load: the image is not a fat binary, a cubin, PTX, a code object, or an image of the "
            "CPU backend"
        ),
        (
            "load: a bundle of code objects cannot be loaded; load the code object of one "
            "architecture (clang-offload-bundler --unbundle), or build the kernels with kbuild and "
            "load the module descriptor of the target"
        ),
        "find: the module is empty; load or compile one before finding kernel 'heavy'",
        "run: the executor has no kernel; find one in a module first",
        (
            "compile: backend 'cpu' cannot compile at run time from C++; expected cuda or hip; use "
            "kbuild.RtcKernel in Python, or build the kernels as a target"
        ),
        (
            "compile: option '--gpu-architecture=sm_80': pass the architecture to KernelCompiler "
            "instead"
        ),
        "file: no such file: No such file or directory",
    ]


KERNEL = kernel_metadata(
    "_Z1kiPf",
    args=[argument(0, 4), argument(8, 8, "global_buffer"), argument(16, 8, "hidden_none")],
)
LARGE = kernel_metadata("large", vgpr_count=300, args=[argument(i, 1) for i in range(70)])


def build_code_object(*kernels: object) -> bytes:
    builder = CodeObjectBuilder()
    builder.metadata(*kernels, target="gfx90a:xnack-")
    builder.kernel("_Z1kiPf")
    return builder.build()


@pytest.fixture(
    scope="module",
    params=[(), pytest.param(ADDRESSES, marks=pytest.mark.slow)],
    ids=["plain", "sanitized"],
)
def hip(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[str]]:
    """Return a function that runs the program with libraries that print what they do."""
    directory = tmp_path_factory.mktemp("hip")
    program = directory / "program"
    succeed(
        run(
            *("g++", "-std=c++17", *request.param, f"-I{INCLUDE}"),
            *(HERE / "hip_main.cpp", "-o", program, "-ldl"),
        )
    )
    libraries: dict[str, tuple[str, ...]] = {
        "libamdhip64.so.6": ("hip.cpp",),
        "old/libamdhip64.so.6": ("hip.cpp", "-DOLD"),
        "libhiprtc.so.7": ("rtc.cpp", "-DHIP", "-DRTC(name)=hiprtc##name"),
        "joined/libamdhip64.so.5": ("rtc.cpp", "-DHIP", "-DRTC(name)=hiprtc##name"),
        "libnvrtc.so.13": ("rtc.cpp", "-DRTC(name)=nvrtc##name"),
        "libcuda.so.1": ("driver.cpp",),
    }
    for name in ("old", "nothing", "joined"):
        (directory / name).mkdir()
    for name in ("libamdhip64.so", "libhiprtc.so"):
        for version in ("", ".5", ".6", ".7"):  # a file that is not a library hides installed ones
            for hiding in ("nothing", "joined"):
                (directory / hiding / f"{name}{version}").write_text("nothing")
    (directory / "joined" / "libamdhip64.so.5").unlink()
    for name, (source, *options) in libraries.items():
        succeed(run("g++", "-shared", "-fPIC", *options, HERE / source, "-o", directory / name))

    def run_program(*arguments: str | Path, path: str = "", code: Path | None = None) -> list[str]:
        result = run(
            *("env", f"LD_LIBRARY_PATH={directory / path}", f"CODE={code or ''}", program),
            *arguments,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run_program


@pytest.fixture
def code_object(tmp_path: Path) -> Path:
    file = tmp_path / "k.hsaco"
    file.write_bytes(build_code_object(KERNEL, LARGE))
    return file


LOADED = [
    "find: ok",
    "k(int, float*): 0+4 8+8, gfx90a:xnack-, 10 registers, 400 shared, 32 local, 256 threads",
    "find: ok",
    (
        f"large: {' '.join(f'{i}+1' for i in range(70))}, gfx90a:xnack-, 300 registers, "
        "400 shared, 32 local, 256 threads"
    ),
]


@pytest.mark.slow
def test_code_objects_are_launched_by_the_runtime_of_hip(
    hip: Callable[..., list[str]], code_object: Path
) -> None:
    assert hip("load", code_object, "launch") == [
        "load: ok",
        *LOADED,
        "find: ok",
        "load ELF",
        "launch _Z1kiPf: grid 2 3 1, block 4 5 6, 70 bytes, stream 0x20, arguments 1 0x10",
        "run: ok",
        "cooperative _Z1kiPf: grid 1 1 1, block 1 1 1, 0 bytes, stream (nil), arguments 2 0x10",
        "run: ok",
        "load ELF",  # on another device
        "launch _Z1kiPf: grid 1 1 1, block 256 1 1, 0 bytes, stream (nil), arguments 3 0x10",
        "run: ok",
        "run: finding an AMD device: hipErrorNoDevice: the description",
        (
            "run: k(int, float*): a block has 257 threads, but the code allows 256; compile the "
            "kernel for such blocks, with __launch_bounds__(257) in its source or with "
            "block_size=257 in Python"
        ),
        "run: k(int, float*): the grid has more than 2147483647 blocks in one direction",
        "run: k(int, float*): takes 2 arguments, not 1",
        "run: k(int, float*): HIP does not support clusters",
        "unload",
        "unload",
    ]


def test_older_runtimes_of_hip_launch_too(hip: Callable[..., list[str]], code_object: Path) -> None:
    output = hip("load", code_object, "launch", path="old")
    assert sum(line.startswith("launch ") for line in output) == 2
    expected = "HIP does not support cooperative launches of loaded code before HIP 5.5"
    assert f"run: k(int, float*): {expected}" in output


def test_code_objects_are_read_without_hip(
    hip: Callable[..., list[str]], code_object: Path
) -> None:
    output = hip("load", code_object, "launch", path="nothing")
    assert output[:5] == ["load: ok", *LOADED]
    assert output[6].startswith("run: cannot load libamdhip64.so.7 or libamdhip64.so.6 or ")
    assert output[6].endswith(
        "; install ROCm, and add the directory of its libraries to LD_LIBRARY_PATH"
    )


@pytest.mark.parametrize(
    "content",
    [
        build_code_object(KERNEL).replace(b"AMDGPU", b"AMDGPX"),
        build_code_object(KERNEL).replace(b"\xaeamdhsa.kernels", b"\xc1amdhsa.kernels"),
        build_code_object(KERNEL).replace(b"\x92\x01\x02", b"\xdd\xff\xff"),
    ],
)
def test_damaged_metadata_is_an_error(
    hip: Callable[..., list[str]], tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "k.hsaco"
    file.write_bytes(content)
    assert hip("load", file) == [
        (
            f"load: {file}: the code object has no metadata, or it is damaged; compile it with "
            "-mcode-object-version=3 or newer"
        )
    ]


def test_metadata_that_ends_anywhere_is_an_error(
    hip: Callable[..., list[str]], tmp_path: Path
) -> None:
    root = metadata_note({"amdhsa.kernels": [KERNEL], "amdhsa.target": "amdgcn-amd-amdhsa--gfx90a"})
    for size in range(20, len(root), 97):
        builder = CodeObjectBuilder()
        body = root[20:size]
        builder.section(".note", 7, metadata_note(body))
        file = tmp_path / "k.hsaco"
        file.write_bytes(builder.build())
        assert "no metadata, or it is damaged" in hip("load", file)[0]


def test_real_code_objects_are_read(hip: Callable[..., list[str]], tmp_path: Path) -> None:
    require_programs("clang++-19", "ld.lld-19")
    source, file = tmp_path / "real.hip", tmp_path / "real.hsaco"
    source.write_text(
        "struct Pair { double first; char second; };\n"
        "template <class T> __attribute__((global)) void fill(T* out, Pair pair, short n)\n"
        "{ out[n] = (T)pair.first; }\n"
        "template __attribute__((global)) void fill<float>(float*, Pair, short);\n"
    )
    succeed(
        run(
            *("clang++-19", "-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "-O2"),
            *("--offload-arch=gfx90a", "--no-gpu-bundle-output", source, "-o", file),
        )
    )
    output = hip("load", file)
    assert output[:2] == ["load: ok", "find: ok"]
    assert output[2].startswith("void fill<float>(float*, Pair, short): 0+8 8+16 24+2, gfx90a, ")


@pytest.mark.parametrize(("arch", "option"), [("gfx90a", " --offload-arch=gfx90a"), ("", "")])
def test_hiprtc_compiles_text(
    hip: Callable[..., list[str]], code_object: Path, arch: str, option: str
) -> None:
    assert hip("compile", "hip", arch, code=code_object) == [
        "create k.cu: the text, 0 headers",
        "add k<float>",
        f"compile{option} -DKBUILD_DEVICE_CODE=1 -O3",
        "destroy",
        "compile: ok",
        "log: a warning",
        "find: ok",
        "create kernels.cu: the text, 0 headers",
        f"compile{option} -DKBUILD_DEVICE_CODE=1 -fail",
        "destroy",
        "compile: compiling kernels.cu: ERROR_COMPILATION",
        "an error",
        (
            "compile: option '--offload-arch=gfx900': pass the architecture to KernelCompiler "
            "instead"
        ),
        *LOADED,
    ]


def test_nvrtc_compiles_text(hip: Callable[..., list[str]], tmp_path: Path) -> None:
    ptx = tmp_path / "k.ptx"
    ptx.write_text(".version 8.0\n.visible .entry _Z1kiPf() { ret; }\n")
    output = hip("compile", "cuda", "90", code=ptx)
    assert output[:6] == [
        "create k.cu: the text, 0 headers",
        "add k<float>",
        "compile --gpu-architecture=sm_90 -DKBUILD_DEVICE_CODE=1 -O3",
        "destroy",
        "compile: ok",
        "log: a warning",
    ]


def test_hiprtc_is_found_in_the_runtime(hip: Callable[..., list[str]], code_object: Path) -> None:
    output = hip("compile", "hip", "gfx90a", path="joined", code=code_object)
    assert output[0] == "create k.cu: the text, 0 headers"


def test_missing_hiprtc_is_named(hip: Callable[..., list[str]]) -> None:
    (first, *_) = hip("compile", "hip", "gfx90a", path="nothing")
    assert first.startswith("compile: cannot load libhiprtc.so.7 or ")
    assert "install ROCm 5 or newer" in first
