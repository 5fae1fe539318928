"""Compile a program that a running program has written into a directory.

The names of the files are those of ``native/cpu/api/rtc.cpp``. Lists end each item with a null
character.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.cxx.declarations import find_qualified
from kbuild.cxx.unit import Unit
from kbuild.demangle.names import demangle
from kbuild.errors import ConfigurationError, KbuildError
from kbuild.formats.image_text import write_text
from kbuild.runtime.compiling.compiler import NATIVE, KernelCompiler
from kbuild.runtime.nvrtc.lowered_names import find_symbols, list_references
from kbuild.runtime.nvrtc.options import read_options

# The codes of NVRTC.
_INVALID_OPTION: Final = 5
_COMPILATION: Final = 6
_MACRO: Final = "-D__CUDACC_RTC__=1"
# The directory of the generated text, which the program does not have.
_TEMPORARY: Final = re.compile(r"[^\s:\"]*/kbuild-compile-\w+/")
_VARIABLES: Final = frozenset(("__device__", "__constant__", "__managed__"))
_SUFFIXES: Final = (".cu", ".cpp", ".cc", ".cxx")


def compile_directory(directory: Path, backend: str) -> int:
    """Compile the program of a directory, and write the results into it.

    Returns:
        NVRTC's code: 0, or that of the error that the log explains.
    """
    log = directory / "log"
    try:
        options = read_options(read_list(directory / "options"))
    except ConfigurationError as error:
        files.write_file(log, f"nvrtc: error: {error}\n".encode())
        return _INVALID_OPTION
    name = files.read_file(directory / "name").decode(errors="surrogateescape")
    source_directory = (f"-I{Path(name).parent.absolute()}",) if options.includes_source else ()
    compiler = KernelCompiler(
        backend,
        NATIVE,
        (f"-I{directory / 'headers'}", *source_directory, *options.words, _MACRO),
        standard=options.standard,
        debug=options.debug,
        fma=options.fma,
        relocatable=options.relocatable,
        # The path of the headers is another one for each program.
        cache=False if (directory / "headers").exists() else None,
    )
    expressions = read_list(directory / "expressions")
    text = files.read_file(directory / "source").decode(errors="surrogateescape")
    if not options.relocatable:
        text = _name_variables(text)
    try:
        module = compiler.compile(f"{text}\n{list_references(expressions)}", name=_name_file(name))
    except KbuildError as error:
        files.write_file(log, _TEMPORARY.sub("", f"{error}\n").encode(errors="replace"))
        return _COMPILATION
    (image,) = module.images
    kernels = {kernel.name: demangle(kernel.name) for kernel in module.values()}
    symbols = find_symbols(image.data, kernels, expressions)
    warnings = _TEMPORARY.sub("", module.compilation.warnings)
    files.write_file(log, warnings.encode(errors="replace"))
    files.write_file(directory / "symbols", "".join(f"{one}\0" for one in symbols).encode())
    write_results(directory, image.data)
    if options.is_linkable:
        files.write_file(directory / "linkable", image.data)
    return 0


def write_results(directory: Path, image: bytes) -> None:
    """Write an image for the program, also as text with a null character at its end."""
    files.write_file(directory / "image", image)
    files.write_file(directory / "text", write_text(image) + b"\0")


def _name_variables(text: str) -> str:
    """Make static variables of namespaces global, as programs find them by name.

    No other text can have a variable with the same name. Blanks keep the columns of the text.
    """
    characters = list(text)
    for found in find_qualified(Unit(text), _VARIABLES):
        is_static = found.kind == "variable" and found.scope in ("", "namespace", "language")
        for token in found.head if is_static else ():
            if token.text == "static":
                characters[token.start : token.end] = " " * len(token.text)
    return "".join(characters)


def read_list(path: Path) -> tuple[str, ...]:
    """Return the items of a list."""
    text = files.read_file(path).decode(errors="surrogateescape")
    return tuple(text.split("\0")[:-1])


def _name_file(name: str) -> str:
    """Return the name of the text for the compiler, which knows languages by suffixes."""
    return name if Path(name).suffix in _SUFFIXES else f"{name}.cu"
