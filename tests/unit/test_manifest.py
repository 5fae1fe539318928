"""kbuild.toml and [tool.kbuild]."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.manifest import find_manifest, read_manifest

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
        (TARGET + "debug_stubs = 1\n", "expected bool"),
        (TARGET + "[verfy]\n", "did you mean 'verify'?"),
        ('[target.k]\nkind = "shared"\n', "field 'sources' is missing"),
        ("target = 3\n", "no [target.<name>]"),
        ("[target]\nk = 3\n", "is no table"),
    ],
)
def test_errors_name_the_key(folder: Path, text: str, expected: str) -> None:
    path = folder / "kbuild.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError) as caught:
        read_manifest(path)

    assert expected in str(caught.value)
    assert str(path) in str(caught.value)
