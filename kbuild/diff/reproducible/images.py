"""Compare the device images of two files: their sections and kernels."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.backends import find_backend
from kbuild.backends.interface.read import StoredImage
from kbuild.demangle.names import demangle
from kbuild.diff.reproducible.model import ImageDifference
from kbuild.diff.reproducible.parts import compare_parts
from kbuild.errors import InputError
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.inspect import ReadOptions
from kbuild.inspect.image_bytes import iterate_images
from kbuild.inspect.images import read_code

_Named = tuple[tuple[str, str], ...]


def compare_images(
    name: str, first: Buffer, second: Buffer, options: ReadOptions
) -> tuple[ImageDifference, ...]:
    """Return the differences between the n-th image of one side and the n-th of the other.

    An image that only one side has is compared with an empty one.

    Raises:
        InputError: The device code of a side cannot be read.
    """
    left = list(iterate_images(name, first, options))
    right = list(iterate_images(name, second, options))
    found: list[ImageDifference] = []
    for position in range(max(len(left), len(right))):
        before = left[position] if position < len(left) else None
        after = right[position] if position < len(right) else None
        found.extend(_compare(position, before, after))
    return tuple(found)


_Loaded = tuple[StoredImage, Buffer]


def _compare(
    position: int, first: _Loaded | None, second: _Loaded | None
) -> Iterator[ImageDifference]:
    known = first or second
    data = tuple(bytes(side[1]) if side else b"" for side in (first, second))
    if known is None or data[0] == data[1]:
        return
    stored = known[0]
    codes = tuple(read_code(stored, content) if content else CodeFacts() for content in data)
    kernels = frozenset().union(*(_list_kernels(stored, content) for content in data))
    functions = _find_changed(codes[0].functions, codes[1].functions)
    yield ImageDifference(
        position=position,
        backend=stored.backend,
        arch=stored.arch,
        kind=stored.kind,
        sections=compare_parts(*data),
        kernels=tuple(demangle(name) for name in functions if name in kernels),
        functions=tuple(demangle(name) for name in functions if name not in kernels),
        data=tuple(map(demangle, _find_changed(codes[0].data, codes[1].data))),
    )


def _list_kernels(stored: StoredImage, data: bytes) -> frozenset[str]:
    reader = find_backend(stored.backend).read
    try:
        content = reader.read_image(data, stored.kind) if reader and data else None
    except InputError:
        content = None
    return frozenset(kernel.name for kernel in content.kernels) if content else frozenset()


def _find_changed(first: _Named, second: _Named) -> tuple[str, ...]:
    """Return the names whose digests differ or that only one side has."""
    left, right = dict(first), dict(second)
    return tuple(
        name for name in dict.fromkeys((*left, *right)) if left.get(name) != right.get(name)
    )
