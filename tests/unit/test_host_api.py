"""The documentation of the CPU backend's host API lists what its headers declare."""

from __future__ import annotations

import re

import pytest

from kbuild.backends.cpu import build
from kbuild.errors import ConfigurationError
from kbuild.resources import native_directory
from support.commands import ROOT

HEADERS = native_directory() / "device" / "cpu" / "kbuild_cpu" / "host"
PAGE = ROOT / "docs" / "reference" / "cuda-host-api.md"
RESULT = r"(?:const char \*|cudaChannelFormatDesc\s+)"
PROFILER = HEADERS.parents[1] / "cuda_profiler_api.h"
DECLARED = (
    rf"KBUILD_API\((\w+)\)|{RESULT}KBUILD_VENDOR\((\w+)\)\("
    r"|KBUILD_PROFILER_API \w+ cuda(\w+)\("
)


def test_page_lists_every_function() -> None:
    listed = PAGE.read_text().split("## Functions")[1].split("C++ also has")[0]
    text = "".join(path.read_text() for path in (*HEADERS.rglob("*.h"), PROFILER))
    declared = {"cuda" + "".join(groups) for groups in re.findall(DECLARED, text)}
    assert len(declared) > 100
    assert declared == set(re.findall(r"`(cuda\w+)`", listed))


def test_no_function_is_both_declared_and_unsupported() -> None:
    unsupported = set(re.findall(r"X\((\w+)\)", (HEADERS / "unsupported_api.h").read_text()))
    text = "".join(path.read_text() for path in HEADERS.rglob("*.h"))
    assert len(unsupported) > 50
    assert unsupported & set(re.findall(r"KBUILD_API\((\w+)\)", text)) == set()


def test_device_has_the_compute_capability_of_device_code(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (native_directory() / "cpu" / "devices" / "properties.cpp").read_text()
    prelude = (native_directory() / "device" / "cpu" / "kbuild_cpu_mixed.h").read_text()
    monkeypatch.delenv("KBUILD_CPU_COMPUTE_CAPABILITY", raising=False)

    assert 'text == nullptr ? "8.0"' in source
    assert "-D__CUDA_ARCH__=800" in build.device_macros()
    assert "#define __CUDA_ARCH_LIST__ 800\n" in prelude

    monkeypatch.setenv("KBUILD_CPU_COMPUTE_CAPABILITY", "9.0")

    assert "-D__CUDA_ARCH__=900" in build.device_macros()
    assert build.architecture_macros() == ("-D__CUDA_ARCH_LIST__=900",)

    monkeypatch.setenv("KBUILD_CPU_COMPUTE_CAPABILITY", "9")

    with pytest.raises(ConfigurationError, match=r"is .9.; expected 8\.0 or 9\.0"):
        build.device_macros()
