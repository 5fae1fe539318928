from __future__ import annotations

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.inspect import Selection, select
from support.facts.build_facts import AXPY, SCALE, sound_facts

FACTS = sound_facts()


def names(facts: ArtifactFacts) -> list[tuple[str, list[str]]]:
    return [(image.arch, [kernel.name for kernel in image.kernels]) for image in facts.images]


def test_nothing_asked_is_everything() -> None:
    assert select(FACTS, Selection()) == FACTS


@pytest.mark.parametrize("pattern", [SCALE, "ns::scale", "ns::*", "*scale(float[*], *", "*scale*"])
def test_kernels_by_symbol_and_by_name(pattern: str) -> None:
    found = select(FACTS, Selection(kernels=(pattern,)))
    assert names(found) == [("sm_80", [SCALE]), ("sm_90", [SCALE])]
    assert [handle.kernel for handle in found.handles] == [SCALE]


def test_several_patterns_add_up() -> None:
    found = select(FACTS, Selection(kernels=("axpy", "ns::scale")))
    assert names(found) == [("sm_80", [SCALE, AXPY]), ("sm_90", [SCALE, AXPY])]


def test_architectures() -> None:
    found = select(FACTS, Selection(architectures=("sm_9*", "compute_*")))
    assert names(found) == [("sm_90", [SCALE, AXPY])]
    assert found.handles == FACTS.handles


def test_what_matches_nothing_is_empty() -> None:
    found = select(FACTS, Selection(kernels=("scale",), architectures=("sm_8",)))
    assert (found.images, found.handles) == ((), ())
