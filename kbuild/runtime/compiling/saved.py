"""Saved modules: a JSON description beside the source, the assembly, and the images.

The description is a `SavedModule` with the schema ``kbuild.module/1``.  It names the other files,
which are in the same directory, with their SHA-256.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kbuild import files, records
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import InputError
from kbuild.model import KernelRecord
from kbuild.runtime.compiling.model import (
    Compilation,
    CompileArguments,
    CompiledImage,
    Recompiler,
)
from kbuild.stages.compile import CompiledSource

SCHEMA: Final = "kbuild.module/1"
SUFFIX: Final = ".kbuild.json"

RecompilerKind: TypeAlias = Literal["portable", "tool", "runtime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """A file beside the description."""

    file_name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRecompiler:
    """The description of a recompiler; see the classes in `recompilers`."""

    kind: RecompilerKind
    arch: str
    assembly: SavedFile
    assembly_arch: str
    options: tuple[str, ...] = ()
    base_name: str = ""
    debug: bool = False
    toolchain: Toolchain | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedModule:
    """The description of a module.

    Attributes:
        version: The version of kbuild that saved the module.
        compilation: How the source was compiled.
        arguments: The arguments of the compiler; None for code that was loaded from a file.
        source: The source, if the module has it.
        compiled: The images and their kernels; the path of an image is a file name.
        kernels: The kernel table.  ``container`` is the position among the sources of the images.
        recompiler: How to assemble the kernels again, if that is possible.
    """

    version: str
    compilation: Compilation
    arguments: CompileArguments | None
    source: SavedFile | None
    compiled: CompiledSource
    kernels: tuple[KernelRecord, ...]
    recompiler: SavedRecompiler | None


def save_module(
    saved: SavedModule, contents: dict[str, bytes], directory: Path
) -> tuple[Path, ...]:
    """Write a module into ``directory``, the description last; return the paths.

    Args:
        saved: The description.
        contents: The contents of the files that it names, by file name.
        directory: The directory.
    """
    name = f"{saved.compilation.base_name}{SUFFIX}"
    written = contents | {name: records.dump(SCHEMA, saved)}
    for file_name, content in written.items():
        files.write_file(directory / file_name, content)
    return tuple(directory / file_name for file_name in written)


def describe_file(file_name: str, content: bytes) -> SavedFile:
    """Describe a file that is written beside the description."""
    return SavedFile(file_name=file_name, sha256=files.sha256(content))


def describe_recompiler(recompiler: Recompiler | None) -> SavedRecompiler | None:
    """Describe the recompiler; None if there is none, or if it cannot be saved."""
    from kbuild.runtime.compiling.recompilers import (  # noqa: PLC0415 - slow to import
        PortableRecompiler,
        RtcRecompiler,
        ToolRecompiler,
    )

    if not isinstance(recompiler, PortableRecompiler):
        return None
    assembly = recompiler.assembly
    described = SavedFile(file_name=assembly.file_name, sha256=assembly.sha256)
    if isinstance(recompiler, ToolRecompiler):
        return SavedRecompiler(
            kind="tool",
            arch=recompiler.arch,
            assembly=described,
            assembly_arch=assembly.arch,
            options=recompiler.options,
            base_name=recompiler.base_name,
            debug=recompiler.debug,
            toolchain=recompiler.toolchain,
        )
    is_runtime = isinstance(recompiler, RtcRecompiler)
    return SavedRecompiler(
        kind="runtime" if is_runtime else "portable",
        arch=recompiler.arch,
        assembly=described,
        assembly_arch=assembly.arch,
        options=recompiler.options,
    )


def read_saved(path: Path) -> tuple[SavedModule, Path]:
    """Return the description at ``path``, and its directory.

    Args:
        path: The description, or a directory with one description.

    Raises:
        InputError: There is no description or several of them, or it is damaged.
    """
    if path.is_dir():
        found = sorted(path.glob(f"*{SUFFIX}"))
        if len(found) != 1:
            names = ", ".join(file.name for file in found) or "none"
            raise InputError(
                f"{path}: expected one saved module (*{SUFFIX}), found {names}; name the file of "
                "a module, or save one with CompiledModule.save"
            )
        path = found[0]
    content = files.read_file(path)
    return records.load(SCHEMA, SavedModule, content, str(path)), path.parent


def read_files(saved: SavedModule, directory: Path) -> dict[str, bytes]:
    """Return the contents of the files that a description names.

    Raises:
        InputError: A file is missing, or has another content than when it was saved.
    """
    expected = [
        SavedFile(file_name=str(image.path), sha256=image.sha256) for image in saved.compiled.images
    ]
    if saved.source is not None:
        expected.append(saved.source)
    if saved.recompiler is not None:
        expected.append(saved.recompiler.assembly)
    return {file.file_name: _read(directory, file) for file in expected}


def _read(directory: Path, file: SavedFile) -> bytes:
    name = file.file_name
    if Path(name).name != name or name in ("", ".", ".."):
        raise InputError(
            f"{directory}: invalid file name {name!r}; expected one without directories"
        )
    path = directory / name
    if not path.is_file():
        raise InputError(f"{path}: this file of the saved module is missing; save it again")
    content = files.read_file(path)
    if files.sha256(content) != file.sha256:
        raise InputError(
            f"{path}: the content has changed since the module was saved (another SHA-256); save "
            "it again"
        )
    return content


def restore_recompiler(
    saved: SavedRecompiler | None, compilation: Compilation, contents: dict[str, bytes]
) -> Recompiler | None:
    """Return the recompiler of a saved module."""
    from kbuild.runtime.compiling.recompilers import (  # noqa: PLC0415 - slow to import
        PortableRecompiler,
        RtcRecompiler,
        ToolRecompiler,
    )

    if saved is None:
        return None
    file = saved.assembly
    assembly = CompiledImage(
        arch=saved.assembly_arch,
        kind="ptx",
        file_name=file.file_name,
        sha256=file.sha256,
        data=contents[file.file_name],
    )
    common: dict[str, Any] = {
        "backend": compilation.backend,
        "source": compilation.source,
        "arch": saved.arch,
        "assembly": assembly,
        "options": saved.options,
    }
    if saved.kind == "runtime":
        return RtcRecompiler(**common)
    if saved.toolchain is not None:
        return ToolRecompiler(
            **common,
            toolchain=saved.toolchain,
            base_name=saved.base_name,
            debug=saved.debug,
        )
    return PortableRecompiler(**common)
