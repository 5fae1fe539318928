"""The tables of a manifest, and the values that they become.

The keys of a target are the keywords of ``kbuild_add_kernels`` in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.project.manifest.sources import is_kernel_source
from kbuild.stages.settings import KernelSettings, StubChoice

PROFILES: Final = ("release", "debug")
DEFAULT_STANDARD: Final = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTable(KernelSettings):
    """The settings of a target, as a ``[target.<name>]`` table lists them.

    Paths are unchanged, and relative to the root of the manifest. ``host_options``,
    ``link_directories``, and ``link_libraries`` apply to targets with host code.
    """

    host_options: tuple[str, ...] = ()
    link_directories: tuple[str, ...] = ()
    link_libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileTable:
    """A ``[profile.<name>]`` table, which changes every target.

    Its lists are appended to those of the target. Its other values, unless they are None, replace
    those of the target.
    """

    definitions: tuple[str, ...] = ()
    compile_options: tuple[str, ...] = ()
    debug_stubs: StubChoice | None = None
    verify: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestTarget:
    """A target with its name, its table, and its source files.

    ``has_host_code`` tells whether the target is an executable, or one of its kernel sources also
    contains host code. Its kernel sources are then mixed sources, and the others host sources.
    An executable that links a target with kernels needs no kernel source.
    """

    name: str
    table: TargetTable
    sources: tuple[Path, ...]
    has_host_code: bool = False

    @property
    def is_plain_program(self) -> bool:
        """Whether the target is an executable whose sources cannot contain kernels."""
        return self.table.kind == "executable" and not any(map(is_kernel_source, self.sources))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What to build: the content of a manifest, or what a command line says instead.

    Relative paths start from ``root``. ``path`` is the file, or None for a command line.
    ``policy`` is the file itself if it has a ``[verify]`` table, which then applies to the
    targets without their own policy. ``profiles`` holds the profiles that have a table.
    """

    root: Path
    targets: tuple[ManifestTarget, ...]
    path: Path | None = None
    policy: Path | None = None
    profiles: tuple[tuple[str, ProfileTable], ...] = ()

    @property
    def policies(self) -> tuple[Path, ...]:
        """The policy files of all targets, each once."""
        found = (self.find_policy(target) for target in self.targets)
        return tuple(dict.fromkeys(path for path in found if path))

    def find_policy(self, target: ManifestTarget) -> Path | None:
        """Return the policy file of a target, or None if it has no policy."""
        if target.table.policy:
            return self.root / target.table.policy
        return self.policy

    def find_profile(self, name: str) -> ProfileTable:
        """Return the profile of this name. Without a table, it changes nothing."""
        return dict(self.profiles).get(name, ProfileTable())
