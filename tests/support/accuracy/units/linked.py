"""Programs, libraries, and archives with kbuild's kernels, linked in ways that break them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.units.stub_units import (
    DECLARATION,
    IDLE,
    LAUNCHER,
    load_design,
    load_host,
    load_library,
    load_program,
    load_sound_library,
    load_sound_unit,
    load_unit,
    sound_library,
)
from support.files.hand_made import ROWS, SCALE, Design
from support.files.mutations import change_dynamic_tag, change_relocation, patch, section_range

_CALLER: Final = DECLARATION + "int main(void) { scale(0, 1, 2); return 0; }\n"
# Not empty, because compilers omit empty ones.
_EARLY: Final = '__attribute__((constructor(65))) static void early(void) { __asm__(""); }\n' + IDLE
_LATE: Final = _EARLY.replace("65", "102")
_ADDRESS_TAKER: Final = (
    "void *handle_0 RELRO = 0;",
    "void *handle_0 RELRO = 0;\nconst void *address(void) { return &handle_0; }",
)
_RELACOUNT, _SYMBOLIC, _TEXTREL = 0x6FFFFFF9, 16, 22
_COPY, _JUMP_SLOT = 5, 7

Edit = Callable[[bytes], bytes]


def _launch_to_call(data: bytes) -> bytes:
    # mov scale@GOTPCREL(%rip), %rax; call *scale@GOTPCREL(%rip)
    place = section_range(data, ".text.startup")
    at = data.index(b"\x48\x8b\x05", place.start, place.stop)
    return patch(data, at + 1, b"\xff\x15")


def _launching_object(build_env: BuildEnv) -> tuple[Path, ...]:
    host = load_host(build_env, "launcher", LAUNCHER, "-fPIC")
    return host, load_sound_library(build_env, "default")


def _launching_program(build_env: BuildEnv) -> tuple[Path, ...]:
    host, library = _launching_object(build_env)
    return load_program(build_env, "launcher", "-pie", host, library), library


def _launches(files: Callable[[BuildEnv], tuple[Path, ...]]) -> Build:
    return lambda w: Case(paths=files(w))


def _edited(way: str, files: Callable[[BuildEnv], tuple[Path, ...]], edit: Edit) -> Build:
    """Return the files with the first of them edited."""

    def build(build_env: BuildEnv) -> Case:
        first, *others = files(build_env)
        return Case(paths=(build_env.edit(way, first, edit), *others))

    return build


def _calling_object(build_env: BuildEnv) -> Case:
    host = load_host(build_env, "caller", _CALLER, "-fno-pie")
    return Case(paths=(host, load_sound_library(build_env, "default")))


def _calling_program(build_env: BuildEnv) -> Case:
    host = load_host(build_env, "caller-pic", _CALLER, "-fPIC")
    library = load_sound_library(build_env, "default")
    return Case(paths=(load_program(build_env, "caller", "-pie", host, library), library))


def _copying(name: str, *options: str) -> Build:
    """Return a program at a fixed address, and a library linked with these options."""

    def build(build_env: BuildEnv) -> Case:
        host = load_host(build_env, "fixed", LAUNCHER, "-fno-pie")
        unit = load_sound_unit(build_env, "default")
        library = load_library(build_env, f"copied-{name}", (unit,), *options)
        program = load_program(build_env, f"copying-{name}", "-no-pie", host, library)
        return Case(paths=(program, library))

    return build


def _bound(name: str, *options: str, linker: str = "bfd") -> Build:
    def build(build_env: BuildEnv) -> Case:
        unit = load_sound_unit(build_env, "default")
        return Case(paths=(load_library(build_env, name, (unit,), *options, linker=linker),))

    return build


def _listed_dynamically(build_env: BuildEnv) -> Case:
    others = build_env.text("dynamic.list", "{ other; };\n")
    return _bound("dynamic-list", f"-Wl,--dynamic-list={others}")(build_env)


def _address_taker(build_env: BuildEnv) -> Design:
    return replace(load_design(build_env, "default"), c=(_ADDRESS_TAKER,))


def _named(visibility: str) -> Build:
    """Return a library in which the first kernel has the name of a C function."""

    def build(build_env: BuildEnv) -> Case:
        first, *others = ROWS
        row = replace(first, handle="write", display="write")
        design = replace(load_design(build_env, visibility), rows=(row, *others))
        unit = load_unit(build_env, f"named-{visibility}", lambda _: design)
        return Case(paths=(load_library(build_env, f"named-{visibility}", (unit,)),))

    return build


def _taking_object(name: str, *compiler: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        design = _address_taker(build_env)
        return Case(paths=(load_unit(build_env, name, lambda _: design, compiler=compiler),))

    return build


def _taking_library(name: str, compiler: tuple[str, ...], *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        (unit,) = _taking_object(name, *compiler)(build_env).paths
        return Case(paths=(load_library(build_env, name, (unit,), *options),))

    return build


def _program_with_constructor(name: str, text: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        host = load_host(build_env, name, text, "-w", *options)
        program = load_program(build_env, name, host, load_sound_unit(build_env), *options)
        return Case(paths=(program,))

    return build


MUTATIONS: Final = (
    Mutation(
        rule="KB309",
        way="load of a launch turned into a call",
        broken=_edited("launch-to-call", _launching_object, _launch_to_call),
        sound=_launches(_launching_object),
    ),
    Mutation(
        rule="KB309",
        way="relocation of a launch turned into a call's",
        broken=_edited(
            "launch-to-slot",
            _launching_program,
            lambda data: change_relocation(data, ".rela.dyn", SCALE, _JUMP_SLOT),
        ),
        sound=_launches(_launching_program),
    ),
    Mutation(
        rule="KB309",
        way="kernel called in C",
        broken=_calling_object,
        sound=_launches(_launching_object),
    ),
    Mutation(
        rule="KB309",
        way="calling program linked",
        broken=_calling_program,
        sound=_launches(_launching_program),
    ),
    Mutation(
        rule="KB310",
        way="exported handle with the name of a function of libc",
        broken=_named("default"),
        sound=_named("hidden"),
    ),
    Mutation(
        rule="KB408",
        way="constructor of the program with a smaller priority",
        severity="warning",
        broken=_program_with_constructor("early", _EARLY),
        sound=_program_with_constructor("late", _LATE),
    ),
    Mutation(
        rule="KB408",
        way="constructor of the program with a smaller priority, beside that of a sanitizer",
        severity="warning",
        broken=_program_with_constructor("sanitized-early", _EARLY, "-fsanitize=address"),
        sound=_program_with_constructor("sanitized-late", _LATE, "-fsanitize=address"),
    ),
    Mutation(
        rule="KB501",
        way="relocation turned into a copy",
        severity="warning",
        broken=_edited(
            "launch-to-copy",
            _launching_program,
            lambda data: change_relocation(data, ".rela.dyn", SCALE, _COPY),
        ),
        sound=_launches(_launching_program),
    ),
    Mutation(
        rule="KB501",
        way="-fno-pie -no-pie",
        severity="warning",
        broken=_copying("plainly"),
        sound=_launches(_launching_program),
    ),
    Mutation(
        rule="KB501",
        way="-no-pie with a -Bsymbolic library",
        broken=_copying("symbolic", "-Wl,-Bsymbolic"),
        sound=_launches(_launching_program),
        beside=frozenset({("KB502", "warning")}),
    ),
    Mutation(
        rule="KB502",
        way="DT_SYMBOLIC",
        severity="warning",
        broken=_edited(
            "symbolic",
            lambda w: (load_sound_library(w, "default"),),
            lambda data: change_dynamic_tag(data, _RELACOUNT, _SYMBOLIC),
        ),
        sound=sound_library("default"),
    ),
    Mutation(
        rule="KB502",
        way="-Bsymbolic",
        severity="warning",
        broken=_bound("bsymbolic", "-Wl,-Bsymbolic"),
        sound=sound_library("default"),
    ),
    Mutation(
        rule="KB502",
        way="--dynamic-list without the handles",
        severity="warning",
        broken=_listed_dynamically,
        sound=sound_library("default"),
    ),
    Mutation(
        rule="KB503",
        way="DT_TEXTREL",
        broken=_edited(
            "textrel",
            lambda w: (load_sound_library(w, "default"),),
            lambda data: change_dynamic_tag(data, _RELACOUNT, _TEXTREL),
        ),
        sound=sound_library("default"),
    ),
    Mutation(
        rule="KB503",
        way="-fno-pic",
        broken=_taking_object("fixed", "gcc", "-fno-pic"),
        sound=_taking_object("position-independent", "gcc", "-fPIC"),
    ),
    Mutation(
        rule="KB503",
        way="-mcmodel=large -z notext",
        broken=_taking_library("large", ("gcc", "-fno-pic", "-mcmodel=large"), "-Wl,-z,notext"),
        sound=_taking_library("position-independent", ("gcc", "-fPIC")),
    ),
)
