"""Host texts are read as a whole, and in parts if the cache has one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild import resources
from kbuild.cxx.parts import SeparatePart
from kbuild.cxx.unit import Unit, read_separate_part
from kbuild.stages.mixed import tokens
from kbuild.stages.mixed.tokens import read_host_text
from kbuild.toolchain import store

OWN = f"{resources.native_directory()}/include/kbuild/chevron.hpp"
COMPILER = Path("/opt/toolkit/bin/nvcc")
START = '# 1 "{source}"\n# 1 "<built-in>"\n# 1 "{source}"\n'
COMMON = f'# 1 "/usr/include/a.h" 3\nint {{}};\n# 3 "{OWN}" 3\nint launch();\n# 4\nint more();\n'
END = '# 1 "{source}"\nint main() {{ return launch(); }}\n'


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tokens, "_SMALLEST", 1)
    return tmp_path


def make_text(source: str, name: str) -> str:
    return START.format(source=source) + COMMON.format(name) + END.format(source=source)


def check(text: str) -> None:
    unit, whole = read_host_text(text, COMPILER), Unit(text)

    assert (unit.text, list(unit.words), list(unit.starts)) == (
        whole.text,
        whole.words,
        whole.starts,
    )
    count = len(whole.words)
    assert [unit.words[-each] for each in range(1, count)] == whole.words[:0:-1]
    for part in (slice(2, 5), slice(-3, None), slice(count - 1, count + 1), slice(None, None, -2)):
        assert unit.words[part] == whole.words[part]
        assert unit.starts[part] == whole.starts[part]
    for position in range(len(text)):
        assert unit.find_index(position) == whole.find_index(position)
    assert unit.directives == whole.directives
    assert (unit.partners, unit.vocabulary) == (whole.partners, whole.vocabulary)
    for words in (("{", "(", ")", "int"), ("launch",), ("nowhere",), ()):
        assert unit.find(words) == whole.find(words)


@pytest.mark.parametrize("source", ["a.cu", "/src/a b.cu"])
def test_the_cache_changes_nothing(source: str, cache: Path) -> None:
    for name in ("x", "y", "x", "x", "y"):
        check(make_text(source, name))

    assert len([path for path in cache.rglob("*") if path.is_file()]) == 2  # of x and of y


def test_sources_share_the_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):  # the entry is made when the part is seen again
        read_host_text(make_text("a.cu", "x"), COMPILER)
    monkeypatch.setattr(store, "add", None)
    monkeypatch.setattr(tokens, "read_separate_part", read_small_part)

    check(make_text("b.cu", "x"))


def read_small_part(text: str) -> SeparatePart | None:
    assert "launch();\n# 4" not in text  # of the library
    return read_separate_part(text)


def test_each_library_part_has_an_entry(cache: Path) -> None:
    later = '# 2 "a.cu"\n# 1 "/src/p.h"\nint p;\n# 1 "/opt/toolkit/a.h"\nint t;\n'
    text = make_text("a.cu", "x") + later + '# 3 "a.cu"\nint end;\n'
    for _ in range(3):
        check(text)

    assert len([path for path in cache.rglob("*") if path.is_file()]) == 2


@pytest.mark.parametrize(
    "text",
    ["", "int x;\n", START.format(source="a.cu"), '# 1 "a.cu"\n' + COMMON.format("x")],
)
def test_other_texts_are_read(text: str) -> None:
    check(text)


def test_a_text_with_another_spelling_is_read_as_a_whole() -> None:
    text = make_text("a.cu", "x") + "bool b = x and y;\n"
    for _ in range(3):
        check(text)
    assert "and" not in read_host_text(text, COMPILER).words


def test_a_text_with_a_bracket_across_parts_is_read_as_a_whole() -> None:
    text = make_text("a.cu", "x").replace("int more();", "namespace {") + "}\n"
    for _ in range(3):
        check(text)
    unit = read_host_text(text, COMPILER)
    assert unit.get(unit.partners[len(unit.words) - 1]) == "{"
