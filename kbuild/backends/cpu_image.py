"""CPU device images: adapters for the kernels of objects, linking both, reading images."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild import record, resources
from kbuild.backends.cpu_adapter import adapter_rows, layout_parameters
from kbuild.backends.cpu_machines import code_generation_flags, name_objcopy
from kbuild.backends.cpu_object import (
    KERNEL_LIST,
    LINKAGE_CODES,
    ObjectFacts,
    display_name,
    name_apart,
    read_object,
)
from kbuild.backends.protocol import (
    CompileUnit,
    Completion,
    GeneratedSource,
    ImageContent,
    ImageOutput,
    LinkUnit,
    Toolchain,
)
from kbuild.demangle import demangle
from kbuild.errors import InputError, SourceError
from kbuild.facts import Place
from kbuild.formats.elf import Elf
from kbuild.model import Command, Kernel, Param, Variable, VariableKind

# struct kbuild_cpu_image, its rows and their enumerators, see kbuild/cpu_image.h.
_IMAGE_SYMBOL: Final = "kbuild_cpu_image"
_IMAGE_ABI: Final = 3
_ROW_BYTES: Final = 48
_VARIABLES: Final = 40
_VARIABLE_BYTES: Final = 32
_VARIABLE_KINDS: Final[tuple[VariableKind, ...]] = ("device", "constant", "managed")
_MOST_PARAMETERS: Final = 4096
_MOST_VARIABLES: Final = 1 << 20


def complete(unit: CompileUnit, compiled: bytes, tc: Toolchain) -> Completion:
    """See the protocol; raises SourceError for a source without kernels or with host code."""
    facts = read_object(compiled, unit.display_source)
    object_file = unit.output.with_name(unit.output.name + ".o")
    if unit.relocatable:
        return _keep_object(unit, facts, object_file)
    if not facts.kernels:
        raise SourceError(f"{unit.display_source}: no kernel (no __global__ function) in it")
    names = {name: name for name in facts.static_kernels}
    made = _make_image(unit, (object_file,), (facts,), tc)
    return replace(made, commands=(*_globalize(unit, object_file, names), *made.commands))


def _keep_object(unit: CompileUnit, facts: ObjectFacts, object_file: Path) -> Completion:
    """The object as it is, but for the static kernels, which the device link has to reach."""
    digest = record.sha256(unit.display_source.encode())
    names = {name: name_apart(name, digest) for name in facts.static_kernels}
    return Completion(
        commands=_globalize(unit, object_file, names),
        images=(ImageOutput(path=object_file, arch=unit.arch, kind="elf"),),
    )


def link(unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
    """One image of the objects of all sources; SourceError where they have no kernel."""
    objects = tuple(
        read_object(data, path.name) for path, data in zip(unit.images, contents, strict=True)
    )
    if not any(facts.kernels for facts in objects):
        raise SourceError(f"{unit.target}: no kernel (no __global__ function) in its sources")
    # The list of kernels was read, and gcc's refers to instances that the linker drops.
    copies = tuple(
        unit.output.with_name(f"{unit.output.name}.{index}.o") for index in range(len(objects))
    )
    objcopy = (name_objcopy(unit.arch), f"--remove-section={KERNEL_LIST}")
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
    # A template's instance may be in several objects, of which the linker keeps one.
    kernels = {kernel.symbol: kernel for facts in objects for kernel in facts.kernels}
    variables = {variable.name: variable for facts in objects for variable in facts.variables}
    rows = adapter_rows(
        tuple(kernels.values()),
        tuple(variables.values()),
        tuple(dict.fromkeys(array for facts in objects for array in facts.shared_arrays)),
        tuple(dict.fromkeys(name for facts in objects for name in facts.initialisers)),
        is_x86=objects[0].is_x86,
    )
    return Completion(
        sources=(GeneratedSource(path=adapter, template="cpu_adapter.cpp.j2", rows=rows),),
        commands=(_build_image(unit, tc, adapter, object_files, image),),
        images=(ImageOutput(path=image, arch=unit.arch, kind="elf"),),
    )


def _globalize(
    unit: CompileUnit, object_file: Path, names: Mapping[str, str]
) -> tuple[Command, ...]:
    """Let the adapter's object reach static kernels; the image exports none of them."""
    if not names:
        return ()
    # objcopy renames first.
    options = [f"--redefine-sym={old}={new}" for old, new in names.items() if old != new]
    options += [f"--globalize-symbol={new}" for new in names.values()]
    return (Command(argv=(name_objcopy(unit.arch), *options, str(object_file))),)


