"""Paths that build tools misread, and paths that are spelled in several ways."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.paths import check_path, normalize


@pytest.mark.parametrize("character", [*";|<>\\*^`\n\t\0\x7f"])
def test_misread_characters_are_named(character: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_path(f"/src/a{character}b.cu", "SOURCES")

    message = str(caught.value)
    assert message.startswith("SOURCES: /src/a")
    assert repr(character) in message
    assert message.endswith("rename it")
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("character", [*" #'\",:+=@()&%$~!?{}é\u200d\u00a0"])
def test_other_characters_are_fine(character: str) -> None:
    check_path(f"/src/a{character}b.cu", "SOURCES")


def test_characters_that_one_backend_misreads() -> None:
    with pytest.raises(ConfigurationError, match=r"/a\$b: build tools do not take '\$'"):
        check_path("/a$b", "SOURCES", unsafe="$%")


@pytest.mark.parametrize("name", ["a[b", "a]b"])
def test_halves_of_brackets(name: str) -> None:
    with pytest.raises(ConfigurationError, match="part of a list; rename it"):
        check_path(name, "SOURCES")

    check_path("a[1]b", "SOURCES")


def test_names_that_are_no_utf8() -> None:
    with pytest.raises(ConfigurationError, match=r"a\\udce9b: not a UTF-8 path; rename it"):
        check_path(Path(os.fsdecode(b"a\xe9b")), "SOURCES")


def test_locale_without_the_characters() -> None:
    code = (
        "from kbuild.errors import ConfigurationError\n"
        "from kbuild.stages.paths import check_path\n"
        "try:\n    check_path('\\u00e9', 'SOURCES')\n"
        "except ConfigurationError as error:\n    print(str(error))\n"
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={**os.environ, **plain, "PYTHONIOENCODING": "ascii:backslashreplace"},
    )

    assert b"the locale supports ascii only; set LC_ALL=C.UTF-8" in done.stdout


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/../b.cu", "/b.cu"),
        ("/a/b/../../c.cu", "/c.cu"),
        ("/../a.cu", "/../a.cu"),
        ("../a.cu", "../a.cu"),
        ("a/../../b.cu", "../b.cu"),
        ("/a/./b.cu", "/a/b.cu"),
    ],
)
def test_one_spelling(path: str, expected: str) -> None:
    assert normalize(Path(path)) == Path(expected)


def test_what_is_above_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "far/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/inner")

    assert normalize(tmp_path / "link/../a.cu") == tmp_path / "link/../a.cu"
    assert normalize(tmp_path / "far/../link/a.cu") == tmp_path / "link/a.cu"
