"""Depfiles as real compilers write them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.depfiles import check_prerequisites, read_depfile


def test_depfile_of_a_real_compiler(tmp_path: Path) -> None:
    names = ["plain.h", "with space.h", "dollar$.h", "hash#.h"]
    for name in names:
        (tmp_path / name).touch()
    source = tmp_path / "a.c"
    source.write_text("".join(f'#include "{name}"\n' for name in names))
    subprocess.run(["gcc", "-MM", "-MF", "a.d", "-MQ", "out", "a.c"], cwd=tmp_path, check=True)

    found = read_depfile((tmp_path / "a.d").read_text())

    assert sorted(map(str, found)) == sorted(["a.c", *names])


def write_depfile(folder: Path, header: str) -> Path:
    (folder / header).touch()
    (folder / "a.cpp").write_text(f'#include "{header}"\n')
    subprocess.run(["g++", "-MMD", "-c", "a.cpp"], cwd=folder, check=True)
    return folder / "a.d"


@pytest.mark.parametrize("name", ["h;h.h", "h\\h.h", "h^h.h", "h`h.h", "h*h.h"])
def test_headers_that_build_tools_misread(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"header h.h.h: build tools do not take .* rename it"
    ):
        check_prerequisites(write_depfile(tmp_path, name))


@pytest.mark.parametrize("name", ["h h.h", "h#h.h", "h$h.h", "h[h.h", "h:h.h", "é,'(&).h"])
def test_headers_that_build_tools_read(tmp_path: Path, name: str) -> None:
    check_prerequisites(write_depfile(tmp_path, name))
