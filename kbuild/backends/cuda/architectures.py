"""CUDA architectures, as CMake's CUDA_ARCHITECTURES spells them.

``80`` is real and virtual, ``80-real`` only a cubin, ``80-virtual`` only PTX. ``90a`` and ``100f``
are the architecture-specific and family-specific ones. NVIDIA's spellings mean the same:
``sm_80`` is ``80-real``, and ``compute_80`` is ``80-virtual``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeVar

from kbuild.backends.interface.build import ARCHITECTURE_FIX, CompileUnit
from kbuild.errors import ConfigurationError, find_similar
from kbuild.model import ImageKind
from kbuild.values import dataclass

_PATTERN: Final = re.compile(
    r"(?P<vendor>sm_|compute_)?(?P<number>\d+[af]?)(?P<kind>-real|-virtual)?"
)
# The options of nvcc for code that a device link optimizes.
LINK_TIME: Final = frozenset(("-dlto", "-lto"))
_LAST: Final = {
    "12.9": ("50", "52", "53", "60", "61", "62", "70", "72"),
    "11.8": ("35", "37"),
    "10.2": ("30", "32"),
    "8.0": ("20", "21"),
}
_GROUPS: Final = ("all", "all-major", "native")
_IMAGE: Final = re.compile(r"(?:sm|compute)_(?P<major>\d+)(?P<minor>\d)(?P<scope>[af]?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One compile edge: a front-end run for ``compute_<number>`` and its images."""

    number: str
    is_real: bool
    is_virtual: bool

    @property
    def real(self) -> str:
        """The architecture of the cubin."""
        return f"sm_{self.number}"

    @property
    def virtual(self) -> str:
        """The architecture of the PTX."""
        return f"compute_{self.number}"

    @property
    def link_time(self) -> str:
        """The architecture of code that a device link optimizes."""
        return f"lto_{self.number}"

    @property
    def name(self) -> str:
        """The architecture as CMake spells it."""
        if self.is_real and self.is_virtual:
            return self.number
        return f"{self.number}-{'real' if self.is_real else 'virtual'}"


def parse(name: str) -> Architecture:
    """Parse an architecture; raise ConfigurationError for an unknown spelling."""
    match = _PATTERN.fullmatch(name)
    if match is None or (match["vendor"] and match["kind"]):
        raise ConfigurationError(
            f"unknown architecture {name!r}; expected 80, 80-real or sm_80, 80-virtual or "
            f"compute_80, 90a, or one of {', '.join(_GROUPS)}; {ARCHITECTURE_FIX}"
        )
    return Architecture(
        number=match["number"],
        is_real=match["kind"] != "-virtual" and match["vendor"] != "compute_",
        is_virtual=match["kind"] != "-real" and match["vendor"] != "sm_",
    )


def name_images(name: str) -> tuple[str, ...]:
    """Return NVIDIA's names of the images for an architecture; empty if the name is unknown."""
    try:
        architecture = parse(name)
    except ConfigurationError:
        return ()
    real = (architecture.real,) if architecture.is_real else ()
    return (*real, architecture.virtual) if architecture.is_virtual else real


def _find_nearest(architecture: Architecture, numbers: Sequence[str]) -> str:
    """Return the nearest supported number; above all of them, the one with similar digits."""
    number = int(architecture.number.rstrip("af"))
    if number > max(map(int, numbers)) and (similar := find_similar(str(number), numbers)):
        return similar
    return min(numbers, key=lambda known: (abs(int(known) - number), int(known)))


def _advise(architecture: Architecture, numbers: Sequence[str]) -> str:
    """Say which architectures there are, and what is like an unsupported one."""
    there = f"expected one of {', '.join(numbers)}"
    last = find_last_toolkit(architecture.number)
    if last is not None and int(architecture.number) < int(numbers[0]):
        return f"{there}; CUDA {last} was the last with {architecture.number}"
    return f"{there}; did you mean {_find_nearest(architecture, numbers)!r}?"


