"""The patterns for problems that the page on Visual Studio Code contains."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from support.documentation import list_pages, read_blocks

# Lines that tools have printed, with the parts that an editor shows: place and text.
LINES = {
    "a b.cu:2:60: error: 'y' was not declared": ("a b.cu", "2", "60", "'y' was not declared"),
    "/p/a.cu:2: error: no PTX": ("/p/a.cu", "2", None, "no PTX"),
    "a.cu:1:10: fatal error: x.h: No such file": ("a.cu", "1", "10", "x.h: No such file"),
    '/p/a.cu(2): error: identifier "y" is undefined': (
        *("/p/a.cu", "2", None, 'identifier "y" is undefined'),
    ),
    'a.cu(3): warning #177-D: variable "q" was': ("a.cu", "3", None, 'variable "q" was'),
    "kbuild: error: a.cu:3:5: 'k' is a kernel": ("a.cu", "3", "5", "'k' is a kernel"),
    "kbuild: error: /usr/bin/g++ failed with exit status 1": None,
    "a.cu: In function 'int main()':": None,
    '2 errors detected in the compilation of "a.cu".': None,
    "kbuild: building with ninja": None,
}


@pytest.fixture(scope="module")
def tasks() -> Any:
    page = list_pages()["docs/how-to/vscode.md"]
    (block,) = (block for block in read_blocks(page) if block.language == "json")
    return json.loads(block.text)["tasks"]


@pytest.mark.parametrize("line", LINES)
def test_one_pattern_reads_a_message(tasks: Any, line: str) -> None:
    found = []
    for pattern in (matcher["pattern"] for matcher in tasks[0]["problemMatcher"]):
        match = re.fullmatch(pattern["regexp"], line)
        if match:
            keys = ("file", "line", "column", "message")
            found.append(tuple(match[pattern[key]] if key in pattern else None for key in keys))

    assert found == [LINES[line]] if LINES[line] else not found


def test_two_lines_of_a_finding_are_a_problem(tasks: Any) -> None:
    head, place = tasks[1]["problemMatcher"]["pattern"]

    assert re.fullmatch(head["regexp"], "error KC201 race-in-block in kernel k(int*): two threads")
    match = re.fullmatch(place["regexp"], "  write of 4 bytes at a.cu:6 by block (0, 0, 0)")
    assert match is not None
    assert match.group(place["file"], place["line"]) == ("a.cu", "6")
