"""IndigoSuite's graph codes (https://github.com/burtscher/IndigoSuite).

Its generator makes codes from annotated sources, with and without each mistake. All codes of a
pattern are compiled as one source, each in its own namespace, because most of the time of a
compile is that of the headers.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.check_suites.programs import Program, Suite

_RACES = frozenset({"KC201", "KC202", "KC203"})
_RULES = {
    "atomicBug": _RACES,
    "guardBug": _RACES,
    "raceBug": _RACES,
    "syncBug": _RACES,
    "boundsBug": frozenset({"KC101"}),
}
_MISTAKE = re.compile(r"[a-z]+Bug")
_VARIANT = re.compile(r"_neighbor.*")  # of a pattern: how threads share the neighbors
_VERTICES = 70
_THREADS = 64  # two warps per block, and fewer than the neighbors of a vertex
# One vertex per block, or several if the kernel has a loop over them.
_BLOCKS, _PERSISTENT_BLOCKS = _VERTICES + 2, 4
_HEADERS = ("cstdio", "cstdlib", "cstring", "cuda.h")


def find_programs(checkout: Path, work: Path) -> Suite:
    """Generate the codes of a checkout in a directory, and return them as a suite."""
    generators = checkout / "Generators"
    graph = work / "graph.egr"
    graph.write_bytes(encode_graph(list_neighbors(_VERTICES)))
    codes = work / "codes"
    codes.mkdir()
    for annotated in sorted((generators / "CUDA_sources").glob("*.idg")):
        subprocess.run(
            (sys.executable, "generate_CUDA_codes.py", annotated, checkout / "LICENSE", codes),
            cwd=generators,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # newer Pythons warn about the generator
            check=True,
        )
    return Suite(
        programs=tuple(
            program for pattern in sorted(codes.iterdir()) for program in _join(pattern, graph)
        ),
        rules=_RULES,
        include_directories=(generators / "sources_include",),
    )


def list_neighbors(count: int) -> list[list[int]]:
    """Return a graph in which all planted mistakes happen.

    The first and the last vertex have no neighbors, so a code that reads their first or last
    neighbor anyway leaves the array. All others are connected to each other, and their first and
    last neighbors are the two highest vertices. So threads that handle only these neighbors
    access the same memory, too.
    """
    last = count - 1
    inner = [[last, *(n for n in range(last - 1) if n != v), last - 1] for v in range(1, last)]
    return [[], *inner, []]


def encode_graph(neighbors: Sequence[Sequence[int]]) -> bytes:
    """Return a graph in the format that the codes read: two counts, the row starts, the rows."""
    starts = [0]
    for row in neighbors:
        starts.append(starts[-1] + len(row))
    numbers = (len(neighbors), starts[-1], *starts, *(n for row in neighbors for n in row))
    return struct.pack(f"{len(numbers)}i", *numbers)


def _join(pattern: Path, graph: Path) -> Iterator[Program]:
    """Write one source that contains all codes of a pattern, and yield them."""
    codes = sorted(pattern.glob("*.cu"))
    source = pattern / "all" / f"{pattern.name}.cu"
    source.parent.mkdir()
    lines = [f"#include <{header}>" for header in _HEADERS]
    lines += [f'namespace {code.stem} {{\n#include "{code}"\n}}' for code in codes]
    lines += ["int main(int argc, char** argv) {"]
    lines += [
        f'    if (std::strcmp(argv[1], "{code.stem}") == 0)\n'
        f"        return {code.stem}::main(argc - 1, argv + 1);"
        for code in codes
    ]
    lines += ["    return 2;", "}", ""]
    source.write_text("\n".join(lines))
    for code in codes:
        blocks = _PERSISTENT_BLOCKS if "persistent" in code.stem else _BLOCKS
        yield Program(
            name=code.stem,
            pattern=_VARIANT.sub("", pattern.name),
            source=source,
            arguments=(code.stem, str(graph), str(_THREADS), str(blocks)),
            mistakes=tuple(_MISTAKE.findall(code.stem)),
        )
