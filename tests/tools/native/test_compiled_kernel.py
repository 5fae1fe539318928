"""The C++ header for compiled kernels: it compiles everywhere, and it asks CUDA's driver correctly.

The driver is one that prints what it is asked to do, so that no device is needed.  Tests on real
devices are in tests/gpu, and those with the CPU's runtime in tests/e2e/launch.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import run, succeed
from support.tools.strict_compilers import INCLUDE, compile_strictly
from support.tools.toolchains import require_programs

HERE = Path(__file__).parent / "compiled_kernel"
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


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-14"])
def test_header_compiles_without_warnings(tmp_path: Path, compiler: str, standard: str) -> None:
    require_programs(compiler)
    source = tmp_path / "host.cpp"
    source.write_text(MEMBERS)

    result = compile_strictly(
        *(compiler, "c++", source, f"-std={standard}", "-Wshadow", "-Wconversion"),
        *("-fno-exceptions", "-fno-rtti"),
    )

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("standard", "argument", "message"),
    [
        ("c++14", "1", "kbuild/compiled_kernel.hpp requires C++17"),
        ("c++17", "nullptr", "an argument must be a value that can be copied as bytes"),
        ("c++17", "std::string()", "an argument must be a value that can be copied as bytes"),
        ("c++17", "array", "an argument must be a value that can be copied as bytes"),
    ],
)
def test_wrong_use_is_explained(tmp_path: Path, standard: str, argument: str, message: str) -> None:
    source = tmp_path / "host.cpp"
    source.write_text(
        "#include <kbuild/compiled_kernel.hpp>\nstatic int array[2];\n"
        "void run(kbuild::KernelExecutor executor);\nvoid run(kbuild::KernelExecutor executor)\n"
        f"{{ (void)array; (void)executor.run({{1, 1}}, {argument}); }}\n"
    )

    result = compile_strictly("g++", "c++", source, f"-std={standard}", "-fsyntax-only")

    assert result.returncode != 0
    assert message in result.stderr


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("driver")
    library, program = directory / "libcuda.so.1", directory / "program"
    succeed(run("g++", "-shared", "-fPIC", HERE / "driver.cpp", "-o", library))
    succeed(
        run(
            *("g++", "-std=c++17", "-g", "-fsanitize=address,undefined", f"-I{INCLUDE}"),
            *(HERE / "main.cpp", "-o", program, "-ldl"),
        )
    )
    result = run("env", f"LD_LIBRARY_PATH={directory}", program)
    assert result.returncode == 0, result.stderr
    return result.stdout


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
        "load: the image is not a fat binary, a cubin, PTX, or an image of the CPU backend",
        (
            "load: code for AMD GPUs cannot be loaded, because HIP's runtime does not report the "
            "parameters of its kernels; build the kernels with kbuild, and load the module "
            "descriptor of the target"
        ),
        "find: the module is empty; load or compile one before finding kernel 'heavy'",
        "run: the executor has no kernel; find one in a module first",
        (
            "compile: backend 'cpu' cannot compile at run time from C++; expected cuda; use "
            "kbuild.RtcKernel in Python, or build the kernels as a target"
        ),
        (
            "compile: option '--gpu-architecture=sm_80': pass the architecture to KernelCompiler "
            "instead"
        ),
        "file: no such file: No such file or directory",
    ]
