"""Answers of compilers about their steps are the same from the cache, with the names of a unit."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from kbuild import process
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command, CommandResult
from kbuild.stages.front_end.listing import list_steps
from kbuild.toolchain import probe
from kbuild.values import replace

ECHO: Final = str(shutil.which("echo"))
TOOLCHAIN: Final = Toolchain(backend="cuda", compiler=Path(ECHO), compiler_id="nvcc", version="13")
UNIT: Final = CompileUnit(
    source=Path("/src/sub/a.cu"),
    display_source="sub/a.cu",
    arch="90",
    output=Path("/out/a.cu.90"),
    stamp=Path("/out/a.cu.90.json"),
    depfile=Path("/out/a.cu.90.d"),
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def describe(unit: CompileUnit, tc: Toolchain) -> Command:
    """Return a command that prints what compilers make of names."""
    root = f"-ffile-prefix-map={unit.root}/=" if unit.root else ""
    names = (unit.source, unit.display_source, unit.output, unit.stamp, unit.depfile)
    kept = (f"{unit.output}.keep/{unit.source.stem}.{end}" for end in ("cudafe1.c", "cpp1.ii"))
    return Command(argv=(str(tc.compiler), root, *map(str, names), *kept, *unit.options))


@pytest.mark.parametrize(
    ("source", "shown", "output", "options"),
    [
        ("/src/sub/a.cu", "sub/a.cu", "/out/a.cu.90", ()),
        ("/src/sub/b.cu", "sub/b.cu", "/out/b.cu.90", ()),
        ("/a.cu", "a.cu", "/out/a.cu.90", ()),
        ("a.cu", "a.cu", "/var/x/0/a.cu.90", ()),
        ("sub/b.cu", "sub/b.cu", "/var/y/0/b.cu.90", ("-DA",)),
        ("/src/a.cu", "/src/a.cu", "/out/a.cu.90", ()),
        ("/src/a b.cu", "a b.cu", "/out/a b.cu.90", ()),
        ("/src/../a.cu", "a.cu", "/out/a.cu.90", ()),
        ("/src/a.b.cu", "a.b.cu", "/out/a.cu.90", ()),
        ("/src/a.cpp", "a.cpp", "/out/a.cu.90", ()),
        ("/src/a.cu", "other.cu", "/out/a.cu.90", ()),
        ("/src/a.cu", "a.cu", "/out/a.cu.90", ("-lineinfo",)),
    ],
)
def test_answer_names_the_unit(
    source: str, shown: str, output: str, options: tuple[str, ...]
) -> None:
    list_steps(describe, UNIT, TOOLCHAIN)  # of another source
    unit = replace(
        UNIT,
        source=Path(source),
        display_source=shown,
        output=Path(output),
        stamp=Path(f"{output}.json"),
        depfile=Path(f"{output}.d"),
        options=options,
    )

    for _ in range(2):
        found = list_steps(describe, unit, TOOLCHAIN)
        assert found.stdout == process.run(describe(unit, TOOLCHAIN)).stdout


def test_sources_with_equal_options_share_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    list_steps(describe, UNIT, TOOLCHAIN)
    for name in ("kbuild.process.run", "kbuild.toolchain.probe.run"):
        monkeypatch.setattr(name, None)

    other = replace(UNIT, source=Path("/src/b.cu"), display_source="b.cu")
    assert "/src/b.cu" in list_steps(describe, other, TOOLCHAIN).stdout


def test_answer_depends_on_the_environment_and_the_inputs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[Command] = []

    def run(command: Command) -> CommandResult:
        calls.append(command)
        return process.run(command)

    monkeypatch.setattr(probe, "run", run)
    read = tmp_path / "nvcc.profile"
    command = Command(argv=(ECHO, "a"), inputs=(read,))

    for count, text in enumerate(("a", "b"), 1):
        read.write_text(text)
        for _ in range(2):
            probe.find_answer(command)
        assert len(calls) == count
    monkeypatch.setenv("INCLUDES", "-I/other")
    probe.find_answer(command)
    assert len(calls) == 3


def test_failed_command_is_repeated_with_the_real_names(tmp_path: Path) -> None:
    def fail(unit: CompileUnit, _: Toolchain) -> Command:
        return Command(argv=(str(shutil.which("ls")), str(unit.source)))

    found = list_steps(fail, replace(UNIT, source=tmp_path / "sub/a.cu"), TOOLCHAIN)

    assert found.returncode != 0
    assert str(tmp_path / "sub/a.cu") in found.stderr
