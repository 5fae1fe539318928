"""Depfiles as real compilers write them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.depfiles import check_prerequisites, read_depfile


def test_depfile_of_gcc_is_read(tmp_path: Path) -> None:
    names = ["plain.h", "with space.h", "dollar$.h", "hash#.h"]
    for name in names:
        (tmp_path / name).touch()
    source = tmp_path / "a.c"
    source.write_text("".join(f'#include "{name}"\n' for name in names))
    subprocess.run(["gcc", "-MM", "-MF", "a.d", "-MQ", "out", "a.c"], cwd=tmp_path, check=True)

    found = read_depfile((tmp_path / "a.d").read_text())

    assert sorted(map(str, found)) == sorted(["a.c", *names])


def write_depfile(directory: Path, header: str) -> Path:
    (directory / header).touch()
    (directory / "a.cpp").write_text(f'#include "{header}"\n')
    subprocess.run(["g++", "-MMD", "-c", "a.cpp"], cwd=directory, check=True)
    return directory / "a.d"


@pytest.mark.parametrize("name", ["h;h.h", "h\\h.h", "h^h.h", "h`h.h", "h*h.h"])
def test_header_names_that_build_tools_misread_are_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"header h.h.h: build tools do not take .* rename it"
    ):
        check_prerequisites(write_depfile(tmp_path, name))


@pytest.mark.parametrize("name", ["h h.h", "h#h.h", "h$h.h", "h[h.h", "h:h.h", "é,'(&).h"])
def test_unusual_header_names_are_accepted(tmp_path: Path, name: str) -> None:
    check_prerequisites(write_depfile(tmp_path, name))
