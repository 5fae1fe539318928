"""Reading manifests: kbuild.toml and [tool.kbuild]."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.directory import BuildDirectory
from kbuild.project.generate import BuildSettings, generate_project
from kbuild.project.manifest.read import find_manifest, read_manifest
from kbuild.project.manifest.tables import ProfileTable

TARGET = '[target.k]\nsources = ["src/*.cu"]\n'


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("b.cu", "a.cu"):
        (tmp_path / "src" / name).touch()
    return tmp_path


def test_matching_sources_are_sorted(directory: Path) -> None:
    (directory / "kbuild.toml").write_text(
        TARGET + '[verify]\nrequired_architectures = ["x86-64"]\n'
    )

    manifest = read_manifest(find_manifest(directory))

    (target,) = manifest.targets
    assert [source.name for source in target.sources] == ["a.cu", "b.cu"]
    assert target.table.kind == "shared"
    assert manifest.policy == directory / "kbuild.toml"


def test_pyproject_can_be_the_manifest(directory: Path) -> None:
    (directory / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.kbuild.target.k]\nsources = ["src/a.cu"]\n'
    )

    manifest = read_manifest(find_manifest(directory))

    assert [target.name for target in manifest.targets] == ["k"]
    assert manifest.policy is None


def test_pyproject_without_tool_kbuild_is_not_a_manifest(directory: Path) -> None:
    (directory / "pyproject.toml").write_text('[project]\nname = "x"\n')

    with pytest.raises(ConfigurationError, match=r"name a manifest with -f"):
        find_manifest(directory)


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
def test_errors_name_file_and_key(directory: Path, text: str, expected: str) -> None:
    path = directory / "kbuild.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError) as caught:
        read_manifest(path)

    assert expected in str(caught.value)
    assert str(path) in str(caught.value)


def test_profile_without_table_changes_nothing(directory: Path) -> None:
    path = directory / "kbuild.toml"
    path.write_text(TARGET + '[profile.debug]\ndebug_stubs = true\ndefinitions = ["A"]\n')

    manifest = read_manifest(path)

    assert manifest.find_profile("debug") == ProfileTable(debug_stubs=True, definitions=("A",))
    assert manifest.find_profile("release") == ProfileTable()


@pytest.mark.parametrize(
    ("value", "word"), [("true", "ON"), ("false", "OFF"), ('"symbols"', "SYMBOLS")]
)
def test_debug_stubs_become_cmake_words(directory: Path, value: str, word: str) -> None:
    path = directory / "kbuild.toml"
    path.write_text(f"{TARGET}debug_stubs = {value}\n")

    settings = BuildSettings(profile="release")
    project = generate_project(
        read_manifest(path), BuildDirectory(root=directory / "out"), settings
    )

    assert re.search(rf"DEBUG_STUBS \[=*\[{word}\]", project.content.decode())


def test_sources_that_two_patterns_match_are_listed_once(directory: Path) -> None:
    path = directory / "kbuild.toml"
    path.write_text('[target.k]\nsources = ["src/b.cu", "**/*.cu"]\n')

    (target,) = read_manifest(path).targets

    assert [source.name for source in target.sources] == ["b.cu", "a.cu"]


@pytest.mark.parametrize(
    ("text", "name"), [("tool = 3\n", "tool"), ("[tool]\nkbuild = 3\n", "tool.kbuild")]
)
def test_values_that_must_be_tables_in_pyproject(directory: Path, text: str, name: str) -> None:
    path = directory / "pyproject.toml"
    path.write_text(text)

    for read in (lambda: find_manifest(directory), lambda: read_manifest(path)):
        with pytest.raises(ConfigurationError) as caught:
            read()
        assert str(caught.value) == f"{path}: {name!r} must be a table"


def test_source_with_two_spellings_is_listed_once(directory: Path) -> None:
    path = directory / "kbuild.toml"
    path.write_text('[target.k]\nsources = ["src/a.cu", "src/../src/a.cu"]\n')

    (target,) = read_manifest(path).targets

    assert target.sources == (directory / "src/a.cu",)


def test_conflicting_target_names_are_rejected(directory: Path) -> None:
    path = directory / "kbuild.toml"
    path.write_text(TARGET + TARGET.replace("target.k", "target.k_all"))

    with pytest.raises(ConfigurationError, match=r"for a part of \[target.k\]") as caught:
        read_manifest(path)

    assert (caught.value.manifest, caught.value.target) == (path, "k_all")
