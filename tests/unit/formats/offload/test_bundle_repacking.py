"""Bundles with fewer or more entries, in every form."""

from __future__ import annotations

import pytest

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.offload.bundle import load, read_bundles
from kbuild.formats.offload.bundle_repacking import PAGE, join_bundles, remove_entries
from support.files.amd_builders import GFX90A, HOST, ZLIB, ZSTD, NewImage, bundle, compressed_bundle

GFX942 = "hipv4-amdgcn-amd-amdhsa--gfx942"
GFX1100 = "hipv4-amdgcn-amd-amdhsa--gfx1100"
IMAGES: list[NewImage] = [
    (HOST, b""),
    (GFX90A, b"a" * 5000),
    (GFX942, b"b" * 3),
    (GFX1100, b"c" * PAGE),
]
FORMS = [None, *((version, method) for version in (1, 2, 3) for method in (ZLIB, ZSTD))]


def store(images: list[NewImage], form: tuple[int, int] | None, alignment: int = PAGE) -> bytes:
    plain = bundle(images, alignment)
    return plain if form is None else compressed_bundle(plain, version=form[0], method=form[1])


def read(parts: tuple[Buffer, ...]) -> tuple[list[NewImage], bytes, int | None]:
    content = b"".join(parts)
    bundles, problems = read_bundles(content)
    assert problems == ()
    (found,) = bundles
    assert not any(content[found.offset + found.size :])
    whole = load(found, content)
    assert all(entry.offset % PAGE == 0 for entry in found.entries)
    images = [(e.id, bytes(whole[e.offset : e.offset + e.size])) for e in found.entries]
    return images, bytes(whole), found.version


@pytest.mark.parametrize("form", FORMS)
def test_entries_go_and_the_form_stays(form: tuple[int, int] | None) -> None:
    # The bundles of tools that do not align images are aligned from then on.
    for alignment in (1, PAGE):
        content = store(IMAGES, form, alignment) + bytes(2 * PAGE)

        parts = remove_entries(content, lambda _, e: e.arch != "gfx942")

        assert sum(map(len, parts)) % PAGE == 0
        kept, whole, version = read(parts)

        assert kept == [image for image in IMAGES if image[0] != GFX942]
        assert version == (form[0] if form else None)
        assert whole.rstrip(b"\0") == bundle(kept, PAGE)


@pytest.mark.parametrize("form", FORMS)
def test_joined_bundles_have_each_entry_once(form: tuple[int, int] | None) -> None:
    contents = [store(part, form) for part in (IMAGES[:3], [IMAGES[0], *IMAGES[2:]])]

    joined, _, version = read(join_bundles(contents))

    assert joined == IMAGES
    assert version == (form[0] if form else None)
    with pytest.raises(InputError, match="two different images for gfx942"):
        join_bundles([contents[0], store([(GFX942, b"other")], form)])


def test_bundles_never_become_larger() -> None:
    packed = store(IMAGES, (3, ZSTD))
    assert sum(map(len, remove_entries(packed, lambda *_: True))) <= len(packed)
    best = compressed_bundle(bundle(IMAGES, 1), version=2)
    with pytest.raises(InputError, match=f"bytes, but has only {len(best)}"):
        remove_entries(best, lambda *_: True)


def test_damaged_bundles_are_rejected() -> None:
    with pytest.raises(InputError, match="2 bundles instead of one"):
        remove_entries(bundle(IMAGES) * 2, lambda *_: True)
    with pytest.raises(InputError, match="ends at byte"):
        remove_entries(bundle(IMAGES)[:-1], lambda *_: True)
