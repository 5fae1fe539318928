"""A directory that is laid out as a CUDA toolkit, for build systems that look for one."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from kbuild import __version__, files, process
from kbuild.backends.interface.nvcc import ToolkitLayout
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.files import sha256
from kbuild.model import Command
from kbuild.resources import TOOLKIT_MARKER, find_cache
from kbuild.values import dataclass

_LIBRARIES: Final = "lib64"
_UNVERSIONED: Final = re.compile(r"\.so[\d.]*$")
_FUNCTION: Final = re.compile(r"\b(\w+)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*;")


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """A toolkit on this machine.

    Attributes:
        root: Its directory.
        layout: What it contains.
    """

    root: Path
    layout: ToolkitLayout

    @property
    def include(self) -> Path:
        """The directory of the headers."""
        return self.root / "include"

    @property
    def header_library(self) -> Path | None:
        """The include directory of CCCL."""
        return self.include / "cccl" if self.layout.header_library else None

    @property
    def libraries(self) -> Path:
        """The directory of the libraries."""
        return self.root / _LIBRARIES


def make_toolkit(layout: ToolkitLayout, tc: Toolchain, linker: Path) -> Toolkit:
    """Return the toolkit in the user's cache, which is created if it does not exist.

    Args:
        layout: What it contains.
        tc: The toolchain of its device code.
        linker: The compiler that links.

    Raises:
        ConfigurationError: The user has no cache directory.
        ToolError: The linker failed.
    """
    driver = _describe_driver(layout, tc)
    key = "\0".join((__version__, driver, str(tc.compiler), *_describe(layout)))
    root = find_cache("toolkits") / f"{tc.backend}-{sha256(key.encode())[:16]}"
    if not (root / TOOLKIT_MARKER).is_file():
        temporary = root.with_name(f".{root.name}.{os.urandom(8).hex()}")
        try:
            _fill(temporary, root, layout, linker)
            _write_driver(temporary / "bin" / "nvcc", driver)
            (temporary / TOOLKIT_MARKER).write_text("")
            _publish(temporary, root)
        finally:
            import shutil  # noqa: PLC0415 - slow to import, and rarely needed

            shutil.rmtree(temporary, ignore_errors=True)
    return Toolkit(root=root, layout=layout)


def _describe(layout: ToolkitLayout) -> Iterator[str]:
    """Yield what the files of the toolkit depend on: what it contains, and how it is made.

    A directory changes its time with the names of its entries.
    """
    yield repr(layout)
    read = [Path(__file__), *layout.headers, *layout.packages]
    read += [target for _, target in layout.libraries]
    read += [layout.runtime[1]] if layout.runtime else []
    read += [layout.driver[1]] if layout.driver else []
    for path in read:
        yield str(path.stat().st_ctime_ns) if path.exists() else ""


def names_built_library(words: Sequence[str], layout: ToolkitLayout) -> bool:
    """Return whether the words of a link can name a library that is built when it is needed.

    There are many ways to name one: an option, a path, or an option for the linker. A word can also
    name a file with more words.
    """
    names = [Path(name).stem.removeprefix("lib") for name in layout.built_libraries]
    return any("@" in word or any(name in word for name in names) for word in words)


def _publish(temporary: Path, root: Path) -> None:
    """Rename a complete directory. Another process can have been faster."""
    try:
        temporary.rename(root)
    except OSError:
        if not (root / TOOLKIT_MARKER).is_file():
            raise


def _describe_driver(layout: ToolkitLayout, tc: Toolchain) -> str:
    """Return the text of the driver, which runs the ``kbuild`` of this process."""
    variables = ("env", *map("=".join, layout.environment)) if layout.environment else ()
    driver = (*process.python_argv("kbuild.cli.main"), "nvcc", f"--backend={tc.backend}")
    return f'#!/bin/sh\nexec {shlex.join((*variables, *driver))} "$@"\n'


def _write_driver(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _fill(directory: Path, root: Path, layout: ToolkitLayout, linker: Path) -> None:
    programs, headers, libraries = (directory / name for name in ("bin", "include", _LIBRARIES))
    packages = libraries / "cmake"
    for path in (programs, headers, libraries, packages):
        path.mkdir(parents=True)
    (directory / "lib").symlink_to(_LIBRARIES)
    for source in layout.headers:
        for entry in source.iterdir():
            _link_header(headers / entry.name, entry)
    if layout.header_library:
        _link(headers / "cccl", layout.header_library)
    for package in layout.packages:
        _link(packages / package.name, package)
    for name, target in layout.programs:
        _link(programs / name, target)
    _fill_libraries(libraries, packages, layout)
    for name, text in layout.scripts:
        (libraries / name).write_text(text.format(directory=root / _LIBRARIES))
    if layout.device_library:
        (directory / "nvvm").symlink_to(layout.device_library)
    else:
        (directory / "nvvm" / "libdevice").mkdir(parents=True)
    _fill_stubs(libraries, layout, linker)
    version = {"cuda": {"name": "CUDA SDK", "version": layout.version}}
    (directory / "version.json").write_text(json.dumps(version, indent=2) + "\n")


def _fill_libraries(libraries: Path, packages: Path, layout: ToolkitLayout) -> None:
    for name, target in layout.libraries:
        if libraries / name == packages:
            for package in target.iterdir():
                _link(packages / package.name, package)
        else:
            _link(libraries / name, target)
    (libraries / "stubs").mkdir(exist_ok=True)


def _fill_stubs(libraries: Path, layout: ToolkitLayout, linker: Path) -> None:
    """Write the libraries that only linkers read."""
    if layout.runtime:
        name, library = layout.runtime
        _write_stub(_list_symbols(library), str(library), libraries / name, linker)
    if layout.driver:
        known, header, prefix = layout.driver
        stub = libraries / "stubs" / _UNVERSIONED.sub(".so", known)
        if not stub.exists():
            _write_stub(_list_declared(header, prefix, linker), known, stub, linker)


def _link_header(path: Path, target: Path) -> None:
    """Link a header, or a directory; one that several sources have contains what each has."""
    if path.is_dir() and target.is_dir():
        if path.is_symlink():
            first = path.readlink()
            path.unlink()
            path.mkdir()
            _link_header(path, first)
        for entry in target.iterdir():
            _link_header(path / entry.name, entry)
    else:
        _link(path, target)


def _link(path: Path, target: Path) -> None:
    if not path.is_symlink():
        path.symlink_to(target)


def _list_symbols(library: Path) -> set[str]:
    from kbuild.formats.elf.file import Elf  # noqa: PLC0415 - loads pyelftools

    symbols = Elf(files.read_file(library)).symbols
    return {s.name for s in symbols if s.dynamic and s.place and s.binding != "local"}


def _list_declared(header: Path, prefix: str, compiler: Path) -> set[str]:
    """Return the functions that a header of C declares; macros can give them other names."""
    argv = (str(compiler), "-E", "-P", "-x", "c", str(header))
    text = process.run_checked(Command(argv=argv, inputs=(header,))).stdout
    return {name for name in _FUNCTION.findall(text) if name.startswith(prefix)}


def _write_stub(names: Iterable[str], known: str, output: Path, linker: Path) -> None:
    """Write a library without code for linkers. What is linked with it loads ``known``.

    With a path, programs load that file without a search path, which a linker script cannot set.
    """
    text = "".join(f".globl {name}\n.type {name}, @function\n{name}:\n" for name in sorted(names))
    assembly = output.with_suffix(".s")
    assembly.write_text(f'.text\n{text}.byte 0\n.section .note.GNU-stack,"",@progbits\n')
    name = f"-Wl,-soname,{known}"
    argv = (str(linker), "-shared", "-nostdlib", name, str(assembly), "-o", str(output))
    process.run_checked(Command(argv=argv, inputs=(assembly,), outputs=(output,)))
    assembly.unlink()
