"""Compile sources without device code, and link programs and libraries, with the host compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import find_mixed
from kbuild.model import Command
from kbuild.nvcc.invocation import Input, Invocation
from kbuild.nvcc.source import list_host_options, list_include_options
from kbuild.nvcc.tools import Tools, find_binutil, list_library_options

_RUNTIMES: Final = {
    "static": ("-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"),
    "shared": ("-lcudadevrt", "-lcudart"),
    "none": (),
}


def describe_compile(invocation: Invocation, source: Input, output: Path, tools: Tools) -> Command:
    """Describe how a C or C++ source without device code is compiled to an object."""
    depfile = list_depfile_options(invocation, output)
    checks = _list_check_options(invocation, tools)
    words = (*checks, *depfile, "-c", str(source.path), "-o", str(output))
    return _describe(invocation, source, words, tools)


def _list_check_options(invocation: Invocation, tools: Tools) -> tuple[str, ...]:
    list_options = find_mixed(tools.toolchain.backend).list_check_options
    if not invocation.is_checked or list_options is None:
        return ()
    return list_options(tools.host_compiler_id)


def describe_preprocessing(
    invocation: Invocation, source: Input, words: tuple[str, ...], tools: Tools
) -> Command:
    """Describe how a C or C++ source without device code is preprocessed (``-E``, ``-M``)."""
    return _describe(invocation, source, (*words, str(source.path)), tools)


def _describe(
    invocation: Invocation, source: Input, words: tuple[str, ...], tools: Tools
) -> Command:
    is_cxx = source.kind == "c++"
    standard = (f"-std=c++{invocation.standard}",) if invocation.standard and is_cxx else ()
    argv = (
        *(str(tools.host_compiler), "-x", source.kind, *standard),
        *list_host_options(invocation),
        *_order(tools, list_include_options(tools), invocation.preprocessor),
        *words,
    )
    return Command(argv=argv, inputs=(source.path,))


def list_depfile_options(invocation: Invocation, output: Path) -> Iterator[str]:
    """Yield the options with which the host compiler writes the depfile of an object."""
    requested = invocation.dependencies
    if requested is None:
        return
    yield "-MD" if requested.has_system_headers else "-MMD"
    yield from ("-MF", str(requested.path or output.with_suffix(".d")))
    for target in requested.targets or (str(output),):
        yield from ("-MT", target)
    if requested.has_phony_targets:
        yield "-MP"


def describe_link(
    invocation: Invocation, objects: Iterable[Path], output: Path, tools: Tools
) -> Command:
    """Describe how objects and libraries become a program or a shared object.

    As with nvcc, the order of the libraries does not matter.
    """
    files = tuple(map(str, objects))
    return Command(
        argv=(
            *(str(tools.host_compiler), *(("-shared",) if invocation.is_shared else ())),
            *list_host_options(invocation),
            *("-Wl,--start-group", *files),
            *_order(
                tools,
                list_library_options(tools),
                tuple(f"-L{directory}" for directory in invocation.library_directories),
            ),
            *(f"-l{name}" for name in invocation.libraries),
            *invocation.linker_options,
            *_RUNTIMES[invocation.runtime],
            *("-Wl,--end-group", "-o", str(output)),
        ),
        inputs=tuple(map(Path, files)),
        outputs=(output,),
    )


def _order(tools: Tools, own: tuple[str, ...], given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options for directories of the toolkit and of the command line in order."""
    return (*own, *given) if tools.toolkit.layout.comes_first else (*given, *own)


def describe_archive(
    invocation: Invocation, objects: Iterable[Path], output: Path, tools: Tools
) -> Command:
    """Describe how objects become a static library."""
    files = tuple(map(str, objects))
    argv = (find_binutil(tools, "ar"), "qcs", *invocation.archiver_options, str(output), *files)
    return Command(argv=argv, inputs=tuple(map(Path, files)), outputs=(output,))
