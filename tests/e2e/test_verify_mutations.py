"""Mutations of a sound ELF file: each raises exactly its rule, and none crashes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    SCALE,
    SCALE_PARAMS,
    SCALE_STUB,
    Design,
    Image,
    build_image,
    build_object,
    link_shared,
    with_stub,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import (
    change_alignment,
    change_image,
    change_record,
    change_symbol,
    file_offset,
    patch,
    section_range,
)
from test_verify_foreign import SHOWN as FOREIGN
from test_verify_linking import LINK_MUTATIONS
from test_verify_resources import SHOWN
from test_verify_stripped import SHOWN as STRIPPED

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats.elf import Elf
from kbuild.inspect.paths import inspect_content
from kbuild.model import TargetRecord
from kbuild.stages.stub_names import name_stub
from kbuild.verify import verify
from kbuild.verify.catalogue import RULES


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, tuple[Image, ...]]:
    """A sound shared object with hidden handles, and the device images in it."""
    directory = tmp_path_factory.mktemp("mutations")
    kernels = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}
    images = tuple(build_image(directory, arch, kernels) for arch in ARCHITECTURES)
    compiled = build_object(directory, Design(images=images))
    return link_shared([compiled], directory / "libsound.so").read_bytes(), images


@pytest.fixture(scope="module")
def sound_with_stub(tmp_path_factory: pytest.TempPathFactory, images: tuple[Image, ...]) -> bytes:
    """A sound shared object with exported handles, the first with a debug stub.

    Data bears the name that a stub of the second would have.
    """
    directory = tmp_path_factory.mktemp("stubs")
    name = name_stub(AXPY)
    data = f'char other __asm__("{name}") __attribute__((visibility("hidden"), used));\n'
    definition = "void *handle_0 RELRO"
    design = replace(
        with_stub(Design(images=images)),
        visibility="default",
        c=((definition, data + definition),),
    )
    compiled = build_object(directory, design)
    return link_shared([compiled], directory / "libsound.so").read_bytes()


@pytest.fixture(scope="module")
def sound(build: tuple[bytes, tuple[Image, ...]]) -> bytes:
    return build[0]


@pytest.fixture(scope="module")
def images(build: tuple[bytes, tuple[Image, ...]]) -> tuple[Image, ...]:
    return build[1]


def judge_bytes(data: bytes) -> set[str]:
    report = verify(inspect_content("mutated.so", data))
    assert not report.rules_errored
    return {finding.rule for finding in report.findings}


def _without_second_image(data: bytes, _images: tuple[Image, ...]) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    second = data.index(b"\x10\xff\x10\xad", place.start + 4)
    return patch(data, second, bytes(place.stop - second))


def _renamed_kernel(data: bytes, images: tuple[Image, ...]) -> bytes:
    other = AXPY.replace("axpy", "axpq")
    old = images[1].data
    data = change_image(data, old, old.replace(AXPY.encode(), other.encode()), fix_hash=True)

    def change(record: TargetRecord) -> TargetRecord:
        (container,) = record.containers
        first, second = container.images
        second = replace(second, kernels=(SCALE, other))
        return replace(record, containers=(replace(container, images=(first, second)),))

    return change_record(data, change)


def _changed_parameter(data: bytes, _images: tuple[Image, ...]) -> bytes:
    def change(record: TargetRecord) -> TargetRecord:
        first, *others = record.kernels
        params = (*first.params[:-1], replace(first.params[-1], size=8))
        return replace(record, kernels=(replace(first, params=params), *others))

    return change_record(data, change)


def _changed_layout_in_image(data: bytes, images: tuple[Image, ...]) -> bytes:
    layout = struct.pack("<6I", 0, 8, 8, 4, 12, 4)
    old = images[1].data
    assert old.count(layout) == 1
    new = old.replace(layout, struct.pack("<6I", 0, 8, 8, 4, 16, 4))
    return change_image(data, old, new, fix_hash=True)


def _broken_elf(data: bytes, images: tuple[Image, ...]) -> bytes:
    return change_image(data, images[1].data, b"\0" + images[1].data[1:])


def _zeroed_image(data: bytes, images: tuple[Image, ...]) -> bytes:
    return change_image(data, images[0].data, bytes(len(images[0].data)))


def _broken_container_magic(data: bytes, _images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".kbuild_fatbin").start, b"\x11")


def _broken_container_size(data: bytes, _images: tuple[Image, ...]) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    (size,) = struct.unpack_from("<Q", data, start + 8)
    return patch(data, start + 8, struct.pack("<Q", size + 64))


def _huge_container_size(data: bytes, _images: tuple[Image, ...]) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 8, struct.pack("<Q", 1 << 62))


def _cut_container_entry(data: bytes, _images: tuple[Image, ...]) -> bytes:
    # The image's size: the last field of the entry that follows the header.
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 32 + 32, struct.pack("<Q", 1 << 40))


def _nameless_handle(data: bytes, _images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[0] = 0

    return change_symbol(data, SCALE, change)


def _small_handle(data: bytes, _images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[5] = 4

    return change_symbol(data, SCALE, change)


def _function_handle(data: bytes, _images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 2

    return change_symbol(data, SCALE, change)


def _shared_handle(data: bytes, _images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    first, second = facts.handles
    assert first.symbol is not None
    assert second.symbol is not None
    old, new = (struct.pack("<Q", s.value) for s in (second.symbol, first.symbol))

    def change(fields: list[int]) -> None:
        (fields[4],) = struct.unpack("<Q", new)

    # The kernel table holds the handle's address, in a relocation without a symbol.
    data = change_symbol(data, AXPY, change)
    rela = section_range(data, ".rela.dyn")
    at = data.index(old, rela.start, rela.stop)
    return patch(data, at, new)


def _filled_handle(data: bytes, _images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    place, constructor = facts.handles[0].place, facts.modules[0].constructor
    assert place is not None
    assert constructor is not None
    address = Elf(data).address(constructor)
    return patch(data, file_offset(data, place), struct.pack("<Q", address))


def _other_initialiser(data: bytes, _images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    constructor = facts.modules[0].constructor
    assert constructor
    address = Elf(data).address(constructor)
    rela = section_range(data, ".rela.dyn")
    at = data.index(struct.pack("<Q", address), rela.start, rela.stop)
    return patch(data, at, struct.pack("<Q", address + 1))


def _broken_descriptor_abi(data: bytes, _images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    descriptor = facts.modules[0].descriptor
    assert descriptor
    return patch(data, file_offset(data, descriptor), struct.pack("<I", 99))


def _flipped_code_byte(data: bytes, images: tuple[Image, ...]) -> bytes:
    image = images[1].data
    at = section_range(image, ".text").start
    return change_image(data, image, patch(image, at, bytes([image[at] ^ 0xFF])))


def _other_label(data: bytes, _images: tuple[Image, ...]) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    at = data.index(b"x86-64-v3\0", place.start)
    return patch(data, at, b"x86-64-v4")


def _broken_record(data: bytes, _images: tuple[Image, ...]) -> bytes:
    at = data.index(b'{"schema"', section_range(data, ".note.kbuild").start)
    return patch(data, at, b"[")


def _broken_note_version(data: bytes, _images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 20, struct.pack("<I", 9))


def _cut_note(data: bytes, _images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 4, struct.pack("<I", 1 << 20))


def _misaligned_fat_binary(data: bytes, _images: tuple[Image, ...]) -> bytes:
    return change_alignment(data, ".kbuild_fatbin", 4)


def _misaligned_note(data: bytes, _images: tuple[Image, ...]) -> bytes:
    return change_alignment(data, ".note.kbuild", 1)


def _nameless_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[0] = 0

    return change_symbol(data, SCALE_STUB, change)


def _stub_of_data(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 1

    return change_symbol(data, SCALE_STUB, change)


def _stub_without_row(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 2

    return change_symbol(data, name_stub(AXPY), change)


def _weak_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0x0F | 2 << 4

    return change_symbol(data, SCALE_STUB, change)


def _protected_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[2] = 3

    return change_symbol(data, SCALE_STUB, change)


STUB_MUTATIONS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("KB305", _nameless_stub),
    ("KB305", _stub_of_data),
    ("KB306", _stub_without_row),
    ("KB307", _weak_stub),
    ("KB307", _protected_stub),
)

MUTATIONS: tuple[tuple[str, Callable[[bytes, tuple[Image, ...]], bytes]], ...] = (
    ("KB101", _without_second_image),
    ("KB103", _renamed_kernel),
    ("KB108", _changed_parameter),
    ("KB108", _changed_layout_in_image),
    ("KB109", _broken_elf),
    ("KB109", _zeroed_image),
    ("KB109", _broken_container_magic),
    ("KB109", _broken_container_size),
    ("KB109", _huge_container_size),
    ("KB109", _cut_container_entry),
    ("KB301", _nameless_handle),
    ("KB302", _function_handle),
    ("KB303", _small_handle),
    ("KB304", _shared_handle),
    ("KB308", _filled_handle),
    ("KB401", _other_initialiser),
    ("KB401", _broken_descriptor_abi),
    ("KB505", _misaligned_fat_binary),
    ("KB505", _misaligned_note),
    ("KB601", _flipped_code_byte),
    ("KB601", _other_label),
    ("KB601", _broken_record),
    ("KB601", _broken_note_version),
    ("KB601", _cut_note),
)


@pytest.mark.parametrize(("rule", "mutate"), MUTATIONS, ids=lambda v: getattr(v, "__name__", v))
def test_mutation_raises_its_rule_alone(
    sound: bytes,
    images: tuple[Image, ...],
    rule: str,
    mutate: Callable[[bytes, tuple[Image, ...]], bytes],
) -> None:
    assert judge_bytes(sound) == set()
    mutated = mutate(sound, images)
    assert mutated != sound
    assert judge_bytes(mutated) == {rule}


@pytest.mark.parametrize(
    ("rule", "mutate"), STUB_MUTATIONS, ids=lambda v: getattr(v, "__name__", v)
)
def test_mutation_of_a_stub_raises_its_rule_alone(
    sound_with_stub: bytes, rule: str, mutate: Callable[[bytes], bytes]
) -> None:
    assert judge_bytes(sound_with_stub) == set()
    assert judge_bytes(mutate(sound_with_stub)) == {rule}


def test_every_rule_has_a_mutation() -> None:
    mutations = (*MUTATIONS, *STUB_MUTATIONS, *LINK_MUTATIONS)
    shown = {rule for rule, *_ in mutations} | SHOWN | FOREIGN | STRIPPED
    assert shown == {rule.id for rule in RULES}


def _read(data: bytes) -> tuple[ArtifactFacts, ...]:
    try:
        return inspect_content("fuzzed", data)
    except InputError:
        return ()


@settings(max_examples=150, deadline=None)
@given(cut=st.floats(0, 1))
def test_truncation_never_crashes(sound: bytes, cut: float) -> None:
    verify(_read(sound[: int(cut * len(sound))]))


@settings(max_examples=300, deadline=None)
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=8))
def test_flipped_bytes_never_crash(sound: bytes, flips: list[tuple[float, int]]) -> None:
    data = bytearray(sound)
    for where, bits in flips:
        data[min(int(where * len(data)), len(data) - 1)] ^= bits
    assert not verify(_read(bytes(data))).rules_errored


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_flipped_bytes_where_kbuild_reads_never_crash(sound: bytes, data: st.DataObject) -> None:
    names = (".note.kbuild", ".data.rel.ro", ".rela.dyn", ".symtab", ".init_array", ".dynamic")
    mutated = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        place = section_range(sound, data.draw(st.sampled_from(names)))
        at = data.draw(st.integers(place.start, place.stop - 1))
        mutated[at] = data.draw(st.integers(0, 255))
    assert not verify(_read(bytes(mutated))).rules_errored
