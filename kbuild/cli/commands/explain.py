"""`kbuild explain`: what a rule finds, why it matters and how to mend it."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.cli.output import add_output_arguments, write_output
from kbuild.errors import ConfigurationError
from kbuild.report.verify import rule_reference, text
from kbuild.verify import select_rules
from kbuild.verify.rule import Rule

HELP: Final = "explain a verifier rule"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "rules", nargs="*", metavar="ID", help="a rule's id, or the beginning of several ids"
    )
    parser.add_argument("--all", action="store_true", help="every rule")
    add_output_arguments(parser, ("text", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Show the documentation of every rule named."""
    if arguments.all == bool(arguments.rules):
        raise ConfigurationError("name the rules to explain, as in KB308 or KB3, or give --all")
    rules = select_rules(name.upper() for name in arguments.rules)
    write_output(_render(rules, arguments.format), arguments)
    return 0


def _render(rules: tuple[Rule, ...], style: str) -> str:
    if style == "markdown":
        return rule_reference.render(rules)
    return "\n".join(text.render_rule(rule) for rule in rules)
