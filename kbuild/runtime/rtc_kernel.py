"""`RtcKernel`: a kernel that is compiled from source text at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

from kbuild.backends import AUTOMATIC, find_builder
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.compiler import NATIVE
from kbuild.runtime.compiling.dump import dump_module
from kbuild.runtime.compiling.inputs import encode_text, list_limit_options, read_options
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text
from kbuild.runtime.executor import KernelExecutor
from kbuild.toolchain.devices import choose_device

_VALUES: Final[dict[str, Any]] = {"backend": AUTOMATIC, "arch": None, "options": ()}


class RtcKernel:
    """A kernel that is compiled from source text when this object is created.

    Like the kernel itself, it can be called: ``kernel[grid, block](*args)``.

    Args:
        source_text: The source.
        name: The kernel: a symbol, a name in the source, or a template with its arguments
            (``scale<float>``).
        backend: The backend; ``auto`` is the backend of this machine's device.
        arch: The architecture; None and ``native`` are the architecture of the device.
        options: Options for the runtime compiler.  The older order of arguments, with the options
            before the backend, is accepted as well.
        debug: Compile without optimization and with debug information.
        cache: Keep the kernel in a cache that outlives the process; see `KernelCompiler`.
        block_size: The largest number of threads in a block; see `KernelCompiler`.
        max_registers: The most registers per thread; see `KernelCompiler`.
        fma: Whether to contract operations; see `KernelCompiler`.

    Attributes:
        compiled: The compiled kernel.

    Raises:
        ConfigurationError: ``name`` is not one of the kernels, or there is no device that
            determines the architecture.
        ToolError: The compiler fails; the message has its log, with the lines of
            ``source_text``.
    """

    @overload
    def __init__(
        self,
        source_text: str,
        name: str,
        backend: str = AUTOMATIC,
        arch: str | None = None,
        options: Sequence[str] = (),
        *,
        debug: bool = False,
        cache: bool | None = None,
        block_size: int | None = None,
        max_registers: int | None = None,
        fma: bool = True,
    ) -> None: ...

    @overload
    def __init__(
        self,
        source_text: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = AUTOMATIC,
        *,
        arch: str | None = None,
        debug: bool = False,
        cache: bool | None = None,
        block_size: int | None = None,
        max_registers: int | None = None,
        fma: bool = True,
    ) -> None: ...

    def __init__(  # noqa: PLR0913 - the settings of a compiler
        self,
        source_text: str,
        name: str,
        *values: Any,
        debug: bool = False,
        cache: bool | None = None,
        block_size: int | None = None,
        max_registers: int | None = None,
        fma: bool = True,
        **named: Any,
    ) -> None:
        for what, value in (("source_text", source_text), ("name", name)):
            if not isinstance(value, str):
                raise ConfigurationError(f"{what} must be a string, not {type(value).__name__}")
        encode_text(source_text)
        backend, arch, options = _order_values(values, named)
        words = read_options(options)
        if backend == AUTOMATIC or arch in (None, NATIVE):
            backend, own = choose_device(backend)
            arch = own if arch in (None, NATIVE) else arch
        words += list_limit_options(backend, str(arch), block_size, max_registers)
        words += () if fma else find_builder(backend).TRAITS.separate_operations
        module, key = compile_text(
            RtcRequest(
                text=source_text,
                name=name,
                options=words,
                backend=backend,
                arch=str(arch),
                debug=debug,
                cache=cache,
            )
        )
        dump_module(module)
        self.compiled: CompiledKernel = module[key]
        self._executor: KernelExecutor | None = None

    def __repr__(self) -> str:
        return f"<RTC kernel {self.compiled.display}>"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the executor, because a machine that loads the kernel might have no device."""
        return {**vars(self), "_executor": None}

    def __getitem__(self, launch: Any) -> Callable[..., float | None]:
        """Return a function that launches the kernel; see `CompiledKernel`."""
        return self.compiled[launch]

    def run(self, config: LaunchConfig, *args: object, profile: bool = False) -> float | None:
        """Launch the kernel; see `KernelExecutor.run`."""
        if self._executor is None:
            self._executor = KernelExecutor(self.compiled)
        return self._executor.run(config, *args, profile=profile)


def _order_values(
    values: tuple[Any, ...], named: dict[str, Any]
) -> tuple[str, str | None, Sequence[str]]:
    """Return the backend, the architecture, and the options from both orders of arguments."""
    is_older = bool(values) and not isinstance(values[0], str)
    words = ("options", "backend") if is_older else ("backend", "arch", "options")
    if len(values) > len(words):
        raise TypeError(f"RtcKernel() takes at most {len(words)} values after the name")
    given = dict(zip(words, values, strict=False))
    for word in named:
        if word not in _VALUES:
            raise TypeError(f"RtcKernel() got an unexpected keyword argument {word!r}")
        if word in given:
            raise TypeError(f"RtcKernel() got multiple values for argument {word!r}")
    found = {**_VALUES, **given, **named}
    return found["backend"], found["arch"], found["options"]
