"""Tests for what kbuild says about headers that the backend does not have."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu import build


@pytest.mark.parametrize(
    ("header", "library"),
    [
        ("nccl.h", "NCCL"),
        ("cudnn.h", "cuDNN"),
        ("cudnn_v9.h", "cuDNN"),
        ("nppi.h", "NPP"),
        ("nppi_filtering_functions.h", "NPP"),
        ("nvjpeg.h", "nvJPEG"),
        ("cusparseLt.h", "cuSPARSELt"),
        ("nvcomp/lz4.hpp", "nvCOMP"),
        ("cuda_gl_interop.h", "interoperability with OpenGL"),
    ],
)
def test_libraries(header: str, library: str) -> None:
    logs = (
        f"a.cu:1:10: fatal error: {header}: No such file or directory\n",
        f"a.cu:1:10: fatal error: '{header}' file not found\n",
    )
    for log in logs:
        fix = build.read_log(log).fix
        assert fix.startswith(f"<{header}> belongs to {library}, which the cpu backend does not ")
        assert f"__has_include(<{header}>)" in fix


@pytest.mark.parametrize("header", ["mine/nccl.h", "nccl.hpp", "cublas_v2.h", "xcudnn.h"])
def test_other_headers(header: str) -> None:
    assert not build.read_log(f"a.cu:1:1: fatal error: {header}: No such file or directory\n").fix
