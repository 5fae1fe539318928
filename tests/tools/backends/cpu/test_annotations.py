"""Compare the annotations of the device headers with what their functions do."""

from __future__ import annotations

import re
from pathlib import Path

from kbuild import resources
from kbuild.backends.cpu.mixed.annotations import find_thread_words
from kbuild.cxx.unit import Unit
from support.commands import run, succeed
from support.tools.toolchains import require_programs

NATIVE = resources.native_directory()


def preprocess(directory: Path, header: str) -> str:
    require_programs("g++")
    source = directory / "a.cu"
    source.write_text(f"#include <{header}>\n")
    directories = (f"-isystem{NATIVE / 'device' / 'cpu'}", f"-isystem{NATIVE / 'include'}")
    options = ("-DKBUILD_MARK_KERNELS", "-include", "kbuild_cpu_device.h", *directories)
    return succeed(run("g++", "-E", "-x", "c++", *options, source))


def test_makers_of_groups_are_annotated(tmp_path: Path) -> None:
    text = preprocess(tmp_path, "cooperative_groups.h")
    words = find_thread_words(Unit(text))

    makers = set(re.findall(r"\b(this_\w+|coalesced_threads|\w+_partition)\(", text))
    assert {"this_thread", "this_grid", "coalesced_threads", "tiled_partition"} <= makers
    assert makers <= words.only_in_kernels | words.called_in_kernels
