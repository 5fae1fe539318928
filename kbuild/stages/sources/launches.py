"""Find launches with ``<<<>>>`` in source text that is not preprocessed."""

from __future__ import annotations

from kbuild.cxx.source.tokens import UnclearTextError, split_source

_CONDITIONS = (b"if", b"ifdef", b"ifndef")


def find_launch(text: bytes) -> int | None:
    """Return the line of the first launch that every compiler of the source sees.

    Launches in conditions of the preprocessor are possibly not compiled, so they do not count.
    """
    if b"<<<" not in text:
        return None
    try:
        tokens = split_source(text)
    except UnclearTextError:
        return None
    depth = 0
    for index, word in enumerate(tokens.words):
        if word[:1] == b"#":
            directive = word[1:].split()[:1]
            depth += (directive[:1] > [] and directive[0] in _CONDITIONS) - (
                directive == [b"endif"]
            )
        # `operator<<<int>` is an operator with template arguments.
        elif word == b"<<<" and depth == 0 and tokens.words[index - 1] != b"operator":
            return tokens.find_line(index)
    return None
