"""Architectures become those of CMake. `tests/tools/nvcc` compares the images with nvcc's."""

from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.architectures import read_images
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
    ],
)
def test_architectures(line: str, names: list[str]) -> None:
    assert [image.name for image in read_images(divide(line.split(), {}).options)] == names


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-arch=sm_80 -code=sm_80", "a virtual architecture; write '-arch=compute_80'"),
        ("-arch=all -code=sm_80", "which selects the images itself; remove -code"),
        ("-arch=lto_80", "which kbuild does not write; write 'sm_80'"),
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
