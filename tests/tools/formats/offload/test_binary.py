"""LLVM's tools read the offload binaries that kbuild writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kbuild.formats.offload import binary as offload_binary

STRINGS = (("triple", "x86_64-unknown-linux-gnu"), ("arch", "x86-64-v3"), ("sha256", "ab"))


def test_llvm_reads_what_is_written(tmp_path: Path) -> None:
    tool = next(
        filter(None, map(shutil.which, ("llvm-offload-binary", "clang-offload-packager-19"))), None
    )
    if tool is None:
        pytest.skip("LLVM's offload packager is not installed")
    container = tmp_path / "container.bin"
    container.write_bytes(
        offload_binary.write([(1, STRINGS, b"first"), (1, (*STRINGS[:1], ("arch", "b")), b"2nd")])
    )
    for arch, image in (("x86-64-v3", b"first"), ("b", b"2nd")):
        output = tmp_path / arch
        option = f"--image=file={output},triple={STRINGS[0][1]},arch={arch}"
        subprocess.run([tool, str(container), option], check=True)
        assert output.read_bytes() == image
