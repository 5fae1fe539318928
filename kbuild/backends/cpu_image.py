"""CPU device images: finding kernels in an object, adapters for them, reading them back.

A kernel carries ``patchable_function_entry(1, 1)``, so the compiler lists its address,
less one no-op, in ``__patchable_function_entries``: static, namespaced and template
kernels alike, without attributes that templates reject.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cpu_adapter import AdapterKernel, adapter_rows, is_known_scalar
from kbuild.backends.cpu_machines import code_generation_flags, name_objcopy
from kbuild.backends.cpu_passing import find_obstacle
from kbuild.backends.protocol import (
    CompileUnit,
    Completion,
    GeneratedSource,
    ImageContent,
    ImageOutput,
    PackedImage,
    StoredImage,
    Toolchain,
)
from kbuild.demangle import demangle, is_nameable, split_function
from kbuild.errors import InputError, SourceError
from kbuild.facts import Place, Problem, Symbol
from kbuild.formats import dwarf, offload_binary
from kbuild.formats.elf import SHF_ALLOC, Elf
from kbuild.model import Command, Kernel, Linkage, Param, Variable, VariableKind

_ENTRIES: Final = "__patchable_function_entries"
_NO_OP_BYTES: Final = {"x86_64": 1, "aarch64": 4}
_LINKAGES: Final[dict[str, Linkage]] = {"global": "external", "weak": "weak", "local": "internal"}
# threadIdx and its like, the thread-local variables that are no `extern __shared__` arrays.
_BUILTINS: Final = frozenset(
    f"kbuild_cpu_{name}" for name in ("thread_idx", "block_idx", "block_dim", "grid_dim", "runner")
)
# Itanium C++ ABI, section 5.1.4: a thread-local variable's initialisation function.
_INITIALISER: Final = "_ZTH"
_GUARD: Final = "_ZGV"
_RUN_INITIALISERS: Final = "__tls_init"
# struct kbuild_cpu_image, its rows and their enumerators, see kbuild/cpu_image.h.
_IMAGE_SYMBOL: Final = "kbuild_cpu_image"
_IMAGE_ABI: Final = 3
_ROW_BYTES: Final = 48
_VARIABLES: Final = 40
_VARIABLE_BYTES: Final = 32
_VARIABLE_KINDS: Final[tuple[VariableKind, ...]] = ("device", "constant", "managed")
_MANAGED_SECTION: Final = ".data.kbuild_managed"
_LINKAGE_CODES: Final[tuple[Linkage, ...]] = ("external", "weak", "internal")
_MOST_PARAMETERS: Final = 4096
_MOST_VARIABLES: Final = 1 << 20
# LLVM's offload binary.
_OBJECT_KIND: Final = 1
_X86_TRIPLE: Final = "x86_64-unknown-linux-gnu"
_TRIPLES: Final = {"aarch64": "aarch64-unknown-linux-gnu"}


def complete(unit: CompileUnit, compiled: bytes, tc: Toolchain) -> Completion:
    """See the protocol; raises SourceError for a source without kernels or with host code."""
    elf = Elf(compiled)
    symbols = _kernel_symbols(elf)
    if not symbols:
        raise SourceError(f"{unit.display_source}: no kernel (no __global__ function) in it")
    _refuse_host_code(unit, elf, {symbol.name for symbol in symbols})
    _refuse_shared_initialisers(unit, elf)
    kernels = tuple(
        AdapterKernel(
            symbol=symbol.name,
            linkage=_LINKAGE_CODES.index(_LINKAGES.get(symbol.binding, "external")),
            parameters=parameters,
        )
        for symbol, parameters in _parameters(unit, compiled, elf, symbols)
    )
    base = unit.output.name
    object_file = unit.output.with_name(base + ".o")
    adapter = unit.output.with_name(base + ".adapter.cpp")
    image = unit.output.with_name(base + ".so")
    shared_arrays = tuple(
        symbol.name
        for symbol in elf.symbols
        if symbol.type == "tls"
        and symbol.place is None
        and symbol.binding != "local"
        and symbol.name not in _BUILTINS
    )
    initialisers = tuple(
        symbol.name
        for symbol in elf.symbols
        if symbol.place is None and symbol.name.startswith(_INITIALISER)
    )
    is_x86 = elf.machine == "x86_64"
    variables = tuple(_find_variables(elf))
    rows = adapter_rows(kernels, variables, shared_arrays, initialisers, is_x86=is_x86)
    internal = tuple(symbol.name for symbol in symbols if symbol.binding == "local")
    return Completion(
        sources=(GeneratedSource(path=adapter, template="cpu_adapter.cpp.j2", rows=rows),),
        commands=(
            *_globalize(unit, object_file, internal),
            _build_image(unit, tc, adapter, object_file, image),
        ),
        images=(ImageOutput(path=image, arch=unit.arch, kind="elf"),),
    )


def _globalize(unit: CompileUnit, object_file: Path, names: tuple[str, ...]) -> tuple[Command, ...]:
    """Let the adapter's object reach static kernels; the image exports none of them."""
    if not names:
        return ()
    options = tuple(f"--globalize-symbol={name}" for name in names)
    return (Command(argv=(name_objcopy(unit.arch), *options, str(object_file))),)


