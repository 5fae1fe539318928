"""``kbuild nvcc``: compile and link as nvcc does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.nvcc import answers
from kbuild.nvcc.command_line.read import read_invocation
from kbuild.nvcc.command_line.words import APPENDED, PREPENDED, divide
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.tools import Tools, find_tools, provide_libraries

HELP: Final = "Compile and link with the options of nvcc."
_TOOLKIT: Final = "--toolkit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments. The reader of nvcc's options parses them."""
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
    words, environment = arguments.words, dict(os.environ)
    for name in (PREPENDED, APPENDED):  # a toolkit's own nvcc would read them again
        os.environ.pop(name, None)
    if arguments.toolkit:
        tools = _find_tools(words, environment)
        provide_libraries(tools)
        print(tools.toolkit.root)
        return 0
    try:
        invocation = read_invocation(words, environment)
    except ConfigurationError:
        # CMake learns where the toolkit is from a command line with an input that does not exist.
        if "-v" in words:
            tools = _find_tools(words, environment)
            provide_libraries(tools)
            sys.stderr.writelines(answers.list_variables(tools))
        raise
    if invocation.asks_for_help:
        sys.stdout.write(answers.describe_options())
        return 0
    tools = find_tools(invocation)
    if invocation.asks_for_version:
        sys.stdout.write(answers.describe_version(tools))
    else:
        from kbuild.nvcc.run import run_invocation  # noqa: PLC0415 - loads all stages

        run_invocation(
            invocation, tools, sys.stdin.buffer.read, sys.stderr.write, sys.stdout.buffer.write
        )
    return 0


def _find_tools(words: Sequence[str], environment: Mapping[str, str]) -> Tools:
    """Find the tools for a command line that need not be complete."""
    values = {one.option.name: one.value for one in divide(words, environment).options}
    return find_tools(
        Invocation(
            backend=values.get("--backend"),
            cuda_version=values.get("--cuda-version"),
            host_compiler=values.get("--compiler-bindir"),
        )
    )
