"""The tools of an invocation: its backend, the compilers, and the toolkit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kbuild.backends import (
    AUTOMATIC,
    find_backend,
    find_builder,
    find_nvcc_conventions,
    list_by_preference,
)
from kbuild.backends.interface.nvcc import NvccConventions
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.model import Command
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.toolkit import Toolkit, make_toolkit, names_built_library
from kbuild.process import find_program, make_error, run, select_environment
from kbuild.toolchain.cuda_versions import select_version
from kbuild.toolchain.find import add_compilers, choose_backend, find_toolchain, gather_hints
from kbuild.toolchain.probe import probe
from kbuild.values import dataclass

BACKEND_VARIABLE: Final = "KBUILD_BACKEND"
_HOST_COMPILERS: Final = ("g++", "clang++", "c++")
# Compilers that link C++ programs only under their other name.
_CXX_NAMES: Final = {"gcc": "g++", "cc": "c++", "clang": "clang++"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What compiles and links.

    Attributes:
        conventions: How the backend stands in for nvcc.
        toolchain: The toolchain of the device code.
        host_compiler: The compiler of host code, which also links.
        host_compiler_id: CMake's name for it.
        host_compiler_version: What it says about itself, in one line.
        definitions: The macros of code that uses kbuild's own headers.
        toolkit: The toolkit.
        hints: Where the toolchain was searched for.
    """

    conventions: NvccConventions
    toolchain: Toolchain
    host_compiler: Path
    host_compiler_id: str
    host_compiler_version: str
    definitions: tuple[str, ...]
    toolkit: Toolkit
    hints: ToolchainHints

    @property
    def link_function(self) -> str:
        """The start of the functions that a device link defines."""
        return find_builder(self.toolchain.backend).TRAITS.link_function


def find_tools(invocation: Invocation) -> Tools:
    """Find the tools for an invocation.

    Raises:
        ConfigurationError: The backend is unknown, or cannot stand in for nvcc.
        ToolchainError: A compiler is missing.
    """
    variables = select_environment((BACKEND_VARIABLE, "NVCC_CCBIN"))
    compiler = _find_host_compiler(invocation.host_compiler or variables.get("NVCC_CCBIN"))
    hints = add_compilers(gather_hints(), (("CXX", str(compiler)),))
    name = invocation.backend or variables.get(BACKEND_VARIABLE) or AUTOMATIC
    builder = choose_backend(name, hints)
    if name == AUTOMATIC and builder.TRAITS.name == list_by_preference()[-1]:
        raise ToolchainError(
            f"no compiler for a GPU is installed; set {BACKEND_VARIABLE}={builder.TRAITS.name} to "
            "build for the CPU, or pip install 'kbuild[cuda]'"
        )
    if invocation.cuda_version:
        select_version(invocation.cuda_version, builder.TRAITS.name)
    conventions = find_nvcc_conventions(builder.TRAITS.name)
    toolchain = find_toolchain(builder, hints)
    layout = conventions.describe_toolkit(toolchain, hints)
    version = probe(Command(argv=(str(compiler), "--version"))).partition("\n")[0]
    return Tools(
        conventions=conventions,
        toolchain=toolchain,
        host_compiler=compiler,
        host_compiler_id="Clang" if "clang" in version else "GNU",
        host_compiler_version=version,
        definitions=builder.find_runtimes(hints)[0].definitions,
        toolkit=make_toolkit(layout, toolchain, compiler),
        hints=hints,
    )


def find_library_directories(backend: str, libraries: Sequence[str]) -> tuple[Path, ...]:
    """Find the directories with the libraries of a backend's toolkit.

    Args:
        backend: The backend.
        libraries: The names of the libraries that are linked, which exist afterward.

    Returns:
        Nothing if the backend does not stand in for nvcc.

    Raises:
        ToolchainError: A compiler is missing.
        ToolError: A library cannot be built.
    """
    conventions = find_backend(backend).nvcc
    if conventions is None:
        return ()
    compiler = _find_host_compiler(None)
    hints = add_compilers(gather_hints(), (("CXX", str(compiler)),))
    toolchain = find_toolchain(find_builder(backend), hints)
    layout = conventions.describe_toolkit(toolchain, hints)
    toolkit = make_toolkit(layout, toolchain, compiler)
    if names_built_library(libraries, layout):
        conventions.provide_libraries(hints)
    return (toolkit.libraries / "stubs", toolkit.libraries)


def provide_libraries(tools: Tools, command: Command | None = None) -> None:
    """Build the libraries of the toolkit that exist only after they are needed.

    Args:
        tools: The toolkit.
        command: The link that might need them; None if other tools link, and nobody knows what.

    Raises:
        ToolError: A library cannot be built.
    """
    if command is None or names_built_library(command.argv, tools.toolkit.layout):
        tools.conventions.provide_libraries(tools.hints)


def list_library_options(tools: Tools) -> tuple[str, ...]:
    """List the options with which linkers find the libraries of the toolkit."""
    return (f"-L{tools.toolkit.libraries / 'stubs'}", f"-L{tools.toolkit.libraries}")


def find_binutil(tools: Tools, name: str) -> str:
    """Return the program of binutils that reads objects of the host compiler, such as ``ar``.

    Binutils for this machine cannot read those of a cross compiler, which knows its own.
    """
    argv = (str(tools.host_compiler), f"-print-prog-name={name}")
    return probe(Command(argv=argv)).strip() or name


def run_tool(command: Command) -> str:
    """Run a command, and return its warnings.

    Raises:
        ToolError: The command failed.
    """
    result = run(command)
    if result.returncode != 0:
        raise make_error(result)
    return result.stderr


def _find_host_compiler(named: str | None) -> Path:
    """Return the host compiler: the one that the user names, perhaps by its directory."""
    if named is None:
        found = next(filter(None, map(find_program, _HOST_COMPILERS)), None)
        if found is None:
            raise ToolchainError(
                f"no host compiler found ({', '.join(_HOST_COMPILERS)}); install g++, or name one "
                "with -ccbin"
            )
        return found
    path = Path(named)
    if path.is_dir():
        path /= _HOST_COMPILERS[0]
    name = _CXX_NAMES.get(path.name, path.name)
    chosen = path.with_name(name) if "/" in str(path) else Path(name)
    found = find_program(str(chosen))
    if found is None:
        raise ConfigurationError(f"-ccbin {named}: no such compiler; name a g++ or clang++")
    return found
