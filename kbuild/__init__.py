"""Turn GPU kernel sources into artifacts that any host compiler can link."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers assume True; importing typing is slow
if TYPE_CHECKING:
    from typing import Any, Final

    from kbuild.backends.interface.launch_config import LaunchConfig as LaunchConfig
    from kbuild.runtime.compiling.compiled_kernel import CompiledKernel as CompiledKernel
    from kbuild.runtime.compiling.compiled_module import CompiledModule as CompiledModule
    from kbuild.runtime.compiling.compiler import KernelCompiler as KernelCompiler
    from kbuild.runtime.executor import KernelExecutor as KernelExecutor
    from kbuild.runtime.launch_records.file import read_launch_record as read_launch_record
    from kbuild.runtime.launch_records.file import write_launch_record as write_launch_record
    from kbuild.runtime.launch_records.model import LaunchRecord as LaunchRecord
    from kbuild.runtime.launch_records.replay import replay_launch as replay_launch
    from kbuild.runtime.loading.loaded_library import load as load
    from kbuild.runtime.rtc_kernel import RtcKernel as RtcKernel
    from kbuild.toolchain.devices import query_architecture as query_architecture

__version__ = "0.1.0"

__all__ = [
    "CompiledKernel",
    "CompiledModule",
    "KernelCompiler",
    "KernelExecutor",
    "LaunchConfig",
    "LaunchRecord",
    "RtcKernel",
    "__version__",
    "load",
    "query_architecture",
    "read_launch_record",
    "replay_launch",
    "write_launch_record",
]

# Public names are imported on first use: build edges import kbuild thousands of times and never
# run a kernel.
_LAZY: Final = {
    "CompiledKernel": "kbuild.runtime.compiling.compiled_kernel",
    "CompiledModule": "kbuild.runtime.compiling.compiled_module",
    "KernelCompiler": "kbuild.runtime.compiling.compiler",
    "KernelExecutor": "kbuild.runtime.executor",
    "LaunchConfig": "kbuild.backends.interface.launch_config",
    "LaunchRecord": "kbuild.runtime.launch_records.model",
    "RtcKernel": "kbuild.runtime.rtc_kernel",
    "load": "kbuild.runtime.loading.loaded_library",
    "query_architecture": "kbuild.toolchain.devices",
    "read_launch_record": "kbuild.runtime.launch_records.file",
    "replay_launch": "kbuild.runtime.launch_records.replay",
    "write_launch_record": "kbuild.runtime.launch_records.file",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - slow to import

        from kbuild.toolchain import platform  # noqa: PLC0415 - only what runs kernels needs it

        platform.check_platform()
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'kbuild' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
