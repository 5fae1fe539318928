"""The device images of two files that differ: their sections and kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

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

_Named = tuple[tuple[str, str], ...]
_NOTHING: Final = CodeFacts()


def compare_images(
    name: str, first: Buffer, second: Buffer, options: ReadOptions
) -> tuple[ImageDifference, ...]:
    """The images that differ, the n-th of one side with the n-th of the other.

    Images that one side alone has are compared with an empty one.  Raises InputError where a
    side's device code cannot be read.
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
    codes = tuple(_read_code(stored, content) for content in data)
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


def _read_code(stored: StoredImage, data: bytes) -> CodeFacts:
    reader = find_backend(stored.backend).code
    try:
        return (reader.read_code(data, stored.kind) if reader and data else None) or _NOTHING
    except InputError:
        return _NOTHING


def _list_kernels(stored: StoredImage, data: bytes) -> frozenset[str]:
    reader = find_backend(stored.backend).read
    try:
        content = reader.read_image(data, stored.kind) if reader and data else None
    except InputError:
        content = None
    return frozenset(kernel.name for kernel in content.kernels) if content else frozenset()


def _find_changed(first: _Named, second: _Named) -> tuple[str, ...]:
    """The names whose digests differ, or that one side alone has."""
    left, right = dict(first), dict(second)
    return tuple(
        name for name in dict.fromkeys((*left, *right)) if left.get(name) != right.get(name)
    )
