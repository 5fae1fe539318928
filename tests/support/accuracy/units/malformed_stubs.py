"""Stub units that a faulty generator, other sources, or other options would create.

Each is compiled and linked like a sound one, without errors from the linker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.files import sha256
from kbuild.model import Param
from kbuild.verify.policy.model import Severity
from support.accuracy.build_env import BuildEnv
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

# Takes a directory for additional images and a sound design, and returns a malformed design.
Change: TypeAlias = Callable[[Path, Design], Design]


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedStub:
    """A defect that is compiled into a stub unit."""

    rule: str
    way: str
    change: Change
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


MALFORMED_STUBS: Final = (
    MalformedStub(rule="KB101", way="packed without an image", change=_lacking_architecture),
    MalformedStub(rule="KB103", way="image compiled without a kernel", change=_lacking_kernel),
    MalformedStub(rule="KB108", way="image compiled with other types", change=_other_layout),
    MalformedStub(rule="KB109", way="image cut before it was packed", change=_cut_image),
    MalformedStub(rule="KB301", way="missing handle", change=_undefined_handle, links=False),
    MalformedStub(rule="KB302", way="handle defined as a function", change=_function_handle),
    MalformedStub(rule="KB303", way="handle of four pointers", change=_handle_of_32_bytes),
    MalformedStub(rule="KB303", way="handle in writable data", change=_writable_handle),
    MalformedStub(rule="KB304", way="handle is an alias of another", change=_folded_handles),
    MalformedStub(rule="KB305", way="stub with another name", change=_renamed_stub, has_stub=True),
    MalformedStub(rule="KB305", way="missing stub", change=_no_stub, has_stub=True),
    MalformedStub(rule="KB306", way="leftover stub", change=_stale_stub, severity="warning"),
    MalformedStub(
        rule="KB307",
        way="stub declared hidden",
        change=_hidden_stub,
        visibility="default",
        has_stub=True,
    ),
    MalformedStub(rule="KB308", way="handle initialized", change=_filled_slot),
    MalformedStub(rule="KB308", way="handle not initialized", change=_empty_slot, has_stub=True),
    MalformedStub(
        rule="KB308",
        way="stub that other files can interpose",
        change=_interposable_stub,
        severity="warning",
        visibility="default",
        has_stub=True,
        shows_in_object=False,
    ),
    MalformedStub(rule="KB401", way="no constructor attribute", change=_no_constructor),
    MalformedStub(rule="KB401", way="note without the descriptor", change=_no_descriptor),
    MalformedStub(rule="KB401", way="descriptor of other containers", change=_foreign_container),
    MalformedStub(
        rule="KB407",
        way="compiled without the unregistering function",
        change=_no_unregister,
        severity="warning",
    ),
    MalformedStub(rule="KB505", way="fat binary's .balign lowered", change=_misaligned_fat_binary),
    MalformedStub(rule="KB505", way="note's .balign lowered", change=_misaligned_note),
    MalformedStub(rule="KB601", way="record of another build", change=_other_hash),
    MalformedStub(rule="KB601", way="packed with an additional image", change=_undescribed_image),
)


def load_malformed_stub(build_env: BuildEnv, unit: MalformedStub) -> Path:
    """Return the object of a malformed stub unit."""
    design = load_design(build_env)
    return load_unit(build_env, unit.way, lambda directory: unit.change(directory, design))


def _mutate(unit: MalformedStub) -> Mutation:
    def broken(build_env: BuildEnv) -> Case:
        compiled = load_malformed_stub(build_env, unit)
        if not unit.links:
            return Case(paths=(compiled,))
        return Case(paths=(load_library(build_env, unit.way, (compiled,)),))

    def sound(build_env: BuildEnv) -> Case:
        load = load_sound_library if unit.links else load_sound_unit
        return Case(paths=(load(build_env, unit.visibility, has_stub=unit.has_stub),))

    return Mutation(
        rule=unit.rule, way=unit.way, severity=unit.severity, broken=broken, sound=sound
    )


MUTATIONS: Final = tuple(map(_mutate, MALFORMED_STUBS))
