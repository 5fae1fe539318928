"""Digests of what device code depends on in a preprocessed text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.files import sha256
from kbuild.toolchain import store

_REDUCED: Final = "reduced text of device code 1"
_ERRORS: Final = "surrogateescape"
_EMBEDDING: Final = re.compile(rb"^[ \t]*#[ \t]*embed\b", re.MULTILINE)
_INCLUSION: Final = b".incbin"  # of assemblers
# With these words, a text can name its lines or columns.
_LINE_WORDS: Final = (b"__builtin_LINE", b"__builtin_FILE", b"__builtin_source_location")
_COLUMN_WORDS: Final = (b"__builtin_COLUMN", b"__builtin_source_location")


def embeds_files(text: bytes) -> bool:
    """Return whether a text makes compilers or assemblers read other files."""
    has_word = b"embed" in text  # faster than the expression
    return _INCLUSION in text or (has_word and _EMBEDDING.search(text) is not None)


def has_lines(text: bytes) -> bool:
    """Return whether device code can depend on the lines of a text, beside debug information."""
    return any(word in text for word in _LINE_WORDS)


def has_columns(text: bytes) -> bool:
    """Return whether device code can depend on the columns of a text."""
    return any(word in text for word in _COLUMN_WORDS)


def digest_text(text: bytes, compiler: Path, *, counts_lines: bool) -> bytes:
    """Return the digest of what device code depends on in a text, which the next edit needs, too.

    Args:
        text: The text.
        compiler: The compiler of device code.
        counts_lines: Whether device code depends on lines.
    """
    key = store.make_key(
        *(_REDUCED, resources.identify_installation(), str(counts_lines)), str(compiler), text
    )
    known = store.find(key)
    if known is None:
        from kbuild.stages.images.reduced_text import reduce_text  # noqa: PLC0415 - only edits need it
        from kbuild.stages.sources.included import make_preprocessed  # noqa: PLC0415 - as above

        preprocessed = make_preprocessed(text.decode(errors=_ERRORS), compiler)
        known = sha256(
            reduce_text(preprocessed, has_lines=counts_lines).encode(errors=_ERRORS)
        ).encode()
        store.add(key, known)
    return known
