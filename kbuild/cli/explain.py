"""`kbuild explain`: what a rule finds, why it matters and how to mend it."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.cli.output import add_output_arguments, write_output
from kbuild.report import text
from kbuild.verify import select_rules

HELP: Final = "explain a verifier rule"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "rules", nargs="+", metavar="ID", help="a rule's id, or the beginning of several ids"
    )
    add_output_arguments(parser, ("text",))


def run(arguments: argparse.Namespace) -> int:
    """Show the documentation of every rule named."""
    rules = select_rules(arguments.rules)
    write_output("\n".join(text.render_rule(rule) for rule in rules), arguments)
    return 0
