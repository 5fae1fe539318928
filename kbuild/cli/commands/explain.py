"""``kbuild explain``: explain rules, and errors of CUDA's runtime."""

from __future__ import annotations

import argparse
import re
from typing import Final

from kbuild.cli.arguments import add_color_argument, add_output_arguments
from kbuild.cli.output import has_colors, write_output
from kbuild.errors import ConfigurationError
from kbuild.report import runtime_errors
from kbuild.report.verify import rule_reference, text
from kbuild.verify import select_rules
from kbuild.verify.rule import Rule

_RULE_ID: Final = re.compile(r"kb\d*$", re.IGNORECASE)

HELP: Final = "Explain what rules or errors of CUDA's runtime mean, and how to fix the problem."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "rules",
        nargs="*",
        metavar="ID|ERROR",
        help="explain the rules whose ids start with ID, or an error of CUDA's runtime, such as "
        "'invalid device function'",
    )
    parser.add_argument("--all", action="store_true", help="explain all rules")
    add_color_argument(parser)
    add_output_arguments(parser, ("text", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Print the documentation of the selected rules."""
    if arguments.all == bool(arguments.rules):
        raise ConfigurationError("expected either rule ids, for example KB308 or KB3, or --all")
    words = " ".join(arguments.rules)
    if words and not any(map(_RULE_ID.match, arguments.rules)):
        write_output(_explain_error(words, arguments), arguments)
        return 0
    rules = select_rules(name.upper() for name in arguments.rules)
    write_output(_render(rules, arguments), arguments)
    return 0


def _explain_error(words: str, arguments: argparse.Namespace) -> str:
    errors = runtime_errors.find_errors(words)
    if not errors:
        known = ", ".join(repr(error.text.rstrip(".")) for error in runtime_errors.ERRORS)
        raise ConfigurationError(
            f"{words!r} is neither a rule id, such as KB308, nor a known error; known errors are "
            f"{known}"
        )
    if arguments.format == "markdown":
        return runtime_errors.render_markdown(errors)
    return runtime_errors.render_text(errors, has_colors=has_colors(arguments))


def _render(rules: tuple[Rule, ...], arguments: argparse.Namespace) -> str:
    if arguments.format == "markdown":
        return rule_reference.render(rules)
    colors = has_colors(arguments)
    return "\n".join(text.render_rule(rule, has_colors=colors) for rule in rules)
