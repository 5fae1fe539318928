"""The programs that time launches build, and say that there is no device."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends import find_builder
from kbuild.bench.timing import TimedProject, time_launches
from kbuild.errors import ToolError
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.tools.toolchains import require_backend

# What the drivers' libraries say, without a device or without a driver.
REASONS = ("no CUDA-capable device", "driver version is insufficient", "hipErrorInvalidDevice")


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "arch"), [("cuda", "90-real"), ("hip", "gfx90a")])
def test_program_builds_and_names_the_missing_device(
    backend: str, arch: str, tmp_path: Path
) -> None:
    require_backend(backend)
    project = TimedProject(
        source=resources.native_directory() / "bench" / "timed" / backend,
        toolchain=find_toolchain(find_builder(backend), gather_hints()),
        architecture=arch,
    )

    with pytest.raises(ToolError) as caught:
        time_launches(project, tmp_path, 1)

    assert any(reason in caught.value.log for reason in REASONS)
