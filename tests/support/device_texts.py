"""Make the device texts of small sources."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild.stages.images.reduced_text import reduce_text
from kbuild.stages.sources.device_text import select_device_text
from kbuild.stages.sources.included import Preprocessed

# Headers of a library outside of the project.
LIBRARY: Final = {
    "cstdio": "int printf(const char *, ...);\n",
    "cassert": "#define assert(x) ((x) ? (void)0 : fail(#x, __FILE__, __LINE__))\n",
    "thrust/sort.h": "namespace thrust { struct Device {} device;\n"
    "template <class T> __global__ void sort_kernel(T);\n"
    "template <class D, class T> void sort(D, T first, T) { sort_kernel<<<1, 1>>>(first); }\n"
    "template <class T> struct device_vector { void resize(int); }; }\n",
}
_QUALIFIERS: Final = ("global", "device", "constant", "host", "shared", "managed")
_WORD: Final = re.compile(rf"__({'|'.join(_QUALIFIERS)})__")


def select(
    source: str, *, has_lines: bool = False, library: dict[str, str] | None = None, **headers: str
) -> str:
    """Return the device text of a source.

    Args:
        source: The source.
        has_lines: Whether device code has lines.
        library: Further headers outside of the project.
        headers: The project's headers, without suffix.
    """
    with _preprocess(source, library or {}, headers) as preprocessed:
        return select_device_text(source, preprocessed, has_lines=has_lines)


def reduce(source: str, *, has_lines: bool = False, **headers: str) -> str:
    """Return what device code depends on in the preprocessed text of a source; see `select`."""
    with _preprocess(source, {}, headers) as preprocessed:
        return reduce_text(preprocessed, has_lines=has_lines)


@contextmanager
def _preprocess(
    source: str, library: Mapping[str, str], headers: Mapping[str, str]
) -> Iterator[Preprocessed]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        texts = {f"lib/{file}": text for file, text in {**LIBRARY, **library}.items()}
        texts |= {f"include/{file}.h": text for file, text in headers.items()}
        for file, text in {**texts, "a.cu": source}.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        command = [
            *("g++", "-E", "-x", "c++", "-nostdinc", "-I", "include", "-isystem", "lib"),
            *(f"-D__{word}__=__kbuild_{word}__" for word in _QUALIFIERS),
            "a.cu",
        ]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        yield Preprocessed(
            text=done.stdout,
            is_project=_is_project,
            read_file=lambda file: (root / file).read_bytes(),
        )


def select_plainly(source: str) -> str:
    """Return the device text of a source without directives."""
    preprocessed = Preprocessed(
        text='# 1 "a.cu"\n' + _WORD.sub(r"__kbuild_\1__", source),
        is_project=_is_project,
        read_file=lambda _: source.encode(),
    )
    return select_device_text(source, preprocessed)


def _is_project(file: str) -> bool:
    return not file.startswith("lib/")
