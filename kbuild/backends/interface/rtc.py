"""The seam of runtime compilation: backends whose vendor has a compiler as a library."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, Protocol

# Of others, the compiler that builds use compiles at run time as well.
_MODULES: Final = {"cuda": "kbuild.backends.cuda.rtc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcOutput:
    """What a runtime compiler made: an ELF image of ``arch`` and the assembly that it came of.

    ``suffix`` is that of files of such images, ``symbol`` the kernel's that the expression names,
    ``command`` the compiler's name, the options and the text's name.
    """

    arch: str
    image: bytes = field(repr=False)
    assembly: bytes = field(repr=False)
    suffix: str
    symbol: str | None
    compiler: str
    version: str
    command: tuple[str, ...]
    log: str


class RuntimeCompiler(Protocol):
    """A module."""

    def compile_source(
        self, text: str, file_name: str, arch: str, options: tuple[str, ...], expression: str | None
    ) -> RtcOutput:
        """Compile ``text`` for ``arch``, as ARCHITECTURES has it.

        ``expression`` is a template to instantiate.  ToolError with the log, by the text's own
        lines, where it fails.
        """

    def assemble(self, assembly: bytes, arch: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        """The image that marked assembly makes, and the log; ToolError where it fails."""


def find_runtime_compiler(backend: str) -> RuntimeCompiler | None:
    """That of ``backend``; None where it has none, ConfigurationError where it is not installed."""
    if backend not in _MODULES:
        return None
    compiler: RuntimeCompiler = import_module(_MODULES[backend])
    return compiler
