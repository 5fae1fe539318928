"""kbuild's device images, containers, and notes with some bytes changed.

A patcher, a packer, or a broken disk makes such changes. No section moves.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from kbuild.model import TargetRecord
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Case, Mutation
from support.accuracy.units.stub_units import load_images, load_sound_library, sound_library
from support.files.hand_made import AXPY, SCALE, Image
from support.files.mutations import change_image, change_record, patch, section_range

Images: TypeAlias = tuple[Image, ...]


def _without_second_image(data: bytes, _images: Images) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    second = data.index(b"\x10\xff\x10\xad", place.start + 4)
    return patch(data, second, bytes(place.stop - second))


def _renamed_kernel(data: bytes, images: Images) -> bytes:
    other = AXPY.replace("axpy", "axpq")
    old = images[1].data
    data = change_image(data, old, old.replace(AXPY.encode(), other.encode()), fix_hash=True)

    def change(record: TargetRecord) -> TargetRecord:
        (container,) = record.containers
        first, second = container.images
        second = replace(second, kernels=(SCALE, other))
        return replace(record, containers=(replace(container, images=(first, second)),))

    return change_record(data, change)


def _changed_parameter(data: bytes, _images: Images) -> bytes:
    def change(record: TargetRecord) -> TargetRecord:
        first, *others = record.kernels
        params = (*first.params[:-1], replace(first.params[-1], size=8))
        return replace(record, kernels=(replace(first, params=params), *others))

    return change_record(data, change)


def _changed_layout_in_image(data: bytes, images: Images) -> bytes:
    layout = struct.pack("<6I", 0, 8, 8, 4, 12, 4)
    old = images[1].data
    assert old.count(layout) == 1
    new = old.replace(layout, struct.pack("<6I", 0, 8, 8, 4, 16, 4))
    return change_image(data, old, new, fix_hash=True)


def _broken_elf(data: bytes, images: Images) -> bytes:
    return change_image(data, images[1].data, b"\0" + images[1].data[1:])


def _zeroed_image(data: bytes, images: Images) -> bytes:
    return change_image(data, images[0].data, bytes(len(images[0].data)))


def _broken_container_magic(data: bytes, _images: Images) -> bytes:
    return patch(data, section_range(data, ".kbuild_fatbin").start, b"\x11")


def _broken_container_size(data: bytes, _images: Images) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    (size,) = struct.unpack_from("<Q", data, start + 8)
    return patch(data, start + 8, struct.pack("<Q", size + 64))


def _huge_container_size(data: bytes, _images: Images) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 8, struct.pack("<Q", 1 << 62))


def _cut_container_entry(data: bytes, _images: Images) -> bytes:
    # The size of the image is the last field of the entry after the header.
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 32 + 32, struct.pack("<Q", 1 << 40))


def _flipped_code_byte(data: bytes, images: Images) -> bytes:
    image = images[1].data
    at = section_range(image, ".text").start
    return change_image(data, image, patch(image, at, bytes([image[at] ^ 0xFF])))


def _other_label(data: bytes, _images: Images) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    at = data.index(b"x86-64-v3\0", place.start)
    return patch(data, at, b"x86-64-v4")


def _broken_record(data: bytes, _images: Images) -> bytes:
    at = data.index(b'{"schema"', section_range(data, ".note.kbuild").start)
    return patch(data, at, b"[")


def _broken_note_version(data: bytes, _images: Images) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 20, struct.pack("<I", 9))


def _cut_note(data: bytes, _images: Images) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 4, struct.pack("<I", 1 << 20))


def _mutate(rule: str, way: str, edit: Callable[[bytes, Images], bytes]) -> Mutation:
    def broken(build_env: BuildEnv) -> Case:
        sound, images = load_sound_library(build_env), load_images(build_env)
        return Case(paths=(build_env.edit(way, sound, lambda data: edit(data, images)),))

    return Mutation(rule=rule, way=way, broken=broken, sound=sound_library())


MUTATIONS: Final = (
    _mutate("KB101", "second image cut off", _without_second_image),
    _mutate("KB103", "kernel renamed in an image", _renamed_kernel),
    _mutate("KB108", "parameter's size changed in the table", _changed_parameter),
    _mutate("KB108", "offset changed in an image", _changed_layout_in_image),
    _mutate("KB109", "ELF magic of an image broken", _broken_elf),
    _mutate("KB109", "image zeroed", _zeroed_image),
    _mutate("KB109", "container's magic broken", _broken_container_magic),
    _mutate("KB109", "container larger than its section", _broken_container_size),
    _mutate("KB109", "container's size overflows", _huge_container_size),
    _mutate("KB109", "image larger than its container", _cut_container_entry),
    _mutate("KB601", "instruction changed in an image", _flipped_code_byte),
    _mutate("KB601", "image with another label", _other_label),
    _mutate("KB601", "record is no JSON", _broken_record),
    _mutate("KB601", "note of an unknown version", _broken_note_version),
    _mutate("KB601", "note larger than its section", _cut_note),
)
