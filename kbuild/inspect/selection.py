"""Reduce the facts of an artifact to the requested kernels and architectures."""

from __future__ import annotations

import re
from fnmatch import translate

from kbuild.demangle.names import spell_function
from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import Kernel
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Shell patterns of kernels and architectures; an empty tuple selects all.

    ``kernels`` match symbols, demangled names, or demangled names without parameters and return
    type. ``architectures`` match the vendor's spelling, for example ``sm_9*``.
    """

    kernels: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()


def select(facts: ArtifactFacts, selection: Selection) -> ArtifactFacts:
    """Return the facts with only the selected images, kernels, and handles."""
    images = facts.images
    if selection.architectures:
        arches = _compile(selection.architectures)
        images = tuple(image for image in images if arches.fullmatch(image.arch))
    if not selection.kernels:
        return replace(facts, images=images)
    pattern = _compile(selection.kernels)
    known: dict[str, bool] = {}

    def is_selected(name: str, display: str) -> bool:
        if name not in known:
            spellings = spell_function(name, display)
            known[name] = any(pattern.fullmatch(spelling) for spelling in spellings)
        return known[name]

    def select_kernels(image: ImageFacts) -> tuple[Kernel, ...]:
        return tuple(k for k in image.kernels if is_selected(k.name, k.display))

    chosen = tuple(replace(image, kernels=select_kernels(image)) for image in images)
    return replace(
        facts,
        images=tuple(image for image in chosen if image.kernels),
        handles=tuple(h for h in facts.handles if is_selected(h.kernel, h.row.display)),
        host_kernels=tuple(h for h in facts.host_kernels if is_selected(h.kernel, h.kernel)),
    )


def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns))
