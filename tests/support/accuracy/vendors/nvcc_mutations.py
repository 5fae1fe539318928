"""Libraries by nvcc with changed bytes, or linked in ways that break them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kbuild.formats.elf.file import Elf
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.tools import Tool
from support.accuracy.vendors.nvcc_files import (
    EXPORTED,
    PTX_90,
    SCALE,
    SM_80,
    SM_90,
    compile_cuda,
    cuda_library,
    fat_binary,
    link_device_code,
    link_library,
    load_cuda_library,
    load_empty_object,
    load_object,
)
from support.files.mutations import change_symbol, patch, rename_in, section_range

_NEEDS: Final[tuple[Tool, ...]] = ("nvcc", "cudart")
_FILL: Final = b"_Z4fillPi"


def _break_magic(data: bytes) -> bytes:
    return patch(data, section_range(data, ".nvFatBinSegment").start, b"\0\0\0\1")


def _break_pointer(data: bytes) -> bytes:
    """Make the loader set the wrapper's pointer to an address inside a container."""
    elf = Elf(data)
    (section,) = elf.sections_named(".nvFatBinSegment")
    (container,) = elf.sections_named(".nv_fatbin")
    (table,) = elf.sections_named(".rela.dyn")
    content = elf.content(table)
    slot = (section.address + 8).to_bytes(8, "little")
    at = content.index(slot)
    return patch(data, table.offset + at + 16, (container.address + 8).to_bytes(8, "little"))


def _resize(data: bytes) -> bytes:
    """Make the first container larger than its section."""
    size = section_range(data, ".nv_fatbin").start + 8
    return patch(data, size, (1 << 32).to_bytes(8, "little"))


def _fold(data: bytes) -> bytes:
    """Give one kernel's host function the address of another, like identical code folding."""
    value = next(s.value for s in Elf(data).symbols if s.name == SCALE)
    return change_symbol(data, "_Z4fillPi", lambda f: f.__setitem__(4, value))


def _edited(way: str, edit: Callable[[bytes], bytes]) -> Build:
    return lambda w: Case(paths=(w.edit(way, load_cuda_library(w), edit),))


def _library(name: str, *options: str, is_static: bool = False) -> Build:
    """Return a library with the kernels, linked with these options."""

    def build(build_env: BuildEnv) -> Case:
        words = (load_object(build_env), *options)
        return Case(paths=(link_library(build_env, name, *words, is_static=is_static),))

    return build


def _compiled(name: str, *options: str) -> Build:
    """Return a library with the kernels, compiled with these options."""

    def build(build_env: BuildEnv) -> Case:
        return Case(paths=(link_library(build_env, name, load_object(build_env, name, *options)),))

    return build


def _edited_plainly(way: str, edit: Callable[[bytes], bytes]) -> Build:
    """Return an edited copy of a library whose images are not compressed."""

    def build(build_env: BuildEnv) -> Case:
        (sound,) = _PLAIN(build_env).paths
        return Case(paths=(build_env.edit(way, sound, edit),))

    return build


def _wrapped(build_env: BuildEnv) -> Case:
    """Replace a function of the runtime with one that does nothing."""
    words = (load_object(build_env, "keeps", "-DKEEPS"), "-Wl,--wrap=__cudaUnregisterFatBinary")
    return Case(paths=(link_library(build_env, "libkeeps", *words),))


def _empty(name: str, *, is_static: bool = False) -> Build:
    def build(build_env: BuildEnv) -> Case:
        words = (load_empty_object(build_env),)
        return Case(paths=(link_library(build_env, name, *words, is_static=is_static),))

    return build


def _named(kernel: str) -> Build:
    """Return a library that exports a C kernel of this name."""
    text = f'extern "C" __global__ void EXPORTED {kernel}(int* p) {{ *p = 1; }}\n'

    def build(build_env: BuildEnv) -> Case:
        compiled = compile_cuda(
            build_env, f"{kernel}.o", "-c", SM_90, EXPORTED, source=kernel, text=text
        )
        return Case(paths=(link_library(build_env, f"lib{kernel}", compiled),))

    return build


def _relocatable(build_env: BuildEnv) -> Case:
    unlinked = load_object(build_env, "relocatable", "-rdc=true", "-arch=sm_80")
    return Case(paths=(link_library(build_env, "libunlinked", unlinked),))


def _device_linked(build_env: BuildEnv) -> Case:
    unlinked = load_object(build_env, "relocatable", "-rdc=true", "-arch=sm_80")
    linked = link_device_code(build_env, "linked", "-arch=sm_80", unlinked)
    return Case(paths=(link_library(build_env, "liblinked", unlinked, linked),))


_PLAIN: Final = _compiled("libplain", SM_90, PTX_90, "--no-compress")

MUTATIONS: Final = (
    Mutation(
        rule="KB102",
        way="nvcc: sources without kernels",
        severity="info",
        needs=_NEEDS,
        broken=_empty("libempty"),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB102",
        way="nvcc: only the code of the static runtime",
        severity="info",
        needs=_NEEDS,
        broken=_empty("libempty-static", is_static=True),
        sound=_library("libkernels-static", is_static=True),
    ),
    Mutation(
        rule="KB103",
        way="nvcc: kernel compiled for only one architecture",
        severity="info",
        needs=_NEEDS,
        broken=_compiled("libabsent", SM_80, SM_90, "-DABSENT=800"),
        sound=_compiled("libpresent", SM_80, SM_90),
    ),
    Mutation(
        rule="KB103",
        way="nvcc: images without a registered kernel",
        needs=_NEEDS,
        broken=_edited_plainly("absent", rename_in(_FILL, b"_Z4fallPi", ".nv_fatbin")),
        sound=_PLAIN,
        beside=frozenset({("KB104", "info")}),
    ),
    Mutation(
        rule="KB108",
        way="nvcc: kernel with the name of another signature",
        needs=_NEEDS,
        broken=_edited_plainly("signature", lambda data: data.replace(_FILL, b"_Z4fillsi")),
        sound=_PLAIN,
    ),
    Mutation(
        rule="KB109",
        way="nvcc: image without a valid ELF header",
        needs=_NEEDS,
        broken=_edited_plainly("scrambled", rename_in(b"\x7fELF", b"\x7fELX", ".nv_fatbin")),
        sound=_PLAIN,
    ),
    Mutation(
        rule="KB109",
        way="nvcc: container with the size of another one",
        needs=_NEEDS,
        broken=_edited_plainly("resized", _resize),
        sound=_PLAIN,
    ),
    Mutation(
        rule="KB104",
        way="nvcc: name of a registered kernel changed",
        severity="info",
        needs=_NEEDS,
        broken=_edited("renamed", rename_in(b"_Z4fillPi\0", b"_Z4fillPX\0", ".rodata")),
        sound=cuda_library,
    ),
    Mutation(
        rule="KB108",
        way="nvcc: structure whose size depends on the architecture",
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
        rule="KB310",
        way='nvcc: extern "C" kernel with the name of a function of libc',
        needs=_NEEDS,
        broken=_named("write"),
        sound=_named("record"),
        beside=frozenset({("KB406", "info")}),
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
    *(
        Mutation(
            rule="KB602",
            way=f"nvcc {option}",
            severity="info",
            needs=("nvcc",),
            broken=fat_binary(f"debug{option}", PTX_90, option),
            sound=fat_binary("plain", PTX_90),
        )
        for option in ("-lineinfo", "-G")
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
            rename_in(
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