def _build_image(
    unit: CompileUnit, tc: Toolchain, adapter: Path, object_file: Path, image: Path
) -> Command:
    """Compile the adapter and link it with the kernels, in one call of the compiler."""
    exports = resources.native_directory() / "device" / "cpu" / "image.version"
    options = [
        # The handles of the host program bear the same names as the kernels in here.
        "-Wl,-Bsymbolic",
        f"-Wl,--version-script={exports}",
        *("-Wl,-z,defs", "-Wl,--as-needed", "-Wl,--build-id=none"),
    ]
    if not unit.debug:
        options.append("-Wl,--strip-debug")
    argv = (
        *(str(tc.compiler), "-shared", *options, str(object_file)),
        # More optimisation finds nothing more in a loop that calls a kernel.
        *("-x", "c++", "-std=c++17", "-O1", "-fno-exceptions", "-fno-rtti"),
        # Vectors are passed as the kernel takes them, which is compiled alike.
        "-Wno-psabi",
        *code_generation_flags(unit.arch, tc),
        *("-I", str(resources.native_directory() / "include")),
        *(str(adapter), "-o", str(image)),
    )
    return Command(argv=argv, inputs=(object_file, adapter), outputs=(image,))


def _kernel_symbols(elf: Elf) -> tuple[Symbol, ...]:
    """The functions that the entry sections list, in the order of their definition."""
    functions = {
        (symbol.place.section, symbol.place.offset): symbol
        for symbol in elf.symbols
        if symbol.type == "function" and symbol.place is not None
    }
    step = _NO_OP_BYTES.get(elf.machine, 0)
    found = []
    for section in elf.sections_named(_ENTRIES):
        for offset in range(0, section.size, 8):
            entry = elf.pointer_at(Place(section=section.index, offset=offset)).place
            if entry is None:
                continue
            symbol = functions.get((entry.section, entry.offset + step))
            if symbol is not None:
                found.append(symbol)
    return tuple(dict.fromkeys(found))


def _find_variables(elf: Elf) -> Iterator[Variable]:
    """The variables whose names reach other files; `_refuse_host_code` saw to the rest."""
    for symbol in elf.symbols:
        is_variable = (
            symbol.type == "object"
            and symbol.place is not None
            and symbol.binding != "local"
            and symbol.size > 0
            and is_nameable(symbol.name)
        )
        if is_variable and symbol.place is not None:
            is_managed = elf.sections[symbol.place.section].name == _MANAGED_SECTION
            yield Variable(
                name=symbol.name,
                display=demangle(symbol.name),
                kind="managed" if is_managed else "device",
                size=symbol.size,
            )


def _refuse_host_code(unit: CompileUnit, elf: Elf, kernels: set[str]) -> None:
    # The shim's __device__ and __constant__ hide what they mark, so what is global and
    # visible and no kernel was written for the host.
    for symbol in elf.symbols:
        is_defined = symbol.place is not None and bool(
            elf.sections[symbol.place.section].flags & SHF_ALLOC
        )
        is_host = (
            is_defined
            and symbol.binding == "global"
            and symbol.visibility == "default"
            and symbol.type in ("function", "object")
            and symbol.name not in kernels
        )
        if is_host:
            what = "function" if symbol.type == "function" else "variable"
            mend = "__device__" if what == "function" else "__device__ or __constant__"
            raise SourceError(
                f"{unit.display_source}: host {what} '{demangle(symbol.name)}' in a kernel "
                f"source, which holds device code only: mark it {mend}, or move it to a "
                "host file"
            )


