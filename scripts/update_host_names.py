"""Write the headers that translate names of host APIs, from the table host_names.txt.

    python scripts/update_host_names.py [--check]

A line of the table is `CUDA-NAME = HIP-NAME`. With `->`, only CUDA's name is translated, and with
`<-`, only HIP's: one API has several names where the other one has a single name. Lines are sorted
by CUDA's names. Both headers keep what is before the line that names this script. --check writes
nothing, and fails if a header differs from the table.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("host_names.txt")
TO_CUDA = ROOT / "kbuild" / "native" / "device" / "hip_host_names.h"
TO_HIP = ROOT / "kbuild" / "native" / "device" / "hip" / "cuda_host_names.h"
LINE = re.compile(r"((?:make_)?cuda\w+) (=|->|<-) ((?:make_)?hip\w+)")
MARKER = "/* From here on: written by scripts/update_host_names.py from host_names.txt. */\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A name of CUDA's host API, a name of HIP's, and which of them are translated."""

    cuda: str
    hip: str
    direction: str


def read_table(text: str) -> list[Pair]:
    pairs = [read_line(number, line) for number, line in enumerate(text.splitlines(), start=1)]
    names = [pair.cuda for pair in pairs]
    for name, following in itertools.pairwise(names):
        if name > following:
            raise SystemExit(f"{TABLE.name}: {following} is after {name}; sort the lines")
    return pairs


def read_line(number: int, line: str) -> Pair:
    match = LINE.fullmatch(line)
    if not match:
        form = "expected 'CUDA-NAME = HIP-NAME', or '->' or '<-' instead of '='"
        raise SystemExit(f"{TABLE.name}:{number}: {line!r}: {form}")
    return Pair(cuda=match[1], hip=match[3], direction=match[2])


def define(pairs: Iterator[tuple[str, str]]) -> str:
    """Return one definition per pair, sorted by name."""
    targets: dict[str, str] = {}
    for name, target in pairs:
        if name in targets:
            fix = "write '->' or '<-' in one of the lines"
            raise SystemExit(f"{TABLE.name}: {name} has two translations; {fix}")
        targets[name] = target
    return "".join(f"#define {name} {targets[name]}\n" for name in sorted(targets))


def render_headers(pairs: list[Pair]) -> dict[Path, str]:
    """Return the new text of each header."""
    to_cuda = define((pair.hip, pair.cuda) for pair in pairs if pair.direction != "->")
    to_hip = define((pair.cuda, pair.hip) for pair in pairs if pair.direction != "<-")
    return {TO_CUDA: read_preamble(TO_CUDA) + to_cuda, TO_HIP: read_preamble(TO_HIP) + to_hip}


def read_preamble(header: Path) -> str:
    text = header.read_text()
    if MARKER not in text:
        raise SystemExit(f"{header.name}: the line '{MARKER.strip()}' is missing; restore it")
    return text[: text.index(MARKER)] + MARKER


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the headers with names of host APIs.")
    parser.add_argument("--check", action="store_true", help="only compare the headers")
    is_check = parser.parse_args().check
    headers = render_headers(read_table(TABLE.read_text()))
    changed = {header: text for header, text in headers.items() if header.read_text() != text}
    if is_check and changed:
        names = ", ".join(header.name for header in changed)
        fix = f"run python scripts/{Path(__file__).name}"
        raise SystemExit(f"{names}: differs from {TABLE.name}; edit the table, then {fix}")
    for header, text in changed.items():
        header.write_text(text)


if __name__ == "__main__":
    main()
