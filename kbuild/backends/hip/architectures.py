"""HIP architectures: target IDs, each a processor and features that are on or off.

Source: "Target ID" in "Clang Offload Bundler" of clang's documentation, and the processors' target
features in LLVM's "User Guide for AMDGPU Backend".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.backends.interface.build import ARCHITECTURE_FIX
from kbuild.errors import ConfigurationError, KbuildError, ToolchainError, suggest
from kbuild.formats.amd.target_id import list_processors
from kbuild.values import dataclass

_PATTERN: Final = re.compile(r"(?P<processor>gfx[0-9a-f]+|gfx[0-9]+(?:-[0-9]+)?-generic)")
_FEATURE: Final = re.compile(r"(?P<name>[a-z]+)(?P<sign>[-+])")
_NATIVE: Final = "native"
# Current data center and desktop devices that ROCm supports. No single image runs on all.
_DEFAULTS: Final = ("gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
# The processors with a choice of page migration, or of error correction in SRAM.
_WITH_FEATURE: Final = {
    "xnack": frozenset(
        (
            *("gfx801", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909"),
            *("gfx90a", "gfx90c", "gfx940", "gfx941", "gfx942", "gfx950"),
            *("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
            *("gfx9-generic", "gfx9-4-generic", "gfx10-1-generic"),
        )
    ),
    "sramecc": frozenset(
        (
            *("gfx906", "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"),
            "gfx9-4-generic",
        )
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetId:
    """A processor with (name, sign) of its features, sorted by name."""

    processor: str
    features: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The target ID in its canonical spelling."""
        return ":".join((self.processor, *(name + sign for name, sign in self.features)))


def parse(text: str) -> TargetId:
    """Parse a target ID; raise ConfigurationError if it is malformed or contradicts itself."""
    processor, *parts = text.split(":")
    if not _PATTERN.fullmatch(processor):
        raise ConfigurationError(
            f"unknown architecture {text!r}; expected one such as gfx90a or "
            f"gfx90a:xnack-, or {_NATIVE}; {ARCHITECTURE_FIX}"
        )
    features: dict[str, str] = {}
    known = " and ".join(sorted(_WITH_FEATURE))
    for part in parts:
        if not part:
            raise ConfigurationError(
                f"architecture {text!r}: a feature is missing after a colon; expected one of "
                f"{known}, each with + or -"
            )
        match = _FEATURE.fullmatch(part)
        if match is None or match["name"] not in _WITH_FEATURE:
            raise ConfigurationError(
                f"architecture {text!r}: unknown feature {part!r}; expected one of {known}, "
                "each with + or -"
            )
        if match["name"] in features:
            raise ConfigurationError(f"architecture {text!r} names {match['name']} twice")
        if processor not in _WITH_FEATURE[match["name"]]:
            raise ConfigurationError(
                f"architecture {text!r}: {processor} does not have the feature {match['name']}"
            )
        features[match["name"]] = match["sign"]
    return TargetId(processor=processor, features=tuple(sorted(features.items())))


def expand(
    requested: tuple[str, ...], known: tuple[str, ...], devices: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the target IDs to compile for, each once.

    Args:
        requested: The target IDs. If empty, a selection of the devices that ROCm supports.
        known: The processors for which there are device libraries.
        devices: The architectures that ``native`` selects.

    Raises:
        ConfigurationError: A target ID is malformed, or a device could use two images.
        ToolchainError: There are no device libraries for a target.
    """
    if not requested:
        return tuple(name for name in _DEFAULTS if name in known) or known[-1:]
    targets = tuple(parse(name) for name in _expand_native(requested, devices))
    for target in targets:
        if target.processor not in known:
            raise _explain_missing(target, known)
    _check_combination(targets)
    return tuple(dict.fromkeys(target.name for target in targets))


def _explain_missing(target: TargetId, known: tuple[str, ...]) -> KbuildError:
    if target.processor not in list_processors():
        return ConfigurationError(
            f"unknown architecture {target.name!r}; there are device libraries for "
            f"{', '.join(known)}{suggest(target.processor, known)}"
        )
    return ToolchainError(
        f"architecture {target.name}: the ROCm device libraries here do not support it "
        f"(no oclc_isa_version_{target.processor.removeprefix('gfx')}.bc), but only "
        f"{', '.join(known)}; install newer ones (Debian: rocm-device-libs, ROCm: rocm-llvm) or "
        "set ROCM_PATH"
    )


def name_native(devices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the devices' own architectures; raise ConfigurationError if there is no device."""
    own = tuple(device for device in devices if device.startswith("gfx"))
    if not own:
        raise ConfigurationError(
            f"architecture {_NATIVE}: the driver lists no AMD device here; name an architecture"
        )
    return own


def _expand_native(requested: tuple[str, ...], devices: tuple[str, ...]) -> Iterable[str]:
    for name in requested:
        if name != _NATIVE:
            yield name
            continue
        yield from name_native(devices)


def _check_combination(targets: tuple[TargetId, ...]) -> None:
    """Check clang's rule for target IDs of one processor.

    Either all of them name a feature, or none does.
    """
    for first in targets:
        for second in targets:
            names = [{name for name, _ in target.features} for target in (first, second)]
            if first.processor == second.processor and names[0] != names[1]:
                raise ConfigurationError(
                    f"architectures {first.name} and {second.name}: a device could use either "
                    "image; name the same features for both, or remove one"
                )
