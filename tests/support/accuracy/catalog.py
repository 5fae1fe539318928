"""All mutations and all sound files, and reasons for those that are missing."""

from __future__ import annotations

from collections import Counter
from typing import Final

from support.accuracy import demanded_images, demanded_resources, upkeep, wheels
from support.accuracy.model import Mutation, Sound
from support.accuracy.units import (
    dependencies,
    edited_handles,
    edited_images,
    layout_mutations,
    linked,
    malformed_stubs,
    objcopied,
    sound_hosts,
    stripped,
)
from support.accuracy.vendors import (
    clang_mutations,
    nvcc_mutations,
    nvcc_processes,
    sound_clang,
    sound_kbuild,
    sound_nvcc,
)

_BROKEN: Final = (
    *(
        edited_images,
        edited_handles,
        malformed_stubs,
        objcopied,
        stripped,
        linked,
        layout_mutations,
        dependencies,
    ),
    *(nvcc_mutations, nvcc_processes, clang_mutations, demanded_images, demanded_resources, upkeep),
    wheels,
)
_SOUND: Final = (sound_hosts, sound_kbuild, sound_nvcc, sound_clang)

MUTATIONS: Final[tuple[Mutation, ...]] = tuple(
    sorted((m for family in _BROKEN for m in family.MUTATIONS), key=lambda m: m.rule)
)
SOUND: Final[tuple[Sound, ...]] = tuple(s for family in _SOUND for s in family.SOUND)

WAYS: Final = 3
"""The minimum number of mutations per rule."""

FEWER: Final[dict[str, str]] = {
    "KB001": "a waiver can only expire by date, whether it still hides anything or not",
}
"""The rules that have fewer mutations, and why."""

AIDED: Final[dict[str, str]] = {
    "KB001": "judges the waivers of a policy",
    "KB101": "a note or a policy names the architectures",
    "KB105": "a policy names the oldest driver",
    "KB201": "a policy or a baseline sets the limit",
    "KB204": "a policy or a baseline sets the limit",
    "KB205": "a policy or a baseline sets the limit",
    "KB301": "judges the handles of a note",
    "KB302": "other tools use functions on purpose",
    "KB303": "judges the handles of a note",
    "KB305": "judges the debug stubs of a note",
    "KB307": "hipcc hides only stubs with -fvisibility=hidden",
    "KB308": "judges the handles of a note",
    "KB309": "only handles of a note are known to be data",
    "KB409": "judges the members that have a note",
    "KB503": "systems that are not hardened load the file",
    "KB504": "what was linked is not out of reach",
    "KB601": "judges the note",
    "KB604": "wheels contain alternatives on purpose",
    "KB701": "a policy says that wheels are judged",
    "KB702": "a policy says that wheels are judged",
    "KB704": "a policy names the index",
    "KB706": "a policy says that wheels are judged",
}
"""The rules whose errors need a note or a policy, and why."""

UNAIDED: Final[tuple[str, ...]] = (
    "KB102: clang CUDA: fat binary of a source without kernels",
    "KB103: nvcc: images without a registered kernel",
    "KB103: clang HIP: images without a registered kernel",
    "KB108: nvcc: structure whose size depends on the architecture",
    "KB109: nvcc: image without a valid ELF header",
    "KB202: larger launch bounds written into a cubin",
    "KB203: more shared memory written into a cubin",
    "KB304: nvcc: second kernel's function at the first one's address",
    'KB310: nvcc: extern "C" kernel with the name of a function of libc',
    'KB310: clang HIP: extern "C" kernel with the name of a function of libc',
    "KB401: nvcc: wrapper's magic broken",
    "KB402: nvcc -rdc=true without -dlink",
    "KB403: nvcc: older runtime of the same name",
    "KB404: nvcc: static runtime in both",
    "KB405: nvcc: two libraries of one object",
    "KB411: gcc: library that needs libcuda-1a2b3c4d.so.580.65.06",
    "KB412: gcc: needed library removed",
    "KB413: clang HIP: code objects of version 5, and the runtime of ROCm 5",
    "KB501: nvcc -rdc=true: program of default options and a -Bsymbolic library with a variable",
    "KB505: clang HIP: fat binary at a misaligned address",
)
"""Mutations that show that a rule finds errors without a note and without a policy."""

EXPLAINED: Final[dict[tuple[str, str], str]] = {
    ("clang HIP: library, compressed", "KB413"): "Debian's runtime is that of ROCm 5",
}
"""Correct errors in sound files: the title of the file, the rule, and why it is right."""


def count_ways() -> Counter[str]:
    """Return the number of mutations of each rule."""
    return Counter(mutation.rule for mutation in MUTATIONS)
