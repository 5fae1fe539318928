"""The ``mixed`` capability: compile sources that contain kernels, host code, and launches.

A mixed source is compiled in two passes. The device pass is a compile edge, which also reports
the handles that host code needs. The host pass writes a host text: preprocessed C++ in
which kernels are only declared and launches are ordinary calls. The project's own C++ compiler
compiles this text, which includes the handles at its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command, InitialContent, Linkage, VariableKind
from kbuild.values import dataclass

if TYPE_CHECKING:
    from kbuild.cxx.model import HostText
    from kbuild.cxx.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class HostUnit:
    """The host pass of one source.

    Attributes:
        source: The source file.
        display_source: The name of the source in messages and generated names.
        output: The path, without a suffix, that all files of the pass start with.
        stamp: The file that the depfile names.
        depfile: Where the preprocessor lists the files that it read.
        compiler: The C++ compiler that compiles the host text.
        compiler_id: CMake's name for it, such as ``GNU`` or ``Clang``.
        include_directories: The target's include directories.
        definitions: The target's macros, as ``NAME`` or ``NAME=value``.
        options: The options with which the project compiles its C++ sources.
        device_options: The target's own options, as the device compiler takes them.
        device_standard: The C++ standard of the source.
        architectures: The target's architectures, as `Builder.expand_architectures` spells them.
        relocatable: Whether the images are the input of a device link.
        is_checked: Whether the target is built for checks.
        depfile_option: How the preprocessor writes the depfile: without system headers, or all.
    """

    source: Path
    display_source: str
    output: Path
    stamp: Path
    depfile: Path
    compiler: Path
    compiler_id: str
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    device_options: tuple[str, ...] = ()
    device_standard: int = 17
    architectures: tuple[str, ...] = ()
    relocatable: bool = False
    is_checked: bool = False
    depfile_option: str = "-MMD"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEnd:
    """The commands that make a text to rewrite, in order, and the file that they write.

    Attributes:
        commands: The commands.
        text: The file with the text.
        temporary: The directories to remove afterward.
    """

    commands: tuple[Command, ...]
    text: Path
    temporary: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelEntry:
    """A kernel for which host code needs a handle.

    Attributes:
        device_name: The kernel's name in the images.
        expression: The C++ expression that designates the kernel at the end of the host text;
            None if the host compiler gives the kernel the name ``device_name`` as well.
        linkage: ``external`` exports the handle; any other one keeps it in its object.
        symbol: The name that the host compiler gives the kernel, if there is no expression and it
            differs from ``device_name``.
        is_emitted_by_clang: Whether clang itself emits the handle, as a local symbol with a null
            pointer, because it accepts no undefined function of this type. With other compilers,
            the handle must be defined.
    """

    device_name: str
    expression: str | None
    linkage: Linkage
    symbol: str | None = None
    is_emitted_by_clang: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableEntry:
    """A device variable whose shadow the host text defines.

    Attributes:
        device_name: The variable's name in the images.
        expression: The C++ expression that designates the shadow; None if the host compiler gives
            the shadow the name ``device_name`` as well.
        kind: The kind of variable.
        size: The size, in bytes.
        linkage: ``external`` makes the shadow available to other host files, unless the host
            text does so itself.
        symbol: The name that the host compiler gives the shadow, if there is no expression and it
            differs from ``device_name``.
        initial: The initial content that the host must provide; None if the host provides nothing.
    """

    device_name: str
    expression: str | None
    kind: VariableKind
    size: int
    linkage: Literal["external", "internal"]
    symbol: str | None = None
    initial: InitialContent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """The kernels and variables of one mixed source.

    Attributes:
        kernels: The kernels.
        variables: The variables.
        declarations: C++ declarations that the expressions use.
        follows_assembly: Whether the handles follow the assembly of the host text. Then conditions
            of the assembler can find out which symbols the text defines.
    """

    kernels: tuple[KernelEntry, ...] = ()
    variables: tuple[VariableEntry, ...] = ()
    declarations: tuple[str, ...] = ()
    follows_assembly: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A compile that only tells what is wrong with a source.

    Attributes:
        command: The command. It writes nothing.
        text: The file that it reads.
        content: What the file must contain.
    """

    command: Command
    text: Path
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is wrong with a source that compilers accept.

    Attributes:
        place: The file, the line, and the column.
        text: What is wrong, and how to fix it.
        is_error: Whether the source must not be compiled.
    """

    place: str
    text: str
    is_error: bool


class MixedPasses(Protocol):
    """The members of a backend's ``mixed`` module. Its functions run nothing."""

    def describe_host_pass(self, unit: HostUnit, tc: Toolchain, listing: str) -> FrontEnd:
        """Describe how to make the host text. The first command preprocesses the source.

        The files of the first command are kept.

        Args:
            unit: The host pass.
            tc: The toolchain of the device pass.
            listing: The output of `listing_command`; empty without one.
        """

    @property
    def listing_command(self) -> Callable[[HostUnit, Toolchain], Command] | None:
        """Return the command that lists the steps of the host pass without running them.

        None if the host pass is one command.
        """

    @property
    def PASS_MACROS(self) -> re.Pattern[str]:  # noqa: N802 - a constant of the module
        """The macros that compilers or kbuild define differently in the two passes."""

    def describe_preprocessors(
        self,
        host: HostUnit,
        device: CompileUnit,
        tc: Toolchain,
        listings: tuple[str, str],
    ) -> tuple[Command, Command]:
        """Return the preprocessor of the host pass and the one of the device pass.

        Headers that the compiler includes by itself are left out.

        Args:
            host: The host pass.
            device: The device pass of the same source.
            tc: The toolchain of the device pass.
            listings: The output of `listing_command`, and of the one of the builder.
        """

    def read_host_text(self, code: Unit, unit: HostUnit) -> HostText:
        """Find the kernels and launches in the host text.

        Raises SourceError if the text has a construct that cannot work.
        """

    def list_host_options(self, unit: HostUnit, tc: Toolchain) -> tuple[str, ...]:
        """Return the options that the host compiler needs for the rewritten text."""

    @property
    def list_check_options(self) -> Callable[[str], tuple[str, ...]] | None:
        """Return the options that instrument C and C++ sources which kbuild does not rewrite.

        The argument is CMake's name of the C++ compiler. None if the backend cannot check.
        """

    @property
    def compile_host_text(self) -> Callable[[HostUnit, Toolchain], FrontEnd] | None:
        """Describe how to compile the rewritten text, the first input, to assembly.

        None if the project's C++ compiler compiles the text. Otherwise, it compiles the assembly.
        """

    @property
    def read_assembly(self) -> Callable[[str, HostUnit], str] | None:
        """Check and adapt the assembly; None if the host text is not compiled to assembly.

        Raises SourceError if the source has a construct that cannot work.
        """

    @property
    def describe_device_pass(self) -> Callable[[CompileUnit, Toolchain], FrontEnd] | None:
        """Describe how to make the text that the device compiler reads after it is rewritten.

        None if the device compiler reads the source itself.
        """

    @property
    def read_device_text(self) -> Callable[[Unit, CompileUnit], HostText] | None:
        """Find the kernels and launches in the text of the device pass; None if there is no text.

        Raises SourceError if the text has a construct that cannot work.
        """

    @property
    def review_object(
        self,
    ) -> Callable[[Unit, CompileUnit, bytes], tuple[tuple[str, int], ...]] | None:
        """Return what the object of a text says against decisions of `read_device_text`.

        The arguments are the text that was preprocessed, its compile, and the object. Results that
        `CompileUnit.findings` does not have change the text. None if the backend decides nothing.
        """

    @property
    def describe_diagnosis(
        self,
    ) -> Callable[[Unit, CompileUnit | HostUnit, Toolchain], Diagnosis] | None:
        """Describe how a compiler diagnoses the text of a pass that cannot be read or compiled.

        The text is the preprocessed source, with as few changes as possible. None if compilers read
        the source itself, so that their messages are about it.
        """

    @property
    def describe_review(
        self,
    ) -> Callable[[Unit, CompileUnit | HostUnit, Toolchain], Diagnosis | None] | None:
        """Describe a compile that shows whether a text breaks the rules of the device language.

        None if the device compiler knows these rules, or if the text can break none.
        """

    @property
    def read_review(self) -> Callable[[Unit, CompileUnit | HostUnit, str], Iterator[Remark]] | None:
        """Yield what the output of this compile shows."""

    def read_entries(self, unit: CompileUnit, tc: Toolchain) -> Entries:
        """Read what the device pass reported about handles; its files still exist."""
