"""Damage sources by deleting or inserting single tokens, as people do while they type."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.cxx.unit import Unit

# What is inserted.
TOKENS: Final = (
    *(
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "[[",
        ";",
        ",",
        ":",
        "::",
        "?",
        "=",
        ".",
        "->",
        "...",
    ),
    *("<<<", ">>>", "x", "0", '"s"', "*", "&", "const", "auto", "static", "extern", "template"),
    *("struct", "enum", "namespace", "using", "operator", "requires", "typename", "asm", "if"),
    *("for", "while", "switch", "case", "do", "else", "return", "goto", "try", "catch"),
    *("__global__", "__device__", "__shared__", "__constant__"),
)
_QUALIFIERS: Final = re.compile(
    r"\b__(global|device|constant|host|shared|managed|launch_bounds|cluster_dims)__"
)
_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
# Names with which device code waits, as the headers of the CPU backend declare them.
_PRELUDE: Final = (
    '# 1 "<prelude>" 3\n'
    "void __kbuild_block_barrier__ __syncthreads();\n"
    "void __kbuild_warp_barrier__ __syncwarp(unsigned = 0);\n"
    "int __kbuild_warp_operation__ __shfl_down_sync(unsigned, int, int);\n"
    "int __kbuild_yields__ atomicAdd(int *, int);\n"
)


def list_edits(source: str, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield damaged texts of a source, with descriptions."""
    choice = random.Random(seed)  # noqa: S311 - not for cryptography
    unit = Unit(source, is_source=True)
    for _ in range(count):
        index = choice.randrange(len(unit.words))
        start, end, word = unit.starts[index], unit.get_end(index), unit.words[index]
        line = source.count("\n", 0, start) + 1
        if choice.random() < 0.5:
            yield source[:start] + source[end:], f"line {line}: deleted {word!r}"
        else:
            token = choice.choice(TOKENS)
            text = f"{source[:start]} {token} {source[start:]}"
            yield text, f"line {line}: inserted {token!r} before {word!r}"


def preprocess_plainly(source: str, path: Path) -> str:
    """Return a text as the passes of the CPU backend read it, without macros and headers."""
    text = _DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), source)
    return f'{_PRELUDE}# 1 "{path}"\n' + _QUALIFIERS.sub(r"__kbuild_\1__", text)
