"""Stub units that a worse generator, other sources or other options would have made.

Each is compiled and linked as a sound one is, which the linker has nothing against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.files import sha256
from kbuild.model import Param
from kbuild.verify.policy.model import Severity
from support.accuracy.build_env import Workshop
from support.accuracy.model import Case, Mutation
from support.accuracy.units.stub_units import (
    KERNELS,
    load_design,
    load_library,
    load_sound_library,
    load_sound_unit,
    load_unit,
)
from support.files.hand_made import (
    AXPY,
    AXPY_PARAMS,
    SCALE,
    SCALE_PARAMS,
    SCALE_STUB,
    Design,
    build_image,
    with_stub,
)

# From a folder for more images and a sound design to one that is not.
Spoil: TypeAlias = Callable[[Path, Design], Design]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoiledUnit:
    """A defect that a stub unit is compiled with."""

    rule: str
    way: str
    spoil: Spoil
    severity: Severity = "error"
    visibility: str = "hidden"
    has_stub: bool = False
    links: bool = True
    shows_in_object: bool = True


def _narrow(params: tuple[Param, ...]) -> tuple[Param, ...]:
    return (*params[:-1], replace(params[-1], size=8, offset=16))


def _lacking_architecture(_: Path, design: Design) -> Design:
    return replace(design, packed=design.images[:1])


def _lacking_kernel(directory: Path, design: Design) -> Design:
    image = build_image(directory, "x86-64-v3", {SCALE: SCALE_PARAMS})
    return replace(design, images=(design.images[0], image))


def _other_layout(directory: Path, design: Design) -> Design:
    kernels = {SCALE: _narrow(SCALE_PARAMS), AXPY: AXPY_PARAMS}
    return replace(design, images=(design.images[0], build_image(directory, "x86-64-v3", kernels)))


def _cut_image(_: Path, design: Design) -> Design:
    first, second = design.images
    return replace(design, images=(first, replace(second, data=second.data[:4096])))


def _undefined_handle(_: Path, design: Design) -> Design:
    return replace(design, c=(("void *handle_0 RELRO = 0;", ""),))


def _handle_of_32_bytes(_: Path, design: Design) -> Design:
    definition = ("void *handle_0 RELRO = 0;", "void *handle_0[4] RELRO = { 0 };")
    return replace(design, c=(definition, ("extern void *handle_0 ", "extern void *handle_0[4] ")))


def _writable_handle(_: Path, design: Design) -> Design:
    new = 'void *handle_0 __attribute__((section(".data"))) = 0;'
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _folded_handles(_: Path, design: Design) -> Design:
    new = f'__asm__(".globl {AXPY}\\n.hidden {AXPY}\\n.set {AXPY}, {SCALE}");'
    return replace(design, c=(("void *handle_1 RELRO = 0;", new),))


def _function_handle(_: Path, design: Design) -> Design:
    definition = ("void *handle_0 RELRO = 0;", "void handle_0(void) {}")
    return replace(
        design, c=(definition, ("extern void *handle_0 ", "extern void handle_0(void) "))
    )


def _renamed_stub(_: Path, design: Design) -> Design:
    return replace(with_stub(design), c=((SCALE_STUB, f"{SCALE_STUB}x"),))


def _no_stub(directory: Path, design: Design) -> Design:
    renamed, empty = _renamed_stub(directory, design), _empty_slot(directory, design)
    return replace(empty, c=(*empty.c, *renamed.c))


def _stale_stub(_: Path, design: Design) -> Design:
    new = (
        f'void stale(void) __asm__("{SCALE_STUB}") __attribute__((visibility("hidden")));\n'
        "void stale(void) {}\n"
        "void *handle_0 RELRO = 0;"
    )
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _hidden_stub(_: Path, design: Design) -> Design:
    hidden = '__attribute__((visibility("hidden"))) void stub_0(void) __asm__'
    shown = f'__asm__("{SCALE_STUB}") __attribute__((visibility("default")))'
    return replace(
        with_stub(design),
        visibility="default",
        c=((shown, f'__asm__("{SCALE_STUB}")'), ("void stub_0(void) __asm__", hidden)),
    )


def _misaligned_fat_binary(_: Path, design: Design) -> Design:
    return replace(design, c=((".balign 16", ".balign 4"),))


def _misaligned_note(_: Path, design: Design) -> Design:
    return replace(design, c=((".balign 4", ".balign 2"),))


def _filled_slot(_: Path, design: Design) -> Design:
    new = (
        "static void register_module(void) __attribute__((constructor(101)));\n"
        "void *handle_0 RELRO = (void *)register_module;"
    )
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _empty_slot(_: Path, design: Design) -> Design:
    return replace(
        with_stub(design),
        c=(("void *handle_0 RELRO = (void *)own_stub_0;", "void *handle_0 RELRO = 0;"),),
    )


def _no_constructor(_: Path, design: Design) -> Design:
    return replace(design, c=((", constructor(101)", ""),))


def _no_descriptor(_: Path, design: Design) -> Design:
    return replace(design, c=((".quad module_data - .", ".quad 0"),))


def _foreign_container(_: Path, design: Design) -> Design:
    return replace(design, c=(("{ { fat_binary, ", "{ { (const void *)record, "),))


def _other_hash(_: Path, design: Design) -> Design:
    return replace(design, hashes=(sha256(design.images[0].data), "0" * 64))


def _undescribed_image(directory: Path, design: Design) -> Design:
    extra = build_image(directory, "x86-64-v2", KERNELS)
    return replace(design, packed=(*design.images, extra))


def _interposable_stub(_: Path, design: Design) -> Design:
    return replace(
        with_stub(design), visibility="default", c=(("(void *)own_stub_0", "(void *)stub_0"),)
    )


def _no_unregister(_: Path, design: Design) -> Design:
    return replace(design, c=((".quad unregister_module - .", ".quad 0"),))


SPOILED_UNITS: Final = (
    SpoiledUnit(rule="KB101", way="packed without an image", spoil=_lacking_architecture),
    SpoiledUnit(rule="KB103", way="image compiled without a kernel", spoil=_lacking_kernel),
    SpoiledUnit(rule="KB108", way="image compiled with other types", spoil=_other_layout),
    SpoiledUnit(rule="KB109", way="image cut before it was packed", spoil=_cut_image),
    SpoiledUnit(rule="KB301", way="handle left out", spoil=_undefined_handle, links=False),
    SpoiledUnit(rule="KB302", way="handle defined as a function", spoil=_function_handle),
    SpoiledUnit(rule="KB303", way="handle of four pointers", spoil=_handle_of_32_bytes),
    SpoiledUnit(rule="KB303", way="handle in writable data", spoil=_writable_handle),
    SpoiledUnit(rule="KB304", way="handle is an alias of another", spoil=_folded_handles),
    SpoiledUnit(rule="KB305", way="stub under another name", spoil=_renamed_stub, has_stub=True),
    SpoiledUnit(rule="KB305", way="stub left out", spoil=_no_stub, has_stub=True),
    SpoiledUnit(rule="KB306", way="stub left in", spoil=_stale_stub, severity="warning"),
    SpoiledUnit(
        rule="KB307",
        way="stub declared hidden",
        spoil=_hidden_stub,
        visibility="default",
        has_stub=True,
    ),
    SpoiledUnit(rule="KB308", way="handle initialised", spoil=_filled_slot),
    SpoiledUnit(rule="KB308", way="handle not initialised", spoil=_empty_slot, has_stub=True),
    SpoiledUnit(
        rule="KB308",
        way="stub that others may replace",
        spoil=_interposable_stub,
        severity="warning",
        visibility="default",
        has_stub=True,
        shows_in_object=False,
    ),
    SpoiledUnit(rule="KB401", way="no constructor attribute", spoil=_no_constructor),
    SpoiledUnit(rule="KB401", way="note without the descriptor", spoil=_no_descriptor),
    SpoiledUnit(rule="KB401", way="descriptor of other containers", spoil=_foreign_container),
    SpoiledUnit(
        rule="KB407",
        way="compiled without what unregisters",
        spoil=_no_unregister,
        severity="warning",
    ),
    SpoiledUnit(rule="KB505", way="fat binary's .balign lowered", spoil=_misaligned_fat_binary),
    SpoiledUnit(rule="KB505", way="note's .balign lowered", spoil=_misaligned_note),
    SpoiledUnit(rule="KB601", way="record of another build", spoil=_other_hash),
    SpoiledUnit(rule="KB601", way="packed with an image too many", spoil=_undescribed_image),
)


def load_spoiled_unit(workshop: Workshop, unit: SpoiledUnit) -> Path:
    """The object of a spoiled unit."""
    design = load_design(workshop)
    return load_unit(workshop, unit.way, lambda folder: unit.spoil(folder, design))


def _mutate(unit: SpoiledUnit) -> Mutation:
    def broken(workshop: Workshop) -> Case:
        compiled = load_spoiled_unit(workshop, unit)
        if not unit.links:
            return Case(paths=(compiled,))
        return Case(paths=(load_library(workshop, unit.way, (compiled,)),))

    def sound(workshop: Workshop) -> Case:
        load = load_sound_library if unit.links else load_sound_unit
        return Case(paths=(load(workshop, unit.visibility, has_stub=unit.has_stub),))

    return Mutation(
        rule=unit.rule, way=unit.way, severity=unit.severity, broken=broken, sound=sound
    )


MUTATIONS: Final = tuple(map(_mutate, SPOILED_UNITS))
