"""``kbuild explain``: explain what a rule reports, why it matters, and how to fix it."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.cli.arguments import add_color_argument, add_output_arguments
from kbuild.cli.output import has_colors, write_output
from kbuild.errors import ConfigurationError
from kbuild.report.verify import rule_reference, text
from kbuild.verify import select_rules
from kbuild.verify.rule import Rule

HELP: Final = "Explain what rules report, why it matters, and how to fix it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "rules", nargs="*", metavar="ID", help="explain the rules whose ids start with ID"
    )
    parser.add_argument("--all", action="store_true", help="explain all rules")
    add_color_argument(parser)
    add_output_arguments(parser, ("text", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Print the documentation of the selected rules."""
    if arguments.all == bool(arguments.rules):
        raise ConfigurationError("expected either rule ids, for example KB308 or KB3, or --all")
    rules = select_rules(name.upper() for name in arguments.rules)
    write_output(_render(rules, arguments), arguments)
    return 0


def _render(rules: tuple[Rule, ...], arguments: argparse.Namespace) -> str:
    if arguments.format == "markdown":
        return rule_reference.render(rules)
    colors = has_colors(arguments)
    return "\n".join(text.render_rule(rule, has_colors=colors) for rule in rules)
