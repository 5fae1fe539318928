"""Find out which functions a compiler's messages about divided texts are about.

A message can contain many errors. Each error costs the function that it is about, and no other one.
Messages end in finite time: each one costs a function that was divided, or all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lines import locate
from kbuild.cxx.unit import Unit

# g++ leaves out the column in a long line, such as that of a region.
_ERROR: Final = re.compile(r"^.*?:(?P<line>\d+):(?:\d+:)? error: (?P<reason>.*)", re.MULTILINE)
# What g++ and clang write in front of an error; what is behind an error belongs to that one.
_CONTEXT: Final = re.compile(r"^(?:In file included from |\S+: (?:In|At) )", re.MULTILINE)
_PATIENCE: Final = 6  # messages after which functions have no second chance


def count_chances(messages: int) -> int:
    """Return how often a function can fail, and is divided in another way, after some messages.

    After its first failure, each of its threads keeps all variables. Each message costs a compile,
    so functions have no second chance after many.
    """
    return 1 if messages < _PATIENCE else 0


def list_failures(
    code: Unit, functions: Sequence[Declaration], messages: Sequence[str]
) -> Mapping[int, tuple[str, ...]]:
    """Return what messages of the compiler say about functions, by their starts.

    Args:
        code: The text.
        functions: The functions that can be divided.
        messages: What the compiler said about texts, each of which was made with those before. If
            an error names no function that was divided, all of them fail finally.
    """
    if not messages:
        return {}
    places = [(locate(code.text, each.start), locate(code.text, each.end)) for each in functions]
    spans = [(first.file, first.line, last.line) for first, last in places]
    said: dict[int, list[str]] = defaultdict(list)
    for number, message in enumerate(messages):
        chances = count_chances(number)
        divided = [i for i, each in enumerate(functions) if len(said[each.start]) <= chances]
        failed: dict[int, str] = {}
        errors = [*_split_errors(message)]
        for error, around in errors:
            line, named = _find_named(spans, divided, around)
            for index in named:
                failed.setdefault(index, _describe_error(error, line))
        if not failed:
            reason = _describe_error(errors[0][0], errors[0][0]["line"]) if errors else ""
            return {each.start: (*said[each.start], reason, reason) for each in functions}
        for index, reason in failed.items():
            said[functions[index].start].append(reason)
    return {start: tuple(reasons) for start, reasons in said.items() if reasons}


def _split_errors(message: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the errors of a message, each with its line and what else is about it."""
    errors = [*_ERROR.finditer(message)]
    begin = 0
    for number, error in enumerate(errors):
        stop = errors[number + 1].start() if number + 1 < len(errors) else len(message)
        context = _CONTEXT.search(message, error.end(), stop)
        end = context.start() if context else stop
        yield error, f"{error[0]}\n{message[begin:end]}"
        begin = end


def _find_named(
    spans: list[tuple[str, int, int]], divided: list[int], around: str
) -> tuple[str, list[int]]:
    """Return the first line that is in a divided function, and all such functions.

    Behind the line of the error, lines go from the inside of templates to the outside. Those of
    `#include` directives do not count.
    """
    files = "|".join({re.escape(file) for file, _, _ in spans})
    lines = rf"(?<![\w./-])(?<!from )(?P<file>{files}):(?P<line>\d+)"
    for place in re.finditer(lines, around):
        file, line = place["file"], int(place["line"])
        named = [i for i in divided if spans[i][0] == file and spans[i][1] <= line <= spans[i][2]]
        if named:
            return place["line"], named
    return "", []


def _describe_error(error: re.Match[str], line: str) -> str:
    """Return the line and the reason of an error, as a part of a string literal."""
    reason = re.sub("[\u2018\u2019]", "'", error["reason"])
    return f": line {line}: {reason}".replace("\\", "\\\\").replace('"', '\\"')
