"""Which images of a container stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kbuild.backends import find_limits, list_usable
from kbuild.backends.interface.read import StoredImage

# Returns the architectures whose images stay.
Selection: TypeAlias = Callable[[tuple[StoredImage, ...]], frozenset[str]]


def select_all(images: tuple[StoredImage, ...]) -> frozenset[str]:
    """Keep all images."""
    return frozenset(image.arch for image in images)


def select_names(names: Iterable[str]) -> Selection:
    """Return a function that keeps the images for certain architectures."""
    kept = frozenset(names)
    return lambda images: kept.intersection(image.arch for image in images)


def select_for_device(device: str, also: Iterable[str]) -> Selection:
    """Return a function that keeps the images that a device of an architecture runs.

    A container without such an image keeps its smallest one, because the runtime registers it.
    Then, what the device can do with its kernels is the same as before.

    Args:
        device: The architecture of the device.
        also: Architectures whose images stay in any case.
    """
    kept = frozenset(also)

    def select(images: tuple[StoredImage, ...]) -> frozenset[str]:
        if not images:
            return frozenset()
        known = list(dict.fromkeys(image.arch for image in images))
        usable = list_usable(device, known) or ()
        order_of = find_limits(images[0].backend).order_of
        # A driver can have `sm_90` and `sm_90a` to choose from.
        best = [a for a in usable if a == usable[0] or order_of(a) == order_of(usable[0]) != None]  # noqa: E711
        # Only tools such as nvJitLink read other kinds.
        others = (image.arch for image in images if image.kind not in ("elf", "ptx"))
        found = frozenset((*best, *others, *kept.intersection(known)))
        return found or frozenset({min(images, key=lambda image: image.stored_size).arch})

    return select
