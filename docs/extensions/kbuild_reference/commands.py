"""The command line, from the argument parsers of `kbuild.cli`."""

from __future__ import annotations

import argparse
import importlib
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from kbuild.cli import commands
from kbuild.cli.parsers import COMMANDS
from kbuild_reference.markdown import escape, fence, format_table

_WIDTH: Final = 88
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


def find_commands() -> dict[str, ModuleType]:
    """Return the module of each command, by the command's name."""
    return {
        name: importlib.import_module(f"{commands.__name__}.{module}")
        for name, (module, _) in sorted(COMMANDS.items())
    }


def render(argument: str, _body: str) -> str:
    """Render the usage, the arguments, and the notes of one command."""
    found = find_commands()
    if argument not in found:
        raise ValueError(f"unknown command {argument!r}; expected one of {', '.join(found)}")
    return "\n".join(_render_parser(_build_parser(argument, found[argument])))


def _build_parser(name: str, module: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"kbuild {name}",
        description=module.HELP,
        epilog=getattr(module, "EPILOG", None),
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=_WIDTH),
    )
    module.add_arguments(parser)
    return parser


def _render_parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    description = (parser.description or "").strip()
    yield escape(f"{description[:1].upper()}{description[1:].rstrip('.')}.") + "\n"
    usage = textwrap.dedent(" " * 7 + _ANSI.sub("", parser.format_usage()).removeprefix("usage: "))
    yield fence("text", usage)
    rows = [
        (_spell(action), escape(_explain(action)))
        for action in parser._actions  # noqa: SLF001 - argparse has no other way to list them
        if action.help is not argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)  # noqa: SLF001
    ]
    if rows:
        yield format_table(("Argument", "Meaning"), rows)
    if parser.epilog:
        yield fence("text", parser.epilog)


def _spell(action: argparse.Action) -> str:
    """Spell an argument as the usage does."""
    value = action.metavar
    if value is None and action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if value is None:
        value = action.dest.upper()
    if isinstance(value, tuple):
        value = " ".join(value)
    if not action.option_strings:
        return f"`{value}`"
    suffix = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"`{option}{suffix}`" for option in action.option_strings)


def _explain(action: argparse.Action) -> str:
    text = action.help or ""
    if "%(" in text:
        text %= {**vars(action), "prog": "kbuild"}
    return text.replace("%%", "%")
