"""What a project asks for: CMake's hand-over files, read and checked.

CMake writes one ``key value`` pair a line.  Generator expressions expand to lists that
CMake cannot quote for JSON, and no value it passes on may hold a line break.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from kbuild.errors import ConfigurationError, InputError
from kbuild.model import ArtifactKind, CompressionMode, RuntimeLinkage, Visibility
from kbuild.stages.paths import normalize

DebugStubs = Literal["ON", "SYMBOLS", "OFF"]
Switch = Literal["ON", "OFF"]

# The device headers are C++17.
STANDARDS: Final = ("17", "20", "23", "26")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """One kernel target as ``kbuild_add_kernels`` describes it.

    Paths are absolute, those of ``sources`` and ``generated`` with one spelling a file; sources
    that are ``generated`` may not exist yet.
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
    launcher: tuple[str, ...] | None = None
    launchers: tuple[tuple[str, str], ...] = ()

    def choose_launcher(self, language: str) -> tuple[str, ...]:
        """The words in front of compiler calls: the target's own, else those of ``language``."""
        if self.launcher is not None:
            return self.launcher
        return tuple(word for known, word in self.launchers if known == language)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFlags:
    """The flags that reach device code, as the target's properties expand."""

    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    build_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def read_target(path: Path) -> TargetSpec:
    """The target that the hand-over file at ``path`` describes.

    Raises ConfigurationError for a value that is none of the allowed ones, a source that
    does not exist or one that is named twice.
    """
    pairs = _read_pairs(path)

    def one(key: str, default: str | None = None) -> str:
        values = pairs.get(key, ())
        if values:
            return values[-1]
        if default is None:
            raise InputError(f"{path}: no {key}")
        return default

    name = one("name")
    spec = TargetSpec(
        name=name,
        kind=_choice("type", one("kind"), get_args(ArtifactKind)),
        backend=one("backend"),
        sources=tuple(normalize(Path(source)) for source in pairs.get("source", ())),
        source_root=Path(one("source_root")),
        output_directory=Path(one("output_directory")),
        generated=tuple(normalize(Path(source)) for source in pairs.get("generated", ())),
        architectures=pairs.get("architecture", ()),
        headers=tuple(Path(header) for header in pairs.get("header", ())),
        visibility=_choice("VISIBILITY", one("visibility"), get_args(Visibility)),
        debug_stubs=_choice("DEBUG_STUBS", one("debug_stubs"), get_args(DebugStubs)),
        rdc=_choice("RDC", one("rdc"), get_args(Switch)),
        compression=_choice(
            "COMPRESSION", one("compression", "balance"), get_args(CompressionMode)
        ),
        runtime=_choice("RUNTIME", one("runtime"), get_args(RuntimeLinkage)),
        standard=_choice("DEVICE_STANDARD", one("standard"), STANDARDS),
        host_compiler=one("host_compiler", "") or None,
        compilers=_by_language(pairs, "compiler."),
        default_architectures=_by_language(pairs, "architecture."),
        platforms=_by_language(pairs, "platform."),
        stub_suffix=one("stub_suffix"),
        launcher=_read_launcher(pairs),
        launchers=_by_language(pairs, "launcher."),
    )
    _check_files(spec)
    return spec


def _read_launcher(pairs: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """None where nothing is said; of ``launcher none`` no word, which overrides a language's."""
    words = pairs.get("launcher")
    return () if words == ("none",) else words


def _by_language(pairs: dict[str, tuple[str, ...]], prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key.removeprefix(prefix), value)
        for key, values in pairs.items()
        if key.startswith(prefix)
        for value in values
    )


def read_flags(path: Path) -> DeviceFlags:
    """The device flags in the hand-over file at ``path``; empty values are dropped."""
    pairs = _read_pairs(path)
    return DeviceFlags(
        include_directories=tuple(dict.fromkeys(pairs.get("include_directory", ()))),
        definitions=tuple(d.removeprefix("-D") for d in dict.fromkeys(pairs.get("definition", ()))),
        build_options=pairs.get("build_option", ()),
        options=_expand_shell(pairs.get("option", ())),
    )


def _expand_shell(options: tuple[str, ...]) -> tuple[str, ...]:
    # CMake's SHELL: prefix keeps a group together against de-duplication.
    expanded: list[str] = []
    for option in options:
        if option.startswith("SHELL:"):
            expanded.extend(option.removeprefix("SHELL:").split())
        else:
            expanded.append(option)
    return tuple(expanded)


def _read_pairs(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        # CMake passes the bytes of paths on, whatever they are.
        lines = os.fsdecode(path.read_bytes()).split("\n")
    except FileNotFoundError as error:
        raise InputError(f"{path}: not there; run CMake again") from error
    pairs: dict[str, tuple[str, ...]] = {}
    for line in lines:
        key, _, value = line.partition(" ")
        if value:
            pairs[key] = (*pairs.get(key, ()), value)
    return pairs


def _choice(keyword: str, value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise ConfigurationError(f"{keyword} is {value!r}; it may be {', '.join(allowed)}")
    return value


def _check_files(spec: TargetSpec) -> None:
    if not spec.sources:
        raise ConfigurationError("no SOURCES")
    for keyword, paths in (("SOURCES", spec.sources), ("HEADERS", spec.headers)):
        for path in paths:
            if path not in spec.generated and not path.is_file():
                raise ConfigurationError(f"{keyword}: {path}: no such file")
    for source in spec.sources:
        if spec.sources.count(source) > 1:
            raise ConfigurationError(f"{source} is named twice in SOURCES")
