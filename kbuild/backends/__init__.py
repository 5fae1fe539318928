"""The registry of backends.

To add a backend, write its package and register it here. `CONTRIBUTING.md` walks through it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kbuild.backends.interface.backend import Backend
from kbuild.errors import ConfigurationError

if TYPE_CHECKING:
    from kbuild.backends.interface.build import Builder
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.interface.host import HostConventions
    from kbuild.backends.interface.limits import DeviceLimits
    from kbuild.backends.interface.mixed import MixedPasses
    from kbuild.backends.interface.nvcc import NvccConventions
    from kbuild.backends.interface.read import ImageReader
    from kbuild.backends.module.runtime import Device

# The backends by name. The first one is the embedded default, which needs nothing but a C++
# compiler. `auto` tries the others in this order.
BACKENDS: Final[dict[str, Backend]] = {}

AUTOMATIC: Final = "auto"


def register(name: str, *capabilities: str, package: str | None = None) -> None:
    """Add a backend to the registry.

    Args:
        name: The word for the backend in CMake, JSON, and on the command line.
        capabilities: The modules of the package that implement the interface.
        package: The backend's package; a subpackage of this one by default.
    """
    BACKENDS[name] = Backend(name, package or f"{__name__}.{name}", capabilities)


register("cpu", "build", "read", "code", "host", "limits", "devices", "mixed", "nvcc")
register(
    *("cuda", "build", "read", "code", "host", "limits", "devices", "rtc", "mixed", "nvcc"),
    "repacking",
)
register("hip", "build", "read", "code", "host", "limits", "devices", "mixed", "repacking")
register("offload", "read")  # LLVM's drivers build these; kbuild only reads them


def find_backend(name: str) -> Backend:
    """Return the backend called ``name``; an unknown one has no capabilities."""
    return BACKENDS.get(name) or Backend(name, "", ())


def select_values(values: Iterable[str], backend: str) -> tuple[str, ...]:
    """Return the values of a list that are for a backend, without its name.

    A value that starts with the name of a backend and a colon, such as ``cuda:80``, is only for
    this backend. Other values are for all backends.
    """
    selected = []
    for value in values:
        name, colon, rest = value.partition(":")
        is_limited = bool(colon) and name in BACKENDS
        if not is_limited:
            selected.append(value)
        elif name == backend and rest:
            selected.append(rest)
    return tuple(selected)


def find_builder(name: str) -> Builder:
    """Return the ``build`` capability of a backend.

    Raises:
        ConfigurationError: No backend that builds kernels has this name.
    """
    builder = find_backend(name).build
    if builder is None:
        known = ", ".join((*builder_names(), AUTOMATIC))
        raise ConfigurationError(f"unknown BACKEND {name!r}; expected one of {known}")
    return builder


def find_mixed(name: str) -> MixedPasses:
    """Return the ``mixed`` capability of a backend.

    Raises:
        ConfigurationError: The backend cannot compile mixed sources.
    """
    passes = find_backend(name).mixed
    if passes is None:
        able = ", ".join(other for other, backend in BACKENDS.items() if backend.mixed)
        raise ConfigurationError(
            f"backend {name} cannot compile sources that contain host code; expected one of {able}"
        )
    return passes


def find_nvcc_conventions(name: str) -> NvccConventions:
    """Return the ``nvcc`` capability of a backend.

    Raises:
        ConfigurationError: The backend cannot stand in for nvcc.
    """
    conventions = find_backend(name).nvcc
    if conventions is None:
        able = " or ".join(other for other, backend in BACKENDS.items() if backend.nvcc)
        raise ConfigurationError(f"backend {name} cannot stand in for nvcc; expected {able}")
    return conventions


def builder_names() -> tuple[str, ...]:
    """Return the names of the backends that build kernels, the embedded default first."""
    return tuple(name for name, backend in BACKENDS.items() if "build" in backend.capabilities)


def find_checking_backend() -> str:
    """Return the name of the backend that can instrument device code for checks."""
    return next(name for name in builder_names() if find_builder(name).TRAITS.can_check)


def list_builders() -> tuple[Builder, ...]:
    """Return the ``build`` capabilities of all backends, the embedded default first."""
    return tuple(map(find_builder, builder_names()))


def list_by_preference() -> tuple[str, ...]:
    """Return the backends that build kernels in the order in which ``auto`` tries them.

    The last one is the embedded default, which always works.
    """
    default, *others = builder_names()
    return (*others, default)


def list_readers() -> tuple[ImageReader, ...]:
    """Return the readers of all backends; the first one that recognizes a file reads it."""
    return tuple(backend.read for backend in BACKENDS.values() if backend.read)


def list_host_conventions() -> tuple[tuple[str, HostConventions], ...]:
    """Return (backend, conventions) of all backends whose host code kbuild recognizes."""
    return tuple((name, backend.host) for name, backend in BACKENDS.items() if backend.host)


def find_limits(name: str) -> DeviceLimits:
    """Return the limits of a backend's devices; if they are unknown, limits that permit all."""
    from kbuild.backends.interface.limits import UNKNOWN  # noqa: PLC0415 - only rules need it

    return find_backend(name).limits or UNKNOWN


def name_images(architectures: Iterable[str]) -> tuple[str, ...]:
    """Return the vendors' names of architectures, as inspection and rules use them.

    Names that no backend knows, such as patterns, stay as they are.
    """
    limits = [find_limits(name) for name in BACKENDS]
    return tuple(
        image
        for spelled in architectures
        for image in next(filter(None, (known.images_of(spelled) for known in limits)), (spelled,))
    )


def name_devices(devices: Iterable[str]) -> tuple[str, ...]:
    """Return the vendors' names of devices. Names that no vendor uses stay as they are."""
    named: list[str] = []
    for spelled in devices:
        images = name_images((spelled,))
        named += [image for image in images if list_usable(image, ()) is not None] or [spelled]
    return tuple(named)


def list_usable(device: str, architectures: Iterable[str]) -> tuple[str, ...] | None:
    """Return the architectures whose images a device runs, the one that it uses first.

    None stands for a name that is not the architecture of a device, such as that of PTX.
    """
    known = tuple(architectures)
    found = (find_limits(name).usable_by(device, known) for name in BACKENDS)
    return next((usable for usable in found if usable is not None), None)


def open_device(name: str) -> ExecutionDevice:
    """Return the current device of a backend; the process has one object for each device.

    Raises:
        ConfigurationError: Kernels of this backend cannot run from Python, or a package that
            this needs is not installed.
        LaunchError: There is no device.
    """
    devices = find_backend(name).devices
    if devices is None or devices.open_device is None:
        able = (n for n, b in BACKENDS.items() if b.devices and b.devices.open_device)
        raise ConfigurationError(
            f"a KernelExecutor cannot run kernels of backend {name!r}; expected one of "
            f"{', '.join(able)}; or build a library of the kernels and use kbuild.load"
        )
    return devices.open_device()


def open_library_device(name: str, entry_points: Device) -> ExecutionDevice:
    """Return the current device, for kernels of a library that this process has loaded.

    Args:
        name: The backend of the kernels.
        entry_points: The runtime that the library is linked to.

    Raises:
        LaunchError: There is no device.
    """
    from kbuild.backends.module.device import ModuleDevice  # noqa: PLC0415 - only launches need it

    devices = find_backend(name).devices
    opener = devices.open_library_device if devices else None
    return (opener(entry_points) if opener else None) or entry_points.open(ModuleDevice)