def _refuse_shared_initialisers(unit: CompileUnit, elf: Elf) -> None:
    """Where gcc has an error of its own, clang would have each OS thread run constructors."""
    for symbol in elf.symbols:
        is_guard = symbol.type == "tls" and symbol.name.startswith(_GUARD)
        if symbol.place is not None and (is_guard or symbol.name == _RUN_INITIALISERS):
            name = demangle(symbol.name).removeprefix("guard variable for ")
            which = f" '{name}'" if is_guard else ""
            raise SourceError(
                f"{unit.display_source}: a __shared__ variable{which} has a constructor, "
                "destructor or initialiser to run: shared memory starts out undefined"
            )


def _parameters(
    unit: CompileUnit, compiled: bytes, elf: Elf, symbols: tuple[Symbol, ...]
) -> tuple[tuple[Symbol, tuple[dwarf.Parameter, ...]], ...]:
    names: dict[str, str] = {}
    for symbol in symbols:
        names[symbol.name] = symbol.name
        if symbol.binding == "local":
            names[split_function(demangle(symbol.name))[0]] = symbol.name
    found = {
        names[name]: signature
        for name, signature in dwarf.read_signatures(compiled, frozenset(names)).items()
    }
    for symbol in symbols:
        display = demangle(symbol.name)
        if symbol.name not in found:
            raise SourceError(
                f"{unit.display_source}: no debug information for kernel '{display}'; "
                "do not pass -g0, and give overloaded static kernels names of their own"
            )
        mistake = _find_mistake(found[symbol.name], is_x86=elf.machine == "x86_64")
        if mistake is not None:
            raise SourceError(f"{unit.display_source}: kernel '{display}' {mistake}")
    return tuple((symbol, found[symbol.name].parameters) for symbol in symbols)


def _find_mistake(signature: dwarf.Signature, *, is_x86: bool) -> str | None:
    """What CUDA or this backend does not have a kernel do; the text follows its name."""
    if signature.result is not None:
        return f"returns '{signature.result}': a kernel returns void, and results through pointers"
    if signature.is_variadic:
        return "takes a variable number of arguments ('...'): a kernel's parameters are fixed"
    for parameter in signature.parameters:
        value = parameter.type
        if value.kind == "reference":
            return (
                f"takes a reference, '{value.name}': the host's objects are out of reach; "
                "pass by value, or a pointer to device memory"
            )
        obstacle = find_obstacle(value, is_x86=is_x86)
        if obstacle is None and not is_known_scalar(value):
            obstacle = "this kbuild cannot pass by value"
        if obstacle is not None:
            mend = (
                ", or drop its copy constructor and destructor"
                if obstacle.endswith("not trivially copyable")
                else ""
            )
            return f"takes '{value.name}' by value, which {obstacle}: pass a pointer{mend}"
    return None


def read_image(data: bytes) -> ImageContent:
    """What the table that the image exports lists; InputError if it has none."""
    elf = Elf(data)
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
    return ImageContent(
        kernels=tuple(_read_row(elf, rows, index) for index in range(count)),
        variables=tuple(_read_variables(elf, _moved(table, _VARIABLES))),
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
    if count > _MOST_PARAMETERS or linkage >= len(_LINKAGE_CODES):
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
        display=demangle(name),
        linkage=_LINKAGE_CODES[linkage],
        params=tuple(params),
    )


def _moved(place: Place, distance: int) -> Place:
    return Place(section=place.section, offset=place.offset + distance)


def _text_at(elf: Elf, slot: Place) -> str | None:
    target = elf.pointer_at(slot).place
    return elf.read_text(target) if target is not None else None


def write_container(images: tuple[PackedImage, ...]) -> bytes:
    """One offload binary an image, in the given order."""
    return offload_binary.write(
        (
            _OBJECT_KIND,
            (("triple", _TRIPLES.get(i.arch, _X86_TRIPLE)), ("arch", i.arch), ("sha256", i.sha256)),
            i.data,
        )
        for i in images
    )


def read_fat_binary(content: bytes) -> tuple[tuple[StoredImage, ...], tuple[Problem, ...]]:
    """Every offload binary of the section as an image."""
    entries, problems = offload_binary.read(content)
    images = tuple(
        StoredImage(
            offset=entry.offset,
            span=entry.span,
            arch=dict(entry.strings).get("arch", ""),
            kind="elf" if entry.image_kind == _OBJECT_KIND else "other",
            compression="none",
            stored_size=entry.image_size,
            data=content[entry.image_offset : entry.image_offset + entry.image_size],
        )
        for entry in entries
    )
    return images, problems
