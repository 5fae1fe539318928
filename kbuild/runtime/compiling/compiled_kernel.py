"""Compiled kernels: their code and the compiler's facts, separate from what runs them.

Nothing here needs a device, or a library that needs one, before the first launch.  If a launch
exceeds the limits that a kernel was compiled for, `CompiledKernel.select` assembles the kernel
again.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kbuild.backends import name_images
from kbuild.backends.interface.launch_config import Extent, LaunchConfig
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import HighWaterMarks, KernelRecord, Linkage, Param, Resources
from kbuild.runtime.compiling.large_blocks import explain_block, explain_failed_launch
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Recompiler, Variant
from kbuild.runtime.current_device import find_device
from kbuild.runtime.fat_binary import find_reader

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.interface.streams import Stream
    from kbuild.backends.module.launch import ModuleFunction
    from kbuild.runtime.executor import KernelExecutor, LastLaunch

# The number of variants of one kernel that are kept in addition to the first one.
_MOST_VARIANTS: Final = 8
# A program has few configurations, but can create a new one for each launch.
_MOST_LAUNCHES: Final = 64
_Latest: TypeAlias = "tuple[KernelExecutor | None, dict[Any, Callable[..., float | None]]]"
_LAUNCH_WORDS: Final = ("grid", "block", "shared_bytes", "stream")


class CompiledKernel:
    """The code of one compiled kernel and facts about it; threads can share it.

    A kernel can be called: ``kernel[grid, block](*args)``, or with dynamic shared memory and a
    stream, ``kernel[grid, block, shared_bytes, stream](*args)``.  This calls `KernelExecutor.run`
    of an executor for the current device.

    Attributes:
        record: The row for the kernel in the kernel table of a build.
        compilation: How the source of the kernel was compiled.
        registered: The kernel in an open library, whose runtime launches it, or None.  A pickled
            kernel has left the library: it runs from its images.
        source_text: The text of the source; None for a kernel of a library.
    """

    def __init__(  # noqa: PLR0913 - the parts of a kernel
        self,
        *,
        record: KernelRecord,
        compilation: Compilation,
        variant: Variant | Callable[[], Variant],
        recompiler: Recompiler | None = None,
        registered: ModuleFunction | None = None,
        source_text: str | None = None,
    ) -> None:
        self.record = record
        self.compilation = compilation
        self.registered = registered
        self.source_text = source_text
        self._recompiler = recompiler
        self._read_first = variant
        # The tuples are replaced as a whole, so that launches can read them without the lock.
        self._variants: tuple[Variant, ...] = ()
        self._later: tuple[Variant, ...] = ()
        self._high: HighWaterMarks | None = None
        # Of images other than the first one, by digest.
        self._resources: dict[str, Resources | None] = {}
        self._lock = threading.Lock()
        self._executors: dict[ExecutionDevice, KernelExecutor] = {}
        # The executor that was used last, with what kernel[...] returned by the launch.
        self._latest: _Latest = (None, {})

    def __repr__(self) -> str:
        return f"<compiled kernel {self.display} for {self.compilation.arch}>"

    def __getstate__(self) -> dict[str, Any]:
        first = self._first
        with self._lock:
            state = {name: value for name, value in vars(self).items() if name != "_lock"}
        return state | {
            "_read_first": first,
            "registered": None,
            "_executors": {},
            "_latest": (None, {}),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    def __getitem__(self, launch: Any) -> Callable[..., float | None]:
        """Return a function that launches the kernel: ``kernel[grid, block](*args)``.

        Args:
            launch: The grid and the block, each a number or up to three, and optionally the size
                of the dynamic shared memory in bytes, and a stream.

        Raises:
            ConfigurationError: ``launch`` has less than two or more than four values, or a wrong
                one.
        """
        executor, launches = self._latest
        if executor is not None and executor.is_current():
            try:
                return launches[launch]
            except (KeyError, TypeError):  # lists have no hash
                pass
        return self._bind(launch)

    def launch(
        self, *, grid: Extent, block: Extent, args: Sequence[object] = (), shared_bytes: int = 0
    ) -> None:
        """Launch the kernel and wait for it, like ``kernel[grid, block, shared_bytes](*args)``.

        Raises:
            ConfigurationError: The arguments do not fit, or the library of the kernel was closed.
            LaunchError: The launch or the kernel failed.  Nothing is copied back then.
        """
        self._find_executor().run_all(
            LaunchConfig(grid=grid, block=block, shared_bytes=shared_bytes), args
        )

    def resolve(self) -> None:
        """Load the kernel on the current device now.

        Raises:
            ConfigurationError: The library of the kernel was closed.
            LaunchError: There is no device, or no image for it.
        """
        self._find_executor().resolve()

    def _bind(self, launch: Any) -> Callable[..., float | None]:
        """Make what ``kernel[launch]`` returns, and keep it while the device stays the same."""
        executor = self._find_executor()
        bound = executor.bind(self._read_launch(launch))
        latest, launches = self._latest
        if latest is executor:  # another thread can have used another device
            if len(launches) >= _MOST_LAUNCHES:
                launches.clear()
            with contextlib.suppress(TypeError):
                launches[launch] = bound
        return bound

    def _find_executor(self) -> KernelExecutor:
        from kbuild.runtime.executor import KernelExecutor  # noqa: PLC0415 - compiling needs no device

        device = find_device(self)
        found = self._executors.get(device)
        if found is None:
            found = self._executors[device] = KernelExecutor(self)
        if self._latest[0] is not found:
            self._latest = (found, {})
        return found

    def _read_launch(self, launch: Any) -> LaunchConfig:
        values = launch if isinstance(launch, tuple) else (launch,)
        if not 2 <= len(values) <= len(_LAUNCH_WORDS):  # noqa: PLR2004 - grid and block
            raise ConfigurationError(
                f"{self.display}: invalid launch {launch!r}; expected kernel[grid, block](...), "
                "kernel[grid, block, shared_bytes](...), or kernel[grid, block, shared_bytes, "
                "stream](...)"
            )
        return LaunchConfig(**dict(zip(_LAUNCH_WORDS, values, strict=False)))

    @cached_property
    def _first(self) -> Variant:
        read = self._read_first
        return read if isinstance(read, Variant) else read()

    @property
    def name(self) -> str:
        """The symbol."""
        return self.record.handle

    @property
    def symbol(self) -> str:
        """The symbol, like `name`."""
        return self.record.handle

    @property
    def display(self) -> str:
        """The demangled name."""
        return self.record.display

    @property
    def linkage(self) -> Linkage:
        """The linkage of the symbol."""
        return self.record.linkage

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, with the layout of the device image; sizes are in bytes."""
        return self.record.params

    @property
    def backend(self) -> str:
        """The backend that compiled the kernel."""
        return self.compilation.backend

    @property
    def images(self) -> tuple[CompiledImage, ...]:
        """The device images of the first compilation, with all kernels of the source."""
        return self._first.images

    @property
    def assembly(self) -> CompiledImage | None:
        """The assembly that the compiler produced; None if it produces or keeps none."""
        if self._recompiler is not None:
            return self._recompiler.assembly
        return next((image for image in self.images if image.kind == "ptx"), None)

    @property
    def ptx(self) -> str | None:
        """The text of `assembly`, or None."""
        assembly = self.assembly
        return assembly.data.decode(errors="replace").rstrip("\0") if assembly else None

    def disassemble(self, variant: Variant | None = None) -> str:
        """Return the machine code of the kernel, or its PTX if the driver makes the machine code.

        This needs nvdisasm for CUDA, llvm-objdump for HIP, and objdump for the CPU.

        Args:
            variant: A variant in `history`; by default the one that was launched last, and the
                first one before any launch.

        Raises:
            ConfigurationError: ``variant`` was dropped, or the backend cannot disassemble kernels.
            ToolchainError: There is no disassembler.
            ToolError: The disassembler fails.
        """
        from kbuild.runtime.compiling.disassembly import disassemble_image  # noqa: PLC0415 - rarely needed

        last = self.last_launch
        chosen = variant or (last.variant if last else self._first)
        device = self._find_current_device() if len(chosen.images) > 1 else None
        image, _ = self._find_image(chosen, device)
        if image is None:
            raise ConfigurationError(
                f"{self.display}: this code was dropped, because the kernel was compiled for more "
                f"than {_MOST_VARIANTS} other launches"
            )
        return disassemble_image(self.backend, image, self.record.device_name)

    def create_stream(self) -> Stream:
        """Create a stream on the current device; see `KernelExecutor.create_stream`."""
        return self._find_executor().create_stream()

    def max_active_blocks(self, block: Extent, shared_bytes: int = 0) -> int:
        """Return how many blocks a multiprocessor runs at once; see `KernelExecutor`."""
        return self._find_executor().max_active_blocks(block, shared_bytes)

    @property
    def last_launch(self) -> LastLaunch | None:
        """The last launch on the device that was used last; see `KernelExecutor.last_launch`."""
        executor, _ = self._latest
        return None if executor is None else executor.last_launch

    @property
    def resources(self) -> Resources:
        """The resources of the first compilation: registers, spills, memory, launch bound.

        If there are images for several architectures, they are those of the image that the current
        device runs.  Without a device, or if the device cannot tell (libraries of a backend that
        only their own runtime launches), they are those of the first image with machine code.  Use
        `resources_for` to name the image.
        """
        device = self._find_current_device() if len(self.images) > 1 else None
        return self.read_resources(self._first, device)

    def resources_for(self, arch: str) -> Resources:
        """Return the resources of the image for an architecture; no device is needed.

        Args:
            arch: The architecture, as in `images` or in ARCHITECTURES: ``sm_90`` or ``90-real``.

        Raises:
            ConfigurationError: There is no such image.
        """
        for name in name_images((arch,)):
            found = tuple(image for image in self.images if image.arch == name)
            for image in found:
                resources = self._read_image(self._first, image)
                if resources is not None:
                    return resources
        known = dict.fromkeys(image.arch for image in self.images)
        raise ConfigurationError(
            f"{self.display}: no image for architecture {arch!r}; expected one of "
            f"{', '.join(known)}"
        )

    def read_resources(self, variant: Variant, device: ExecutionDevice | None) -> Resources:
        """Return the resources of the image of a variant that a device runs; see `resources`."""
        return self._find_image(variant, device)[1]

    def explain_failed_launch(
        self, threads: int, variant: Variant, device: ExecutionDevice
    ) -> str | None:
        """Say how a block that was too large can be launched; None if that was not the reason."""
        image, resources = self._find_image(variant, device)
        return explain_failed_launch(
            self.backend,
            image.arch if image else "",
            threads,
            resources,
            is_portable=self._recompiler is not None,
        )

    def _find_image(
        self, variant: Variant, device: ExecutionDevice | None
    ) -> tuple[CompiledImage | None, Resources]:
        """Return the image of a variant that a device runs, and the resources of the kernel."""
        if device is not None and len(variant.images) > 1:
            for image in device.rank_images(variant.images):
                resources = self._read_image(variant, image)
                if resources is not None:
                    return image, resources
        return next(iter(variant.images), None), variant.resources

    def _read_image(self, variant: Variant, image: CompiledImage) -> Resources | None:
        """Return the resources of the kernel in an image; None if the image does not have it."""
        if image is variant.images[0]:
            return variant.resources
        if image.sha256 not in self._resources:
            content = find_reader(self.backend).read_image(image.data, image.kind)
            self._resources[image.sha256] = next(
                (k.resources for k in content.kernels if k.name == self.record.device_name), None
            )
        return self._resources[image.sha256]

    def _find_current_device(self) -> ExecutionDevice | None:
        try:
            return find_device(self)
        except (ConfigurationError, LaunchError):
            return None

    @property
    def file_names(self) -> tuple[str, ...]:
        """The names of the saved files, which are the source, the assembly, and the images."""
        assembly = (self.assembly,) if self.assembly else ()
        files = dict.fromkeys(image.file_name for image in (*assembly, *self.images))
        return (f"{self.compilation.base_name}{Path(self.compilation.source).suffix}", *files)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line of the compiler."""
        return self.compilation.command

    @property
    def compiler_version(self) -> str:
        """The version of the compiler."""
        return self.compilation.compiler_version

    @property
    def log(self) -> str:
        """Everything that the compiler printed."""
        return self.compilation.log

    @property
    def marks(self) -> HighWaterMarks:
        """The largest block and the most registers that the kernel was ever compiled for."""
        return self._high or self._first.marks

    @property
    def history(self) -> tuple[Variant, ...]:
        """All variants of the kernel with the reasons for making them, in the order of creation.

        The first one is from the compiler.  Variants that were dropped from the cache have no
        images.
        """
        return (self._first, *self._later)

    def select(self, threads: int, max_registers: int | None = None) -> Variant:
        """Return the code for a launch.

        This is the variant with the fewest spilled bytes that allows the launch.  The first one is
        preferred to others that spill as much.

        If no variant allows the launch, or if only code for larger blocks does and spills, the
        kernel is assembled again from the assembly that the compiler produced, with as many
        registers as the block can have.  All later launches can use this variant.  If that cannot
        help (the backend does not assemble kernels again, or no device supports such a block), the
        first variant is returned, and the device reports what is wrong with the launch.

        Args:
            threads: The number of threads in a block.
            max_registers: The maximum number of registers per thread, or None for no limit.

        Raises:
            ConfigurationError: The code needs more registers than ``max_registers``.
            ToolError: The assembler fails.
        """
        found = self._find(threads, max_registers)
        if found is not None:
            return found
        with self._lock:
            # Another thread can have added the variant while this one waited for the lock.
            found = self._find(threads, max_registers)
            return found or self._recompile(threads, max_registers)

    def _find(self, threads: int, max_registers: int | None) -> Variant | None:
        """Return the best existing variant for a launch; None if it must be assembled.

        A variant that was made for a register limit is not used for launches without one,
        because it would slow them down.
        """
        fitting = [
            variant
            for variant in (self._first, *self._variants)
            if (max_registers is not None or not self._is_limited(variant))
            and self._explain_refusal(variant, threads, max_registers) is None
        ]
        found = min(fitting, key=self._rank, default=None)
        if found is None or found is self._first or max_registers is not None:
            return found
        marks = self._choose_marks(threads, None) if found.resources.spill_bytes else None
        has_most = marks is None or (marks.max_registers or 0) <= (found.marks.max_registers or 0)
        # What was made before is no better, or has been dropped because it was rarely needed.
        return found if has_most or any(v.marks == marks for v in self._later) else None

    def _rank(self, variant: Variant) -> tuple[int, bool, int]:
        """Return the key that orders variants which fit a launch, the best one first."""
        spilled = variant.resources.spill_bytes or 0
        return spilled, variant is not self._first, -_count_registers(variant)

    def _is_limited(self, variant: Variant) -> bool:
        """Return whether a variant was made for fewer registers than its blocks can have."""
        threads, registers = variant.marks.max_threads, variant.marks.max_registers
        if variant is self._first or threads is None or registers is None:
            return False
        most = self._recompiler.choose_registers(threads) if self._recompiler else None
        return most is None or registers < most

    def _choose_marks(self, threads: int, max_registers: int | None) -> HighWaterMarks | None:
        """Return the limits to assemble for, or None if that cannot help."""
        recompiler = self._recompiler
        bound = recompiler.choose_launch_bound(threads) if recompiler else None
        if recompiler is None or bound is None or self._first.resources.required_block:
            return None
        limits = (recompiler.choose_registers(bound), max_registers)
        registers = min((value for value in limits if value is not None), default=None)
        return HighWaterMarks(max_threads=bound, max_registers=registers)

    def _recompile(self, threads: int, max_registers: int | None) -> Variant:
        reason = self._explain_refusal(self._first, threads, max_registers)
        reason = reason or "code for larger blocks spills registers"
        marks = self._choose_marks(threads, max_registers)
        if self._recompiler is None or marks is None:
            if max_registers is not None:
                raise ConfigurationError(f"{self.display}: {reason}; it cannot be recompiled")
            return self._first
        variant = self._recompiler.recompile(self.record.device_name, marks, reason)
        left = self._explain_refusal(variant, threads, max_registers)
        if left is not None and max_registers is not None:
            raise ConfigurationError(f"{self.display}: {reason}; after recompilation, {left}")
        dropped = self._variants[: -_MOST_VARIANTS + 1]
        self._variants = (*self._variants[len(dropped) :], variant)
        kept = (replace(v, images=()) if v in dropped else v for v in self._later)
        self._later = (*kept, variant)
        high = self.marks
        self._high = HighWaterMarks(
            max_threads=max(marks.max_threads or 0, high.max_threads or 0),
            max_registers=max(variant.resources.registers or 0, high.max_registers or 0) or None,
        )
        return variant

    def _explain_refusal(
        self, variant: Variant, threads: int, max_registers: int | None
    ) -> str | None:
        """Return why the code cannot be launched this way, or None if it can, as far as known."""
        resources = self.resources if variant is self._first else variant.resources
        registers = resources.registers
        if max_registers is not None and registers is not None and registers > max_registers:
            return (
                f"it uses {registers} registers per thread, but the launch allows {max_registers}"
            )
        if self._recompiler is None:
            return None
        if max_registers is not None and registers is None:
            # The driver of the device will allocate the registers, within the limit in the code.
            marked = variant.marks.max_registers
            if marked is None or marked > max_registers:
                limit = "no limit on" if marked is None else f"a limit of {marked}"
                return f"it has {limit} registers per thread, but the launch allows {max_registers}"
        return explain_block(threads, self._recompiler.find_largest_block(resources), resources)


def _count_registers(variant: Variant) -> int:
    """Return the number of registers that a thread can use, or 0 if it is unknown."""
    return variant.resources.registers or variant.marks.max_registers or 0
