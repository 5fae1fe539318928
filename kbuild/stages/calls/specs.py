"""Turn a checked call into the targets that `kbuild.stages.plan` plans: one per configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.resources import identify_installation
from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.paths import normalize
from kbuild.stages.settings import choose_visibility
from kbuild.stages.target import DebugStubs, TargetSpec

_HOST_SUFFIXES: Final = (".c", ".cc", ".cpp", ".cxx")
_STUB_SUFFIXES: Final = {"C": ".c", "CXX": ".cpp"}
_DEBUG_STUBS: Final[dict[object, DebugStubs]] = {True: "ON", "symbols": "SYMBOLS", False: "OFF"}


def locate_target(call: KernelCall) -> Path:
    """Return the directory of the files that kbuild generates for a call."""
    return Path(call.record.find("CMAKE_CURRENT_BINARY_DIR")) / "kbuild" / call.name


def list_configurations(record: CallRecord) -> tuple[str, ...]:
    """Return the configurations of the generator. The empty one stands for the only one."""
    is_multi_config = record.find("GENERATOR_IS_MULTI_CONFIG")
    return record.find_all("CMAKE_CONFIGURATION_TYPES") if is_multi_config else ("",)


def make_spec(call: KernelCall, configuration: str) -> TargetSpec:
    """Return the target in one configuration. Each one has separate outputs."""
    record, settings = call.record, call.settings
    source_root = record.find("KBUILD_SOURCE_ROOT", record.find("CMAKE_CURRENT_SOURCE_DIR"))
    languages = record.find_all("backend_languages")  # whether or not they are enabled
    return TargetSpec(
        name=call.name,
        kind=settings.kind,
        backend=settings.backend,
        sources=call.sources,
        source_root=Path(source_root),
        output_directory=locate_target(call) / configuration,
        architectures=settings.architectures,
        headers=call.headers,
        visibility=choose_visibility(settings),
        debug_stubs=_DEBUG_STUBS[settings.debug_stubs],
        rdc="ON" if settings.rdc else "OFF",
        check=settings.check,
        has_weak_instances=settings.weak_instances,
        compression=settings.compression,
        runtime=settings.runtime,
        device_standard=settings.device_standard,
        host_compiler=settings.host_compiler,
        compilers=_pair(record, record.find_all("enabled_languages"), "CMAKE_{}_COMPILER"),
        default_architectures=_pair(record, languages, "CMAKE_{}_ARCHITECTURES"),
        platforms=_pair(record, languages, "CMAKE_{}_PLATFORM"),
        stub_suffix=_STUB_SUFFIXES[call.language],
        is_mixed=call.is_mixed,
        host_sources=tuple(_find_host_sources(record)),
        kbuild_version=identify_installation(),
        compiler_target=record.find("CMAKE_CXX_COMPILER_TARGET"),
        host_compiler_id=record.find("CMAKE_CXX_COMPILER_ID"),
        launcher=_find_launcher(record),
        launchers=_pair(record, languages, "CMAKE_{}_COMPILER_LAUNCHER"),
        definitions=call.definitions,
    )


def _pair(
    record: CallRecord, languages: tuple[str, ...], variable: str
) -> tuple[tuple[str, str], ...]:
    """Return the values of a variable of each language, with their language."""
    return tuple(
        (language, value)
        for language in languages
        for value in record.find_all(variable.format(language))
    )


def _find_launcher(record: CallRecord) -> tuple[str, ...] | None:
    """Return the words of the target's own compiler launcher, or None if it is not set."""
    for variable in ("KBUILD_COMPILER_LAUNCHER", "_KBUILD_COMPILER_LAUNCHER"):
        if variable in record.facts:
            return record.find_all(variable)
    return None


def _find_host_sources(record: CallRecord) -> Iterator[Path]:
    """Find the C and C++ sources of the target that exist."""
    directory = record.find("target.SOURCE_DIR")
    for source in record.find_all("target.SOURCES"):
        path = normalize(Path(directory, source))
        if path.suffix in _HOST_SUFFIXES and path.is_file():
            yield path
