"""Options for device code that kbuild sets itself are rejected, whoever adds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends import find_builder
from kbuild.errors import ConfigurationError
from kbuild.stages.calls.device_options import check_device_options
from support.calls import add_kernels, add_sources


@pytest.mark.parametrize(
    ("backend", "option", "fix"),
    [
        ("cuda", "-rdc=true", "use RDC ON"),
        ("cuda", "--static-global-template-stub=false", "use WEAK_INSTANCES ON"),
        ("cuda", "--device-entity-has-hidden-visibility", "use VISIBILITY"),
        ("cuda", "-gencode", "use ARCHITECTURES"),
        ("cuda", "-ptx", "kbuild chooses what nvcc makes"),
        ("hip", "-fgpu-rdc", "use RDC ON"),
    ],
)
def test_managed_options_are_rejected(tmp_path: Path, backend: str, option: str, fix: str) -> None:
    traits = find_builder(backend).TRAITS
    call = add_sources(tmp_path, "PRIVATE", "a.cu", "DEVICE_OPTIONS", "-lineinfo", option)
    with pytest.raises(ConfigurationError, match=fix) as caught:
        check_device_options(call, traits)
    assert str(caught.value) == f"DEVICE_OPTIONS: kbuild sets '{option}' itself; {fix}"

    with pytest.raises(ConfigurationError, match=fix) as caught:
        check_device_options(
            add_kernels(tmp_path, "SOURCES", "a.cu", "COMPILE_OPTIONS", option), traits
        )
    assert caught.value.setting == "COMPILE_OPTIONS"


def test_other_options_are_accepted(tmp_path: Path) -> None:
    call = add_sources(
        tmp_path, "PRIVATE", "a.cu", "DEVICE_OPTIONS", "-lineinfo", "-rdc", "$<0:-rdc=true>"
    )
    check_device_options(call, find_builder("cpu").TRAITS)
    call = add_sources(tmp_path, "PRIVATE", "a.cu", "DEVICE_OPTIONS", "-lineinfo", "$<0:-rdc=true>")
    check_device_options(call, find_builder("cuda").TRAITS)
