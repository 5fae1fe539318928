"""The texts that all reports on differences share: summary, names, and one-line changes."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.diff.model import (
    CodeChange,
    DiffReport,
    FieldChange,
    FunctionChange,
    ImageChange,
    LaunchChange,
    Row,
    Value,
)
from kbuild.model import Param
from kbuild.report.layout import plural

_STATUSES = ("added", "removed", "renamed", "signature", "changed")
_WORDS = {"signature": "with a changed signature"}


def summarize(report: DiffReport) -> str:
    """Return the result in one sentence."""
    compared = f"{plural(report.compared, 'kernel')} compared (by architecture)"
    if not report.has_differences:
        unread = plural(len(report.unreadable), "part") + " could not be read; "
        front = unread if report.unreadable else ""
        return f"{front}no difference in {', '.join(report.aspects)}; {compared}"
    counts = [(sum(f.status == status for f in report.kernels), status) for status in _STATUSES]
    parts = [f"{plural(n, 'kernel')} {_WORDS.get(word, word)}" for n, word in counts if n]
    others = len(report.functions) - len(report.kernels)
    for count, word in (
        (others, "other function"),
        (len(report.data), "variable"),
        (len(report.images), "architecture"),
        (len(report.artifacts), "file"),
        (len(report.handles), "handle"),
        (len(report.launches), "launch count"),
    ):
        if count:
            parts.append(f"{plural(count, word)} changed")
    if report.unreadable:
        parts.append(f"{plural(len(report.unreadable), 'part')} unreadable")
    breaks = f"{plural(report.breaks, 'ABI break')}: " if report.breaks else ""
    return f"{breaks}{', '.join(parts)}; {compared}"


def group_functions(
    report: DiffReport,
) -> dict[tuple[str, str], list[FunctionChange]]:
    """Group the changes by status and name, because a kernel has several architectures.

    ABI breaks come first.
    """
    found: dict[tuple[str, str], list[FunctionChange]] = {}
    for function in sorted(report.functions, key=_rank):
        found.setdefault((function.status, name(function)), []).append(function)
    return found


def _rank(function: FunctionChange) -> tuple[bool, bool]:
    return not function.breaks, not function.is_kernel


def name(function: FunctionChange) -> str:
    """Return the demangled name, or both names if it changed."""
    old, new = function.old_display, function.new_display
    shown = function.display
    if function.status in ("renamed", "signature") and old and new:
        shown = f"{old} -> {new}" if old != new else f"{function.old_name} -> {function.new_name}"
    return shown if function.is_kernel else f"function {shown}"


def spell(value: Value) -> str:
    """Return a value for a table; an unknown one is a dash."""
    if value is None:
        return "-"
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def describe_field(change: FieldChange) -> str:
    """Return a text such as ``registers 20 -> 24 (+4)``."""
    text = f"{change.field} {spell(change.old)} -> {spell(change.new)}"
    if isinstance(change.old, int) and isinstance(change.new, int):
        text += f" ({change.new - change.old:+d})"
    return text


def describe_param(param: Param | None) -> str:
    """Return the type, offset, and size of a parameter."""
    if param is None:
        return "none"
    return f"{param.type or '?'} at {param.offset}, {plural(param.size, 'byte')}"


def describe_function(function: FunctionChange) -> Iterator[str]:
    """Yield a line for each change of a function."""
    for text in function.breaks:
        yield f"ABI break: {text}"
    for param in function.params:
        old, new = describe_param(param.old), describe_param(param.new)
        yield f"parameter {param.index}: {old} -> {new}"
    for change in (*function.abi, *function.resources, *function.sizes):
        yield describe_field(change)
    if function.code:
        yield describe_code(function.code)


def describe_code(code: CodeChange) -> str:
    """Return how much code differs, or why it could not be compared."""
    if code.undecided:
        return f"{code.language}: bytes differ; not listed: {code.undecided}"
    text = f"{code.language}: -{code.removed_lines} +{code.added_lines} lines"
    return f"{text}, {code.omitted} not shown" if code.omitted else text


def describe_image(image: ImageChange) -> str:
    """Return a line about an added, removed, or changed architecture."""
    what = f"{image.backend} {image.arch} {image.kind}"
    changes = ", ".join(map(describe_field, (*image.sizes, *image.code)))
    return f"{what}: {image.status}" + (f" ({changes})" if changes else "")


def describe_others(report: DiffReport) -> Iterator[tuple[str, str]]:
    """Yield (file, text) for each change that does not belong to a function."""
    for artifact in report.artifacts:
        yield artifact.file, f"{artifact.status}, with {plural(artifact.kernels, 'kernel')}"
    for image in report.images:
        yield image.file, describe_image(image)
    for handle in report.handles:
        front = "ABI break: " if handle.is_break else ""
        yield (
            handle.file,
            f"{front}handle of {handle.display}: {spell(handle.old)} -> {spell(handle.new)}",
        )
    for data in report.data:
        yield data.file, f"variable {data.display} ({data.arch}): {data.status}"
    for launch in report.launches:
        yield launch.test or "launches", f"{launch.kernel}: {describe_field(_count(launch))}"
    for part in report.unreadable:
        yield part.file, f"unreadable on the {part.side} side: {part.message}"


def _count(change: LaunchChange) -> FieldChange:
    return FieldChange(field="launches", old=change.old, new=change.new)


def unified(rows: tuple[Row, ...]) -> Iterator[str]:
    """Yield the rows as lines of a unified diff."""
    waiting: list[str] = []
    for row in rows:
        if row.is_equal:
            yield from waiting
            waiting = []
            yield f" {row.old}"
            continue
        if row.old is not None:
            yield f"-{row.old}"
        if row.new is not None:
            waiting.append(f"+{row.new}")
    yield from waiting
