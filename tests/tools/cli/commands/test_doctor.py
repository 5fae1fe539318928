"""``kbuild doctor`` never fails, and says why something cannot be used."""

from __future__ import annotations

import json
import platform
import re

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
    assert all(re.match(r"\d+\.\d", report["versions"][name]) for name in ("cmake", "ninja"))
    assert report["versions"]["python"] == platform.python_version()


def test_missing_pieces_are_named(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDACXX", "/no/such/nvcc")
    monkeypatch.setattr(devices, "query_driver", Driver)

    assert main(["doctor"]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert "cuda     not usable: backend cuda: compiler /no/such/nvcc not found" in text
    assert "no GPU driver: GPU kernels can be built, but not run here" in text


def test_devices_are_listed(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Device(name="NVIDIA H200", architecture="sm_90")
    monkeypatch.setattr(devices, "query_driver", lambda: Driver(version="13.0", devices=(device,)))

    assert main(["doctor"]) == 0

    text = capfdbinary.readouterr().out.decode()
    assert "driver   NVIDIA, for CUDA 13.0\ndevice   NVIDIA H200, sm_90\n" in text
