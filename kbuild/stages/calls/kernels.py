"""Read the calls that add kernels: ``kbuild_add_kernels`` and ``kbuild_target_sources``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from kbuild import records
from kbuild.errors import ConfigurationError, InputError
from kbuild.stages.calls.arguments import (
    ADD_KERNELS,
    KINDS,
    TARGET_SOURCES,
    Arguments,
    Signature,
    accepts_switch,
    check_keywords,
    check_values,
    is_list,
    split_arguments,
)
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.paths import normalize
from kbuild.stages.settings import (
    KernelSettings,
    about_setting,
    check_file,
    check_standard,
    check_words,
)
from kbuild.values import dataclass

FUNCTIONS: Final = {"kbuild_add_kernels": ADD_KERNELS, "kbuild_target_sources": TARGET_SOURCES}
_SWITCHES: Final = {
    **dict.fromkeys(("ON", "TRUE", "YES", "1"), True),
    **dict.fromkeys(("OFF", "FALSE", "NO", "0"), False),
}
_PATHS: Final = ("sources", "headers", "include_directories")
_MIXED_SUFFIXES: Final = (".cu", ".hip")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """A checked call.

    ``target`` is the CMake target. Each call for a target with mixed sources has its own ``name``.
    Paths in ``settings`` are absolute, but can be generator expressions. ``keywords`` are those in
    the call.
    """

    record: CallRecord
    target: str
    name: str
    is_mixed: bool
    settings: KernelSettings
    keywords: tuple[str, ...]

    @property
    def source_directory(self) -> str:
        """The directory of the call, from which relative paths start."""
        return self.record.find("CMAKE_CURRENT_SOURCE_DIR")

    @property
    def language(self) -> str:
        """The CMake language of the stub unit. Projects with C++ often do not enable C."""
        return "CXX" if self.record.find("CMAKE_CXX_COMPILER_LOADED") else "C"

    @property
    def generated(self) -> frozenset[Path]:
        """The arguments that are files which the build generates."""
        return frozenset(
            normalize(Path(_make_absolute(word, self.source_directory)))
            for word in self.record.generated
        )

    @property
    def sources(self) -> tuple[Path, ...]:
        """The sources, each with one spelling."""
        return tuple(normalize(Path(source)) for source in self.settings.sources)

    @property
    def headers(self) -> tuple[Path, ...]:
        """The headers, each with one spelling."""
        return tuple(normalize(Path(header)) for header in self.settings.headers)

    @property
    def definitions(self) -> dict[Path, tuple[str, ...]]:
        """The definitions that each source has for itself."""
        known = {
            normalize(Path(_make_absolute(word, self.source_directory))): definitions
            for word, definitions in self.record.definitions.items()
        }
        return {source: known.get(source, ()) for source in self.sources}


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
    call = KernelCall(
        record=record,
        target=record.find("target.NAME", target),
        name=record.find("name"),
        is_mixed=is_mixed,
        settings=_read_settings(record, signature, arguments),
        keywords=tuple(arguments.values),
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


def _find_kind(record: CallRecord) -> str:
    """Return the kind of an existing target."""
    kind = record.find("target.TYPE").removesuffix("_LIBRARY")
    if kind not in (*KINDS, "EXECUTABLE"):
        raise ConfigurationError(
            f"a target of type {kind} has no objects; expected an executable or a library of type "
            "STATIC, SHARED, MODULE, or OBJECT"
        )
    return kind.lower()


def _choose_kind(record: CallRecord, arguments: Arguments) -> str:
    chosen = [kind for kind in KINDS if kind in arguments.flags]
    if len(chosen) > 1:
        raise ConfigurationError(
            f"{' and '.join(chosen)} cannot be combined; choose one library type"
        )
    default = "SHARED" if record.find("BUILD_SHARED_LIBS") else "STATIC"
    return (*chosen, default)[0].lower()


def _read_settings(
    record: CallRecord, signature: Signature, arguments: Arguments
) -> KernelSettings:
    """Return the settings that the call contains, and the defaults of the others."""
    is_mixed = signature is TARGET_SOURCES
    settings: dict[str, Any] = {
        "kind": _find_kind(record) if is_mixed else _choose_kind(record, arguments)
    }
    if record.find("KBUILD_BACKEND"):
        settings["backend"] = record.find("KBUILD_BACKEND")
    if is_mixed:
        settings["device_standard"] = int(record.find("standard"))
    names = {**signature.single, **signature.lists}
    directory = record.find("CMAKE_CURRENT_SOURCE_DIR")
    for keyword, words in arguments.values.items():
        name = names[keyword]
        with about_setting(keyword):
            if name in _PATHS:
                settings[name] = tuple(_make_absolute(word, directory) for word in words)
            elif is_list(name):
                check_words(words if name != "architectures" else (), keyword)
                settings[name] = words
            else:
                settings[name] = _read_value(name, keyword, words[0])
    if "policy" in settings:
        settings["policy"] = str(normalize(Path(directory, settings["policy"])))
    return KernelSettings(**settings)


def _read_value(name: str, keyword: str, word: str) -> Any:
    value: object = int(word) if name == "device_standard" and word.isdigit() else word
    if accepts_switch(name):
        value = _read_switch(name, keyword, word)
    kind: Any = records.fields_of(KernelSettings)[name].kind
    try:
        read = records.from_json(kind, value, keyword)
    except InputError as error:
        raise ConfigurationError(str(error)) from error
    if name == "device_standard":
        check_standard(read, keyword)
    return read


def _read_switch(name: str, keyword: str, word: str) -> bool | str:
    choices: dict[str, bool | str] = {**_SWITCHES}
    if name == "debug_stubs":
        choices["SYMBOLS"] = "symbols"
    if word not in choices:
        expected = "ON, SYMBOLS, OFF" if "SYMBOLS" in choices else "ON, OFF"
        raise ConfigurationError(
            f"{keyword}: unsupported value {word!r}; expected one of {expected}"
        )
    return choices[word]


def _make_absolute(path: str, directory: str) -> str:
    """Return an absolute path, but leave generator expressions unchanged."""
    return path if path.startswith(("/", "$")) else f"{directory}/{path}"


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


def _check_files(call: KernelCall, keyword: str) -> None:
    for source in call.sources:
        if call.is_mixed and source.suffix not in _MIXED_SUFFIXES:
            raise ConfigurationError(
                f"{source} is not a .cu or .hip file; add C++ sources with target_sources()"
            )
        if call.sources.count(source) > 1:
            raise ConfigurationError(f"{source} is named twice; name it once")
    files = {keyword: call.sources, "HEADERS": call.headers}
    if call.settings.policy:
        files["POLICY"] = (Path(call.settings.policy),)
    for setting, paths in files.items():
        with about_setting(setting):
            for path in paths:
                check_file(path, setting, call.generated)
    for source, definitions in call.definitions.items():
        if any("$<" in definition for definition in definitions):
            raise ConfigurationError(
                f"unsupported generator expression in COMPILE_DEFINITIONS of {source}: "
                f"{';'.join(definitions)}; use target_compile_definitions()"
            )
