"""Where the linker puts code, data and device code, and what archives it takes them from."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild.formats.elf.file import Elf
from support.accuracy.build_env import Workshop
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
    def build(workshop: Workshop) -> Case:
        host = load_host(workshop, f"laid-out-{name}", text)
        unit = load_sound_unit(workshop)
        return Case(paths=(load_program(workshop, f"laid-out-{name}", *options, host, unit),))

    return build


def _edited(name: str, edit: Callable[[bytes], bytes]) -> Build:
    def build(workshop: Workshop) -> Case:
        (program,) = _program("sound", _DATA)(workshop).paths
        return Case(paths=(workshop.edit(name, program, edit),))

    return build


def _with_assembly(workshop: Workshop) -> Case:
    source = workshop.text("assembly/code.s", ".globl code\ncode: ret\n")
    host, unit = load_host(workshop, "idle", IDLE), load_sound_unit(workshop)
    return Case(paths=(load_program(workshop, "assembly", host, source, unit),))


def _writable_code(data: bytes) -> bytes:
    (headers,) = struct.unpack_from("<Q", data, 32)
    number = next(n for n, s in enumerate(Elf(data).segments) if (s.type, s.flags) == _CODE)
    return patch(data, headers + 56 * number + 4, struct.pack("<I", 7))


def _distant_data(data: bytes) -> bytes:
    # No linker lets it come to this; a patched or compressed file may.
    (section,) = Elf(data).sections_named(".bss")
    (headers,) = struct.unpack_from("<Q", data, 40)
    return patch(data, headers + 64 * section.index + 16, struct.pack("<Q", 0x9000_0000))


def _second_unit(workshop: Workshop) -> Path:
    """A target of other kernels, to go into one archive with the first."""
    rows = tuple(replace(row, handle=f"{row.handle}_other", linkage="external") for row in ROWS)
    design = replace(load_design(workshop), rows=rows)
    return load_unit(workshop, "second", lambda _: design)


def _archive(workshop: Workshop, name: str, *units: Path) -> Path:
    """An archive whose members have names of their own."""

    def make(path: Path) -> None:
        members = []
        for number, unit in enumerate(units):
            members.append(path.parent / f"kernels{number}.o")
            members[-1].write_bytes(unit.read_bytes())
        succeed(run("ar", "rcs", path, *members))

    return workshop.file(f"archives/{name}/libk.a", make)


def _both(workshop: Workshop) -> Path:
    return _archive(workshop, "both", load_sound_unit(workshop), _second_unit(workshop))


def _whole_program(workshop: Workshop) -> Case:
    archive, host = _both(workshop), load_host(workshop, "user", _USER)
    whole = (_LINKED_WHOLE, archive, "-Wl,--no-whole-archive")
    return Case(paths=(load_program(workshop, "whole", host, *whole), archive))


def _partial_program(workshop: Workshop) -> Case:
    archive, host = _both(workshop), load_host(workshop, "user", _USER)
    return Case(paths=(load_program(workshop, "partial", host, archive), archive))


def _stale_program(workshop: Workshop) -> Case:
    """Linked whole, but before the archive got its second member."""
    first = _archive(workshop, "first", load_sound_unit(workshop))
    host = load_host(workshop, "user", _USER)
    program = load_program(workshop, "stale", host, _LINKED_WHOLE, first, "-Wl,--no-whole-archive")
    return Case(paths=(program, _both(workshop)))


def _library_of_archive(name: str, *options: str) -> Build:
    def build(workshop: Workshop) -> Case:
        archive = _both(workshop)
        words = ("gcc", "-shared", *options, archive, "-Wl,--no-whole-archive", "-o")
        return Case(paths=(workshop.call(f"libraries/{name}/libkernels.so", *words), archive))

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
        way="library that takes one member by -u",
        broken=_library_of_archive("undefined", f"-Wl,-u,{SCALE}"),
        sound=_library_of_archive("whole", _LINKED_WHOLE),
    ),
    Mutation(
        rule="KB409",
        way="archive has got a member since",
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
        way="assembly that does not say how it uses the stack",
        severity="info",
        broken=_with_assembly,
        sound=_SOUND,
    ),
)
