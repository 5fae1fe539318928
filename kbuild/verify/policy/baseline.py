"""The baseline: figures that a project commits, and that must not get worse.

The file has sorted JSON lines, one per kernel and architecture, so that a review shows what
a change costs::

    {"schema": "kbuild.baseline/1"}
    {"file": "libk.so", "stored_bytes": 20480}
    {"file": "libk.so", "arch": "sm_90", "stored_bytes": 10240}
    {"file": "libk.so", "kernel": "_Z5scalePf", "arch": "sm_90", "registers": 10, ...}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.files import write_file
from kbuild.values import dataclass
from kbuild.verify.figures import (
    FIGURES,
    ArchitectureSize,
    FileFigures,
    KernelFigures,
    measure,
    worst,
)

SCHEMA: Final = "kbuild.baseline/1"

_NAMES: Final = ("file", "kernel", "arch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The figures of every file. ``source`` is the path of the baseline, for messages."""

    files: tuple[FileFigures, ...]
    source: str = "FILE"

    def find(self, file: str) -> FileFigures | None:
        """Return the figures of the file with this stable name, or None."""
        return next((figures for figures in self.files if figures.file == file), None)


def make_baseline(artifacts: tuple[ArtifactFacts, ...], source: str = "FILE") -> Baseline:
    """Return the current figures of the artifacts.

    Raises:
        InputError: An artifact could not be read completely, two files have the same name, or
            there is no device code at all.
    """
    files: dict[str, FileFigures] = {}
    paths: dict[str, str] = {}
    for facts in artifacts:
        _require_readable(facts)
        if not facts.images:
            continue
        figures = measure(facts)
        if paths.setdefault(figures.file, facts.path) != facts.path:
            raise InputError(
                f"{facts.path} and {paths[figures.file]}: a baseline stores both as "
                f"{figures.file!r}, without directories; write one baseline for each"
            )
        # Members of an archive can have the same name.
        other = files.get(figures.file)
        files[figures.file] = _merge(other, figures) if other else figures
    if not files:
        names = ", ".join(dict.fromkeys(facts.path for facts in artifacts)) or "the paths"
        raise InputError(f"{names}: no device image, so a baseline would be empty")
    return Baseline(files=tuple(files[name] for name in sorted(files)), source=source)


def _require_readable(facts: ArtifactFacts) -> None:
    for problem in facts.problems:
        raise InputError(f"{facts.path}: {problem.where}: {problem.message}")
    for image in facts.images:
        if image.problem:
            raise InputError(f"{facts.path}: the image for {image.arch}: {image.problem}")


def _merge(first: FileFigures, second: FileFigures) -> FileFigures:
    sizes: dict[str, int] = {}
    for size in (*first.sizes, *second.sizes):
        sizes[size.arch] = max(sizes.get(size.arch, 0), size.stored_bytes)
    kernels: dict[tuple[str, str], KernelFigures] = {}
    for figures in (*first.kernels, *second.kernels):
        key = (figures.kernel, figures.arch)
        kernels[key] = worst((kernels[key], figures)) if key in kernels else figures
    return FileFigures(
        file=first.file,
        stored_bytes=max(first.stored_bytes, second.stored_bytes),
        sizes=tuple(ArchitectureSize(arch=a, stored_bytes=sizes[a]) for a in sorted(sizes)),
        kernels=tuple(kernels[key] for key in sorted(kernels)),
    )


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write the file atomically."""
    try:
        write_file(path, format_baseline(baseline).encode())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def format_baseline(baseline: Baseline) -> str:
    """Return the text of the file. Equal figures give equal texts."""
    return "".join(json.dumps(line) + "\n" for line in _lines(baseline))


def _lines(baseline: Baseline) -> Iterator[dict[str, Any]]:
    yield {"schema": SCHEMA}
    for figures in baseline.files:
        name = {"file": figures.file}
        yield {**name, "stored_bytes": figures.stored_bytes}
        for size in figures.sizes:
            yield {**name, "arch": size.arch, "stored_bytes": size.stored_bytes}
        for kernel in figures.kernels:
            known: dict[str, int] = {n: v for n in FIGURES if (v := getattr(kernel, n)) is not None}
            yield {**name, "kernel": kernel.kernel, "arch": kernel.arch, **known}


def read_baseline(path: Path) -> Baseline:
    """Return the baseline that `write_baseline` wrote.

    Raises:
        InputError: The file does not exist or is not a valid baseline. The message names the
            line and the fix.
    """
    try:
        lines = path.read_bytes().decode().splitlines()
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: no such file; create it with kbuild verify --write-baseline {path} PATH..."
        ) from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a baseline: the file is not UTF-8") from error
    except ValueError as error:
        raise InputError(f"{str(path)!r}: invalid file name: {error}") from error
    rows = [
        (f"{path}:{number}", _parse(f"{path}:{number}", line))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not rows or rows[0][1] != {"schema": SCHEMA}:
        raise InputError(
            f"{path}: not a {SCHEMA} file; create one with "
            f"kbuild verify --write-baseline {path} PATH..."
        )
    return Baseline(files=_collect(rows[1:]), source=str(path))


def _parse(where: str, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = " (possibly a merge conflict)" if line[:1] in "<=>|" else ""
        raise InputError(f"{where}: not JSON{hint}; write the baseline again") from error
    if not isinstance(row, dict):
        raise InputError(
            f"{where}: expected an object, found {type(row).__name__}; write the baseline again"
        )
    return row


def _collect(rows: list[tuple[str, dict[str, Any]]]) -> tuple[FileFigures, ...]:
    totals: dict[str, int] = {}
    sizes: dict[str, dict[str, int]] = {}
    kernels: dict[str, dict[tuple[str, str], KernelFigures]] = {}
    for where, row in rows:
        names: dict[str, Any] = {name: row.pop(name) for name in _NAMES if name in row}
        known = FIGURES if "kernel" in names else ("stored_bytes",)
        _check_row(where, names, row, known)
        file, arch = names["file"], names.get("arch")
        is_new = True
        if "kernel" in names:
            key = (names["kernel"], arch or "")
            is_new = key not in kernels.setdefault(file, {})
            kernels[file][key] = KernelFigures(kernel=key[0], arch=key[1], **row)
        elif arch is not None:
            is_new = arch not in sizes.setdefault(file, {})
            sizes[file][arch] = row["stored_bytes"]
        else:
            is_new = file not in totals
            totals[file] = row["stored_bytes"]
        if not is_new:
            raise InputError(f"{where}: duplicate entry; write the baseline again")
    return tuple(
        FileFigures(
            file=file,
            stored_bytes=totals.get(file, sum(sizes.get(file, {}).values())),
            sizes=tuple(
                ArchitectureSize(arch=arch, stored_bytes=size)
                for arch, size in sorted(sizes.get(file, {}).items())
            ),
            kernels=tuple(figures for _, figures in sorted(kernels.get(file, {}).items())),
        )
        for file in sorted({*totals, *sizes, *kernels})
    )


def _check_row(
    where: str, names: dict[str, Any], figures: dict[str, Any], known: Sequence[str]
) -> None:
    is_named = "file" in names and ("kernel" not in names or "arch" in names)
    is_valid = is_named and all(isinstance(name, str) for name in names.values())
    for name, value in figures.items():
        if name not in known:
            raise InputError(f"{where}: unknown figure {name!r}; write the baseline again")
        is_valid &= isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if not is_valid or ("kernel" not in names and not figures):
        raise InputError(f"{where}: not a valid line of a baseline; write the baseline again")
