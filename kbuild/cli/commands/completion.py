"""``kbuild completion``: print a script with which a shell completes commands and options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import parse_artifact_path
from kbuild.cli.parsers import COMMANDS, add_options, list_public_commands, load_command
from kbuild.errors import ToolchainError

HELP: Final = "Print a script with which a shell completes commands, options, and their values."
EPILOG: Final = """\
bash: kbuild completion bash > ~/.local/share/bash-completion/completions/kbuild
zsh:  kbuild completion zsh > DIR/_kbuild, where DIR is in $fpath
fish: kbuild completion fish > ~/.config/fish/completions/kbuild.fish
"""
_SHELLS: Final = ("bash", "zsh", "fish")
_DIRECTORY: Final = "DIR"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help="bash, zsh, or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    try:
        import shtab  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise ToolchainError(
            "shtab, which writes the scripts, is not installed: pip install 'kbuild[completion]'"
        ) from error
    print(shtab.complete(_make_tree(shtab.FILE, shtab.DIRECTORY), shell=arguments.shell))
    return 0


def _make_tree(file: object, directory: object) -> argparse.ArgumentParser:
    """Return one parser for all public commands.

    Args:
        file: How shtab's shells complete a file.
        directory: How they complete a directory.
    """
    tree = argparse.ArgumentParser(prog="kbuild")
    add_options(tree)
    commands = tree.add_subparsers()
    for name in list_public_commands():
        parser = commands.add_parser(name, help=COMMANDS[name][1])
        load_command(name).add_arguments(parser)
        for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
            if action.type in (Path, parse_artifact_path):
                is_directory = action.metavar == _DIRECTORY
                action.complete = directory if is_directory else file  # type: ignore[attr-defined]
    return tree
