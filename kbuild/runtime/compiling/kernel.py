"""Compiled kernels: what a compiler made and said, apart from anything that runs them.

Nothing here needs a device, or a library that does.  A launch that goes beyond what a kernel
was compiled for has it assembled again in here: see `CompiledKernel.select`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from kbuild.errors import ConfigurationError
from kbuild.model import HighWaterMarks, ImageKind, KernelRecord, Linkage, Param, Resources

# How many codes of one kernel are kept beside the first one.
_MOST_VARIANTS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledImage:
    """One file of device code in memory: an image, or the assembly that it was made from.

    ``file_name`` is its base name, which all files of one compilation share, with its suffix.
    """

    arch: str
    kind: ImageKind
    file_name: str
    sha256: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """How the device code of one source came about.

    ``source`` is the file's name as messages have it, ``command`` the compiler's call,
    ``log`` all that it said, ``warnings`` what of that people should read.
    """

    source: str
    base_name: str
    backend: str
    arch: str
    command: tuple[str, ...]
    compiler: str
    compiler_version: str
    log: str
    warnings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The code of one kernel for launches within ``marks``, and why it was made.

    ``command`` and ``log`` are of the tool that made it last.  ``images`` is empty where the code
    has gone from the cache.
    """

    reason: str
    marks: HighWaterMarks
    resources: Resources
    images: tuple[CompiledImage, ...]
    command: tuple[str, ...]
    log: str


class Recompiler(Protocol):
    """What assembles a kernel again; it pickles."""

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """The kernel's code for ``marks``, from its assembly alone; ToolError if that fails."""

    def find_most_threads(self, resources: Resources) -> int | None:
        """The largest block that code of these needs can be launched with; None if unknown."""

    def mark_block(self, threads: int) -> int | None:
        """The bound to compile for where blocks have so many threads.

        None where nothing that is compiled lets such a block be launched.
        """


