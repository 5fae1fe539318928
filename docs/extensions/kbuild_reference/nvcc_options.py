"""The options of `kbuild-nvcc`, from the table of nvcc's options."""

from __future__ import annotations

import re
from typing import Final

from kbuild.nvcc.command_line.options import SECTIONS, Option, Outcome
from kbuild_reference.markdown import escape, format_table

# Words of a text that are code: options, commands, and names with underscores or colons.
_CODE: Final = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w+-]*(?:=[\w+]+)?"
    r"|\b\w*__\w+|\b[A-Z]+_[A-Z]+\b|\bstd::\w+|\bnvcc\.profile\b|kbuild (?:inspect|doctor)"
)


def render(argument: str, _body: str) -> str:
    """Render the table of one section."""
    section = SECTIONS.get(argument)
    if section is None:
        raise ValueError(f"unknown section {argument!r}; expected one of {', '.join(SECTIONS)}")
    rows = [
        (_spell(one), _mark(one.meaning), _explain(one.outcome), _explain(one.on_cpu))
        for one in section
    ]
    return format_table(("Option", "Meaning", "Effect", "On the CPU"), rows)


def _spell(option: Option) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(option.names))


def _explain(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    note = _mark(outcome.note)
    if outcome.effect == "same":
        return f"same. {note}" if note else "same"
    return f"{outcome.effect}: {note}"


def _mark(text: str) -> str:
    return escape(_CODE.sub(lambda match: f"`{match[0]}`", text))
