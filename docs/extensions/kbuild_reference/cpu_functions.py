"""The functions, headers, and features of CUDA that the CPU backend has, from its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.cpu.absent_headers import LIBRARIES
from kbuild.resources import native_directory
from kbuild_reference.markdown import format_table

_DEVICE: Final = native_directory() / "device" / "cpu" / "kbuild_cpu"
_HOST: Final = _DEVICE / "host"
_DRIVER: Final = _DEVICE / "driver"
_PAGES: Final = Path(__file__).parents[2] / "reference"
_ROW: Final = re.compile(r"\bX\((\w+)\)")
_RUNTIME: Final = "[runtime API](cuda-host-api.md)"
_DRIVER_PAGE: Final = "[driver API](cuda-driver-api.md)"
_LANGUAGE: Final = "[device language](cpu-device-language.md)"
_RTC: Final = "[NVRTC](cuda-driver-api.md#nvrtc)"


def render(argument: str, _body: str) -> str:
    """Render a list of the driver's functions, or the table of everything."""
    lists = {
        "driver": _list_names(list_driver_functions()),
        "driver-missing": _list_names(list_missing_driver_functions()),
        "everything": format_table(("Name", "On the CPU", "More"), _list_rows()),
    }
    if argument not in lists:
        raise ValueError(f"unknown list {argument!r}; expected one of {', '.join(lists)}")
    return lists[argument]


def list_driver_functions() -> tuple[str, ...]:
    """Return the functions of the driver API that the backend has."""
    found = _ROW.findall((_DRIVER / "function_list.h").read_text())
    return tuple(sorted((*(f"cu{name}" for name in found), "cuGetProcAddress")))


def list_missing_driver_functions() -> tuple[str, ...]:
    """Return the functions of the driver API that are errors."""
    return tuple(f"cu{name}" for name in _ROW.findall((_DRIVER / "unsupported.h").read_text()))


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) + ".\n"


def _list_rows() -> Iterator[tuple[str, str, str]]:
    yield from sorted(_list_functions(), key=lambda row: row[0].lower())
    for library, headers in LIBRARIES.items():
        # A pattern of names is as clear as they are, with stars for its letters.
        names = re.sub(r"\\w\*|\(\?:[^()]*\)\*", "*", headers).replace("\\.", ".")
        yield f"{library} (`{re.sub(r'[()?:]', '', names)}`)", "error", "no library for the CPU"
    for cells in _list_features():
        yield cells[0], cells[1], _LANGUAGE


def _list_functions() -> Iterator[tuple[str, str, str]]:
    page = (_PAGES / "cuda-host-api.md").read_text()
    listed = page.split("## Functions")[1].split("## Differences")[0]
    for name in sorted(set(re.findall(r"`(cuda[A-Z]\w+)`", listed.split("Every other")[0]))):
        yield f"`{name}`", "yes", _RUNTIME
    for name in _ROW.findall((_HOST / "unsupported_api.h").read_text()):
        yield f"`cuda{name}`", "error", _RUNTIME
    for name in list_driver_functions():
        yield f"`{name}`", "yes", _DRIVER_PAGE
    for name in list_missing_driver_functions():
        yield f"`{name}`", "error", _DRIVER_PAGE
    header = (_DEVICE.parent / "nvrtc.h").read_text()
    for name in sorted(set(re.findall(r"nvrtcResult (nvrtc\w+)\(", header))):
        yield f"`{name}`", "error" if "IR" in name else "yes", _RTC


def _list_features() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the tables about the device language."""
    for line in (_PAGES / "cpu-device-language.md").read_text().splitlines():
        cells = tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        name, result, *_ = (*cells, "", "")
        if re.match(r"(?:same|close|different|error)\b", result):
            yield name.replace("\\|", "|"), result
