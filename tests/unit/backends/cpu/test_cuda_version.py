"""Tests for the version of CUDA that the backend is like."""

from __future__ import annotations

import re

import pytest

from kbuild import resources
from kbuild.backends.cpu.options import cuda_version
from kbuild.errors import ConfigurationError


@pytest.mark.parametrize(
    ("value", "version"), [("11", "11.8.0"), ("12", "12.8.0"), ("13", "13.0.0"), ("", "13.0.0")]
)
def test_versions(monkeypatch: pytest.MonkeyPatch, value: str, version: str) -> None:
    monkeypatch.setenv(cuda_version.VARIABLE, value)
    assert cuda_version.read_version() == version
    directories = cuda_version.list_directories()
    assert bool(directories) == (not version.startswith("13"))
    usual = resources.native_directory() / "device/cpu/kbuild_cpu/host/cuda_version.h"
    header = directories[0] / "kbuild_cuda_version.h" if directories else usual
    text = header.read_text()
    major, minor, _ = version.split(".")
    assert re.search(rf"KBUILD_CUDA_VERSION {major}\n", text)
    assert re.search(rf"KBUILD_CUDA_MINOR_VERSION {minor}\n", text)


def test_other_versions_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cuda_version.VARIABLE, "10")
    with pytest.raises(ConfigurationError, match="KBUILD_CUDA_VERSION is '10'; expected 11, 12, "):
        cuda_version.read_version()
