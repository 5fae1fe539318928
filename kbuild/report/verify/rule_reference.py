"""The reference of the rules, made from their docstrings, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from kbuild.verify.rule import Rule

_CODE: Final = re.compile(r"(`[^`]+`)")
# What means something in the middle of a sentence; the rest would be hard to read escaped.
_PUNCTUATION: Final = re.compile(r"([\\*_\[\]<>&|~])")
_FAMILIES: Final = {
    "KB0": "policies and baselines",
    "KB1": "device images",
    "KB2": "resources",
    "KB3": "handles and stubs",
    "KB4": "registration and linking",
    "KB5": "ELF layout",
    "KB6": "provenance",
}
_INTRODUCTION: Final = """\
# Verifier rules

What `kbuild verify` checks.  An id never changes its meaning; a policy may change a severity.

<!-- Made by: kbuild explain --all --format markdown -o docs/reference/rules.md -->
"""


def render(rules: Iterable[Rule]) -> str:
    """The documentation of the rules, by family."""
    lines = [_INTRODUCTION.rstrip("\n")]
    for family, members in groupby(rules, key=lambda rule: rule.id[:3]):
        lines += ["", f"## {family}xx: {_FAMILIES[family]}"]
        for rule in members:
            lines += ["", *_describe(rule)]
    return "\n".join(lines) + "\n"


def _describe(rule: Rule) -> Iterator[str]:
    documentation = rule.documentation
    yield f"### {rule.id} {rule.slug}"
    yield ""
    yield f"{format_prose(documentation.summary)} ({rule.severity})"
    for heading, text in (
        ("Why", documentation.why),
        ("Fix", documentation.fix),
        ("Source", documentation.source),
    ):
        yield ""
        yield f"**{heading}:** {format_prose(text)}"


def format_prose(text: str) -> str:
    """Documentation as Markdown: what stands in backquotes is code, the rest plain text."""
    return "".join(
        part if number % 2 else _PUNCTUATION.sub(r"\\\1", part)
        for number, part in enumerate(_CODE.split(text))
    )
