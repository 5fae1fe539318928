"""What the libraries of a wheel need of the system, by auditwheel."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from auditwheel.error import AuditwheelError
from auditwheel.policy import Policy
from auditwheel.wheel_abi import WheelAbIInfo, analyze_wheel_abi
from auditwheel.wheeltools import get_wheel_architecture, get_wheel_libc

from kbuild.facts import ArtifactFacts
from kbuild.facts.wheel import PlatformFacts, VersionNeed

T = TypeVar("T")

# Otherwise, libraries of this machine would count as parts of the wheel.
_NO_LIBRARIES: Final = ""
_NEVER: Final = (1 << 30, 0)
_RELEASE: Final = re.compile(r"(?:manylinux|musllinux)_(\d+)_(\d+)_\w+")


def read_platform(
    path: Path, platforms: tuple[str, ...], members: tuple[ArtifactFacts, ...]
) -> tuple[PlatformFacts | None, str | None]:
    """Return what the libraries of a wheel need, or else why that is unknown.

    auditwheel unpacks the wheel to a temporary directory.

    Args:
        path: The wheel.
        platforms: The platform tags of its name.
        members: The facts of the artifacts in it.
    """
    try:
        with _silence():
            found = analyze_wheel_abi(
                _try(get_wheel_libc, path.name),
                _try(get_wheel_architecture, path.name),
                path,
                frozenset(),
                disable_isa_ext_check=False,
                allow_graft=False,
                args_ldpaths=_NO_LIBRARIES,
            )
    except Exception as error:  # noqa: BLE001 - it does not document its errors for damaged wheels
        return None, f"auditwheel: {' '.join(str(error).split()) or type(error).__name__}"
    own = {f.dynamic.soname for f in members if f.dynamic}
    needs = {
        (library, version)
        for f in members
        if f.dynamic
        for library, version in f.dynamic.needed_versions
        if library not in own
    }
    return _describe(found, platforms, needs), None


def _try(read: Callable[[str], T], name: str) -> T | None:
    """Return what auditwheel reads from a name; None lets it judge by the libraries instead."""
    try:
        return read(name)
    except AuditwheelError:
        return None


@contextmanager
def _silence() -> Iterator[None]:
    """Keep auditwheel from writing about each library that it does not find."""
    logger = logging.getLogger("auditwheel")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _describe(
    found: WheelAbIInfo, platforms: tuple[str, ...], needs: set[tuple[str, str]]
) -> PlatformFacts:
    policies = {name: p for p in found.policies for name in (p.name, *p.aliases)}
    releases = {
        tag: release
        for tag in platforms
        if (release := _read_release(policies[tag].name if tag in policies else tag))
    }
    promised = min(releases, key=lambda tag: releases[tag], default=None)
    known = policies.get(promised or "")
    sufficient = found.sym_policy
    missing: tuple[VersionNeed, ...] | None = None
    if known is not None:
        missing = tuple(_find_missing(needs, known))
    elif promised and (_read_release(sufficient.name) or _NEVER) <= releases[promised]:
        missing = ()
    # auditwheel judges names without a release by the newest system that it knows.
    references = found.external_refs[(known or found.policies.highest).name]
    return PlatformFacts(
        promised=promised,
        consistent=found.overall_policy.name,
        sufficient=sufficient.name,
        missing=missing,
        external=tuple(sorted(references.libs)),
        forbidden=tuple(sorted({s for names in references.blacklist.values() for s in names})),
        needs_newer_processor=found.machine_policy == found.policies.linux,
    )


def _read_release(tag: str) -> tuple[int, int] | None:
    match = _RELEASE.fullmatch(tag)
    return (int(match[1]), int(match[2])) if match else None


def _find_missing(needs: set[tuple[str, str]], policy: Policy) -> Iterator[VersionNeed]:
    """Yield the versions that the systems of a policy do not have.

    auditwheel also counts versions that only weak references need. Without them, files load.
    """
    absent: dict[str, list[str]] = {}
    for library, version in sorted(needs):
        if library in policy.whitelist and not _has_version(policy, version):
            absent.setdefault(library, []).append(version)
    for library, versions in absent.items():
        yield VersionNeed(library=library, versions=tuple(versions))


def _has_version(policy: Policy, version: str) -> bool:
    name, _, number = version.partition("_")
    known = policy.symbol_versions.get(name)
    return known is None or number in known
