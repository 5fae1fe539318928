"""All mutations and all sound files, and what is said about those that are missing."""

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
"""How many ways there are at least to break what a rule looks at."""

FEWER: Final[dict[str, str]] = {
    "KB001": "a waiver expires in one way, by the calendar, whether it still hides anything or not",
}
"""The rules that cannot be broken in that many ways, and why not."""

EXPLAINED: Final[dict[tuple[str, str], str]] = {}
"""Errors of sound files that are true: the file's title and the rule, and why it is right."""


def count_ways() -> Counter[str]:
    """How many mutations each rule has."""
    return Counter(mutation.rule for mutation in MUTATIONS)
