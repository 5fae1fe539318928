"""Damaged files never crash the verifier."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect.paths import inspect_content
from kbuild.verify import verify
from support.accuracy.build_env import BuildEnv
from support.accuracy.units.stub_units import load_sound_library
from support.files.mutations import section_range


@pytest.fixture(scope="module")
def sound(build_env: BuildEnv) -> bytes:
    """A sound shared object with hidden handles."""
    return load_sound_library(build_env).read_bytes()


def _read(data: bytes) -> tuple[ArtifactFacts, ...]:
    try:
        return inspect_content("fuzzed", data)
    except InputError:
        return ()


@settings(max_examples=150, deadline=None)
@given(cut=st.floats(0, 1))
def test_truncation_never_crashes(sound: bytes, cut: float) -> None:
    verify(_read(sound[: int(cut * len(sound))]))


@settings(max_examples=100, deadline=None)
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=8))
def test_flipped_bytes_never_crash(sound: bytes, flips: list[tuple[float, int]]) -> None:
    data = bytearray(sound)
    for where, bits in flips:
        data[min(int(where * len(data)), len(data) - 1)] ^= bits
    assert not verify(_read(bytes(data))).rules_errored


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_flipped_bytes_where_kbuild_reads_never_crash(sound: bytes, data: st.DataObject) -> None:
    names = (".note.kbuild", ".data.rel.ro", ".rela.dyn", ".symtab", ".init_array", ".dynamic")
    mutated = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        place = section_range(sound, data.draw(st.sampled_from(names)))
        at = data.draw(st.integers(place.start, place.stop - 1))
        mutated[at] = data.draw(st.integers(0, 255))
    assert not verify(_read(bytes(mutated))).rules_errored
