"""Facts about a wheel as a whole: what its name promises, and what is in it."""

from __future__ import annotations

from kbuild.model import Problem
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionNeed:
    """The versions of symbols that files of a wheel need from one library."""

    library: str
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformFacts:
    """What the libraries of a wheel need of the systems that its name promises.

    Attributes:
        promised: The platform tag of the oldest system; None if no tag names a release of the
            C library, as in ``linux_x86_64``.
        consistent: The tag of the oldest system that has all libraries and versions.
        sufficient: The tag of the oldest system that has all versions.
        missing: The versions that systems of the promised tag do not have. None if the promised
            tag is not known.
        external: The libraries that neither the wheel nor these systems have.
        forbidden: The symbols that these systems do not promise to have.
        needs_newer_processor: Whether a library requires instructions that are not part of the
            architecture that the tag names.
    """

    promised: str | None
    consistent: str
    sufficient: str
    missing: tuple[VersionNeed, ...] | None
    external: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    needs_newer_processor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSymbol:
    """A symbol of Python that a module for several versions of Python needs.

    Attributes:
        module: The path of the module in the wheel.
        added: The version of Python whose stable ABI has it first; None if none has it.
    """

    module: str
    name: str
    added: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFacts:
    """What the modules for the stable ABI of Python need.

    Attributes:
        promised: The oldest version of Python that the tags promise; None if they name no version.
        modules: The paths of these modules in the wheel.
        symbols: The symbols that are not in the stable ABI of every version.
    """

    promised: tuple[int, int] | None
    modules: tuple[str, ...]
    symbols: tuple[PythonSymbol, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelFacts:
    """What a wheel promises and contains.

    Attributes:
        version: The version in its name.
        platforms: The platform tags of its name.
        size: The size of the wheel itself, in bytes.
        requirements: The distributions that it requires, as written in its metadata.
        bills: The paths of its bills of materials (PEP 770).
        record_problems: Where ``RECORD`` and the files of the wheel differ.
        platform: What its libraries need; None if ``platform_problem`` says why that is unknown.
    """

    version: str
    platforms: tuple[str, ...]
    size: int
    requirements: tuple[str, ...]
    bills: tuple[str, ...]
    record_problems: tuple[Problem, ...]
    python: PythonFacts
    platform: PlatformFacts | None
    platform_problem: str | None = None
