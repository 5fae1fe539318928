"""Architectures become those of CMake. `tests/tools/nvcc` compares the images with nvcc's."""

from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.architectures import check_ages, read_images
from kbuild.nvcc.command_line.words import divide


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("", []),
        ("-arch=sm_90", ["90"]),
        ("-arch=compute_90", ["90-virtual"]),
        ("-arch=native", ["native"]),
        ("-arch all-major -gencode arch=compute_90a,code=sm_90a", ["all-major", "90a-real"]),
        (
            "-arch=compute_80 -code=sm_80,sm_86,compute_80",
            ["80-real", "86-real", "80-virtual"],
        ),
        ("-gencode=arch=compute_80,code=[sm_80,compute_80]", ["80-real", "80-virtual"]),
        ("-gencode code='sm_80',arch=compute_80", ["80-real"]),
        ("-gencode arch=compute_100f,code=sm_103", ["103f-real"]),
        ("-arch=lto_80", ["80-real"]),
        ("-gencode arch=compute_80,code=[lto_80,compute_80]", ["80-real", "80-virtual"]),
    ],
)
def test_architectures(line: str, names: list[str]) -> None:
    assert [image.name for image in read_images(divide(line.split(), {}).options)] == names


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-arch=sm_80 -code=sm_80", "a virtual architecture; write '-arch=compute_80'"),
        ("-arch=all -code=sm_80", "which selects the images itself; remove -code"),
        ("-arch=ampere", "'ampere' is unknown; expected a name such as 'sm_90'"),
        ("-code=sm_80", "without '-arch'; use '-gencode=arch=...,code=...'"),
        ("-gencode arch=compute_80", "expected a value such as 'arch=compute_90,code=sm_90'"),
        ("-gencode arch=sm_80,code=sm_80", "write 'arch=compute_80'"),
        ("-gencode arch=compute_86,code=sm_80", "write 'arch=compute_80,code=sm_80'"),
        ("-gencode arch=compute_80,code=sm_80,code=sm_80", "'code' occurs twice"),
    ],
)
def test_errors(line: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read_images(divide(line.split(), {}).options)
    assert message in str(raised.value)


def test_architecture_of_another_age_is_an_error() -> None:
    known = ("sm_75", "sm_90", "sm_100")

    check_ages(("75", "90-real", "100f-real", "native", "all", "1000"), known)
    check_ages(("20",), ())
    expected = "'sm_20' is older than the first one of this toolkit, sm_75; .*FLAGS=-arch=sm_75"
    with pytest.raises(ConfigurationError, match=expected):
        check_ages(("90", "20-real"), known)
