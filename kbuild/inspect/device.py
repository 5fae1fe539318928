"""Files of device code alone: images and fat binaries outside of any host file."""

from __future__ import annotations

from kbuild.backends import BACKENDS
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts, Place
from kbuild.inspect.descriptor import Extent
from kbuild.inspect.images import describe_container, describe_images
from kbuild.record import sha256


def read_device_file(path: str, content: bytes) -> ArtifactFacts | None:
    """The facts of a file of device code; None where no backend knows it as such."""
    for backend in BACKENDS.values():
        try:
            found = backend.read_device_file(content)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if found is None:
            continue
        images, problems = describe_images(backend, found.images, found.problems, 0)
        extent = Extent(place=Place(section=0, offset=0), size=len(content))
        return ArtifactFacts(
            path=path,
            kind=found.kind,
            machine=None,
            sha256=sha256(content),
            containers=(describe_container(backend, extent, images, problems),),
            images=images,
            problems=problems,
        )
    return None
