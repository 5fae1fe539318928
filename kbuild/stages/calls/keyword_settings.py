"""Read the settings of a kernel target from the keywords of a call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from kbuild import records
from kbuild.errors import ConfigurationError, InputError, about
from kbuild.stages.calls.arguments import (
    KINDS,
    TARGET_SOURCES,
    Arguments,
    Signature,
    accepts_switch,
    is_list,
    name_keyword,
)
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.paths import normalize
from kbuild.stages.settings import KernelSettings, check_lines, check_standard

_SWITCHES: Final = {
    **dict.fromkeys(("ON", "TRUE", "YES", "1"), True),
    **dict.fromkeys(("OFF", "FALSE", "NO", "0"), False),
}
_FILES: Final = ("sources", "headers")
_PATHS: Final = (*_FILES, "include_directories")


def read_settings(record: CallRecord, signature: Signature, arguments: Arguments) -> KernelSettings:
    """Return the settings that the call contains, and the defaults of the others.

    Raises:
        ConfigurationError: A value is not supported. The error has the keyword.
    """
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
        with about(setting=keyword):
            if is_list(name):
                settings[name] = tuple(_read_list(name, keyword, words, directory))
            else:
                settings[name] = _read_value(name, keyword, words[0])
    if "policy" in settings:
        settings["policy"] = str(normalize(Path(directory, settings["policy"])))
    read = KernelSettings(**settings)
    with name_keyword("DEVICE_STANDARD"):
        check_standard(read.device_standard)
    return read


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


def _read_list(name: str, keyword: str, words: tuple[str, ...], directory: str) -> Iterator[str]:
    """Return the values of a list, of which an argument can contain several."""
    for word in words:
        # Files are listed one by one, so that a semicolon belongs to their names.
        is_single = name in _FILES or "$<" in word
        values = [word] if is_single else re.split(r"(?<!\\);", word)
        with name_keyword(keyword):
            check_lines(values)
        for value in values:
            text = value if is_single else value.replace("\\;", ";")
            if text:
                yield make_absolute(text, directory) if name in _PATHS else text


def _read_value(name: str, keyword: str, word: str) -> Any:
    value: object = int(word) if name == "device_standard" and word.isdecimal() else word
    if accepts_switch(name):
        value = _read_switch(name, keyword, word)
    kind: Any = records.fields_of(KernelSettings)[name].kind
    try:
        return records.from_json(kind, value, keyword)
    except InputError as error:
        raise ConfigurationError(str(error)) from error


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


def make_absolute(path: str, directory: str) -> str:
    """Return an absolute path, but leave generator expressions unchanged."""
    return path if path.startswith(("/", "$")) else f"{directory}/{path}"
