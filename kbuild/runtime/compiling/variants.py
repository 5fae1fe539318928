"""The variants of a kernel's code: which one a launch uses, and when another one is assembled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from kbuild.errors import ConfigurationError
from kbuild.model import HighWaterMarks, KernelRecord, Resources
from kbuild.runtime.compiling.large_blocks import explain_block
from kbuild.runtime.compiling.model import Recompiler, Variant
from kbuild.values import replace

# The number of variants of one kernel that are kept in addition to the first one.
MOST_VARIANTS: Final = 8


class Variants:
    """The variants of one kernel; threads can share them.

    Args:
        record: The kernel.
        first: The variant from the compiler, or what reads it when it is first needed.
        recompiler: Assembles the kernel again, if that is possible.
    """

    def __init__(
        self,
        record: KernelRecord,
        first: Variant | Callable[[], Variant],
        recompiler: Recompiler | None,
    ) -> None:
        self.recompiler = recompiler
        self._record = record
        self._read_first = first
        # The tuples are replaced as a whole, so that launches can read them without the lock.
        self._kept: tuple[Variant, ...] = ()
        self._later: tuple[Variant, ...] = ()
        self._high: HighWaterMarks | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        first = self.first
        with self._lock:
            state = {name: value for name, value in vars(self).items() if name != "_lock"}
        return state | {"_read_first": first}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    @cached_property
    def first(self) -> Variant:
        """The variant from the compiler."""
        read = self._read_first
        return read if isinstance(read, Variant) else read()

    @property
    def marks(self) -> HighWaterMarks:
        """The largest block and the most registers that the kernel was ever compiled for."""
        return self._high or self.first.marks

    @property
    def history(self) -> tuple[Variant, ...]:
        """All variants in the order of creation; those that were dropped have no images."""
        return (self.first, *self._later)

    def select(self, threads: int, max_registers: int | None, resources: Resources) -> Variant:
        """See `CompiledKernel.select`.

        Args:
            threads: The number of threads in a block.
            max_registers: The maximum number of registers per thread, or None for no limit.
            resources: The resources of the first variant on the device of the launch.
        """
        found = self._find(threads, max_registers, resources)
        if found is not None:
            return found
        with self._lock:
            # Another thread can have added the variant while this one waited for the lock.
            found = self._find(threads, max_registers, resources)
            return found or self._recompile(threads, max_registers, resources)

    def _find(self, threads: int, max_registers: int | None, own: Resources) -> Variant | None:
        """Return the best existing variant for a launch; None if it must be assembled.

        A variant that was made for a register limit is not used for launches without one,
        because it would slow them down.
        """
        fitting = [
            variant
            for variant in (self.first, *self._kept)
            if (max_registers is not None or not self._is_limited(variant))
            and self._explain_refusal(variant, own, threads, max_registers) is None
        ]
        found = min(fitting, key=self._rank, default=None)
        if found is None or found is self.first or max_registers is not None:
            return found
        marks = self._choose_marks(threads, None) if found.resources.spill_bytes else None
        has_most = marks is None or (marks.max_registers or 0) <= (found.marks.max_registers or 0)
        # Earlier code is no better, or has been dropped because it was rarely needed.
        return found if has_most or any(v.marks == marks for v in self._later) else None

    def _rank(self, variant: Variant) -> tuple[int, bool, int]:
        """Return the key that orders variants which fit a launch, the best one first."""
        spilled = variant.resources.spill_bytes or 0
        return spilled, variant is not self.first, -_count_registers(variant)

    def _is_limited(self, variant: Variant) -> bool:
        """Return whether a variant was made for fewer registers than its blocks can have."""
        threads, registers = variant.marks.max_threads, variant.marks.max_registers
        if variant is self.first or threads is None or registers is None:
            return False
        most = self.recompiler.choose_registers(threads) if self.recompiler else None
        return most is None or registers < most

    def _choose_marks(self, threads: int, max_registers: int | None) -> HighWaterMarks | None:
        """Return the limits to assemble for, or None if that cannot help."""
        recompiler = self.recompiler
        bound = recompiler.choose_launch_bound(threads) if recompiler else None
        if recompiler is None or bound is None or self.first.resources.required_block:
            return None
        limits = (recompiler.choose_registers(bound), max_registers)
        registers = min((value for value in limits if value is not None), default=None)
        return HighWaterMarks(max_threads=bound, max_registers=registers)

    def _recompile(self, threads: int, max_registers: int | None, own: Resources) -> Variant:
        reason = self._explain_refusal(self.first, own, threads, max_registers)
        reason = reason or "code for larger blocks spills registers"
        marks = self._choose_marks(threads, max_registers)
        if self.recompiler is None or marks is None:
            if max_registers is not None:
                raise ConfigurationError(
                    f"{self._record.display}: {reason}; it cannot be recompiled"
                )
            return self.first
        variant = self.recompiler.recompile(self._record.device_name, marks, reason)
        left = self._explain_refusal(variant, own, threads, max_registers)
        if left is not None and max_registers is not None:
            raise ConfigurationError(
                f"{self._record.display}: {reason}; after recompilation, {left}"
            )
        dropped = self._kept[: -MOST_VARIANTS + 1]
        self._kept = (*self._kept[len(dropped) :], variant)
        kept = (replace(v, images=()) if v in dropped else v for v in self._later)
        self._later = (*kept, variant)
        high = self.marks
        self._high = HighWaterMarks(
            max_threads=max(marks.max_threads or 0, high.max_threads or 0),
            max_registers=max(variant.resources.registers or 0, high.max_registers or 0) or None,
        )
        return variant

    def _explain_refusal(
        self, variant: Variant, own: Resources, threads: int, max_registers: int | None
    ) -> str | None:
        """Return why the code cannot be launched this way, or None if it can, as far as known.

        ``own`` are the resources of the first variant on the device.
        """
        resources = own if variant is self.first else variant.resources
        registers = resources.registers
        if max_registers is not None and registers is not None and registers > max_registers:
            return (
                f"it uses {registers} registers per thread, but the launch allows {max_registers}"
            )
        if self.recompiler is None:
            return None
        if max_registers is not None and registers is None:
            # The driver of the device will allocate the registers, within the limit in the code.
            marked = variant.marks.max_registers
            if marked is None or marked > max_registers:
                limit = "no limit on" if marked is None else f"a limit of {marked}"
                return f"it has {limit} registers per thread, but the launch allows {max_registers}"
        return explain_block(threads, self.recompiler.find_largest_block(resources), resources)


def _count_registers(variant: Variant) -> int:
    """Return the number of registers that a thread can use, or 0 if it is unknown."""
    return variant.resources.registers or variant.marks.max_registers or 0
