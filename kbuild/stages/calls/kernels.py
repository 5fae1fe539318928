"""Read the calls that add kernels: ``kbuild_add_kernels`` and ``kbuild_target_sources``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.stages.calls.arguments import (
    ADD_KERNELS,
    TARGET_SOURCES,
    check_keywords,
    check_values,
    name_keyword,
    split_arguments,
)
from kbuild.stages.calls.keyword_settings import make_absolute, read_settings
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.paths import normalize
from kbuild.stages.settings import KernelSettings, check_file
from kbuild.values import dataclass

FUNCTIONS: Final = {"kbuild_add_kernels": ADD_KERNELS, "kbuild_target_sources": TARGET_SOURCES}
_MIXED_SUFFIXES: Final = (".cu", ".hip")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """A checked call.

    ``target`` is the CMake target. Each call for a target with mixed sources has its own ``name``.
    Paths in ``settings`` are absolute, but can be generator expressions. ``keywords`` are those in
    the call. In ``sources``, ``headers``, and ``generated``, each file has one spelling; the build
    generates the last ones. ``definitions`` are those that sources have for themselves.
    """

    record: CallRecord
    target: str
    name: str
    is_mixed: bool
    settings: KernelSettings
    keywords: tuple[str, ...]
    sources: tuple[Path, ...]
    headers: tuple[Path, ...] = ()
    generated: frozenset[Path] = frozenset()
    definitions: tuple[tuple[Path, tuple[str, ...]], ...] = ()

    @property
    def language(self) -> str:
        """The CMake language of the stub unit. Projects with C++ often do not enable C."""
        return "CXX" if self.record.find("CMAKE_CXX_COMPILER_LOADED") else "C"


def read_kernel_call(record: CallRecord) -> KernelCall:
    """Check a call and set its defaults.

    Raises:
        ConfigurationError: The call is wrong. The error has the keyword that it is about.
    """
    signature = FUNCTIONS[record.function]
    is_mixed = signature is TARGET_SOURCES
    target, *words = record.arguments
    if target in signature.keywords:
        raise ConfigurationError(
            f"the first argument is the keyword {target}; expected the name of the target"
        )
    if is_mixed:
        _check_first_keyword(target, words)
    arguments = split_arguments(signature, words)
    check_keywords(signature, arguments.others)
    check_values(signature, arguments, Path(record.find("CMAKE_CURRENT_SOURCE_DIR")))
    check_target = _check_existing_target if is_mixed else _check_new_target
    check_target(record, target)
    if signature.required not in arguments.values:
        raise ConfigurationError(
            f"{signature.required} is missing; name at least one kernel source"
        )
    settings = read_settings(record, signature, arguments)
    call = KernelCall(
        record=record,
        target=record.find("target.NAME", target),
        name=record.find("name"),
        is_mixed=is_mixed,
        settings=settings,
        keywords=tuple(arguments.values),
        sources=tuple(normalize(Path(source)) for source in settings.sources),
        headers=tuple(normalize(Path(header)) for header in settings.headers),
        generated=frozenset(_locate(record, word) for word in record.generated),
        definitions=tuple(
            (_locate(record, word), values) for word, values in record.definitions.items()
        ),
    )
    _check_languages(call)
    _check_files(call, signature.required)
    return call


def _check_first_keyword(target: str, words: list[str]) -> None:
    first = words[0] if words else ""
    if first.endswith(_MIXED_SUFFIXES) or first in ("PUBLIC", "INTERFACE"):
        raise ConfigurationError(
            f"expected PRIVATE instead of {first}; write "
            f"kbuild_target_sources({target} PRIVATE <source>...)"
        )


def _check_new_target(record: CallRecord, target: str) -> None:
    # CMake also rejects such names, but only when the target is added.
    if not re.fullmatch(r"[\w.+-]+", target, re.ASCII):
        raise ConfigurationError("CMake does not allow a target of that name; choose another name")
    if target in record.known:
        raise ConfigurationError("a target with this name already exists; choose another name")


def _check_existing_target(record: CallRecord, target: str) -> None:
    if target not in record.known:
        raise ConfigurationError(
            f"target {target} does not exist; create it first, for example with "
            f"add_executable({target})"
        )
    if record.find("target.IMPORTED") == "TRUE":
        raise ConfigurationError(
            f"another project built {target}; expected an executable or a library of this project"
        )


def _check_languages(call: KernelCall) -> None:
    find = call.record.find
    if call.is_mixed and call.language != "CXX":
        raise ConfigurationError(
            "mixed sources need a C++ compiler; add CXX to the project's LANGUAGES"
        )
    if call.language == "C" and not find("CMAKE_C_COMPILER_LOADED"):
        raise ConfigurationError(
            "the project enables neither C nor CXX; enable one of them in project()"
        )


def _locate(record: CallRecord, word: str) -> Path:
    """Return the file that an argument names."""
    return normalize(Path(make_absolute(word, record.find("CMAKE_CURRENT_SOURCE_DIR"))))


def _check_files(call: KernelCall, keyword: str) -> None:
    _check_sources(call)
    files = {keyword: call.sources, "HEADERS": call.headers}
    if call.settings.policy:
        files["POLICY"] = (Path(call.settings.policy),)
    for setting, paths in files.items():
        with name_keyword(setting):
            for path in paths:
                check_file(path, call.generated)


def _check_sources(call: KernelCall) -> None:
    known: set[Path] = set()
    for source in call.sources:
        if call.is_mixed and source.suffix not in _MIXED_SUFFIXES:
            raise ConfigurationError(
                f"{source} is not a .cu or .hip file; add C++ sources with target_sources()"
            )
        if source in known:
            raise ConfigurationError(f"{source} is named twice; name it once")
        known.add(source)
    for source, definitions in call.definitions:
        if source in known and any("$<" in definition for definition in definitions):
            raise ConfigurationError(
                f"unsupported generator expression in COMPILE_DEFINITIONS of {source}: "
                f"{';'.join(definitions)}; use target_compile_definitions()"
            )
