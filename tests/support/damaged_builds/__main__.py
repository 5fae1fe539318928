"""Damage public sources by one token at a time, and judge what the CPU backend says of each text.

Run it from the directory of the tests::

    python -m support.damaged_builds /src/cuda-samples --edits 2000 --sources 40 [-I DIRECTORY]

Sources that the CPU backend rejects before they are damaged are left out. If nvcc is installed, it
compiles each text that the CPU accepts, and some of the others. The summary counts the texts that
only one of both rejects. Each one, and each message with a fault, is written to the directory of
the results.
"""
# ruff: noqa: T201 - a script

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from support.damaged_builds.judge import Verdict, build_source, compile_with_nvcc
from support.source_edits import list_edits

_SIZES: Final = range(600, 16_000)  # bytes of a source
_SHARE: Final = 9  # nvcc compiles one of so many texts that the CPU rejects


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the texts to look at, and return 1 if a message has a fault."""
    chosen = _parse(arguments)
    chosen.results.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    each = -(-chosen.edits // chosen.sources)
    for source in select_sources(chosen.directories, chosen.sources, chosen.include, chosen.seed):
        text = source.read_text(errors="replace")
        for number, (damaged, edit) in enumerate(list_edits(text, each, chosen.seed)):
            includes = (source.parent, *chosen.include)
            is_compared = number % _SHARE == 0
            kind, report = judge_text(source.name, damaged, includes, is_compared=is_compared)
            counts[kind] += 1
            if report:
                name = f"{source.stem}-{number}"
                (chosen.results / f"{name}{source.suffix}").write_text(damaged)
                (chosen.results / f"{name}.txt").write_text(f"{source}\n{edit}\n{kind}\n{report}")
        print(source, dict(counts), flush=True)
    return int(bool(counts["fault"]))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="damaged_builds", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    parser.add_argument("-I", dest="include", action="append", type=Path, default=[])
    parser.add_argument("--edits", type=int, default=2000, help="of all sources (default: 2000)")
    parser.add_argument("--sources", type=int, default=40, help="default: 40")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--results", type=Path, default=Path("damaged-builds"))
    return parser.parse_args(arguments)


def select_sources(
    directories: Sequence[Path], count: int, includes: Sequence[Path], seed: int
) -> Iterator[Path]:
    """Yield sources that build, from all directories."""
    sources = sorted(path for each in directories for path in each.rglob("*.cu"))
    random.Random(seed).shuffle(sources)  # noqa: S311 - not for cryptography
    for source in sources:
        if count == 0:
            return
        if source.stat().st_size not in _SIZES:
            continue
        text = source.read_text(errors="replace")
        kind, report = judge_text(source.name, text, (source.parent, *includes), is_compared=True)
        if kind == "accepted":
            count -= 1
            yield source
        else:
            print("left out:", source, kind, report.partition(" error: ")[2][:200], flush=True)


def judge_text(
    name: str, text: str, includes: tuple[Path, ...], *, is_compared: bool
) -> tuple[str, str]:
    """Return what happened to a text, and a report if somebody should look at it.

    Args:
        name: The name of the source.
        text: The text.
        includes: The directories of headers.
        is_compared: Whether nvcc compiles the text, too, if the CPU rejects it.
    """
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / name
        source.write_text(text)
        (source.parent / "build").mkdir()
        verdict = build_source(source, source.parent / "build", includes)
        is_compared = shutil.which("nvcc") is not None and (is_compared or not verdict.message)
        error = compile_with_nvcc(source, source.parent, includes) if is_compared else None
    return _compare(verdict, error)


def _compare(verdict: Verdict, error: str | None) -> tuple[str, str]:
    if verdict.fault:
        return "fault", f"{verdict.fault}\n\n{verdict.message}\n\nnvcc: {error}"
    if error is not None and bool(error) != bool(verdict.message):
        rejecting = "nvcc" if error else "the CPU"
        return f"rejected by {rejecting} only", error or verdict.message
    return ("rejected" if verdict.message else "accepted"), ""


if __name__ == "__main__":
    sys.exit(main())
