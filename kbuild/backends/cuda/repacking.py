"""Write NVIDIA's containers again with fewer or more images."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kbuild.backends.cuda.read import describe_entry
from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.fatbin.repacking import join_containers as _join_containers
from kbuild.formats.nvidia.fatbin.repacking import remove_entries


def group_images(images: Sequence[StoredImage]) -> tuple[tuple[StoredImage, ...], ...]:
    """See `ImageRepacker`."""
    groups: dict[int, list[StoredImage]] = {}
    for image in images:
        groups.setdefault(image.entry.offset, []).append(image)
    return tuple(map(tuple, groups.values()))


def remove_images(content: Buffer, is_kept: Callable[[StoredImage], bool]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return remove_entries(content, lambda entry: is_kept(describe_entry(entry)))


def join_containers(contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """See `ImageRepacker`."""
    return _join_containers(contents)
