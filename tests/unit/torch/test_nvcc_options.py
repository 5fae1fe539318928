from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.manifest.tables import TargetTable
from kbuild.torch.nvcc_options import read_nvcc_options

TABLE = TargetTable(sources=("a.cu",))


@pytest.mark.parametrize(
    ("line", "architectures"),
    [
        ("-gencode=arch=compute_90,code=sm_90", ("90-real",)),
        ("-gencode arch=compute_90a,code=sm_90a", ("90a-real",)),
        ("--generate-code=arch=compute_80,code=compute_80", ("80-virtual",)),
        ("-gencode arch=compute_80,code=[sm_80,compute_80]", ("80-real", "80-virtual")),
        ("-gencode arch=compute_80,code='sm_80'", ("80-real",)),
        ("-arch=sm_86", ("86",)),
        ("-arch sm_86", ("86",)),
        ("--gpu-architecture=compute_86", ("86-virtual",)),
        ("-arch=compute_86 -code=sm_86,compute_86", ("86-real", "86-virtual")),
        ("-arch=native", ("native",)),
        ("--gpu-architecture all-major", ("all-major",)),
        ("-arch=sm_80 -arch=sm_90", ("90",)),  # the last one counts
    ],
)
def test_architectures(line: str, architectures: tuple[str, ...]) -> None:
    assert read_nvcc_options(TABLE, line.split()) == replace(TABLE, architectures=architectures)


def test_architectures_are_listed_once() -> None:
    option = "-gencode=arch=compute_90,code=sm_90"

    assert read_nvcc_options(TABLE, (option, option)).architectures == ("90-real",)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-std=c++20",), {"device_standard": 20}),
        (("--std", "gnu++17"), {"device_standard": 17}),
        (("-ccbin", "/bin/g++-13"), {"host_compiler": "/bin/g++-13"}),
        (("--compiler-bindir=clang++",), {"host_compiler": "clang++"}),
        (("-rdc=true",), {"rdc": True}),
        (("-dc",), {"rdc": True}),
        (("-rdc=true", "-rdc", "false"), {}),
        (("--threads", "4", "-t=2"), {}),
        (("-O3", "-lineinfo"), {"compile_options": ("-O3", "-lineinfo"), "host_options": ("-O3",)}),
        (("--debug",), {"compile_options": ("--debug",), "host_options": ("-g",)}),
        (("-DA=1", "-UB"), {"compile_options": ("-DA=1", "-UB")}),
        (("-G",), {"compile_options": ("-G",)}),
    ],
)
def test_options_have_their_own_settings(words: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert read_nvcc_options(TABLE, words) == replace(TABLE, **expected)


@pytest.mark.parametrize(
    ("words", "host"),
    [
        (("-Xcompiler", "-fopenmp"), ("-fopenmp",)),
        (("-Xcompiler=-Wall,-Wextra",), ("-Wall", "-Wextra")),
        (("--compiler-options", "'-fPIC'"), ("-fPIC",)),
        (("--compiler-options", "-fno-math-errno -g"), ("-fno-math-errno", "-g")),
    ],
)
def test_options_for_the_host_compiler_reach_both_passes(
    words: tuple[str, ...], host: tuple[str, ...]
) -> None:
    options = read_nvcc_options(TABLE, words)

    assert options.host_options == host
    assert options.compile_options[0] == "-Xcompiler"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-gencode",), "nvcc option '-gencode' without a value; add the value"),
        (("-gencode=sm_90",), "nvcc option '-gencode=sm_90': expected a value such as 'arch="),
        (("-arch=volta",), "nvcc architecture 'volta' is unknown; expected a name such as 'sm_90'"),
        (("-code=sm_90",), "nvcc option '-code=sm_90' without '-arch'"),
        (("-gencode=arch=compute_80,code=sm_86",), "write 'arch=compute_86,code=sm_86'"),
        (("-std=fortran",), "unknown standard 'fortran'; write c++17"),
    ],
)
def test_errors_name_the_option(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read_nvcc_options(TABLE, words)

    assert message in str(raised.value)
