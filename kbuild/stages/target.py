"""A kernel target, and the flags for its device code, which CMake writes to a handoff file."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final, Literal

from kbuild import __version__
from kbuild.backends import select_values
from kbuild.errors import ConfigurationError, InputError
from kbuild.model import ArtifactKind, CompressionMode, RuntimeLinkage, Visibility
from kbuild.values import dataclass

DebugStubs = Literal["ON", "SYMBOLS", "OFF"]
# With LATER, somebody else links the relocatable device code.
Rdc = Literal["ON", "OFF", "LATER"]

# The device headers are C++17.
STANDARDS: Final = (17, 20, 23, 26)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """One kernel target, as ``kbuild_add_kernels`` or ``kbuild_target_sources`` describes it.

    Paths are absolute. In ``sources``, each file has one spelling; generated ones might not exist
    yet. ``definitions`` are those that sources have for themselves. ``compilers``,
    ``default_architectures``, ``platforms``, and ``launchers`` are pairs of a CMake language and a
    value. Items of ``architectures`` can start with the name of a backend; see `select_values`.

    ``has_weak_instances`` tells whether other sources find the kernels that a mixed source
    instantiates implicitly.

    ``is_mixed`` tells whether the sources also contain host code. ``host_sources`` are the target's
    C and C++ sources beside them, as far as they exist. ``host_compiler_id`` is CMake's name for
    the project's C++ compiler. ``compiler_target`` is the triple for which an option of CMake's
    makes it a cross compiler.

    ``kbuild_version`` is in the handoff files, so that another kbuild runs their edges again.

    ``launcher`` is the target's own compiler launcher: None if the target does not set one, empty
    if it turns off those of the languages.
    """

    name: str
    kind: ArtifactKind
    backend: str
    sources: tuple[Path, ...]
    source_root: Path
    output_directory: Path
    architectures: tuple[str, ...] = ()
    headers: tuple[Path, ...] = ()
    visibility: Visibility = "default"
    debug_stubs: DebugStubs = "OFF"
    rdc: Rdc = "OFF"
    check: bool = False
    has_weak_instances: bool = False
    compression: CompressionMode = "balance"
    runtime: RuntimeLinkage = "shared"
    device_standard: int = 17
    host_compiler: str | None = None
    compilers: tuple[tuple[str, str], ...] = ()
    default_architectures: tuple[tuple[str, str], ...] = ()
    platforms: tuple[tuple[str, str], ...] = ()
    stub_suffix: str = ".c"
    is_mixed: bool = False
    host_sources: tuple[Path, ...] = ()
    host_compiler_id: str = ""
    compiler_target: str = ""
    kbuild_version: str = __version__
    launcher: tuple[str, ...] | None = None
    launchers: tuple[tuple[str, str], ...] = ()
    definitions: tuple[tuple[Path, tuple[str, ...]], ...] = ()

    def group_definitions(self) -> dict[Path, tuple[str, ...]]:
        """Return the definitions that each source has for itself."""
        known = dict(self.definitions)
        return {
            source: tuple(d.removeprefix("-D") for d in known.get(source, ()))
            for source in self.sources
        }

    @property
    def sources_keyword(self) -> str:
        """The CMake keyword that lists the sources."""
        return "PRIVATE" if self.is_mixed else "SOURCES"

    def choose_launcher(self, language: str) -> tuple[str, ...]:
        """Return the compiler launcher: the target's own, or the one of ``language``."""
        if self.launcher is not None:
            return self.launcher
        return tuple(word for known, word in self.launchers if known == language)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFlags:
    """The flags for device code, from the target's expanded properties.

    ``host_options`` are the options of the project's C++ compiler, for mixed sources only.
    """

    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    build_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()


def read_flags(path: Path, backend: str) -> DeviceFlags:
    """Read a backend's device flags from the handoff file at ``path``, without empty values.

    The file has one ``key value`` pair per line. CMake cannot write JSON, because it cannot quote
    the lists to which generator expressions expand.
    """
    pairs = _read_pairs(path)
    return DeviceFlags(
        include_directories=tuple(dict.fromkeys(pairs.get("include_directory", ()))),
        definitions=tuple(d.removeprefix("-D") for d in dict.fromkeys(pairs.get("definition", ()))),
        build_options=pairs.get("build_option", ()),
        options=_expand_shell(select_values(pairs.get("option", ()), backend)),
        host_options=_expand_shell(pairs.get("host_option", ())),
    )


def _expand_shell(options: tuple[str, ...]) -> tuple[str, ...]:
    # CMake's SHELL: prefix protects a group of options from deduplication.
    expanded: list[str] = []
    for option in options:
        if option.startswith("SHELL:"):
            expanded.extend(_split(option.removeprefix("SHELL:")))
        else:
            expanded.append(option)
    return tuple(expanded)


def _split(group: str) -> tuple[str, ...]:
    """Divide a group of options, in which quotes group words, as CMake does."""
    try:
        return tuple(shlex.split(group))
    except ValueError:
        raise ConfigurationError(
            f"option 'SHELL:{group}': a quote is not closed; close it"
        ) from None


def _read_pairs(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        # CMake writes the bytes of paths unchanged, and they might not be UTF-8.
        lines = os.fsdecode(path.read_bytes()).split("\n")
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; run CMake again") from error
    pairs: dict[str, tuple[str, ...]] = {}
    for line in lines:
        key, _, value = line.partition(" ")
        if value:
            pairs[key] = (*pairs.get(key, ()), value)
    return pairs
