"""Divide the arguments of a call by its keywords, and suggest the keywords that were meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, get_args, get_origin

from kbuild import records
from kbuild.errors import ConfigurationError, did_you_mean, find_similar
from kbuild.stages.settings import KernelSettings
from kbuild.values import dataclass

KINDS: Final = ("STATIC", "SHARED", "MODULE", "OBJECT")
# Every file name is somewhat similar to a keyword.
_SIMILARITY: Final = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The keywords of a function.

    ``single`` and ``lists`` map the keywords that have one value and any number of values to the
    names of settings. ``flags`` have no value. ``required`` is the keyword that cannot be omitted.
    ``paths`` are those lists whose values are no options, so that a keyword is a mistake in them.
    """

    single: Mapping[str, str]
    lists: Mapping[str, str]
    flags: tuple[str, ...] = ()
    required: str = ""
    paths: tuple[str, ...] = ()

    @property
    def keywords(self) -> tuple[str, ...]:
        """All keywords."""
        return (*self.flags, *self.single, *self.lists)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of a call by their keywords.

    ``values`` has an entry for each keyword with a value. ``others`` belong to no keyword: they are
    before the first one, or behind the value of a keyword that has only one.
    """

    values: Mapping[str, tuple[str, ...]]
    flags: frozenset[str]
    others: tuple[str, ...]


def _describe_function(
    flags: tuple[str, ...], paths: tuple[str, ...], renamed: Mapping[str, str | None]
) -> Signature:
    """Return the signature of a function that accepts settings; ``renamed`` differ from them."""
    names = {
        keyword: name
        for name in records.fields_of(KernelSettings)
        if (keyword := renamed.get(name, name.upper())) is not None
    }
    lists = {key: name for key, name in names.items() if is_list(name)}
    return Signature(
        flags=flags,
        single={key: name for key, name in names.items() if key not in lists},
        lists=lists,
        required=next(iter(lists)),
        paths=paths,
    )


def is_list(name: str) -> bool:
    """Return whether the setting of this name has several values."""
    return get_origin(records.fields_of(KernelSettings)[name].kind) is tuple


def accepts_switch(name: str) -> bool:
    """Return whether the setting of this name can be true or false."""
    kind = records.fields_of(KernelSettings)[name].kind
    return kind is bool or True in get_args(kind)


ADD_KERNELS: Final = _describe_function(
    KINDS,
    ("SOURCES", "HEADERS", "ARCHITECTURES", "INCLUDE_DIRECTORIES"),
    {"kind": None, "weak_instances": None},
)
TARGET_SOURCES: Final = _describe_function(
    (),
    ("PRIVATE", "HEADERS", "ARCHITECTURES"),
    {
        "kind": None,
        "include_directories": None,
        "definitions": None,
        "sources": "PRIVATE",
        "compile_options": "DEVICE_OPTIONS",
    },
)


def split_arguments(signature: Signature, words: Sequence[str]) -> Arguments:
    """Divide arguments by keywords, as ``cmake_parse_arguments`` does.

    Empty values count as omitted, because callers forward variables that are not set.

    Raises:
        ConfigurationError: A keyword that has a value is the last argument, or another keyword
            follows it.
    """
    values: dict[str, list[str]] = {}
    flags, others = set(), []
    current = ""
    for word in words:
        if word in signature.flags:
            flags.add(word)
            current = ""
        elif word in signature.single or word in signature.lists:
            current = word
            if word in signature.single or word not in values:
                values[word] = []
        elif current:
            values[current].append(word)
            current = "" if current in signature.single else current
        elif word:
            others.append(word)
    for keyword, found in values.items():
        if not found and keyword in (*signature.single, signature.required):
            raise ConfigurationError(f"{keyword} needs a value")
    given = {keyword: tuple(filter(None, found)) for keyword, found in values.items()}
    return Arguments(
        values={keyword: found for keyword, found in given.items() if found},
        flags=frozenset(flags),
        others=tuple(others),
    )


@contextmanager
def name_keyword(keyword: str) -> Iterator[None]:
    """Put the keyword of a call before the messages of errors."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{keyword}: {error}", setting=keyword) from error


def check_keywords(signature: Signature, others: Sequence[str]) -> None:
    """Reject arguments that belong to no keyword."""
    for word in others:
        suggestion = did_you_mean(word.upper(), signature.keywords)
        raise ConfigurationError(f"unknown argument {word!r}{suggestion}")


def check_values(signature: Signature, arguments: Arguments, directory: Path) -> None:
    """Reject misspelled keywords after a list of values, because they look like one of them.

    Relative paths start from ``directory``.
    """
    for keyword in signature.paths:
        for word in arguments.values.get(keyword, ()):
            similar = suggest_keyword(signature, word)
            if similar and not (directory / word).exists():
                raise ConfigurationError(
                    f"unknown keyword {word!r} after {keyword}; did you mean {similar!r}?"
                )


def suggest_keyword(signature: Signature, word: str) -> str | None:
    """Return the keyword that a word in capital letters is similar to, or None."""
    if not re.fullmatch("[A-Z][A-Z_]+", word):
        return None
    return find_similar(word, signature.keywords, _SIMILARITY)
