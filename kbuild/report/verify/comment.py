"""What changed since a baseline, as a comment for a pull or merge request, in Markdown.

The tables are narrow, because the column of a review is. They have a number and a shortened name of
each kernel, and a folded list has the whole names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.demangle.short_names import shorten_names
from kbuild.report.layout import format_size, plural
from kbuild.report.markdown import Room, escape
from kbuild.values import dataclass
from kbuild.verify.figures import FIGURES, FileFigures, KernelFigures
from kbuild.verify.policy.baseline import Baseline

# With it, a job finds the comment that it wrote before.
MARKER: Final = "<!-- kbuild -->"
# GitHub accepts 65,536 characters, and GitLab 1,000,000.
_LONGEST: Final = 1 << 15
_LONGEST_NAME: Final = 14
_TITLES: Final = {
    "registers": "registers per thread",
    "spill_bytes": "bytes of spilled registers",
    "local_bytes": "bytes of local memory",
    "shared_bytes": "bytes of shared memory",
    "code_bytes": "bytes of code",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A figure that changed. None means that the kernel is new, or gone."""

    kernel: str
    arch: str
    old: int | None
    new: int | None


def render(old: Baseline, new: Baseline) -> str:
    """Return the comment: only what changed, and one line if nothing did."""
    lines = list(_describe(old, new))
    title = f"{MARKER}\n### Device code"
    if not lines:
        return f"{title}\n\nNothing changed since the baseline.\n"
    return "\n".join((title, "", *lines)) + "\n"


def _describe(old: Baseline, new: Baseline) -> Iterator[str]:
    names = sorted({figures.file for figures in (*old.files, *new.files)})
    for name in names:
        before, after = old.find(name), new.find(name)
        lines = list(_describe_file(before, after))
        if lines:
            yield f"**{escape(name)}**"
            yield ""
            yield from lines


def _describe_file(old: FileFigures | None, new: FileFigures | None) -> Iterator[str]:
    if old is None or new is None:
        yield "new file" if old is None else "the file is gone"
        yield ""
        return
    yield from _describe_sizes(old, new)
    changes = {figure: list(_compare(figure, old, new)) for figure in FIGURES}
    kernels = dict.fromkeys(change.kernel for found in changes.values() for change in found)
    displays = {kernel: demangle(kernel) for kernel in kernels}
    short = shorten_names(displays.values())
    names = {
        kernel: f"{number} {_shorten(short[display])}"
        for number, (kernel, display) in enumerate(displays.items(), 1)
    }
    for figure, found in changes.items():
        if found:
            yield from _format_table(_TITLES[figure], found, names)
    if displays:
        yield f"<details><summary>{plural(len(displays), 'kernel')}</summary>"
        yield ""
        lines = (f"{n}. {escape(display)}" for n, display in enumerate(displays.values(), 1))
        yield from Room(_LONGEST).take_lines(lines, "- and {} more")
        yield ""
        yield "</details>"
        yield ""


def _describe_sizes(old: FileFigures, new: FileFigures) -> Iterator[str]:
    before = {size.arch: size.stored_bytes for size in old.sizes}
    after = {size.arch: size.stored_bytes for size in new.sizes}
    rows = [
        f"| {escape(arch)} | {_size(before.get(arch))} | {_size(after.get(arch))} |"
        for arch in dict.fromkeys((*before, *after))
        if before.get(arch) != after.get(arch)
    ]
    if rows:
        yield from ("| images | old | new |", "|---|--:|--:|", *rows, "")


def _size(size: int | None) -> str:
    return "-" if size is None else format_size(size)


def _compare(figure: str, old: FileFigures, new: FileFigures) -> Iterator[_Change]:
    """Yield the kernels whose figure changed, those that got worse most first."""
    before, after = _index(old.kernels, figure), _index(new.kernels, figure)
    # What a new kernel has, or one that is gone had, is no change of the figure except for its
    # registers, by which all kernels are listed.
    changed = [
        _Change(kernel=key[0], arch=key[1], old=before.get(key), new=after.get(key))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
        and (figure == "registers" or (key in before and key in after))
    ]
    yield from sorted(changed, key=lambda c: (c.old or 0) - (c.new or 0))


def _index(kernels: Iterable[KernelFigures], figure: str) -> dict[tuple[str, str], int]:
    found = ((k.kernel, k.arch, getattr(k, figure)) for k in kernels)
    return {(kernel, arch): value for kernel, arch, value in found if value is not None}


def _format_table(title: str, changes: list[_Change], names: dict[str, str]) -> Iterator[str]:
    yield f"{title}:"
    yield ""
    yield "| kernel | arch | old | new |"
    yield "|---|---|--:|--:|"
    rows = (
        f"| {escape(names[c.kernel])} | {escape(c.arch)} | {_show(c.old)} | {_show(c.new)} |"
        for c in changes
    )
    yield from Room(_LONGEST).take_lines(rows, "\nAnd {} more.")
    yield ""


def _show(value: int | None) -> str:
    return "-" if value is None else str(value)


def _shorten(name: str) -> str:
    """Return the end of a name without parameters and namespaces, which says most."""
    inner = name.partition("(")[0].partition("<")[0].rpartition("::")[2] or name
    return inner if len(inner) <= _LONGEST_NAME else f"{inner[: _LONGEST_NAME - 1]}…"