def _build_image(
    unit: CompileUnit | LinkUnit,
    tc: Toolchain,
    adapter: Path,
    object_files: tuple[Path, ...],
    image: Path,
) -> Command:
    """Compile the adapter and link it with the kernels, in one call of the compiler."""
    exports = resources.native_directory() / "device" / "cpu" / "image.version"
    options = [
        # The handles of the host program bear the same names as the kernels in here.
        "-Wl,-Bsymbolic",
        f"-Wl,--version-script={exports}",
        *("-Wl,-z,defs", "-Wl,--as-needed", "-Wl,--build-id=none"),
    ]
    # With debug information threadIdx and its like, which the adapter defines, can be printed.
    options.append("-g" if unit.debug else "-Wl,--strip-debug")
    argv = (
        *(str(tc.compiler), "-shared", *options, *map(str, object_files)),
        # More optimisation finds nothing more in a loop that calls a kernel.
        *("-x", "c++", "-std=c++17", "-O1", "-fno-exceptions", "-fno-rtti"),
        # Vectors are passed as the kernel takes them, which is compiled alike.
        "-Wno-psabi",
        *code_generation_flags(unit.arch, tc),
        *("-I", str(resources.native_directory() / "include")),
        *(str(adapter), "-o", str(image)),
    )
    return Command(argv=argv, inputs=(*object_files, adapter), outputs=(image,))


def read_image(data: bytes) -> ImageContent:
    """What the table that the image exports lists; InputError if it has none.

    Of an object that waits for a device link: what its image would list.
    """
    elf = Elf(data)
    if elf.type == "relocatable":
        return _read_object_content(data)
    table = next(
        (s.place for s in elf.symbols if s.name == _IMAGE_SYMBOL and s.place is not None), None
    )
    if table is None:
        raise InputError(f"no {_IMAGE_SYMBOL} in the image")
    abi, count = struct.unpack("<II", elf.read(table, 8))
    if abi != _IMAGE_ABI:
        raise InputError(f"image ABI {abi}; this kbuild reads {_IMAGE_ABI}")
    rows = elf.pointer_at(Place(section=table.section, offset=table.offset + 8)).place
    if rows is None:
        raise InputError("the image's kernel table is not in the image")
    kernels = tuple(_read_row(elf, rows, index) for index in range(count))
    # The table leads to adapters; profilers see the kernels that those call.
    named = {symbol.name for symbol in elf.symbols if symbol.type == "function"}
    return ImageContent(
        kernels=kernels,
        nameless=tuple(kernel.name for kernel in kernels if kernel.name not in named),
        variables=tuple(_read_variables(elf, _moved(table, _VARIABLES))),
    )


def _read_object_content(data: bytes) -> ImageContent:
    facts = read_object(data, "object")
    return ImageContent(
        kernels=tuple(
            Kernel(
                name=kernel.symbol,
                display=display_name(kernel.symbol),
                linkage=LINKAGE_CODES[kernel.linkage],
                params=layout_parameters(kernel),
            )
            for kernel in facts.kernels
        ),
        variables=facts.variables,
    )


def _read_variables(elf: Elf, table: Place) -> Iterator[Variable]:
    """Every ``struct kbuild_cpu_variable`` of the table that a pointer and a count give."""
    (count,) = struct.unpack("<Q", elf.read(_moved(table, 8), 8))
    rows = elf.pointer_at(table).place
    for index in range(count):
        if rows is None or index >= _MOST_VARIABLES:
            raise InputError("the image's table of variables makes no sense")
        row = _moved(rows, _VARIABLE_BYTES * index)
        name = _text_at(elf, row)
        size, kind = struct.unpack("<QQ", elf.read(_moved(row, 16), 16))
        if name is None or kind >= len(_VARIABLE_KINDS):
            raise InputError(f"row {index} of the image's table of variables makes no sense")
        yield Variable(name=name, display=demangle(name), kind=_VARIABLE_KINDS[kind], size=size)


def _read_row(elf: Elf, rows: Place, index: int) -> Kernel:
    """One ``struct kbuild_cpu_kernel`` of ``kbuild/cpu_image.h``."""
    row = _moved(rows, _ROW_BYTES * index)
    name = _text_at(elf, row)
    if name is None:
        raise InputError(f"kernel {index} of the image has no name")
    count, linkage = struct.unpack("<II", elf.read(_moved(row, 24), 8))
    if count > _MOST_PARAMETERS or linkage >= len(LINKAGE_CODES):
        raise InputError(f"the table row of kernel {name} makes no sense")
    layouts = elf.pointer_at(_moved(row, 16)).place
    types = elf.pointer_at(_moved(row, 32)).place
    names = elf.pointer_at(_moved(row, 40)).place
    params = []
    for number in range(count):
        if layouts is None or types is None or names is None:
            raise InputError(f"the parameters of kernel {name} are not in the image")
        offset, size = struct.unpack("<II", elf.read(_moved(layouts, 8 * number), 8))
        params.append(
            Param(
                index=number,
                offset=offset,
                size=size,
                type=_text_at(elf, _moved(types, 8 * number)),
                name=_text_at(elf, _moved(names, 8 * number)),
            )
        )
    return Kernel(
        name=name,
        display=display_name(name),
        linkage=LINKAGE_CODES[linkage],
        params=tuple(params),
    )


def _moved(place: Place, distance: int) -> Place:
    return Place(section=place.section, offset=place.offset + distance)


def _text_at(elf: Elf, slot: Place) -> str | None:
    target = elf.pointer_at(slot).place
    return elf.read_text(target) if target is not None else None
