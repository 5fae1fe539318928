"""Write NVIDIA's containers again with fewer or more images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kbuild.backends.cuda.read import describe_entry
from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.compression import compress
from kbuild.formats.nvidia.fatbin.containers import ALIGNMENT
from kbuild.formats.nvidia.fatbin.repacking import join_containers as _join_containers
from kbuild.formats.nvidia.fatbin.repacking import remove_entries
from kbuild.model import CompressionMode

# With these, the sizes are those of fatbinary 13.5, to a few bytes.
_LZ4_LEVEL: Final = 3
_BALANCE_LEVEL: Final = 5
_SIZE_LEVEL: Final = 19


def group_images(images: Sequence[StoredImage]) -> tuple[tuple[StoredImage, ...], ...]:
    """See `ImageRepacker`."""
    groups: dict[int, list[StoredImage]] = {}
    for image in images:
        groups.setdefault(image.entry.offset, []).append(image)
    return tuple(map(tuple, groups.values()))


def find_stored(image: StoredImage, content: Buffer) -> Buffer:
    """See `ImageRepacker`."""
    return content[image.entry.offset : image.entry.offset + image.entry.span]


def estimate_size(
    data: Buffer, image: StoredImage, mode: CompressionMode, *, is_relocatable: bool
) -> tuple[int, bool]:
    """See `ImageRepacker`: nvcc's modes, as measured with toolkit 13.5.

    Machine code is compressed only by ``size``, or if it is relocatable.
    """
    header = image.entry.payload.offset - image.entry.offset
    is_compressed = mode == "size" or image.kind == "ptx" or is_relocatable
    if mode == "none" or not is_compressed:
        return header + align_up(len(data), ALIGNMENT), False
    if mode == "speed":
        size = len(compress("lz4", data, _LZ4_LEVEL))
    else:
        level = _SIZE_LEVEL if mode == "size" else _BALANCE_LEVEL
        size = len(compress("zstd", data, level))
    return header + align_up(size, ALIGNMENT), True


def remove_images(content: Buffer, is_kept: Callable[[StoredImage], bool]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return remove_entries(content, lambda entry: is_kept(describe_entry(entry)))


def join_containers(contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return _join_containers(contents)
