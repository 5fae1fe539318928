from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.manifest.tables import TargetTable
from kbuild.torch.extension import TorchSettings, TorchTarget, describe_extension

SETTINGS = TorchSettings(
    nvcc_options=("-D__CUDA_NO_HALF_OPERATORS__", "--compiler-options", "-fPIC"),
    architectures=("-gencode=arch=compute_90,code=sm_90",),
    compiler_options=("-pthread", "-DNDEBUG"),
    linker_options=("-pthread",),
    include_directories=("/python/include",),
)

DEVICE_LINK = (
    "option '-lnvshmem_device' of the device link: kbuild links only the device code of the "
    "extension; build it with torch.utils.cpp_extension"
)


def make_extension(**values: Any) -> Any:
    """Return an extension with the attributes that setuptools gives it."""
    lists = (
        *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries"),
        *("runtime_library_dirs", "extra_objects", "extra_compile_args", "extra_link_args"),
    )
    return SimpleNamespace(**({name: [] for name in lists} | {"name": "pkg._C"} | values))


def describe(*sources: str, **values: Any) -> TorchTarget:
    return describe_extension(make_extension(**values), sources, "_C.so", SETTINGS)


def kernel_table(target: TorchTarget) -> TargetTable:
    assert target.kernels
    return target.kernels.table


def test_sources_are_divided() -> None:
    target = describe("csrc/a.cpp", "/src/b.cu", "c.c")

    assert target.host.sources == (Path.cwd() / "csrc/a.cpp", Path.cwd() / "c.c")
    assert target.name == "pkg._C"
    assert target.kernels
    assert target.kernels.sources == (Path("/src/b.cu"),)
    assert target.kernels.name == "pkg._C.kernels"


def test_list_of_options_is_for_both_compilers() -> None:
    target = describe("a.cpp", "b.cu", extra_compile_args=["-O2", "-DX"])

    assert target.host.table.host_options == ("-pthread", "-DNDEBUG", "-O2", "-DX", "-std=c++17")
    assert kernel_table(target).compile_options == (
        *("-D__CUDA_NO_HALF_OPERATORS__", "-Xcompiler", "-fPIC", "-O2", "-DX"),
    )
    assert kernel_table(target).host_options == ("-fPIC", "-O2")


def test_options_for_one_compiler_do_not_reach_the_other() -> None:
    arguments = {"cxx": ["-O3", "-std=c++20"], "nvcc": ["--use_fast_math", "-std=c++23"]}

    target = describe("a.cpp", "b.cu", extra_compile_args=arguments)

    assert target.host.table.host_options == ("-pthread", "-DNDEBUG", "-O3", "-std=c++20")
    assert kernel_table(target).compile_options[-1] == "--use_fast_math"
    assert kernel_table(target).device_standard == 23


def test_settings_select_the_architectures() -> None:
    assert kernel_table(describe("b.cu")).architectures == ("90-real",)


def test_extension_without_kernels_needs_no_nvcc() -> None:
    assert describe("a.cpp").kernels is None


def test_macros() -> None:
    target = describe(
        "a.cpp",
        "b.cu",
        define_macros=[("FLAG", None), ("TEXT", '"a b"'), ("GONE",)],
        undef_macros=["NDEBUG"],
    )

    assert target.host.table.definitions == ("FLAG", 'TEXT="a b"')
    assert target.host.table.host_options[2:4] == ("-UNDEBUG", "-UGONE")
    assert kernel_table(target).compile_options[:2] == ("-UNDEBUG", "-UGONE")


def test_include_directories_of_the_extension_come_first() -> None:
    target = describe("a.cpp", include_dirs=["include", Path("/opt/include")])

    assert target.host.table.include_directories == (
        *(str(Path.cwd() / "include"), "/opt/include", "/python/include"),
    )


def test_linker_gets_words_in_the_order_of_setuptools() -> None:
    target = describe(
        "a.cpp",
        library_dirs=["/lib"],
        runtime_library_dirs=["/run"],
        libraries=["c10", "torch"],
        extra_objects=["/o/x.o"],
        extra_link_args=["-s", "-Wl,-rpath,$ORIGIN"],
    )

    assert target.link_objects == ("/o/x.o",)
    assert target.link_words == (
        *("-pthread", "-L/lib", "-Wl,--enable-new-dtags,-rpath,/run", "-lc10", "-ltorch"),
        *("-s", "-Wl,-rpath,$ORIGIN"),
    )


def test_runtime_is_linked_by_kbuild() -> None:
    assert "-lcudart" not in describe("b.cu", libraries=["cudart"]).link_words
    assert "-lcudart" in describe("a.cpp", libraries=["cudart"]).link_words


def test_device_link_without_libraries_is_relocatable_code() -> None:
    arguments = {"cxx": [], "nvcc": ["-rdc=true"], "nvcc_dlink": ["-dlink", "-L/lib", "-dlto"]}

    assert kernel_table(describe("b.cu", extra_compile_args=arguments)).rdc


@pytest.mark.parametrize(
    ("values", "setting", "message"),
    [
        (
            {"extra_compile_args": {"nvcc_dlink": ["-dlink", "-lnvshmem_device"]}},
            None,
            DEVICE_LINK,
        ),
        (
            {"extra_compile_args": {"gcc": []}},
            "compile_options",
            "unknown compiler 'gcc'; expected cxx or nvcc",
        ),
        (
            {"extra_compile_args": {"cxx": "-O3"}},
            "compile_options",
            "the value of 'cxx' is the text '-O3'; expected a list",
        ),
        (
            {"define_macros": [("A", "1;2")]},
            "definitions",
            "'A=1;2': CMake splits values at semicolons; remove the semicolon",
        ),
        (
            {"extra_compile_args": {"nvcc": ["-std=c++14"]}},
            "device_standard",
            "unsupported standard 14; expected one of 17, 20, 23, 26",
        ),
    ],
)
def test_errors_have_the_extension_and_the_setting(
    values: dict[str, Any], setting: str | None, message: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        describe("a.cpp", "b.cu", **values)

    found = (raised.value.target, raised.value.setting, str(raised.value))
    assert found == ("pkg._C", setting, message)


def test_unknown_kinds_of_sources_are_errors() -> None:
    with pytest.raises(ConfigurationError, match=r"x\.sycl' is not a source; expected a \.cu"):
        describe("a.cpp", "x.sycl")
