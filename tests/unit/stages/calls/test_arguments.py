"""Tests for dividing the arguments of a call."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.calls.arguments import (
    ADD_KERNELS,
    KINDS,
    TARGET_SOURCES,
    Arguments,
    check_keywords,
    check_values,
    split_arguments,
)
from kbuild.stages.settings import KernelSettings


def split(*words: str) -> Arguments:
    return split_arguments(ADD_KERNELS, words)


def test_functions_have_a_keyword_for_each_setting() -> None:
    names = {field.name for field in fields(KernelSettings)}
    missing = {"include_directories", "definitions"}  # those of the target apply

    assert set(ADD_KERNELS.keywords) == {
        *KINDS,
        *(name.upper() for name in names - {"kind", "weak_instances"}),
    }
    assert {*TARGET_SOURCES.single.values(), *TARGET_SOURCES.lists.values()} == names - {
        *missing,
        "kind",
    }
    assert TARGET_SOURCES.required == "PRIVATE"


def test_arguments_are_divided_by_keywords() -> None:
    found = split("SHARED", "SOURCES", "a", "b", "BACKEND", "cpu", "SOURCES", "c", "RDC", "ON")

    assert found.flags == {"SHARED"}
    assert found.values == {"SOURCES": ("a", "b", "c"), "BACKEND": ("cpu",), "RDC": ("ON",)}
    assert found.others == ()


def test_last_value_of_a_keyword_with_one_value_counts() -> None:
    assert split("BACKEND", "cpu", "BACKEND", "cuda").values == {"BACKEND": ("cuda",)}


def test_arguments_of_no_keyword_are_others() -> None:
    assert split("x", "BACKEND", "cpu", "y", "STATIC", "z").others == ("x", "y", "z")


def test_empty_values_count_as_omitted() -> None:
    assert split("", "SOURCES", "a", "", "BACKEND", "", "HEADERS").values == {"SOURCES": ("a",)}


@pytest.mark.parametrize("words", [("BACKEND",), ("BACKEND", "SOURCES", "a"), ("SOURCES",)])
def test_keyword_without_a_value_is_rejected(words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match=f"{words[0]} needs a value"):
        split(*words)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("SHARD", "unknown argument 'SHARD'; did you mean 'SHARED'?"),
        ("shared", "unknown argument 'shared'; did you mean 'SHARED'?"),
        ("XYZ", "unknown argument 'XYZ'; expected one of ARCHITECTURES, BACKEND,"),
    ],
)
def test_unknown_argument_is_an_error_with_the_similar_keyword(word: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_keywords(ADD_KERNELS, split(word, "SOURCES", "a").others)

    assert str(caught.value).startswith(expected)


def test_misspelled_keyword_in_a_list_is_an_error(tmp_path: Path) -> None:
    found = split("SOURCES", "a.cu", "ARCHITECTURE", "80")

    with pytest.raises(ConfigurationError) as caught:
        check_values(ADD_KERNELS, found, tmp_path)
    (tmp_path / "ARCHITECTURE").touch()  # it is a source
    check_values(ADD_KERNELS, found, tmp_path)

    assert str(caught.value) == (
        "unknown keyword 'ARCHITECTURE' after SOURCES; did you mean 'ARCHITECTURES'?"
    )


@pytest.mark.parametrize("name", ["SRC", "INC", "LIB", "include", "GEN_HEADERS_DIR"])
def test_names_of_directories_are_no_misspelled_keywords(tmp_path: Path, name: str) -> None:
    check_values(ADD_KERNELS, split("INCLUDE_DIRECTORIES", name), tmp_path)
