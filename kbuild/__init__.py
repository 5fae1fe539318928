"""kbuild: GPU kernel sources to artifacts that any host compiler can link."""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; typing loads slowly
if TYPE_CHECKING:
    from typing import Any, Final

    from kbuild.runtime.compiled_kernel import CompiledKernel as CompiledKernel
    from kbuild.runtime.compiled_module import CompiledModule as CompiledModule
    from kbuild.runtime.kernel_compiler import KernelCompiler as KernelCompiler
    from kbuild.runtime.kernel_executor import KernelExecutor as KernelExecutor
    from kbuild.runtime.launch_config import LaunchConfig as LaunchConfig
    from kbuild.runtime.launch_record import read_launch_record as read_launch_record
    from kbuild.runtime.launch_record import write_launch_record as write_launch_record
    from kbuild.runtime.module import load as load
    from kbuild.runtime.recorded_launch import LaunchRecord as LaunchRecord
    from kbuild.runtime.replay import replay_launch as replay_launch
    from kbuild.runtime.rtc_kernel import RtcKernel as RtcKernel
    from kbuild.toolchain import query_architecture as query_architecture

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

# Build edges import kbuild thousands of times and never run a kernel.
_LAZY: Final = {
    "CompiledKernel": "kbuild.runtime.compiled_kernel",
    "CompiledModule": "kbuild.runtime.compiled_module",
    "KernelCompiler": "kbuild.runtime.kernel_compiler",
    "KernelExecutor": "kbuild.runtime.kernel_executor",
    "LaunchConfig": "kbuild.runtime.launch_config",
    "LaunchRecord": "kbuild.runtime.recorded_launch",
    "RtcKernel": "kbuild.runtime.rtc_kernel",
    "load": "kbuild.runtime.module",
    "query_architecture": "kbuild.toolchain",
    "read_launch_record": "kbuild.runtime.launch_record",
    "replay_launch": "kbuild.runtime.replay",
    "write_launch_record": "kbuild.runtime.launch_record",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - loads slowly

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'kbuild' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
