"""All mutations and all sound files, and reasons for those that are missing."""

from __future__ import annotations

from collections import Counter
from typing import Final

from support.accuracy import demanded_images, demanded_resources, upkeep
from support.accuracy.model import Mutation, Sound
from support.accuracy.units import (
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
    ),
    *(nvcc_mutations, nvcc_processes, clang_mutations, demanded_images, demanded_resources, upkeep),
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

EXPLAINED: Final[dict[tuple[str, str], str]] = {}
"""Correct errors in sound files: the title of the file, the rule, and why it is right."""


def count_ways() -> Counter[str]:
    """Return the number of mutations of each rule."""
    return Counter(mutation.rule for mutation in MUTATIONS)
