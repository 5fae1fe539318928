"""The destinations of reports, and files that a call names twice."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from support.commands import run_kbuild, succeed
from support.kernel_libraries import BuildKernelLibrary

SOURCE = {"k.cu": "__global__ void scale(float* p) { *p *= 2; }\n"}


def test_file_with_several_names_is_read_once(
    build_kernel_library: BuildKernelLibrary, tmp_path: Path
) -> None:
    library = build_kernel_library(SOURCE)
    link, hard = tmp_path / "libk.so", tmp_path / "libk.so.1"
    link.symlink_to(library)
    hard.hardlink_to(library)

    result = run_kbuild("verify", "--format", "json", library, library, link, hard)

    assert json.loads(succeed(result))["findings"] == []


def test_report_follows_links(build_kernel_library: BuildKernelLibrary, tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)

    succeed(run_kbuild("verify", "--format", "json", "-o", link, build_kernel_library(SOURCE)))

    assert link.is_symlink()
    assert json.loads(real.read_text())["ok"] is True


def test_report_is_written_to_a_pipe(
    build_kernel_library: BuildKernelLibrary, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()

    succeed(run_kbuild("verify", "--format", "json", "-o", pipe, build_kernel_library(SOURCE)))

    reader.join(timeout=60)
    assert pipe.is_fifo()
    assert json.loads(read[0])["ok"] is True
