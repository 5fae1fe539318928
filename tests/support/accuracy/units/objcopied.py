"""kbuild's artifacts changed by objcopy, by linker options, or by another object."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.units.stub_units import (
    load_design,
    load_host,
    load_library,
    load_sound_library,
    load_sound_unit,
    load_unit,
    sound_library,
    sound_unit,
)
from support.files.hand_made import AXPY, SCALE, SCALE_STUB

_INITIALIZERS: Final = ".init_array.00101"
# A host function with the name of a template kernel, whose handle is weak.
_FUNCTION: Final = f'void function(void) __asm__("{AXPY}");\nvoid function(void) {{}}\n'
_STALE_STUB: Final = f'void stale(void) __asm__("{SCALE_STUB}");\nvoid stale(void) {{}}\n'
# Not empty, because compilers omit empty ones.
_CONSTRUCTOR: Final = '__attribute__((constructor)) static void early(void) { __asm__(""); }\n'


def _objcopy(build_env: BuildEnv, sound: Path, *options: str) -> Path:
    name = "".join(options).replace("/", "!")
    return build_env.call(f"objcopied/{name}/{sound.name}", "objcopy", *options, sound)


def _objcopied_unit(*options: str, has_stub: bool = False) -> Build:
    def build(build_env: BuildEnv) -> Case:
        sound = load_sound_unit(build_env, has_stub=has_stub)
        return Case(paths=(_objcopy(build_env, sound, *options),))

    return build


def _objcopied_library(*options: str, visibility: str = "hidden", has_stub: bool = False) -> Build:
    def build(build_env: BuildEnv) -> Case:
        sound = load_sound_library(build_env, visibility, has_stub=has_stub)
        return Case(paths=(_objcopy(build_env, sound, *options),))

    return build


def _linked(name: str, *options: str, visibility: str = "hidden", has_stub: bool = False) -> Build:
    def build(build_env: BuildEnv) -> Case:
        unit = load_sound_unit(build_env, visibility, has_stub=has_stub)
        return Case(paths=(load_library(build_env, name, (unit,), *options),))

    return build


def _linked_with(name: str, text: str, *, first: bool = False, priority: str = "(101)") -> Build:
    """Return the unit with another constructor priority, and an object of this C source."""

    def build(build_env: BuildEnv) -> Case:
        design = load_design(build_env)
        if priority != "(101)":
            design = replace(design, c=(("constructor(101)", f"constructor{priority}"),))
        unit = load_unit(build_env, name, lambda _: design)
        host = load_host(build_env, name, text, "-fPIC")
        units = (host, unit) if first else (unit, host)
        return Case(paths=(load_library(build_env, name, units),))

    return build


def _localized_stub(build_env: BuildEnv) -> Case:
    script = build_env.text("kernels.map", f"{{ global: {SCALE}; {AXPY}; local: *; }};\n")
    unit = load_sound_unit(build_env, "default", has_stub=True)
    option = f"-Wl,--version-script={script}"
    return Case(paths=(load_library(build_env, "version-script", (unit,), option),))


def _sanitized(build_env: BuildEnv) -> Case:
    design = load_design(build_env)
    clang = ("clang", "-fPIC", "-fsanitize=address")
    unit = load_unit(build_env, "sanitized", lambda _: design, compiler=clang)
    return Case(paths=(load_library(build_env, "sanitized", (unit,)),))


def _misplaced_by_script(build_env: BuildEnv) -> Case:
    """Return a library linked by a script that places sections without gaps."""
    sections = ".kbuild_fatbin : SUBALIGN(1) { BYTE(0) *(.kbuild_fatbin) }"
    script = build_env.text("tight.ld", f"SECTIONS {{ {sections} }} INSERT AFTER .rodata;\n")
    unit = load_sound_unit(build_env)
    return Case(paths=(load_library(build_env, "tight", (unit,), f"-Wl,-T,{script}"),))


MUTATIONS: Final = (
    Mutation(
        rule="KB301",
        way="objcopy --strip-symbol",
        needs=("objcopy",),
        broken=_objcopied_library(f"--strip-symbol={SCALE}"),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB302",
        way="host function with the name of a weak handle",
        broken=_linked_with("function", _FUNCTION, first=True),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB303",
        way="-z norelro",
        broken=_linked("norelro", "-Wl,-z,norelro"),
        sound=sound_library(),
        beside=frozenset({("KB506", "info")}),
    ),
    Mutation(
        rule="KB303",
        way="-fsanitize=address",
        needs=("clang",),
        broken=_sanitized,
        sound=sound_library(),
        # The constructor of the sanitizer runs first.
        beside=frozenset({("KB408", "warning")}),
    ),
    Mutation(
        rule="KB304",
        way="--defsym of one handle to another",
        broken=_linked("defsym", f"-Wl,--defsym={AXPY}={SCALE}"),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB305",
        way="objcopy --strip-symbol of a stub",
        needs=("objcopy",),
        broken=_objcopied_library(f"--strip-symbol={SCALE_STUB}", has_stub=True),
        sound=sound_library(has_stub=True),
    ),
    Mutation(
        rule="KB306",
        way="object of a build with stubs linked in",
        severity="warning",
        broken=_linked_with("stale", _STALE_STUB),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB307",
        way="objcopy --weaken-symbol of a stub",
        needs=("objcopy",),
        broken=_objcopied_unit(f"--weaken-symbol={SCALE_STUB}", has_stub=True),
        sound=sound_unit(has_stub=True),
    ),
    Mutation(
        rule="KB307",
        way="version script without the stub",
        broken=_localized_stub,
        sound=sound_library("default", has_stub=True),
    ),
    Mutation(
        rule="KB401",
        way="objcopy --remove-section of the initializers",
        needs=("objcopy",),
        broken=_objcopied_unit(f"--remove-section={_INITIALIZERS}"),
        sound=sound_unit(),
    ),
    Mutation(
        rule="KB408",
        way="objcopy --rename-section of the initializers",
        severity="warning",
        needs=("objcopy",),
        broken=_objcopied_unit(f"--rename-section={_INITIALIZERS}=.init_array"),
        sound=sound_unit(),
    ),
    Mutation(
        rule="KB408",
        way="no priority, after another constructor",
        severity="warning",
        broken=_linked_with("behind", _CONSTRUCTOR, first=True, priority=""),
        sound=_linked_with("before", _CONSTRUCTOR, first=True),
    ),
    Mutation(
        rule="KB505",
        way="objcopy --set-section-alignment",
        needs=("objcopy",),
        broken=_objcopied_unit("--set-section-alignment", ".kbuild_fatbin=4"),
        sound=sound_unit(),
    ),
    Mutation(
        rule="KB505",
        way="linker script with SUBALIGN",
        broken=_misplaced_by_script,
        sound=sound_library(),
    ),
)
