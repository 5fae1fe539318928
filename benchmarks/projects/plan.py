"""Read a plan: how to build a project with kbuild and with its own tools, and its tests."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from kbuild.files import read_toml

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way to build the project.

    Attributes:
        name: The name in tables. The ratios are those of the side ``kbuild`` to the others.
        configure: The command that configures the build; empty if the build needs no such step.
        build: The command that builds.
        patch: The change of the project's build files, relative to the plan; empty for none.
        environment: Variables of the commands and of the tests.
    """

    name: str
    build: list[str]
    configure: list[str]
    patch: str
    environment: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A test of the project, which passes if its exit code is 0.

    Attributes:
        name: The name in tables.
        command: The command.
        directory: Where it runs.
        summary: A regular expression. The last line that contains a match is the summary.
        limit: The time limit, in seconds.
    """

    name: str
    command: list[str]
    directory: str
    summary: str
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A project, and what is done with it.

    Commands, directories, and values of the environment contain placeholders: ``{source}``,
    ``{build}``, ``{jobs}``, ``{backend}``, ``{architectures}``, ``{python}``, ``{kbuild}`` (for
    ``kbuild_DIR``), and ``{plan}``, the directory of the plan.
    """

    name: str
    repository: str
    commit: str
    license: str
    sides: tuple[Side, ...]
    tests: tuple[Test, ...]


def read_plan(path: Path) -> Plan:
    """Read a plan from a TOML file."""
    data = read_toml(path)
    sides = [{"configure": [], "patch": "", "environment": {}, **item} for item in data["sides"]]
    tests = [
        {"directory": "{build}", "summary": ".", "limit": 120.0, **item}
        for item in data.get("tests", [])
    ]
    parts = {
        "sides": tuple(_create(Side, item, path) for item in sides),
        "tests": tuple(_create(Test, item, path) for item in tests),
    }
    return _create(Plan, {**data, **parts}, path)


def _create(kind: type[_Part], values: dict[str, Any], path: Path) -> _Part:
    expected = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if wrong := expected.symmetric_difference(values):
        names = ", ".join(sorted(wrong))
        raise SystemExit(f"{path}: missing or unknown in a {kind.__name__.lower()}: {names}")
    return kind(**values)
