"""Builds the facts of a small sound artifact; tests put one thing out of order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kbuild.facts import (
    ArtifactFacts,
    ContainerFacts,
    HandleFacts,
    ImageFacts,
    ModuleFacts,
    Place,
    Pointer,
    Section,
    Symbol,
)
from kbuild.formats.elf import SHF_ALLOC, SHF_WRITE
from kbuild.model import (
    ContainerRecord,
    ImageRecord,
    Kernel,
    KernelRecord,
    Param,
    TargetRecord,
)

SCALE = "_ZN2ns5scaleEPffi"
AXPY = "_Z4axpyfPf"
ARCHITECTURES = ("sm_80", "sm_90")

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


def sound_facts(stub: str | None = None) -> ArtifactFacts:
    """A shared object with two kernels, one container and two images."""
    rows = tuple(_row(kernel, stub) for kernel in KERNELS)
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
    )
    module = ModuleFacts(
        record=record,
        descriptor=Place(section=1, offset=256),
        descriptor_problem=None,
        constructor=Place(section=2, offset=0),
        unregister=Place(section=2, offset=64),
        is_constructor_reached=True,
        constructor_priority=None,
        containers=(0,),
    )
    container = ContainerFacts(
        backend="cpu", place=Place(section=3, offset=0), size=4096, is_damaged=False
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
    )


_SECTIONS = (
    _section(0, "", 0),
    _section(1, ".data.rel.ro", SHF_ALLOC | SHF_WRITE),
    _section(2, ".text", SHF_ALLOC),
    _section(3, ".kbuild_fatbin", SHF_ALLOC),
    _section(4, ".data", SHF_ALLOC | SHF_WRITE),
)


def _row(kernel: Kernel, stub: str | None) -> KernelRecord:
    return KernelRecord(
        handle=kernel.name,
        device_name=kernel.name,
        display=kernel.display,
        linkage="external",
        container=0,
        params=kernel.params,
        stub=f"{stub}{kernel.name}" if stub else None,
    )


def _handle(row: KernelRecord, offset: int) -> HandleFacts:
    place = Place(section=1, offset=offset)
    stub = Place(section=2, offset=128 + offset) if row.stub else None
    return HandleFacts(
        kernel=row.handle,
        row=row,
        registered=Pointer(place=place),
        symbol=Symbol(
            name=row.handle,
            type="object",
            binding="global",
            visibility="hidden",
            size=8,
            value=0x1000 + offset,
            place=place,
            dynamic=False,
        ),
        place=place,
        content=Pointer(place=stub),
        is_read_only=True,
        stub=stub,
    )


def _image_record(arch: str) -> ImageRecord:
    names = tuple(kernel.name for kernel in KERNELS)
    return ImageRecord(arch=arch, kind="elf", sha256=f"hash of {arch}", size=1000, kernels=names)


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
    """The same artifact, its first handle changed."""
    return replace(facts, handles=(change(facts.handles[0]), *facts.handles[1:]))


def change_symbol(facts: ArtifactFacts, change: Callable[[Symbol], Symbol]) -> ArtifactFacts:
    """The same artifact, the symbol of its first handle changed."""

    def apply(handle: HandleFacts) -> HandleFacts:
        assert handle.symbol is not None
        return replace(handle, symbol=change(handle.symbol))

    return change_handle(facts, apply)


def change_module(
    facts: ArtifactFacts, change: Callable[[ModuleFacts], ModuleFacts]
) -> ArtifactFacts:
    """The same artifact, its module changed."""
    return replace(facts, modules=(change(facts.modules[0]),))


def change_record(
    facts: ArtifactFacts, change: Callable[[TargetRecord], TargetRecord]
) -> ArtifactFacts:
    """The same artifact with another record."""
    return change_module(facts, lambda module: replace(module, record=change(module.record)))


def change_image(facts: ArtifactFacts, change: Callable[[ImageFacts], ImageFacts]) -> ArtifactFacts:
    """The same artifact, its last image changed."""
    return replace(facts, images=(*facts.images[:-1], change(facts.images[-1])))
