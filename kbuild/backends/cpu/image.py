"""Make CPU device images: generate adapters for the kernels of objects, and link both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cpu.adapters.generate import adapter_rows
from kbuild.backends.cpu.container import make_checksum
from kbuild.backends.cpu.contents import name_apart
from kbuild.backends.cpu.machines import code_generation_flags, name_objcopy
from kbuild.backends.cpu.objects import KERNEL_LIST, ObjectFacts, read_object
from kbuild.backends.cpu.options.instrumentation import rename_checked
from kbuild.backends.cpu.options.lines import SOURCE_LIST, keep_lines, list_sources
from kbuild.backends.interface.build import (
    CompileUnit,
    Completion,
    GeneratedSource,
    ImageOutput,
    LinkUnit,
)
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import SourceError
from kbuild.formats.elf.gaps import add_gaps
from kbuild.model import Command
from kbuild.values import replace

# With any suffix, such as a priority.
_CONSTRUCTOR_LISTS: Final = (".init_array*", ".fini_array*", ".ctors*", ".dtors*")


def complete(unit: CompileUnit, compiled: bytes, tc: Toolchain) -> Completion:
    """See `Builder`. Raises SourceError for a source without kernels."""
    facts = read_object(compiled, unit.display_source)
    object_file = _name_object(unit)
    sources = list_sources(unit, tc)
    contents = ((object_file, add_gaps(compiled)),) if unit.is_checked else ()
    if unit.relocatable:
        return replace(_keep_object(unit, tc, facts, sources), contents=contents)
    if not facts.kernels and not facts.is_mixed:
        raise SourceError(
            f"{unit.display_source}: no kernel (no __global__ function) in it; add one, or remove "
            "the source from the target"
        )
    names = {name: name for name in facts.static_symbols}
    made = _make_image(unit, (object_file,), (facts,), tc)
    prepared = _prepare_object(unit, tc, names, sources.path, facts)
    return replace(
        made,
        contents=contents,
        sources=(sources, *made.sources),
        commands=(prepared, *made.commands),
    )


def _name_object(unit: CompileUnit) -> Path:
    return unit.output.with_name(unit.output.name + ".o")


def _keep_object(
    unit: CompileUnit, tc: Toolchain, facts: ObjectFacts, sources: GeneratedSource
) -> Completion:
    """Keep the object, but export its static kernels, which the device link must reach."""
    names = {name: name_apart(name, unit.own_name) for name in facts.static_symbols}
    return Completion(
        sources=(sources,),
        commands=(_prepare_object(unit, tc, names, sources.path, facts),),
        images=(ImageOutput(path=_name_object(unit), arch=unit.arch, kind="elf"),),
        end_image=make_checksum,
    )


def link(unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
    """Make one image of the objects of all sources; raise SourceError if they have no kernel."""
    objects = tuple(
        read_object(data, path.name) for path, data in zip(unit.images, contents, strict=True)
    )
    if not any(facts.kernels or facts.is_mixed for facts in objects):
        raise SourceError(f"{unit.target}: no kernel (no __global__ function) in its sources")
    # kbuild has read the list of kernels. gcc's list refers to instances that the linker drops.
    copies = tuple(
        unit.output.with_name(f"{unit.output.name}.{index}.o") for index in range(len(objects))
    )
    options = (f"--remove-section={KERNEL_LIST}", *(() if unit.debug else keep_lines()))
    objcopy = (name_objcopy(unit.arch, tc), *options)
    commands = tuple(
        Command(argv=(*objcopy, str(path), str(copy)), inputs=(path,), outputs=(copy,))
        for path, copy in zip(unit.images, copies, strict=True)
    )
    made = _make_image(unit, copies, objects, tc)
    return replace(made, commands=(*commands, *made.commands))


def _make_image(
    unit: CompileUnit | LinkUnit,
    object_files: tuple[Path, ...],
    objects: tuple[ObjectFacts, ...],
    tc: Toolchain,
) -> Completion:
    """Generate adapters for the kernels of ``objects``, and link both."""
    base = unit.output.name
    adapter = unit.output.with_name(base + ".adapter.cpp")
    image = unit.output.with_name(base + ".so")
    # Several objects can contain one template instance; the linker keeps one of them.
    is_mixed = any(facts.is_mixed for facts in objects)
    kernels = {kernel.symbol: kernel for facts in objects for kernel in facts.kernels}
    variables = {variable.name: variable for facts in objects for variable in facts.variables}
    rows = adapter_rows(
        tuple(kernels.values()),
        tuple(variables.values()),
        is_x86=objects[0].is_x86,
        is_instrumented=unit.is_checked,
        has_atomics=any(facts.has_atomic_checks for facts in objects),
    )
    return Completion(
        sources=(GeneratedSource(path=adapter, template="cpu_adapter.cpp.j2", rows=rows),),
        commands=(_build_image(unit, tc, adapter, object_files, collect=is_mixed),),
        images=(ImageOutput(path=image, arch=unit.arch, kind="elf"),),
        end_image=make_checksum,
    )


def _prepare_object(
    unit: CompileUnit, tc: Toolchain, names: Mapping[str, str], sources: Path, facts: ObjectFacts
) -> Command:
    """Add the list of sources, and let the adapter's object reach static symbols.

    The image does not export these symbols. Without ``-g``, it keeps only line tables. A device
    link still needs all debug information, and removes it.

    From a mixed source, also remove the lists of host constructors: an image must not run them,
    and without them nothing refers to host code.
    """
    # objcopy renames before it changes the binding.
    options = [f"--add-section={SOURCE_LIST}={sources}"]
    options += [f"--redefine-sym={old}={new}" for old, new in names.items() if old != new]
    options += [f"--globalize-symbol={new}" for new in names.values()]
    if unit.is_checked:
        options += rename_checked(facts.defined_functions)
    if facts.is_mixed:
        # A device link still needs the list of kernels, and removes it.
        lists = _CONSTRUCTOR_LISTS if unit.relocatable else (*_CONSTRUCTOR_LISTS, KERNEL_LIST)
        options += [f"--remove-section={section}" for section in lists]
    if not (unit.debug or unit.relocatable):
        options += keep_lines()
    return Command(argv=(name_objcopy(unit.arch, tc), *options, str(_name_object(unit))))


def _build_image(
    unit: CompileUnit | LinkUnit,
    tc: Toolchain,
    adapter: Path,
    object_files: tuple[Path, ...],
    *,
    collect: bool,
) -> Command:
    """Compile the adapter and link it with the kernels, in one command.

    If ``collect`` is set, drop what the kernels do not use.
    """
    image = unit.output.with_name(unit.output.name + ".so")
    exports = resources.native_directory() / "device" / "cpu" / "image.version"
    options = [
        # The handles of the host program have the same names as the kernels in the image.
        "-Wl,-Bsymbolic",
        f"-Wl,--version-script={exports}",
        *("-Wl,-z,defs", "-Wl,--as-needed", "-Wl,--build-id=none"),
    ]
    if collect:
        options.append("-Wl,--gc-sections")
    # With debug information, debuggers can print threadIdx, which the adapter defines.
    if unit.debug:
        options.append("-g")
    argv = (
        *(str(tc.compiler), "-shared", *options),
        # A call of a kernel does not profit from more optimization, but each check does.
        *("-x", "c++", "-std=c++17", "-O2" if unit.is_checked else "-O1"),
        *("-fno-exceptions", "-fno-rtti"),
        # With the same options, vectors are passed as the kernel expects them.
        "-Wno-psabi",
        *code_generation_flags(unit.arch, tc),
        # A hook of the checks is one jump; see cpu_check_hooks.h.
        *(("-foptimize-sibling-calls",) if unit.is_checked else ()),
        *("-I", str(resources.native_directory() / "include")),
        # The places of the adapter's variables, which all kernels use, are the same in all images
        # if they come before what kernels share.
        *(str(adapter), "-x", "none", *map(str, object_files), "-o", str(image)),
    )
    return Command(argv=argv, inputs=(*object_files, adapter), outputs=(image,))
