"""The commands of ``kbuild``, and the parsers of their arguments."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from kbuild.errors import suggest

# Maps each command to its module and its description in `kbuild --help`.
COMMANDS: Final = {
    "demo": ("demo", "build, verify, and run the saxpy example"),
    "build": ("build", "build the targets of kbuild.toml with CMake and ninja"),
    "nvcc": ("nvcc", "take the place of nvcc in builds that call it"),
    "config": ("hosts.config", "print the compiler options with which kernels are used"),
    "bindings": ("hosts.bindings", "write declarations of kernels for C, Fortran, Rust, or Python"),
    "clean": ("clean", "remove what kbuild build made"),
    "inspect": ("inspect", "list the device code, kernels, and handles of artifacts"),
    "diff": ("diff", "show what changed in the kernels between two builds"),
    "strip": ("publish.strip", "remove device code from a linked file or a wheel"),
    "split": ("publish.split", "write an artifact for each architecture of devices"),
    "merge": ("publish.merge", "join the device code of artifacts for different architectures"),
    "sbom": ("publish.sbom", "write a bill of materials of device code"),
    "report": ("report", "write an HTML page about artifacts: sizes, kernels, findings"),
    "doctor": ("doctor", "list the toolchains, tools, and devices that kbuild finds"),
    "completion": ("completion", "print a script with which a shell completes commands"),
    "run": ("run", "build a program from kernel sources and C++ sources, and run it"),
    "replay": ("replay", "replay a recorded launch"),
    "bench": ("bench", "measure the cost of a launch"),
    "verify": ("verify", "check artifacts against the rules and a policy"),
    "smoke": ("smoke", "launch the kernels of a shared object"),
    "explain": ("explain", "explain a rule, or an error of CUDA's runtime"),
    "runtimes": ("edges.runtimes", "[internal] write the runtimes' imported targets"),
    "plan": ("edges.plan", "[internal] plan the edges of a target"),
    "preprocess": ("edges.preprocess", "[internal] preprocess one mixed source"),
    "host-pass": ("edges.host_pass", "[internal] write the host text of one mixed source"),
    "compile": ("edges.compile", "[internal] compile one source for one architecture"),
    "device-link": ("edges.device_link", "[internal] link a target's device code"),
    "rtc": ("edges.rtc", "[internal] compile the source text of a running program"),
    "pack": ("edges.pack", "[internal] write the fat binary, stub unit, and headers of a target"),
}
# The groups in `kbuild --help`. Builds call the other commands.
GROUPS: Final = {
    "build": ("demo", "build", "nvcc", "config", "bindings", "clean"),
    "publish": ("strip", "split", "merge", "sbom"),
    "look": ("inspect", "diff", "report", "doctor", "completion"),
    "run": ("run", "replay", "bench"),
    "check": ("verify", "smoke", "explain"),
}
_EDGE_WIDTH: Final = 100
_USAGE_ERROR: Final = 2


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one line, as kbuild reports all errors.

    ``hint`` precedes the reference to ``--help``.
    """

    hint: str = ""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the arguments, or name the option that is most like the first unknown one."""
        arguments, unknown = self.parse_known_args(args, namespace)
        self._reject(unknown)
        return arguments

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Do what `parse_args` does, for options between positional arguments."""
        arguments, unknown = self.parse_known_intermixed_args(args, namespace)
        self._reject(unknown)
        return arguments

    def _reject(self, unknown: Sequence[str]) -> None:
        if unknown:
            long = [name for name in self._option_string_actions if name.startswith("--")]
            near = suggest(unknown[0].partition("=")[0], long)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")

    def error(self, message: str) -> NoReturn:
        """Print the message, and exit."""
        self.exit(
            _USAGE_ERROR, f"{self.prog}: error: {message} ({self.hint}see {self.prog} --help)\n"
        )


def load_command(name: str) -> Any:
    """Import the module of a command."""
    return importlib.import_module(f"kbuild.cli.commands.{COMMANDS[name][0]}")


def list_public_commands() -> tuple[str, ...]:
    """Return the commands that users call, in the order of `kbuild --help`."""
    return tuple(name for group in GROUPS.values() for name in group)


def make_command_parser(name: str) -> Parser:
    """Return the parser of a command."""
    module = load_command(name)
    # To find the width of the terminal, argparse imports shutil, even without --help.
    is_edge = name == "nvcc" or COMMANDS[name][0].startswith("edges.")
    width = _EDGE_WIDTH if is_edge else None
    parser = Parser(
        prog=f"kbuild {name}",
        description=module.HELP,
        epilog=getattr(module, "EPILOG", None),
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
    )
    module.add_arguments(parser)
    return parser


def make_parser() -> Parser:
    """Return the parser of the options without a command."""
    parser = Parser(
        prog="kbuild",
        usage="kbuild COMMAND [OPTIONS]",
        description="Turn GPU kernel sources into artifacts that any host compiler can link.",
        epilog="\n".join(_list_groups()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options without a command."""
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument(
        "--cmake-dir", action="store_true", help="print the directory of kbuild-config.cmake"
    )


def _list_groups() -> Iterator[str]:
    width = max(map(len, list_public_commands()))
    for title, names in GROUPS.items():
        yield f"{title}:"
        yield from (f"  {name:<{width}}  {COMMANDS[name][1]}" for name in names)
        yield ""
    yield "Run kbuild COMMAND --help for the options of a command."
