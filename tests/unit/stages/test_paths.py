"""Tests for paths that build tools misread, and for different spellings of a path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.paths import check_path, normalize


@pytest.mark.parametrize("character", [*";|<>\\*^`\n\t\0\x7f"])
def test_error_names_the_unsafe_character(character: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_path(f"/src/a{character}b.cu", "SOURCES")

    message = str(caught.value)
    assert message.startswith("SOURCES: /src/a")
    assert repr(character) in message
    assert message.endswith("rename it")
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("character", [*" #'\",:+=@()&%$~!?{}é\u200d\u00a0"])
def test_other_characters_are_accepted(character: str) -> None:
    check_path(f"/src/a{character}b.cu", "SOURCES")


def test_backend_can_reject_further_characters() -> None:
    with pytest.raises(ConfigurationError, match=r"/a\$b: build tools do not take '\$'"):
        check_path("/a$b", "SOURCES", unsafe="$%")


@pytest.mark.parametrize("name", ["a[b", "a]b"])
def test_unbalanced_brackets_are_rejected(name: str) -> None:
    with pytest.raises(ConfigurationError, match="part of a list; rename it"):
        check_path(name, "SOURCES")

    check_path("a[1]b", "SOURCES")


@pytest.mark.parametrize("path", ["a" * 256, "a/" * 2048])
def test_path_that_is_too_long_is_rejected(path: str) -> None:
    with pytest.raises(ConfigurationError, match=r"headers: a[a/]{59}\.\.\.: the path is too long"):
        check_path(path, "headers")


def test_name_that_is_not_utf8_is_rejected() -> None:
    with pytest.raises(ConfigurationError, match=r"a\\udce9b: not a UTF-8 path; rename it"):
        check_path(Path(os.fsdecode(b"a\xe9b")), "SOURCES")


def test_name_that_the_locale_cannot_encode_is_rejected() -> None:
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
def test_path_is_normalized(path: str, expected: str) -> None:
    assert normalize(Path(path)) == Path(expected)


def test_parent_of_a_symbolic_link_is_not_normalized(tmp_path: Path) -> None:
    (tmp_path / "far/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/inner")

    assert normalize(tmp_path / "link/../a.cu") == tmp_path / "link/../a.cu"
    assert normalize(tmp_path / "far/../link/a.cu") == tmp_path / "link/a.cu"
