"""`RtcKernel`: source text to a kernel that runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kbuild.backends import AUTOMATIC
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.compiler import NATIVE
from kbuild.runtime.compiling.kernel import CompiledKernel
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text
from kbuild.runtime.compiling.sources import encode_text, read_options
from kbuild.runtime.executor import KernelExecutor
from kbuild.toolchain.devices import choose_device


class RtcKernel:
    """A kernel from source text, compiled when this is made; ``compiled`` holds its facts.

    ``name`` is a symbol, a name of the source, or a template with its arguments
    (``scale<float>``).  ``options`` are the runtime compiler's own.  ``backend`` ``auto`` is
    that of the machine's device, ``arch`` the device's where it is None or ``native``.  Raises
    ToolError with the compiler's log, by the lines of ``source_text``; ConfigurationError for a
    name that is none of the kernels, or where no device says what to compile for.
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
                raise ConfigurationError(f"{what} is a string, not {type(value).__name__}")
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
        """Without what runs it: it may be read where there is no device."""
        return {**vars(self), "_executor": None}

    def run(self, config: LaunchConfig, *args: object, profile: bool = False) -> float | None:
        """Launch it: see `KernelExecutor.run`."""
        if self._executor is None:
            self._executor = KernelExecutor(self.compiled)
        return self._executor.run(config, *args, profile=profile)
