"""``kbuild explain``: explain rules, and errors of CUDA's runtime."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Final

from kbuild.check.explanations import read_explanation, select_check_rules
from kbuild.cli.arguments import add_color_argument, add_output_arguments
from kbuild.cli.output import has_colors, write_output
from kbuild.errors import ConfigurationError
from kbuild.report import runtime_errors
from kbuild.report.check import explanation as check_explanation
from kbuild.report.verify import rule_reference, text
from kbuild.verify import select_rules
from kbuild.verify.rule import Rule

_RULE_ID: Final = re.compile(r"k[bc]\d*$", re.IGNORECASE)
_CHECK_PREFIX: Final = "KC"

HELP: Final = "Explain what rules or errors of CUDA's runtime mean, and how to fix the problem."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "rules",
        nargs="*",
        metavar="ID|ERROR",
        help="explain the rules whose ids start with ID, such as KB308, KC201, or KC, or an "
        "error of CUDA's runtime, such as 'invalid device function'",
    )
    parser.add_argument(
        "--all", action="store_true", help="explain all rules of verify; KC selects those of checks"
    )
    add_color_argument(parser)
    add_output_arguments(parser, ("text", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Print the documentation of the selected rules."""
    if arguments.all == bool(arguments.rules):
        raise ConfigurationError(
            "expected either rule ids, for example KB308, KB3, or KC201, or --all"
        )
    words = " ".join(arguments.rules)
    if words and not any(map(_RULE_ID.match, arguments.rules)):
        write_output(_explain_error(words, arguments), arguments)
        return 0
    names = [name.upper() for name in arguments.rules]
    of_checks = [name for name in names if name.startswith(_CHECK_PREFIX)]
    of_verify = [name for name in names if name not in of_checks]
    texts = []
    if of_verify or arguments.all:
        texts.append(_render(select_rules(of_verify), arguments))
    if of_checks:
        texts.append(_render_checks(of_checks, arguments))
    write_output("\n".join(texts), arguments)
    return 0


def _render_checks(names: Sequence[str], arguments: argparse.Namespace) -> str:
    explanations = map(read_explanation, select_check_rules(names))
    if arguments.format == "markdown":
        return check_explanation.render_markdown(explanations)
    return check_explanation.render_text(explanations, has_colors=has_colors(arguments))


def _explain_error(words: str, arguments: argparse.Namespace) -> str:
    errors = runtime_errors.find_errors(words)
    if not errors:
        known = ", ".join(repr(error.text.rstrip(".")) for error in runtime_errors.ERRORS)
        raise ConfigurationError(
            f"{words!r} is neither a rule id, such as KB308 or KC201, nor a known error; known "
            "errors are "
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
