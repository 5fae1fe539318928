"""Read AMD's containers and files: clang's offload bundles, code objects, and bitcode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.hip.image import classify
from kbuild.backends.hip.image import read_image as _read_image
from kbuild.backends.interface.read import ImageContent, Listing, SectionRole, StoredImage
from kbuild.errors import InputError
from kbuild.formats.amd.code_object.reader import is_code_object, read_code_object
from kbuild.formats.buffer import Buffer
from kbuild.formats.offload import bundle as offload_bundle
from kbuild.formats.offload.bundle import Bundle, BundleEntry
from kbuild.formats.offload.bundle_header import COMPRESSED_MAGIC
from kbuild.model import ImageKind, Problem
from kbuild.values import replace

NAME: Final = "hip"

_SECTION: Final = ".hip_fatbin"
# Objects for a device link have one section per target, named after the target's entry. Other
# programming models (SYCL, OpenMP) use the same form, also for images that are linked already.
_RELOCATABLE: Final = offload_bundle.MAGIC.decode() + "hip"
# Objects of kbuild for a device link; see `build.TRAITS`.
_OWN_RELOCATABLE: Final = ".hip_relfatbin"
HOST: Final = "host"
_MAGICS: Final = (offload_bundle.MAGIC, COMPRESSED_MAGIC)


def find_role(section: str) -> SectionRole | None:
    """See `ImageReader`."""
    if section == _OWN_RELOCATABLE or section.startswith(_RELOCATABLE):
        return "relocatable"
    # Windows binaries keep the first eight characters of a section's name.
    return "executable" if section in (_SECTION, _SECTION[:8]) else None


def find_alignment(section: str) -> int:
    """See `ImageReader`. A section that only a linker reads needs no alignment."""
    return 1 if section.startswith(_RELOCATABLE) else offload_bundle.ALIGNMENT


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    """See `ImageReader`: one bundle per translation unit."""
    bundles, _ = offload_bundle.read_bundles(content)
    starts = [0, *(bundle.offset for bundle in bundles[1:])]
    ends = [*starts[1:], len(content)]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))


def list_images(content: Buffer, section: str) -> Listing:
    """See `ImageReader`: every image of every bundle.

    Each section of a relocatable object is one image.
    """
    if section.startswith(_RELOCATABLE):
        _, _, arch = offload_bundle.parse_id(section)
        return Listing(images=(_wrap(content, arch),))
    bundles, problems = offload_bundle.read_bundles(content)
    images = tuple(
        describe_image(content, bundle, entry)
        for bundle in bundles
        for entry in bundle.entries
        if entry.offload_kind != HOST
    )
    return Listing(images=images, problems=problems)


def describe_image(content: Buffer, bundle: Bundle, entry: BundleEntry) -> StoredImage:
    """Return an image of a bundle in ``content``."""
    share, kind = 1.0, _expect_kind(entry)
    if bundle.compression == "none":
        start = bundle.offset + entry.offset
        kind = _find_kind(content[start : start + entry.size], entry)
    elif bundle.uncompressed_size:
        share = min(bundle.size / bundle.uncompressed_size, 1.0)
    return StoredImage(
        backend=NAME,
        arch=entry.arch,
        kind=kind,
        compression=bundle.compression,
        stored_size=round(entry.size * share),
        size=entry.size,
        entry=(bundle, entry),
    )


def _find_kind(data: Buffer, entry: BundleEntry) -> ImageKind:
    """Return the kind of an image. Content of no known kind is a damaged image of its target."""
    kind = classify(data)
    return _expect_kind(entry) if kind == "other" and data else kind


def _expect_kind(entry: BundleEntry) -> ImageKind:
    """Return the expected kind of an image, by its triple."""
    return "spirv" if entry.triple.startswith("spir") else "elf"


def load_images(
    images: tuple[StoredImage, ...], content: Buffer, limit: int
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    """See `ImageReader`. A bundle is decompressed once for all of its images."""
    last: Bundle | None = None
    whole: Buffer | InputError = b""
    for image in images:
        if image.entry is None:
            yield image, content
            continue
        bundle, entry = image.entry
        if bundle is not last:
            try:
                whole = offload_bundle.load(bundle, content, limit=limit)
            except InputError as error:
                whole = error
            last = bundle
        if isinstance(whole, InputError):
            yield image, Problem(where=f"byte {bundle.offset:#x}", message=str(whole))
        else:
            data = whole[entry.offset : entry.offset + entry.size]
            yield replace(image, kind=_find_kind(data, entry)), data


def read_image(data: Buffer, kind: ImageKind) -> ImageContent:
    """See `ImageReader`: a code object. Other kinds cannot be read."""
    return _read_image(data) if kind == "elf" else ImageContent(kernels=())


def is_fat_binary(content: Buffer) -> bool:
    """See `ImageReader`: an offload bundle, compressed or not."""
    return any(bytes(content[: len(magic)]) == magic for magic in _MAGICS)


def list_bare_image(content: Buffer) -> Listing | None:
    """See `ImageReader`: a code object (``.hsaco``)."""
    if not is_code_object(content):
        return None
    return Listing(images=(_wrap(content, read_code_object(content).arch),))


def _wrap(content: Buffer, arch: str) -> StoredImage:
    return StoredImage(
        backend=NAME,
        arch=arch,
        kind=classify(content),
        compression="none",
        stored_size=len(content),
        size=len(content),
        entry=None,
    )
