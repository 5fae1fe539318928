"""Layouts of code, data, and device code, and archives that are only partly linked."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild.formats.elf.file import Elf
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.units.stub_units import (
    IDLE,
    load_design,
    load_host,
    load_program,
    load_sound_unit,
    load_unit,
)
from support.commands import run, succeed
from support.files.hand_made import ROWS, SCALE
from support.files.mutations import patch

_DATA: Final = "int data = 1;\nint main(void) { return data; }\n"
_BIG: Final = "char big[1700u << 20];\nint main(int n, char **words) { return big[n]; }\n"
_USER: Final = f'extern char scale __asm__("{SCALE}");\nint main(void) {{ return scale; }}\n'
_CODE: Final = ("PT_LOAD", 5)
_LINKED_WHOLE: Final = "-Wl,--whole-archive"


def _program(name: str, text: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        host = load_host(build_env, f"laid-out-{name}", text)
        unit = load_sound_unit(build_env)
        return Case(paths=(load_program(build_env, f"laid-out-{name}", *options, host, unit),))

    return build


def _edited(name: str, edit: Callable[[bytes], bytes]) -> Build:
    def build(build_env: BuildEnv) -> Case:
        (program,) = _program("sound", _DATA)(build_env).paths
        return Case(paths=(build_env.edit(name, program, edit),))

    return build


def _with_assembly(build_env: BuildEnv) -> Case:
    # Linkers of newer distributions ignore that the section is missing.
    stack = '.section .note.GNU-stack, "x"\n'
    source = build_env.text("assembly/code.s", f".globl code\ncode: ret\n{stack}")
    host, unit = load_host(build_env, "idle", IDLE), load_sound_unit(build_env)
    return Case(paths=(load_program(build_env, "assembly", host, source, unit),))


def _writable_code(data: bytes) -> bytes:
    (headers,) = struct.unpack_from("<Q", data, 32)
    number = next(n for n, s in enumerate(Elf(data).segments) if (s.type, s.flags) == _CODE)
    return patch(data, headers + 56 * number + 4, struct.pack("<I", 7))


def _distant_data(data: bytes) -> bytes:
    # Linkers prevent this, but a patched or compressed file can have it.
    (section,) = Elf(data).sections_named(".bss")
    (headers,) = struct.unpack_from("<Q", data, 40)
    return patch(data, headers + 64 * section.index + 16, struct.pack("<Q", 0x9000_0000))


def _second_unit(build_env: BuildEnv) -> Path:
    """Return a target with other kernels for the archive of the first target."""
    rows = tuple(replace(row, handle=f"{row.handle}_other", linkage="external") for row in ROWS)
    design = replace(load_design(build_env), rows=rows)
    return load_unit(build_env, "second", lambda _: design)


def _archive(build_env: BuildEnv, name: str, *units: Path) -> Path:
    """Return an archive whose members have different names."""

    def make(path: Path) -> None:
        members = []
        for number, unit in enumerate(units):
            members.append(path.parent / f"kernels{number}.o")
            members[-1].write_bytes(unit.read_bytes())
        succeed(run("ar", "rcs", path, *members))

    return build_env.file(f"archives/{name}/libk.a", make)


def _both(build_env: BuildEnv) -> Path:
    return _archive(build_env, "both", load_sound_unit(build_env), _second_unit(build_env))


def _whole_program(build_env: BuildEnv) -> Case:
    archive, host = _both(build_env), load_host(build_env, "user", _USER)
    whole = (_LINKED_WHOLE, archive, "-Wl,--no-whole-archive")
    return Case(paths=(load_program(build_env, "whole", host, *whole), archive))


def _partial_program(build_env: BuildEnv) -> Case:
    archive, host = _both(build_env), load_host(build_env, "user", _USER)
    return Case(paths=(load_program(build_env, "partial", host, archive), archive))


def _stale_program(build_env: BuildEnv) -> Case:
    """Return an archive, and a program that linked all of it before a member was added."""
    first = _archive(build_env, "first", load_sound_unit(build_env))
    host = load_host(build_env, "user", _USER)
    program = load_program(build_env, "stale", host, _LINKED_WHOLE, first, "-Wl,--no-whole-archive")
    return Case(paths=(program, _both(build_env)))


def _library_of_archive(name: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        archive = _both(build_env)
        words = ("gcc", "-shared", *options, archive, "-Wl,--no-whole-archive", "-o")
        return Case(paths=(build_env.call(f"libraries/{name}/libkernels.so", *words), archive))

    return build


_SOUND: Final = _program("sound", _DATA)
_FIXED: Final = _program("fixed", _DATA, "-no-pie")

MUTATIONS: Final = (
    Mutation(
        rule="KB409",
        way="archive linked without --whole-archive",
        broken=_partial_program,
        sound=_whole_program,
    ),
    Mutation(
        rule="KB409",
        way="library that links one member with -u",
        broken=_library_of_archive("undefined", f"-Wl,-u,{SCALE}"),
        sound=_library_of_archive("whole", _LINKED_WHOLE),
    ),
    Mutation(
        rule="KB409",
        way="archive with a new member",
        broken=_stale_program,
        sound=_whole_program,
    ),
    Mutation(
        rule="KB504",
        way="--section-start far away",
        severity="warning",
        broken=_program("distant", _DATA, "-no-pie", "-Wl,--section-start=.data=0x68000000"),
        sound=_FIXED,
    ),
    Mutation(
        rule="KB504",
        way="section's address changed",
        broken=_edited("distant", _distant_data),
        sound=_SOUND,
    ),
    Mutation(
        rule="KB504",
        way="array of 1.7 GB",
        severity="warning",
        broken=_program("big", _BIG),
        sound=_SOUND,
    ),
    Mutation(
        rule="KB506",
        way="-z execstack",
        severity="info",
        broken=_program("execstack", IDLE, "-Wl,-z,execstack"),
        sound=_SOUND,
    ),
    Mutation(
        rule="KB506",
        way="code segment made writable",
        severity="info",
        broken=_edited("writable", _writable_code),
        sound=_SOUND,
    ),
    Mutation(
        rule="KB506",
        way="assembly that requests an executable stack",
        severity="info",
        broken=_with_assembly,
        sound=_SOUND,
    ),
)
