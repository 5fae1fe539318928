"""Builds the facts of a small sound artifact, of which tests break one part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kbuild.demangle.stub_names import name_stub
from kbuild.facts import (
    ArtifactFacts,
    ContainerFacts,
    DynamicFacts,
    FileKind,
    HandleFacts,
    ImageFacts,
    ModuleFacts,
    Place,
    Pointer,
    Reference,
    ReferenceKind,
    Section,
    Symbol,
)
from kbuild.formats.elf.constants import SHF_ALLOC, SHF_WRITE
from kbuild.model import (
    CompilerRecord,
    ContainerRecord,
    ImageRecord,
    Kernel,
    KernelRecord,
    Param,
    Resources,
    TargetRecord,
)

SCALE = "_ZN2ns5scaleEPffi"
AXPY = "_Z4axpyfPf"
ARCHITECTURES = ("sm_80", "sm_90")

DYNAMIC = DynamicFacts(
    soname=None, needed=("libc.so.6",), is_symbolic=False, has_text_relocations=False
)

KERNELS = (
    Kernel(
        name=SCALE,
        display="ns::scale(float*, float, int)",
        params=(
            Param(index=0, offset=0, size=8, type="float*"),
            Param(index=1, offset=8, size=4, type="float"),
            Param(index=2, offset=12, size=4, type="int"),
        ),
    ),
    Kernel(
        name=AXPY,
        display="axpy(float, float*)",
        params=(
            Param(index=0, offset=0, size=4, type="float"),
            Param(index=1, offset=8, size=8, type="float*"),
        ),
    ),
)


def sound_facts(*, has_stubs: bool = False) -> ArtifactFacts:
    """Return a shared object with two kernels, one container, and two images."""
    rows = tuple(_row(kernel, has_stubs=has_stubs) for kernel in KERNELS)
    handles = tuple(_handle(row, 16 * number) for number, row in enumerate(rows))
    record = TargetRecord(
        version="0.1.0",
        target="demo",
        backend="cpu",
        visibility="hidden",
        kernels=rows,
        containers=(
            ContainerRecord(
                source="demo.cu",
                images=tuple(_image_record(arch) for arch in ARCHITECTURES),
            ),
        ),
        compilers=(CompilerRecord(name="gcc", version="12.2.0", options=("-std=c++17", "-O2")),),
    )
    module = ModuleFacts(
        record=record,
        descriptor=Place(section=1, offset=256),
        descriptor_problem=None,
        constructor=Place(section=2, offset=0),
        unregister=Place(section=2, offset=64),
        is_constructor_reached=True,
        constructor_priority=101,
        containers=(0,),
    )
    container = ContainerFacts(
        backend="cpu",
        place=Place(section=3, offset=0),
        size=4096,
        is_damaged=False,
        alignment=8,
    )
    return ArtifactFacts(
        path="libdemo.so",
        kind="shared-object",
        machine="x86_64",
        sha256="f" * 64,
        modules=(module,),
        containers=(container,),
        images=tuple(_image(arch) for arch in ARCHITECTURES),
        handles=handles,
        sections=_SECTIONS,
        has_symbol_table=True,
        dynamic=DYNAMIC,
    )


def _section(index: int, name: str, flags: int) -> Section:
    return Section(
        index=index,
        name=name,
        type="SHT_PROGBITS",
        flags=flags,
        address=0x1000 * index,
        offset=0x1000 * index,
        size=0x1000,
        alignment=8,
        entry_size=0,
        link=0,
        info=0,
    )


_SECTIONS = (
    _section(0, "", 0),
    _section(1, ".data.rel.ro", SHF_ALLOC | SHF_WRITE),
    _section(2, ".text", SHF_ALLOC),
    _section(3, ".kbuild_fatbin", SHF_ALLOC),
    _section(4, ".data", SHF_ALLOC | SHF_WRITE),
    _section(5, ".note.kbuild", SHF_ALLOC),
)


def _row(kernel: Kernel, *, has_stubs: bool) -> KernelRecord:
    return KernelRecord(
        handle=kernel.name,
        device_name=kernel.name,
        display=kernel.display,
        linkage="external",
        container=0,
        params=kernel.params,
        stub=name_stub(kernel.name) if has_stubs else None,
    )


def _handle(row: KernelRecord, offset: int) -> HandleFacts:
    place = Place(section=1, offset=offset)
    stub = None
    if row.stub:
        stub = make_symbol(row.stub, Place(section=2, offset=128 + offset), type="function")
    return HandleFacts(
        kernel=row.handle,
        row=row,
        registered=Pointer(place=place),
        symbol=make_symbol(row.handle, place),
        place=place,
        content=Pointer(place=stub.place if stub else None),
        is_read_only=True,
        stub=stub,
    )


def make_symbol(name: str, place: Place | None, **changes: Any) -> Symbol:
    """Return a hidden, global data symbol of the size of a handle, with changes."""
    value = 0x1000 * place.section + place.offset if place else 0
    symbol = Symbol(
        name=name,
        type="object",
        binding="global",
        visibility="hidden",
        size=8,
        value=value,
        place=place,
        dynamic=False,
    )
    return replace(symbol, **changes)


def export(facts: ArtifactFacts) -> ArtifactFacts:
    """Return the artifact with default visibility, so that others can bind to its handles."""

    def show(symbol: Symbol | None) -> Symbol | None:
        return symbol and replace(symbol, visibility="default")

    handles = tuple(
        replace(
            handle,
            symbol=show(handle.symbol),
            stub=show(handle.stub),
            registered=Pointer(place=handle.place, symbol=handle.kernel, interposable=True),
        )
        for handle in facts.handles
    )
    symbols = (symbol for handle in handles for symbol in (handle.symbol, handle.stub))
    exported = replace(
        facts,
        path="libexported.so",
        handles=handles,
        symbols=tuple(replace(symbol, dynamic=True) for symbol in symbols if symbol),
        dynamic=DYNAMIC,
    )
    return change_record(exported, lambda record: replace(record, visibility="default"))


def host_facts(kind: FileKind, *uses: tuple[ReferenceKind, str]) -> ArtifactFacts:
    """Return a file without kernels that refers to symbols of other files."""
    names = [name for _, name in uses]
    return ArtifactFacts(
        path=f"host.{kind}",
        kind=kind,
        machine="x86_64",
        sha256="e" * 64,
        sections=_SECTIONS[:3],
        symbols=(
            make_symbol("main", Place(section=2, offset=0), type="function", size=64),
            *(make_symbol(name, None, type="none", visibility="default") for name in names),
        ),
        has_symbol_table=True,
        references=tuple(
            Reference(kind=use, symbol=name, place=Place(section=2, offset=16), target=None)
            for use, name in uses
        ),
        dynamic=None if kind == "object" else DYNAMIC,
    )


def foreign_facts(*images: ImageFacts) -> ArtifactFacts:
    """Return a fat binary by another compiler: one container, and nothing from kbuild."""
    found = images or (gpu_image("sm_90"), gpu_image("compute_90", kind="ptx"))
    return ArtifactFacts(
        path="foreign.fatbin",
        kind="fat-binary",
        machine=None,
        sha256="d" * 64,
        containers=(
            ContainerFacts(
                backend=found[0].backend,
                place=Place(section=0, offset=0),
                size=4096,
                is_damaged=False,
                alignment=8,
            ),
        ),
        images=found,
    )


MODEST = Resources(
    registers=32,
    shared_bytes=1024,
    local_bytes=0,
    spill_bytes=0,
    code_bytes=512,
    max_threads=256,
)


def gpu_image(arch: str, *, resources: Resources = MODEST, **changes: Any) -> ImageFacts:
    """Return a GPU image with two small kernels. PTX has fewer figures."""
    is_ptx = changes.get("kind") == "ptx"
    own = Resources(max_threads=256) if is_ptx else resources
    image = ImageFacts(
        backend="hip" if arch.startswith("gfx") else "cuda",
        arch=arch,
        kind="elf",
        compression="none",
        size=1000,
        stored_size=1000,
        sha256=None,
        container=0,
        kernels=tuple(replace(kernel, resources=own) for kernel in KERNELS),
        ptx_version="8.4" if is_ptx else None,
    )
    return replace(image, **changes)


def _image_record(arch: str) -> ImageRecord:
    names = tuple(kernel.name for kernel in KERNELS)
    return ImageRecord(
        arch=arch, kind="elf", sha256=f"hash of {arch}", size=1000, kernels=names, compiler=0
    )


def _image(arch: str) -> ImageFacts:
    return ImageFacts(
        backend="cpu",
        arch=arch,
        kind="elf",
        compression="none",
        size=1000,
        stored_size=1000,
        sha256=f"hash of {arch}",
        container=0,
        kernels=KERNELS,
    )


def change_handle(
    facts: ArtifactFacts, change: Callable[[HandleFacts], HandleFacts]
) -> ArtifactFacts:
    """Return the artifact with a changed first handle."""
    return replace(facts, handles=(change(facts.handles[0]), *facts.handles[1:]))


def change_symbol(facts: ArtifactFacts, change: Callable[[Symbol], Symbol]) -> ArtifactFacts:
    """Return the artifact with a changed symbol of the first handle."""

    def apply(handle: HandleFacts) -> HandleFacts:
        assert handle.symbol is not None
        return replace(handle, symbol=change(handle.symbol))

    return change_handle(facts, apply)


def change_module(
    facts: ArtifactFacts, change: Callable[[ModuleFacts], ModuleFacts]
) -> ArtifactFacts:
    """Return the artifact with a changed module."""
    return replace(facts, modules=(change(facts.modules[0]),))


def change_record(
    facts: ArtifactFacts, change: Callable[[TargetRecord], TargetRecord]
) -> ArtifactFacts:
    """Return the artifact with another record."""
    return change_module(facts, lambda module: replace(module, record=change(module.record)))


def change_image(facts: ArtifactFacts, change: Callable[[ImageFacts], ImageFacts]) -> ArtifactFacts:
    """Return the artifact with a changed last image."""
    return replace(facts, images=(*facts.images[:-1], change(facts.images[-1])))