class CompiledKernel:
    """One kernel as it was compiled: code and facts, safe to share between threads.

    ``record`` is the row that the kernel table of a build has for it.  ``history`` begins
    with the first compilation and has an entry for each time that launches asked for more.
    """

    def __init__(
        self,
        *,
        record: KernelRecord,
        compilation: Compilation,
        variant: Variant,
        assembly: CompiledImage | None,
        recompiler: Recompiler | None,
    ) -> None:
        self.record = record
        self.compilation = compilation
        self.assembly = assembly
        self._recompiler = recompiler
        self._first = variant
        # Replaced as a whole, so that launches read it without the lock; best last used last.
        self._variants: tuple[Variant, ...] = ()
        self._history: tuple[Variant, ...] = (variant,)
        self._high = variant.marks
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<compiled kernel {self.display} for {self.compilation.arch}>"

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The symbol."""
        return self.record.handle

    @property
    def display(self) -> str:
        """The demangled name."""
        return self.record.display

    @property
    def linkage(self) -> Linkage:
        """How far the name reaches."""
        return self.record.linkage

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, as the device image lays them out (bytes)."""
        return self.record.params

    @property
    def backend(self) -> str:
        """The backend whose compiler made it."""
        return self.compilation.backend

    @property
    def images(self) -> tuple[CompiledImage, ...]:
        """The device images of the first compilation; they hold all kernels of the source."""
        return self._first.images

    @property
    def resources(self) -> Resources:
        """What the kernel needs, as first compiled: registers, spills, memory, launch bound."""
        return self._first.resources

    @property
    def file_names(self) -> tuple[str, ...]:
        """What the source, the assembly and the images are called where they are saved."""
        assembly = (self.assembly,) if self.assembly else ()
        files = dict.fromkeys(image.file_name for image in (*assembly, *self.images))
        return (f"{self.compilation.base_name}{Path(self.compilation.source).suffix}", *files)

    @property
    def command(self) -> tuple[str, ...]:
        """The call of the compiler that first made it."""
        return self.compilation.command

    @property
    def compiler_version(self) -> str:
        """The version of that compiler."""
        return self.compilation.compiler_version

    @property
    def log(self) -> str:
        """What that compiler said."""
        return self.compilation.log

    @property
    def marks(self) -> HighWaterMarks:
        """The high-water marks: the largest block and the most registers ever compiled for."""
        return self._high

    @property
    def history(self) -> tuple[Variant, ...]:
        """Every code that was made of the kernel, the first one first, with its reason.

        Of those beyond the cache's bound only the facts are kept.
        """
        return self._history

    def select(self, threads: int, max_registers: int | None = None) -> Variant:
        """The code for blocks of ``threads``, with at most ``max_registers`` a thread.

        Where none of those there are allows that, the kernel is assembled again from what its
        first compilation left, once for all later launches.  Where that cannot help (the
        backend assembles nothing again, no device takes such a block), it is the first one, and
        the device says what it thinks of the launch.  ConfigurationError where ``max_registers``
        cannot be kept; ToolError where assembling fails.
        """
        found = self._find(threads, max_registers)
        if found is not None:
            return found
        with self._lock:
            # Another thread may have been here.
            found = self._find(threads, max_registers)
            return found or self._recompile(threads, max_registers)

    def _find(self, threads: int, max_registers: int | None) -> Variant | None:
        """The code that is there for such launches: the first one, or that of most registers.

        What has few registers because others asked for that is not for launches without a limit.
        """
        if self._explain_refusal(self._first, threads, max_registers) is None:
            return self._first
        fitting = [
            variant
            for variant in self._variants
            if (max_registers is not None or variant.marks.max_registers is None)
            and self._explain_refusal(variant, threads, max_registers) is None
        ]
        return max(fitting, key=_count_registers, default=None)

    def _recompile(self, threads: int, max_registers: int | None) -> Variant:
        reason = self._explain_refusal(self._first, threads, max_registers) or ""
        bound = self._recompiler.mark_block(threads) if self._recompiler else None
        if self._recompiler is None or bound is None or self.resources.required_block:
            if max_registers is not None:
                raise ConfigurationError(f"{self.display}: {reason}, and it cannot be recompiled")
            return self._first
        marks = HighWaterMarks(max_threads=bound, max_registers=max_registers)
        variant = self._recompiler.recompile(self.record.device_name, marks, reason)
        left = self._explain_refusal(variant, threads, max_registers)
        if left is not None and max_registers is not None:  # no code can do with so few
            raise ConfigurationError(f"{self.display}: {reason}, and recompiled {left}")
        dropped = self._variants[: -_MOST_VARIANTS + 1]
        self._variants = (*self._variants[len(dropped) :], variant)
        kept = (replace(v, images=()) if v in dropped else v for v in self._history)
        self._history = (*kept, variant)
        self._high = HighWaterMarks(
            max_threads=max(bound, self._high.max_threads or 0),
            max_registers=max(variant.resources.registers or 0, self._high.max_registers or 0)
            or None,
        )
        return variant

    def _explain_refusal(
        self, variant: Variant, threads: int, max_registers: int | None
    ) -> str | None:
        """Why the code cannot be launched so; None where nothing speaks against it."""
        registers = variant.resources.registers
        if max_registers is not None and registers is not None and registers > max_registers:
            return f"it has {registers} registers a thread, the launch allows {max_registers}"
        if self._recompiler is None:
            return None
        if max_registers is not None and registers is None:  # the device's driver gives them
            marked = variant.marks.max_registers
            if marked is None or marked > max_registers:
                many = "no limit" if marked is None else f"a limit of {marked}"
                return f"it has {many} of registers a thread, the launch allows {max_registers}"
        most = self._recompiler.find_most_threads(variant.resources)
        if most is None or threads <= most:
            return None
        bound = variant.resources.max_threads
        why = "its launch bounds" if bound and bound <= most else f"its {registers} registers"
        return f"a block has {threads} threads, {why} allow {most}"


def _count_registers(variant: Variant) -> int:
    """How many a thread may have, as far as that is known."""
    return variant.resources.registers or variant.marks.max_registers or 0
