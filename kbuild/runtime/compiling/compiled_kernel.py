"""Compiled kernels: their code and the compiler's facts, separate from executors.

Nothing here needs a device, or a library that needs one, before the first launch.  If a launch
exceeds the limits that a kernel was compiled for, `CompiledKernel.select` assembles the kernel
again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kbuild.backends.interface.launch_config import Extent, LaunchConfig, read_brackets
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.kernel_facts import KernelFacts
from kbuild.runtime.compiling.model import Variant
from kbuild.runtime.compiling.variants import MOST_VARIANTS
from kbuild.runtime.current_device import find_device

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.interface.streams import Stream
    from kbuild.runtime.executor import KernelExecutor, LastLaunch

# A program has few configurations, but can create a new one for each launch.
_MOST_LAUNCHES: Final = 64
_Launches: TypeAlias = dict[Any, Callable[..., float | None]]


class CompiledKernel(KernelFacts):
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

    # The executor that was used last, with what kernel[...] returned for it, and with what tells
    # whether its device is still the current one.
    _recent: tuple[Callable[[], bool] | None, _Launches, KernelExecutor | None] = (None, {}, None)

    @cached_property
    def _executors(self) -> dict[ExecutionDevice, KernelExecutor]:
        return {}

    def __repr__(self) -> str:
        return f"<compiled kernel {self.display} for {self.compilation.arch}>"

    def __getstate__(self) -> dict[str, Any]:
        own = ("_executors", "_recent")
        state = {name: value for name, value in vars(self).items() if name not in own}
        return state | {"registered": None}

    def __getitem__(self, launch: Any) -> Callable[..., float | None]:
        """Return a function that launches the kernel: ``kernel[grid, block](*args)``.

        Args:
            launch: The grid and the block, each a number or up to three, and optionally the size
                of the dynamic shared memory in bytes, and a stream.

        Raises:
            ConfigurationError: ``launch`` has less than two or more than four values, or a wrong
                one.
        """
        is_current, launches, _ = self._recent
        if is_current is None or is_current():
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
        chosen = variant or (last.variant if last else self._variants.first)
        image, _ = self._find_image(chosen)
        if image is None:
            raise ConfigurationError(
                f"{self.display}: this code was dropped, because the kernel was compiled for more "
                f"than {MOST_VARIANTS} other launches"
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
        _, _, executor = self._recent
        return None if executor is None else executor.last_launch

    def _bind(self, launch: Any) -> Callable[..., float | None]:
        """Make the function for ``kernel[launch]``, and keep it while the device stays the same."""
        executor = self._find_executor()
        bound = executor.bind(read_brackets(launch, self.display))
        _, launches, recent = self._recent
        if recent is executor:  # another thread can have used another device
            if len(launches) >= _MOST_LAUNCHES:
                launches.clear()
            with contextlib.suppress(TypeError):
                launches[launch] = bound
        return bound

    def _find_executor(self) -> KernelExecutor:
        from kbuild.runtime.executor import KernelExecutor  # noqa: PLC0415 - compiling needs no device

        device = find_device(self.backend, self.registered)
        found = self._executors.get(device)
        if found is None:
            found = self._executors[device] = KernelExecutor(self)
        if self._recent[2] is not found:
            self._recent = (found.is_current, {}, found)
        return found
