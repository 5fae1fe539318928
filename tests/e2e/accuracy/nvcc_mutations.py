"""Libraries of nvcc's, with bytes changed or linked in ways that break them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mutations import change_symbol, patch, section_range

from accuracy.model import Build, Case, Mutation
from accuracy.nvcc_files import (
    SCALE,
    SM_80,
    SM_90,
    cuda_library,
    link_device_code,
    link_launcher,
    link_library,
    load_cuda_library,
    load_empty_object,
    load_exporting_library,
    load_exporting_object,
    load_object,
)
from accuracy.tools import Tool, find_shared_runtime
from accuracy.workshop import Workshop
from kbuild.formats.elf import Elf
from kbuild.inspect import inspect_path

_NEEDS: Final[tuple[Tool, ...]] = ("nvcc", "cudart")


def _rename(text: bytes, new: bytes, *sections: str) -> Callable[[bytes], bytes]:
    assert len(text) == len(new)

    def edit(data: bytes) -> bytes:
        for name in sections:
            place = section_range(data, name)
            data = patch(data, place.start, data[place.start : place.stop].replace(text, new))
        return data

    return edit


def _break_magic(data: bytes) -> bytes:
    return patch(data, section_range(data, ".nvFatBinSegment").start, b"\0\0\0\1")


def _break_pointer(data: bytes) -> bytes:
    """Let the loader fill the wrapper's pointer with an address in the middle of a container."""
    elf = Elf(data)
    (section,) = elf.sections_named(".nvFatBinSegment")
    (container,) = elf.sections_named(".nv_fatbin")
    (table,) = elf.sections_named(".rela.dyn")
    content = elf.content(table)
    slot = (section.address + 8).to_bytes(8, "little")
    at = content.index(slot)
    return patch(data, table.offset + at + 16, (container.address + 8).to_bytes(8, "little"))


def _fold(data: bytes) -> bytes:
    """One kernel's host function at another's address, as identical code folding leaves it."""
    value = next(s.value for s in Elf(data).symbols if s.name == SCALE)
    return change_symbol(data, "_Z4fillPi", lambda f: f.__setitem__(4, value))


def _edited(way: str, edit: Callable[[bytes], bytes]) -> Build:
    return lambda w: Case(paths=(w.edit(way, load_cuda_library(w), edit),))


def _library(name: str, *options: str, is_static: bool = False) -> Build:
    """A library of the kernels, linked with options of its own."""

    def build(workshop: Workshop) -> Case:
        words = (load_object(workshop), *options)
        return Case(paths=(link_library(workshop, name, *words, is_static=is_static),))

    return build


def _compiled(name: str, *options: str) -> Build:
    """A library of the kernels, compiled with options of its own."""

    def build(workshop: Workshop) -> Case:
        return Case(paths=(link_library(workshop, name, load_object(workshop, name, *options)),))

    return build


def _wrapped(workshop: Workshop) -> Case:
    """A function of the project's own, which does nothing, instead of the runtime's."""
    words = (load_object(workshop, "keeps", "-DKEEPS"), "-Wl,--wrap=__cudaUnregisterFatBinary")
    return Case(paths=(link_library(workshop, "libkeeps", *words),))


def _empty(name: str, *, is_static: bool = False) -> Build:
    def build(workshop: Workshop) -> Case:
        words = (load_empty_object(workshop),)
        return Case(paths=(link_library(workshop, name, *words, is_static=is_static),))

    return build


def _relocatable(workshop: Workshop) -> Case:
    unlinked = load_object(workshop, "relocatable", "-rdc=true", "-arch=sm_80")
    return Case(paths=(link_library(workshop, "libunlinked", unlinked),))


def _device_linked(workshop: Workshop) -> Case:
    unlinked = load_object(workshop, "relocatable", "-rdc=true", "-arch=sm_80")
    linked = link_device_code(workshop, "linked", "-arch=sm_80", unlinked)
    return Case(paths=(link_library(workshop, "liblinked", unlinked, linked),))


def _beside_runtime(*more: str) -> Build:
    """A library beside the runtime that it is linked to; it calls ``more`` of that."""

    def build(workshop: Workshop) -> Case:
        calls = "".join(f'extern "C" void {n}(); void use_{n}() {{ {n}(); }}\n' for n in more)
        source = workshop.text(f"nvcc/calls{len(more)}.cpp", calls)
        words = ("-fPIC", load_object(workshop), source)
        library = link_library(workshop, f"libcalls{len(more)}", *words)
        return Case(paths=(library, find_shared_runtime()))

    return build


def _beside_older_runtime(workshop: Workshop) -> Case:
    """A runtime of the same name that has one function."""
    library = load_cuda_library(workshop)
    soname = next(r.soname for r in inspect_path(library)[0].runtimes)
    source = workshop.text("nvcc/old.c", "void __cudaRegisterFunction(void) {}\n")
    words = ("gcc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", source, "-o")
    return Case(paths=(library, workshop.call(f"nvcc/old/{soname}", *words)))


def _beside_renamed_runtime(workshop: Workshop) -> Case:
    edit = _rename(b"__cudaRegisterFunction\0", b"__cudaRegisterFunctioX\0", ".dynstr")
    runtime = workshop.edit("runtime", find_shared_runtime(), edit)
    return Case(paths=(load_cuda_library(workshop), runtime))


