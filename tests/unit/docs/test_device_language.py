"""What device code can use on the CPU. ``KBUILD_UPDATE_GOLDEN=1 pytest`` rewrites the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from support.commands import ROOT
from support.conformance import SOURCES

PAGE: Final = ROOT / "docs" / "reference" / "cpu-device-language.md"
HEAD: Final = """<!-- Generated from the results in tests/conformance; do not edit. -->
# CUDA's device language on the CPU

This page lists what device code can use on the CPU backend. Each name is a line that a program in
`tests/conformance` prints. The same sources ran on an NVIDIA H100 80GB HBM3 (driver 580.159.04,
CUDA 13.0.88, `-fmad=false`), and their output there is recorded. A test runs them on the CPU
(`-ffp-contract=off`) and compares: most results with the same bytes, the others within a bound. A
name that is not here is not tested, and counts as missing. [Differences from a
GPU](cpu-differences.md) lists what computes other values here.

The numbers in parentheses are bounds: `ulp` is the number of floating-point numbers between the
two results, and `within` the difference. NaN results count as equal.
"""


def make_section(source: Path) -> str:
    title = source.stem.replace("_", " ")
    about = []
    for line in source.read_text().splitlines():
        if not line.startswith("// "):
            break
        about.append(line.removeprefix("// "))
    lines = [line.split()[:3] for line in source.with_suffix(".txt").read_text().splitlines()]
    names = [
        f"`{name}`" + ("" if bound == "exact" else f" ({bound} {limit})")
        for name, bound, limit in lines
    ]
    return f"\n## {title.capitalize()}\n\n{' '.join(about)}\n\n{', '.join(names)}\n"


def test_page_lists_what_ran_on_both_devices() -> None:
    page = HEAD + "".join(make_section(source) for source in SOURCES)
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page
