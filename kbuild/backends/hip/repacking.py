"""Write clang's offload bundles again with fewer or more images."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kbuild.backends.hip.read import HOST, describe_image
from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.compression import compress
from kbuild.formats.offload.bundle_repacking import LEVEL, PAGE, join_bundles, remove_entries
from kbuild.model import CompressionMode


def group_images(images: Sequence[StoredImage]) -> tuple[tuple[StoredImage, ...], ...]:
    """See `ImageRepacker`: a bundle is compressed again when an image goes."""
    return tuple((image,) for image in images)


def find_stored(image: StoredImage, content: Buffer) -> Buffer:
    """See `ImageRepacker`. Of a compressed bundle, this is the share of the image."""
    bundle, entry = image.entry
    if bundle.compression == "none":
        start = bundle.offset + entry.offset
        return content[start : start + align_up(entry.size, PAGE)]
    share = image.stored_size / max(bundle.size, 1)
    start = bundle.offset + round(bundle.size * entry.offset / max(bundle.uncompressed_size, 1))
    return content[start : start + round(bundle.size * share)]


def estimate_size(
    data: Buffer, image: StoredImage, mode: CompressionMode, *, is_relocatable: bool
) -> tuple[int, bool]:
    """See `ImageRepacker`: clang has one mode."""
    del image, is_relocatable
    if mode == "none":
        return align_up(len(data), PAGE), False
    return len(compress("zstd", data, LEVEL)), True


def remove_images(content: Buffer, is_kept: Callable[[StoredImage], bool]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return remove_entries(
        content,
        lambda bundle, entry: (
            entry.offload_kind == HOST or is_kept(describe_image(content, bundle, entry))
        ),
    )


def join_containers(contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return join_bundles(contents)