def _launching(name: str, *, program: bool, library: bool) -> Build:
    """A program beside the library whose kernel it launches; each may have its own runtime."""

    def build(workshop: Workshop) -> Case:
        kernels = load_exporting_library(workshop, is_static=library)
        return Case(paths=(link_launcher(workshop, name, kernels, is_static=program), kernels))

    return build


def _two_libraries(name: str, *options: str) -> Build:
    def build(workshop: Workshop) -> Case:
        second = link_library(workshop, name, load_exporting_object(workshop), *options)
        return Case(paths=(load_exporting_library(workshop), second))

    return build


def _hidden_by_script(workshop: Workshop) -> Case:
    script = workshop.text("nvcc/hidden.map", "{ local: *; };\n")
    return _two_libraries("libhidden", f"-Wl,--version-script={script}")(workshop)


def _exporting_program(name: str, *options: str) -> Build:
    """A program with the kernels, beside a library that has them too."""

    def build(workshop: Workshop) -> Case:
        words = (load_exporting_object(workshop), *options)
        program = link_launcher(workshop, name, *words)
        return Case(paths=(program, load_exporting_library(workshop)))

    return build


_SHARED_LAUNCH: Final = _launching("launches-shared", program=False, library=False)
_TWO_RUNTIMES: Final = (
    ("static runtime in the program", "launches-static", True, False),
    ("static runtime in the library", "launches-by-shared", False, True),
    ("static runtime in both", "launches-by-static", True, True),
)

MUTATIONS: Final = (
    Mutation(
        rule="KB102",
        way="nvcc: sources without kernels",
        needs=_NEEDS,
        broken=_empty("libempty"),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB102",
        way="nvcc: nothing but the static runtime's own code",
        needs=_NEEDS,
        broken=_empty("libempty-static", is_static=True),
        sound=_library("libkernels-static", is_static=True),
    ),
    Mutation(
        rule="KB103",
        way="nvcc: kernel compiled for one architecture alone",
        needs=_NEEDS,
        broken=_compiled("libabsent", SM_80, SM_90, "-DABSENT=800"),
        sound=_compiled("libpresent", SM_80, SM_90),
    ),
    Mutation(
        rule="KB104",
        way="nvcc: name of a registered kernel changed",
        severity="info",
        needs=_NEEDS,
        broken=_edited("renamed", _rename(b"_Z4fillPi\0", b"_Z4fillPX\0", ".rodata")),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB108",
        way="nvcc: structure as large as the architecture says",
        needs=_NEEDS,
        broken=_compiled("libwide", SM_80, SM_90, "-DWIDE=900"),
        sound=_compiled("libpresent", SM_80, SM_90),
    ),
    Mutation(
        rule="KB304",
        way="nvcc: second kernel's function at the first one's address",
        needs=_NEEDS,
        broken=_edited("folded", _fold),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB401",
        way="nvcc: wrapper's magic broken",
        needs=_NEEDS,
        broken=_edited("magic", _break_magic),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB401",
        way="nvcc: wrapper's pointer leads into a container",
        needs=_NEEDS,
        broken=_edited("pointer", _break_pointer),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB402",
        way="nvcc -rdc=true without -dlink",
        needs=_NEEDS,
        broken=_relocatable,
        sound=_device_linked,
    ),
    Mutation(
        rule="KB403",
        way="nvcc: older runtime of the same name",
        needs=_NEEDS,
        broken=_beside_older_runtime,
        sound=_beside_runtime(),
    ),
    Mutation(
        rule="KB403",
        way="nvcc: function renamed in the runtime",
        needs=_NEEDS,
        broken=_beside_renamed_runtime,
        sound=_beside_runtime(),
    ),
    Mutation(
        rule="KB403",
        way="nvcc: call of a function that no runtime has yet",
        needs=_NEEDS,
        broken=_beside_runtime("cudaLaunchBetterKernel"),
        sound=_beside_runtime(),
    ),
    *(
        Mutation(
            rule="KB404",
            way=f"nvcc: {way}",
            needs=_NEEDS,
            broken=_launching(name, program=program, library=library),
            sound=_SHARED_LAUNCH,
        )
        for way, name, program, library in _TWO_RUNTIMES
    ),
    Mutation(
        rule="KB405",
        way="nvcc: two libraries of one object",
        needs=_NEEDS,
        broken=_two_libraries("libsecond"),
        sound=_hidden_by_script,
    ),
    Mutation(
        rule="KB405",
        way="nvcc: program linked with -rdynamic beside a library",
        needs=_NEEDS,
        broken=_exporting_program("exports", "-rdynamic"),
        sound=_exporting_program("hides", "-Wl,--no-export-dynamic"),
    ),
    Mutation(
        rule="KB406",
        way="nvcc --device-entity-has-hidden-visibility=false",
        severity="info",
        needs=_NEEDS,
        broken=_compiled("libvisible", "--device-entity-has-hidden-visibility=false"),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB407",
        way="nvcc: unregistering function renamed",
        severity="warning",
        needs=_NEEDS,
        broken=_edited(
            "kept",
            _rename(
                b"__cudaUnregisterFatBinary", b"__cudaUnregisterFatBinarX", ".dynstr", ".strtab"
            ),
        ),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB407",
        way="nvcc: --wrap of the unregistering function",
        severity="warning",
        needs=_NEEDS,
        broken=_wrapped,
        sound=cuda_library,
    ),
)
