"""Inspects wheels from PyPI, and compares every kernel with the output of NVIDIA's tool."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.inspect import inspect_path
from support.tools.nvidia_tools import Usage, dump_usage, require_tool

# Uncompressed cubins and LZ4 PTX; zstd, linked by lld; zstd, large, many architectures.
WHEELS = ("xformers==0.0.35", "jax-cuda13-plugin==0.10.2", "nvidia-cusparse==12.9.4.2")
WITHOUT_DEVICE_CODE = "xgrammar==0.1.27"

pytestmark = pytest.mark.slow


def download(wheel: str, directory: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    finished = subprocess.run([*pip, "-d", directory, wheel], capture_output=True, check=False)
    if finished.returncode:
        pytest.skip(f"cannot download {wheel}")
    (path,) = directory.glob("*.whl")
    return path


def usage_of(image: ImageFacts) -> dict[str, Usage]:
    """Convert a kernel to the tool's output, which includes reserved shared memory."""
    return {
        kernel.name: (
            kernel.resources.registers or 0,
            kernel.resources.local_bytes,
            -1,
            0,
            kernel.resources.constant_bytes or 0,
        )
        for kernel in image.kernels
    }


def shown(library: Path) -> list[dict[str, Usage]]:
    images = dump_usage(require_tool("cuobjdump"), library)
    return [{name: (u[0], u[1], -1, u[3], u[4]) for name, u in image.items()} for image in images]


@pytest.mark.parametrize("wheel", WHEELS)
def test_every_kernel_of_a_wheel_matches_cuobjdump(wheel: str, tmp_path: Path) -> None:
    path = download(wheel, tmp_path)
    artifacts = [facts for facts in inspect_path(path) if facts.images]
    assert artifacts
    for facts in artifacts:
        assert problems(facts) == []
        member = facts.path.rpartition("!")[2]
        with zipfile.ZipFile(path) as archive:
            library = Path(archive.extract(member, tmp_path))
        found = [usage_of(image) for image in facts.images if image.kind == "elf"]
        # The tool also lists device functions that are not inlined. This test compares kernels.
        expected = [
            {name: usage for name, usage in image.items() if name in known}
            for image, known in zip(shown(library), found, strict=True)
        ]
        assert found == expected
        library.unlink()


def problems(facts: ArtifactFacts) -> list[str]:
    return [
        *(problem.message for problem in facts.problems),
        *(image.problem for image in facts.images if image.problem),
    ]


def test_wheel_without_device_code_has_no_images(tmp_path: Path) -> None:
    artifacts = inspect_path(download(WITHOUT_DEVICE_CODE, tmp_path))
    assert artifacts
    assert [facts.images for facts in artifacts] == [()] * len(artifacts)
