"""A backend: its name and the capabilities that it has."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kbuild.backends.interface.build import Builder
    from kbuild.backends.interface.code import CodeReader
    from kbuild.backends.interface.devices import Devices
    from kbuild.backends.interface.host import HostConventions
    from kbuild.backends.interface.limits import DeviceLimits
    from kbuild.backends.interface.mixed import MixedPasses
    from kbuild.backends.interface.nvcc import NvccConventions
    from kbuild.backends.interface.read import ImageReader
    from kbuild.backends.interface.repacking import ImageRepacker
    from kbuild.backends.interface.rtc import RuntimeCompiler

CAPABILITIES: Final = (
    *("build", "read", "code", "host", "limits", "devices", "rtc", "mixed", "nvcc"),
    "repacking",
)


class Backend:
    """Everything that differs between kinds of device code, one capability per module.

    A capability is the module of that name in the backend's package. It is imported on first use,
    because a build starts thousands of processes and each needs one capability of one backend.
    A capability that the backend does not have is None.

    Args:
        name: The word for the backend in CMake, JSON, and on the command line.
        package: The import package that holds the capabilities.
        capabilities: Names from `CAPABILITIES`.
    """

    def __init__(self, name: str, package: str, capabilities: tuple[str, ...]) -> None:
        unknown = set(capabilities) - set(CAPABILITIES)
        if unknown:
            raise ValueError(f"backend {name!r}: unknown capabilities {sorted(unknown)}")
        self.name: Final = name
        self.package: Final = package
        self.capabilities: Final = capabilities

    def __repr__(self) -> str:
        return f"<backend {self.name}: {', '.join(self.capabilities) or 'no capabilities'}>"

    @cached_property
    def build(self) -> Builder | None:
        """Find a compiler, compile kernel sources, and pack images."""
        builder: Builder | None = self._load("build")
        return builder

    @cached_property
    def read(self) -> ImageReader | None:
        """Read containers and device images."""
        reader: ImageReader | None = self._load("read")
        return reader

    @cached_property
    def code(self) -> CodeReader | None:
        """Compare and disassemble the code of device images."""
        reader: CodeReader | None = self._load("code")
        return reader

    @cached_property
    def host(self) -> HostConventions | None:
        """Recognize host code that registers and launches this backend's kernels."""
        module = self._load("host")
        conventions: HostConventions | None = module and module.CONVENTIONS
        return conventions

    @cached_property
    def limits(self) -> DeviceLimits | None:
        """Return the limits of the vendor's devices and drivers."""
        module = self._load("limits")
        limits: DeviceLimits | None = module and module.LIMITS
        return limits

    @cached_property
    def devices(self) -> Devices | None:
        """List the devices of this machine, and run kernels on them from Python."""
        devices: Devices | None = self._load("devices")
        return devices

    @cached_property
    def rtc(self) -> RuntimeCompiler | None:
        """Compile source text, and assemble kernels again, while a program runs."""
        compiler: RuntimeCompiler | None = self._load("rtc")
        return compiler

    @cached_property
    def mixed(self) -> MixedPasses | None:
        """Compile sources that contain host code as well."""
        passes: MixedPasses | None = self._load("mixed")
        return passes

    @cached_property
    def nvcc(self) -> NvccConventions | None:
        """Stand in for nvcc in builds that call it."""
        conventions: NvccConventions | None = self._load("nvcc")
        return conventions

    @cached_property
    def repacking(self) -> ImageRepacker | None:
        """Write containers again with fewer or more images."""
        repacker: ImageRepacker | None = self._load("repacking")
        return repacker

    def _load(self, capability: str) -> Any:
        if capability not in self.capabilities:
            return None
        return import_module(f"{self.package}.{capability}")
