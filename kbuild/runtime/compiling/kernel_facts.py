"""Facts about a compiled kernel: its code, and the reports of the compiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import HighWaterMarks, KernelRecord, Linkage, Param, Resources
from kbuild.runtime.compiling.kernel_images import KernelImages
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Recompiler, Variant
from kbuild.runtime.compiling.variants import Variants
from kbuild.runtime.current_device import find_device

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.module.launch import ModuleFunction


class KernelFacts:
    """The facts about a `CompiledKernel`."""

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
        self._variants = Variants(record, variant, recompiler)
        self._images = KernelImages(compilation.backend, record)

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
        return self._variants.first.images

    @property
    def assembly(self) -> CompiledImage | None:
        """The assembly that the compiler produced; None if it produces or keeps none."""
        if self._variants.recompiler is not None:
            return self._variants.recompiler.assembly
        return next((image for image in self.images if image.kind == "ptx"), None)

    @property
    def ptx(self) -> str | None:
        """The text of `assembly`, or None."""
        assembly = self.assembly
        return assembly.data.decode(errors="replace").rstrip("\0") if assembly else None

    @property
    def resources(self) -> Resources:
        """The resources of the first compilation: registers, spills, memory, launch bound.

        If there are images for several architectures, they are those of the image that the current
        device runs.  Without a device, or if the device cannot tell (libraries of a backend that
        only their own runtime launches), they are those of the first image with machine code.  Use
        `resources_for` to name the image.
        """
        return self._find_image(self._variants.first)[1]

    def resources_for(self, arch: str) -> Resources:
        """Return the resources of the image for an architecture; no device is needed.

        Args:
            arch: The architecture, as in `images` or in ARCHITECTURES: ``sm_90`` or ``90-real``.

        Raises:
            ConfigurationError: There is no such image.
        """
        found = self._images.find_resources(self._variants.first, arch)
        if found is not None:
            return found
        known = dict.fromkeys(image.arch for image in self.images)
        raise ConfigurationError(
            f"{self.display}: no image for architecture {arch!r}; expected one of "
            f"{', '.join(known)}"
        )

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
        return self._variants.marks

    @property
    def history(self) -> tuple[Variant, ...]:
        """All variants of the kernel with the reasons for making them, in the order of creation.

        The first one is from the compiler.  Variants that were dropped from the cache have no
        images.
        """
        return self._variants.history

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
        return self._variants.select(threads, max_registers, self.resources)

    def read_resources(self, variant: Variant, device: ExecutionDevice) -> Resources:
        """Return the resources of the image of a variant that a device runs; see `resources`."""
        return self._images.find(variant, device)[1]

    def explain_failed_launch(
        self, threads: int, variant: Variant, device: ExecutionDevice
    ) -> str | None:
        """Say how a block that was too large can be launched; None if that was not the reason."""
        return self._images.explain_failed_launch(
            threads, variant, device, is_portable=self._variants.recompiler is not None
        )

    def _find_image(self, variant: Variant) -> tuple[CompiledImage | None, Resources]:
        """Return the image of a variant that the current device runs, and its resources."""
        device = None
        if len(variant.images) > 1:
            with contextlib.suppress(ConfigurationError, LaunchError):  # there is no device
                device = find_device(self.backend, self.registered)
        return self._images.find(variant, device)
