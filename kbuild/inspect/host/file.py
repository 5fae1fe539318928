"""Read the facts of host ELF files: objects, shared objects, and executables."""

from __future__ import annotations

from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts, FileKind
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import SHF_EXECINSTR
from kbuild.formats.elf.file import Elf, FileType
from kbuild.inspect.file_content import hash_content
from kbuild.inspect.host.handles import list_names, read_handles
from kbuild.inspect.host.kernels import list_foreign_kernels, read_host_kernels
from kbuild.inspect.host.linkage import read_linkage
from kbuild.inspect.host.modules import find_modules
from kbuild.inspect.host.recorded import add_recorded_figures
from kbuild.inspect.host.references import read_dynamic, read_references
from kbuild.inspect.host.runtimes import read_runtimes
from kbuild.inspect.host.shadows import list_variables, read_shadows
from kbuild.inspect.host.symbols import select_symbols
from kbuild.inspect.host.wrappers import read_wrappers
from kbuild.inspect.images import read_fat_binaries
from kbuild.inspect.options import ReadOptions

_KINDS: Final[dict[FileType, FileKind]] = {
    "relocatable": "object",
    "shared-object": "shared-object",
    "executable": "executable",
}


def read_host_file(path: str, content: Buffer, options: ReadOptions) -> ArtifactFacts:
    """Read the facts of one host ELF file.

    Raises:
        InputError: The file is damaged, or is not an object, shared object, or executable for
            a 64-bit little-endian machine.
    """
    elf = Elf(content)
    kind = _check_kind(elf)
    targets, note_problems = find_modules(elf)
    fat_binaries = read_fat_binaries(elf, targets, options)
    if options.summary:
        return ArtifactFacts(
            path=path,
            kind=kind,
            machine=elf.machine,
            sha256=None,
            containers=fat_binaries.containers,
            images=fat_binaries.images,
            problems=fat_binaries.problems,
            is_summary=True,
        )
    modules = tuple(
        target.facts(containers)
        for target, containers in zip(targets, fat_binaries.target_containers, strict=True)
    )
    images = add_recorded_figures(fat_binaries.images, (target.record for target in targets))
    wrappers = read_wrappers(elf, fat_binaries.containers)
    foreign = list_foreign_kernels(fat_binaries.images, modules)
    variables = list_variables(targets, fat_binaries.images, wrappers)
    symbols = select_symbols(elf, list_names(targets), foreign, variables.names)
    own = frozenset(row.device_name for module in modules for row in module.record.kernels)
    handles = read_handles(elf, targets, symbols)
    return ArtifactFacts(
        path=path,
        kind=kind,
        machine=elf.machine,
        sha256=hash_content(content),
        modules=modules,
        containers=fat_binaries.containers,
        images=images,
        handles=handles,
        shadows=read_shadows(variables, symbols),
        wrappers=wrappers,
        host_kernels=read_host_kernels(elf, symbols, foreign, wrappers, own),
        runtimes=read_runtimes(elf),
        linkage=read_linkage(elf, symbols),
        sections=elf.sections,
        segments=elf.segments,
        symbols=symbols,
        has_symbol_table=elf.has_symbol_table,
        problems=fat_binaries.problems,
        note_problems=note_problems,
        references=read_references(elf, handles),
        dynamic=read_dynamic(elf),
    )


def _check_kind(elf: Elf) -> FileKind:
    """Return the kind of the file; raise InputError if kbuild does not read it."""
    if not elf.is_64_bit_little_endian:
        raise InputError("unsupported ELF file: the machine is not 64-bit little-endian")
    kind = _KINDS.get(elf.type)
    if kind is None:
        raise InputError("unsupported ELF file: not an object, shared object, or executable")
    if _is_debug_file(elf):
        raise InputError("contains only debug information; inspect the file that it was split from")
    return kind


def _is_debug_file(elf: Elf) -> bool:
    # `objcopy --only-keep-debug` keeps notes and section headers, but drops the sections.
    code = [section for section in elf.sections if section.flags & SHF_EXECINSTR]
    return bool(code) and all(section.type == "SHT_NOBITS" for section in code)
