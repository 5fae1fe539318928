"""``kbuild nvcc``: compile and link as nvcc does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from kbuild.nvcc import answers
from kbuild.nvcc.read import COMMAND_VARIABLES, read_invocation
from kbuild.nvcc.run import run_invocation
from kbuild.nvcc.tools import find_tools

HELP: Final = "Compile and link with the options of nvcc."
_TOOLKIT: Final = "--toolkit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments, which the reader of nvcc's options parses."""
    parser.add_argument("words", nargs="*", metavar="OPTION", help="an option or a file of nvcc")
    parser.add_argument(
        _TOOLKIT, action="store_true", help="print a directory that is laid out as a CUDA toolkit"
    )


def parse(
    parser: argparse.ArgumentParser,  # noqa: ARG001 - the words are nvcc's
    words: Sequence[str],
) -> argparse.Namespace:
    """Keep the words."""
    kept = tuple(word for word in words if word != _TOOLKIT)
    return argparse.Namespace(words=kept, toolkit=len(kept) < len(words))


def run(arguments: argparse.Namespace) -> int:
    """Run the invocation, or answer a question about the driver."""
    invocation = read_invocation(arguments.words, os.environ)
    for name in COMMAND_VARIABLES:  # a toolkit's own nvcc would read them again
        os.environ.pop(name, None)
    tools = find_tools(invocation)
    if arguments.toolkit:
        print(tools.toolkit.root)
    elif invocation.asks_for_version:
        sys.stdout.write(answers.describe_version(tools))
    else:
        text = run_invocation(invocation, tools, sys.stderr.write)
        sys.stdout.buffer.write(text)
    return 0
