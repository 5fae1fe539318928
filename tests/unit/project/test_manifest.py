"""kbuild.toml and [tool.kbuild]."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.cmake import write_project
from kbuild.project.directory import BuildFolder
from kbuild.project.manifest import ProfileTable, find_manifest, read_manifest

TARGET = '[target.k]\nsources = ["src/*.cu"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("b.cu", "a.cu"):
        (tmp_path / "src" / name).touch()
    return tmp_path


def test_sources_are_found_in_a_stable_order(folder: Path) -> None:
    (folder / "kbuild.toml").write_text(TARGET + '[verify]\nrequired_architectures = ["x86-64"]\n')

    manifest = read_manifest(find_manifest(folder))

    (target,) = manifest.targets
    assert [source.name for source in target.sources] == ["a.cu", "b.cu"]
    assert target.table.kind == "shared"
    assert manifest.policy == folder / "kbuild.toml"


def test_pyproject(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.kbuild.target.k]\nsources = ["src/a.cu"]\n'
    )

    manifest = read_manifest(find_manifest(folder))

    assert [target.name for target in manifest.targets] == ["k"]
    assert manifest.policy is None


def test_pyproject_of_someone_else_is_no_manifest(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')

    with pytest.raises(ConfigurationError, match=r"name one with -f"):
        find_manifest(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TARGET + 'architecture = ["80"]\n', "did you mean 'architectures'?"),
        (
            TARGET + "debug_stubs = 1\n",
            "value 1; expected one of true, false, 'symbols'",
        ),
        (TARGET + "[verfy]\n", "did you mean 'verify'?"),
        ('[target.k]\nkind = "shared"\n', "missing key 'sources'"),
        ("target = 3\n", "no [target.<name>]"),
        ("[target]\nk = 3\n", "[target.k]: expected a table, found 3"),
        (TARGET + "[profile.debgu]\n", "did you mean 'debug'?"),
        (TARGET + "[profile.debug]\ndefinition = ['A']\n", "did you mean 'definitions'?"),
        (TARGET + "[profile]\ndebug = 3\n", "[profile.debug]: expected a table, found 3"),
        (TARGET + "[profile.debug]\ndefinitions = ['A;B']\n", "semicolon"),
    ],
)
def test_errors_name_the_key(folder: Path, text: str, expected: str) -> None:
    path = folder / "kbuild.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError) as caught:
        read_manifest(path)

    assert expected in str(caught.value)
    assert str(path) in str(caught.value)


def test_profiles(folder: Path) -> None:
    path = folder / "kbuild.toml"
    path.write_text(TARGET + '[profile.debug]\ndebug_stubs = true\ndefinitions = ["A"]\n')

    manifest = read_manifest(path)

    assert manifest.profile("debug") == ProfileTable(debug_stubs=True, definitions=("A",))
    assert manifest.profile("release") == ProfileTable()


@pytest.mark.parametrize(
    ("value", "word"), [("true", "ON"), ("false", "OFF"), ('"symbols"', "SYMBOLS")]
)
def test_debug_stubs_are_those_of_cmake(folder: Path, value: str, word: str) -> None:
    path = folder / "kbuild.toml"
    path.write_text(f"{TARGET}debug_stubs = {value}\n")

    write_project(read_manifest(path), BuildFolder(root=folder / "out"), ProfileTable())

    project = (folder / "out/project/CMakeLists.txt").read_text()
    assert re.search(rf"DEBUG_STUBS \[=*\[{word}\]", project)


def test_sources_of_two_patterns_are_listed_once(folder: Path) -> None:
    path = folder / "kbuild.toml"
    path.write_text('[target.k]\nsources = ["src/b.cu", "**/*.cu"]\n')

    (target,) = read_manifest(path).targets

    assert [source.name for source in target.sources] == ["b.cu", "a.cu"]


@pytest.mark.parametrize(
    ("text", "header"), [("tool = 3\n", "[tool]"), ("[tool]\nkbuild = 3\n", "[tool.kbuild]")]
)
def test_pyproject_without_tables(folder: Path, text: str, header: str) -> None:
    path = folder / "pyproject.toml"
    path.write_text(text)

    for read in (lambda: find_manifest(folder), lambda: read_manifest(path)):
        with pytest.raises(ConfigurationError) as caught:
            read()
        assert str(caught.value) == f"{path}: {header} is no table"


def test_a_source_that_is_spelled_twice_is_one(folder: Path) -> None:
    path = folder / "kbuild.toml"
    path.write_text('[target.k]\nsources = ["src/a.cu", "src/../src/a.cu"]\n')

    (target,) = read_manifest(path).targets

    assert target.sources == (folder / "src/a.cu",)


def test_targets_whose_names_collide(folder: Path) -> None:
    path = folder / "kbuild.toml"
    path.write_text(TARGET + TARGET.replace("target.k", "target.k_all"))

    with pytest.raises(ConfigurationError, match=r"k_all\]: kbuild calls a part of \[target.k\]"):
        read_manifest(path)