def find_last_toolkit(number: str) -> str | None:
    """Return the last release of the toolkit that compiles for an old architecture, or None.

    The release notes of CUDA list the architectures that a release removes.
    """
    return next((last for last, removed in _LAST.items() if number in removed), None)


def expand(
    requested: tuple[str, ...], known: tuple[str, ...], devices: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return one architecture per front-end run. Real and virtual requests share a run.

    Args:
        requested: The architectures. None of them means the oldest known one, whose PTX every newer
            device can compile.
        known: The compiler's ``sm_`` names.
        devices: The architectures that ``native`` selects.

    Raises:
        ConfigurationError: The toolkit does not support an architecture.
    """
    numbers = sorted((name.removeprefix("sm_") for name in known), key=_order)
    merged: dict[str, tuple[bool, bool]] = {}
    for name in _expand_groups(requested or tuple(numbers[:1]), numbers, devices):
        architecture = parse(name)
        if architecture.number.rstrip("af") not in numbers:
            raise ConfigurationError(
                f"architecture {name!r} is not supported by this toolkit; "
                f"{_advise(architecture, numbers)}"
            )
        is_real, is_virtual = merged.get(architecture.number, (False, False))
        merged[architecture.number] = (
            is_real or architecture.is_real,
            is_virtual or architecture.is_virtual,
        )
    return tuple(
        Architecture(number=number, is_real=is_real, is_virtual=is_virtual).name
        for number, (is_real, is_virtual) in merged.items()
    )


def name_native(devices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the devices' own architectures; raise ConfigurationError if there is no device."""
    own = [device for device in devices if device.startswith("sm_")]
    if not own:
        raise ConfigurationError(
            "architecture native: the driver lists no NVIDIA device here; name an architecture"
        )
    return tuple(f"{device.removeprefix('sm_')}-real" for device in own)


class _Image(Protocol):
    @property
    def arch(self) -> str: ...
    @property
    def kind(self) -> ImageKind: ...


ImageT = TypeVar("ImageT", bound=_Image)


def rank_images(images: Iterable[ImageT], capability: tuple[int, int]) -> list[ImageT]:
    """Return the images that a device of this compute capability can run, the best one first.

    A cubin runs on devices of the same major version with the same or a larger minor version. PTX
    runs on all devices that are not older. Architecture-specific code (``90a``) runs on this
    architecture only, and family-specific code (``100f``) on its major version.
    """
    ranked = []
    for image in images:
        match = _IMAGE.fullmatch(image.arch)
        if match is None or image.kind not in ("elf", "ptx"):
            continue
        own = (int(match["major"]), int(match["minor"]))
        is_same_major = own[0] == capability[0]
        is_machine_code = image.kind == "elf"
        if (
            own > capability
            or (match["scope"] == "a" and own != capability)
            or ((is_machine_code or match["scope"] == "f") and not is_same_major)
        ):
            continue
        ranked.append(((is_machine_code, own, ("", "f", "a").index(match["scope"])), image))
    return [image for _, image in sorted(ranked, key=lambda pair: pair[0], reverse=True)]


def _expand_groups(
    requested: tuple[str, ...], numbers: list[str], devices: tuple[str, ...]
) -> tuple[str, ...]:
    expanded: list[str] = []
    for name in requested:
        if name == "native":
            expanded += name_native(devices)
        elif name in ("all", "all-major"):
            # As in CMake: a cubin for each, and PTX for the newest one only.
            chosen = [n for n in numbers if name == "all" or n.endswith("0")] or numbers
            chosen = chosen if chosen[0] == numbers[0] else [numbers[0], *chosen]
            expanded += [*(f"{n}-real" for n in chosen), f"{chosen[-1]}-virtual"]
        else:
            expanded.append(name)
    return tuple(expanded)


def _order(number: str) -> int:
    return int(number.rstrip("af"))


def has_link_time_code(unit: CompileUnit) -> bool:
    """Return whether the unit also gets code that a device link optimizes (``-dlto``)."""
    return unit.relocatable and not LINK_TIME.isdisjoint(unit.options) and parse(unit.arch).is_real
