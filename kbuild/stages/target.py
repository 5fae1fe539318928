"""Read and check the handoff files in which CMake describes a kernel target.

CMake writes one ``key value`` pair per line. It cannot write JSON, because it cannot quote the
lists to which generator expressions expand. No value can contain a line break.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, Literal, get_args

from kbuild.backends import select_values
from kbuild.errors import ConfigurationError, InputError
from kbuild.model import ArtifactKind, CompressionMode, RuntimeLinkage, Visibility
from kbuild.stages.paths import normalize
from kbuild.values import dataclass

DebugStubs = Literal["ON", "SYMBOLS", "OFF"]
Switch = Literal["ON", "OFF"]

# The device headers are C++17.
STANDARDS: Final = ("17", "20", "23", "26")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """One kernel target, as ``kbuild_add_kernels`` or ``kbuild_target_sources`` describes it.

    Paths are absolute. In ``sources`` and ``generated``, each file has one spelling. The
    ``generated`` sources might not exist yet. ``source_definitions`` are pairs of the number of a
    source and one of its own definitions. ``compilers``, ``default_architectures``,
    ``platforms``, and ``launchers`` are pairs of a CMake language and a value. Items of
    ``architectures`` can start with the name of a backend; see `select_values`.

    ``is_mixed`` tells whether the sources also contain host code. ``host_sources`` are the target's
    C and C++ sources beside them, as far as they exist. ``host_compiler_id`` is CMake's name for
    the project's C++ compiler.

    ``launcher`` is the target's own compiler launcher: None if the target does not set one, empty
    if it turns off those of the languages.
    """

    name: str
    kind: ArtifactKind
    backend: str
    sources: tuple[Path, ...]
    source_root: Path
    output_directory: Path
    generated: tuple[Path, ...] = ()
    architectures: tuple[str, ...] = ()
    headers: tuple[Path, ...] = ()
    visibility: Visibility = "default"
    debug_stubs: DebugStubs = "OFF"
    rdc: Switch = "OFF"
    compression: CompressionMode = "balance"
    runtime: RuntimeLinkage = "shared"
    standard: str = "17"
    host_compiler: str | None = None
    compilers: tuple[tuple[str, str], ...] = ()
    default_architectures: tuple[tuple[str, str], ...] = ()
    platforms: tuple[tuple[str, str], ...] = ()
    stub_suffix: str = ".c"
    is_mixed: bool = False
    host_sources: tuple[Path, ...] = ()
    host_compiler_id: str = ""
    launcher: tuple[str, ...] | None = None
    launchers: tuple[tuple[str, str], ...] = ()
    source_definitions: tuple[tuple[str, str], ...] = ()

    def group_definitions(self) -> dict[Path, tuple[str, ...]]:
        """Return the definitions that each source has for itself."""
        groups: dict[Path, tuple[str, ...]] = dict.fromkeys(self.sources, ())
        for number, definition in self.source_definitions:
            source = self.sources[int(number)]
            groups[source] = (*groups[source], definition.removeprefix("-D"))
        return groups

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

    ``host_options`` are the options of the project's C++ compiler, for host passes only.
    """

    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    build_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()


def read_target(path: Path) -> TargetSpec:
    """Read the target that the handoff file at ``path`` describes.

    Raises:
        ConfigurationError: A value is not supported, a source or header does not exist, or a source
            is named twice.
        InputError: The file does not exist, or lacks a key.
    """
    pairs = _read_pairs(path)

    def find_last(key: str, default: str | None = None) -> str:
        values = pairs.get(key, ())
        if values:
            return values[-1]
        if default is None:
            raise InputError(f"{path}: key '{key}' is missing; run CMake again")
        return default

    name = find_last("name")
    spec = TargetSpec(
        name=name,
        kind=_check_choice("type", find_last("kind"), get_args(ArtifactKind)),
        backend=find_last("backend"),
        sources=tuple(normalize(Path(source)) for source in pairs.get("source", ())),
        source_root=Path(find_last("source_root")),
        output_directory=Path(find_last("output_directory")),
        generated=tuple(normalize(Path(source)) for source in pairs.get("generated", ())),
        architectures=pairs.get("architecture", ()),
        headers=tuple(Path(header) for header in pairs.get("header", ())),
        visibility=_check_choice("VISIBILITY", find_last("visibility"), get_args(Visibility)),
        debug_stubs=_check_choice("DEBUG_STUBS", find_last("debug_stubs"), get_args(DebugStubs)),
        rdc=_check_choice("RDC", find_last("rdc"), get_args(Switch)),
        compression=_check_choice(
            "COMPRESSION", find_last("compression", "balance"), get_args(CompressionMode)
        ),
        runtime=_check_choice("RUNTIME", find_last("runtime"), get_args(RuntimeLinkage)),
        standard=_check_choice("DEVICE_STANDARD", find_last("standard"), STANDARDS),
        host_compiler=find_last("host_compiler", "") or None,
        compilers=_by_suffix(pairs, "compiler."),
        default_architectures=_by_suffix(pairs, "architecture."),
        platforms=_by_suffix(pairs, "platform."),
        stub_suffix=find_last("stub_suffix"),
        is_mixed=find_last("mixed", "OFF") == "ON",
        host_sources=tuple(map(Path, pairs.get("host_source", ()))),
        host_compiler_id=find_last("host_compiler_id", ""),
        launcher=_read_launcher(pairs),
        launchers=_by_suffix(pairs, "launcher."),
        source_definitions=_by_suffix(pairs, "definition."),
    )
    _check_files(spec)
    return spec


def _read_launcher(pairs: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the target's launcher, None if it is not set, or no words for ``launcher none``."""
    words = pairs.get("launcher")
    return () if words == ("none",) else words


def _by_suffix(pairs: dict[str, tuple[str, ...]], prefix: str) -> tuple[tuple[str, str], ...]:
    """Return the values of ``<prefix><suffix>``, each with its suffix."""
    return tuple(
        (key.removeprefix(prefix), value)
        for key, values in pairs.items()
        if key.startswith(prefix)
        for value in values
    )


def read_flags(path: Path, backend: str) -> DeviceFlags:
    """Read a backend's device flags from the handoff file at ``path``, without empty values."""
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
            expanded.extend(option.removeprefix("SHELL:").split())
        else:
            expanded.append(option)
    return tuple(expanded)


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


def _check_choice(keyword: str, value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise ConfigurationError(f"{keyword} is {value!r}; expected one of {', '.join(allowed)}")
    return value


def _check_files(spec: TargetSpec) -> None:
    if not spec.sources:
        keyword = spec.sources_keyword
        raise ConfigurationError(f"{keyword} is empty; list at least one kernel source")
    for keyword, paths in ((spec.sources_keyword, spec.sources), ("HEADERS", spec.headers)):
        for path in paths:
            if path not in spec.generated and not path.is_file():
                raise ConfigurationError(f"{keyword}: {path}: no such file")
    for source in spec.sources:
        if spec.sources.count(source) > 1:
            raise ConfigurationError(f"{source} is named twice; name it once")
