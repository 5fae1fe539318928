"""``kbuild doctor`` never fails, and names what is missing or incomplete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kbuild.backends import builder_names
from kbuild.backends.cuda import devices
from kbuild.backends.interface.devices import Device, Driver
from kbuild.cli.main import main


def test_json_names_every_backend(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["doctor", "--format", "json"]) == 0

    report = json.loads(capfdbinary.readouterr().out)
    assert report["schema"] == "kbuild.doctor/1"
    assert [toolchain["backend"] for toolchain in report["toolchains"]] == list(builder_names())
    cpu = report["toolchains"][0]
    assert cpu["problem"] is None
    assert cpu["runtimes"][0].endswith("libkbuild_cpu.so.1")
    assert set(report["programs"]) == {"cmake", "ninja"}


def test_missing_pieces_are_named(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDACXX", "/no/such/nvcc")
    monkeypatch.setattr(devices, "query_driver", Driver)

    assert main(["doctor"]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert "cuda     not usable: backend cuda: compiler /no/such/nvcc not found" in text
    assert "no GPU driver found: GPU kernels can be built here, but not run" in text


def test_devices_are_listed(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Device(name="NVIDIA H200", architecture="sm_90")
    monkeypatch.setattr(devices, "query_driver", lambda: Driver(version="13.0", devices=(device,)))

    assert main(["doctor"]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert "driver   NVIDIA, for CUDA 13.0\ndevice   NVIDIA H200, sm_90\n" in text


def test_incomplete_toolchain_names_the_package(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's clang-19 without clang-tools-19 has no offload bundler."""
    compiler = tmp_path / "clang++"
    compiler.write_text(
        "#!/bin/sh\n"
        'case "$1" in -print-prog-name=*) echo "${1#*=}" ;; '
        '*) echo "clang version 19.1.7" ;; esac\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("HIPCXX", str(compiler))

    assert main(["doctor"]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert f"hip      not usable: {compiler}: clang-offload-bundler" in text
    assert "install it (Debian: clang-tools-19, ROCm: rocm-llvm)" in text
