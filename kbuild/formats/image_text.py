"""Device images as text, in the place of PTX for a backend that does not have it.

Programs take PTX for a string, so it contains no null characters. ``native/cpu/images`` reads it.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer

# The number of bytes follows, in 12 digits and a line break.
_START: Final = b"// kbuild: a device image for the CPU, which has no PTX: "


def write_text(image: bytes) -> bytes:
    """Write an image as text without null characters."""
    return _START + b"%012d\n" % len(image) + base64.encodebytes(image)


def read_text(content: Buffer) -> bytes | None:
    """Return the image that is written as text, or None if the content is something else.

    Raises:
        InputError: The text is damaged.
    """
    if content[: len(_START)] != _START:
        return None
    head, _, text = bytes(content).partition(b"\n")
    try:
        image = base64.b64decode(text.rstrip(b"\0"))
    except binascii.Error as error:
        raise InputError(f"the text of the device image is damaged: {error}") from error
    if head.removeprefix(_START) != b"%012d" % len(image):
        raise InputError("the text of the device image is incomplete")
    return image
