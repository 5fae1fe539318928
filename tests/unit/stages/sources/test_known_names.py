"""Names and headers that demand no instance of a kernel."""

from __future__ import annotations

import pytest

from kbuild.stages.sources.known_names import is_known_header, is_known_name


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        (b"float4", True),
        (b"double4_32a", True),
        (b"ulonglong4_16a", True),
        (b"double5", False),
        (b"project_function", False),
    ],
)
def test_vector_types_are_known(name: bytes, is_known: bool) -> None:
    assert is_known_name(name) is is_known


@pytest.mark.parametrize(
    ("header", "is_known"),
    [
        ("torch/all.h", True),
        ("ATen/Operators.h", True),
        ("ATen/cuda/detail/TensorInfo.cuh", True),
        ("c10/cuda/CUDAStream.h", True),
        ("ATen/native/cuda/Loops.cuh", False),
        ("ATen/native/TensorIterator.h", False),
        ("ATen/cuda/CUDAApplyUtils.cuh", False),
        ("c10/cuda/CUDAAlgorithm.h", False),
    ],
)
def test_headers_of_torch_without_kernels_are_known(header: str, is_known: bool) -> None:
    assert is_known_header(header) is is_known
