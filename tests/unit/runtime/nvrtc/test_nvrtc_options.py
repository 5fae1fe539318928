"""Tests for the options of NVRTC."""

from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.runtime.nvrtc.options import RtcOptions, read_options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), RtcOptions()),
        (("--gpu-architecture=sm_90", "-arch", "sm_80", "-default-device"), RtcOptions()),
        (("-DA=1", "-D", "B=2", "--define-macro=C"), RtcOptions(words=("-DA=1", "-DB=2", "-DC"))),
        (("-I/a", "--include-path=/b", "-I /c"), RtcOptions(words=("-I/a", "-I/b", "-I/c"))),
        (("--std=c++11",), RtcOptions(standard="17")),
        (("-std=c++20", "-G"), RtcOptions(standard="20", debug=True)),
        (("--fmad=false", "-lineinfo", "-w"), RtcOptions(words=("-g", "-w"), fma=False)),
        (("--no-source-include", "-rdc=false"), RtcOptions(includes_source=False)),
        (("--relocatable-device-code=true", "-dw"), RtcOptions(relocatable=True)),
        (("-dlto",), RtcOptions(relocatable=True, is_linkable=True)),
        (("--pre-include=/a.h",), RtcOptions(words=("-include/a.h",))),
    ],
)
def test_options(options: tuple[str, ...], expected: RtcOptions) -> None:
    assert read_options(options) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--frob",), "unrecognized nvrtc option '--frob'"),
        (("--optix-ir",), "nvrtc option '--optix-ir' makes code for OptiX"),
        (("-D",), "nvrtc option '-D' needs a value"),
        (("-std=f77",), "unknown standard 'f77'"),
    ],
)
def test_wrong_options(options: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_options(options)
