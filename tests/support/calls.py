"""Records of CMake calls, as CMake writes them for ``kbuild plan``."""

from __future__ import annotations

from pathlib import Path

from kbuild.stages.calls.kernels import KernelCall, read_kernel_call
from kbuild.stages.calls.record import CallRecord, read_call

PROJECT = {
    "CMAKE_BINARY_DIR": "{0}/build",
    "CMAKE_CURRENT_BINARY_DIR": "{0}/build",
    "CMAKE_CURRENT_SOURCE_DIR": "{0}",
    "CMAKE_CXX_COMPILER": "/usr/bin/c++",
    "CMAKE_CXX_COMPILER_ID": "GNU",
    "CMAKE_CXX_COMPILER_LOADED": "ON",
    "CMAKE_GENERATOR": "Ninja",
    "enabled_languages": "CXX",
    "backend_languages": "CXX",
}
TARGET = {
    "known": "t",
    "target.NAME": "t",
    "target.TYPE": "EXECUTABLE",
    "target.IMPORTED": "FALSE",
    "target.SOURCE_DIR": "{0}",
    "standard": "17",
}


def write_record(
    directory: Path, function: str, *arguments: str, **facts: str | tuple[str, ...]
) -> Path:
    """Write the record of a call in a C++ project, in which ``a.cu`` and ``b.cu`` exist.

    Args:
        directory: The directory of the project.
        function: The function that is called.
        arguments: Its arguments.
        facts: Further lines, or other values. In their names, ``__`` stands for a period. An empty
            tuple removes a line.
    """
    for name in ("a.cu", "b.cu"):
        (directory / name).touch()
    known = {**PROJECT, **(TARGET if function == "kbuild_target_sources" else {})}
    lines: dict[str, tuple[str, ...]] = {
        name: (value.format(directory),) for name, value in known.items()
    }
    for name, value in facts.items():
        lines[name.replace("__", ".")] = (value,) if isinstance(value, str) else value
    pairs = [("function", function), ("name", arguments[0] if arguments else function)]
    pairs += [("argument", argument) for argument in arguments]
    pairs += [(name, value) for name, values in lines.items() for value in values]
    path = directory / "call.txt"
    text = "".join(f"{name} {value}\n" for name, value in pairs)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def make_record(
    directory: Path, function: str, *arguments: str, **facts: str | tuple[str, ...]
) -> CallRecord:
    """Return the record that `write_record` writes."""
    return read_call(write_record(directory, function, *arguments, **facts))


def add_kernels(directory: Path, *arguments: str, **facts: str | tuple[str, ...]) -> KernelCall:
    """Return the call ``kbuild_add_kernels(t <arguments>)``."""
    return read_kernel_call(make_record(directory, "kbuild_add_kernels", "t", *arguments, **facts))


def add_sources(directory: Path, *arguments: str, **facts: str | tuple[str, ...]) -> KernelCall:
    """Return the call ``kbuild_target_sources(t <arguments>)``."""
    record = make_record(directory, "kbuild_target_sources", "t", *arguments, **facts)
    return read_kernel_call(record)
