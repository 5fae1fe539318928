"""`RtcKernel`: a kernel that is compiled from source text at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kbuild.backends import AUTOMATIC
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.compiler import NATIVE
from kbuild.runtime.compiling.inputs import encode_text, read_options
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text
from kbuild.runtime.executor import KernelExecutor
from kbuild.toolchain.devices import choose_device


class RtcKernel:
    """A kernel that is compiled from source text when this object is created.

    Args:
        source_text: The source.
        name: The kernel: a symbol, a name in the source, or a template with its arguments
            (``scale<float>``).
        options: Options for the runtime compiler.
        backend: The backend; ``auto`` is the backend of this machine's device.
        arch: The architecture; None and ``native`` are the architecture of the device.

    Attributes:
        compiled: The compiled kernel.

    Raises:
        ConfigurationError: ``name`` is not one of the kernels, or there is no device that
            determines the architecture.
        ToolError: The compiler fails; the message has its log, with the lines of
            ``source_text``.
    """

    def __init__(
        self,
        source_text: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = AUTOMATIC,
        *,
        arch: str | None = None,
    ) -> None:
        for what, value in (("source_text", source_text), ("name", name)):
            if not isinstance(value, str):
                raise ConfigurationError(f"{what} must be a string, not {type(value).__name__}")
        encode_text(source_text)
        words = read_options(options)
        if backend == AUTOMATIC or arch in (None, NATIVE):
            backend, own = choose_device(backend)
            arch = own if arch in (None, NATIVE) else arch
        request = RtcRequest(text=source_text, name=name, options=words, backend=backend, arch=arch)
        module, key = compile_text(request)
        self.compiled: CompiledKernel = module[key]
        self._executor: KernelExecutor | None = None

    def __repr__(self) -> str:
        return f"<RTC kernel {self.compiled.display}>"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the executor, because a machine that loads the kernel might have no device."""
        return {**vars(self), "_executor": None}

    def run(self, config: LaunchConfig, *args: object, profile: bool = False) -> float | None:
        """Launch the kernel; see `KernelExecutor.run`."""
        if self._executor is None:
            self._executor = KernelExecutor(self.compiled)
        return self._executor.run(config, *args, profile=profile)
