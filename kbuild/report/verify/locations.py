"""The location of a finding for CI systems: a file of the project, and a member of that file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from kbuild.verify.report import Finding, Report

# `outer!inner`. A directory name can contain `!`, but archives and wheels have a suffix.
_MEMBER: Final = re.compile(r"(?P<file>.*?[^/!]*\.[^/!]*)!(?P<member>.+)", re.DOTALL)


def split_member(path: str) -> tuple[str, str | None]:
    """Return the file on disk, and the member of an archive or wheel, or None."""
    match = _MEMBER.fullmatch(path)
    return (match["file"], match["member"]) if match else (path, None)


def relative_name(path: str) -> str:
    """Return ``path`` without ``./``, which CI systems do not match with files of the project."""
    return str(PurePosixPath(path))


def make_uri(path: str) -> str:
    """Return a relative reference (RFC 3986), or a file URI of an absolute path (RFC 8089)."""
    name = relative_name(path)
    # Python represents bytes that are not UTF-8 as surrogates. Only forged names have others.
    try:
        content = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        content = name.encode("utf-8", "surrogatepass")
    if name.startswith("/"):
        return "file:///" + quote(content.lstrip(b"/"))
    return quote(content)


def group_by_file(findings: Iterable[Finding]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """Return the findings of each path. Paths are ordered by their first finding."""
    paths: dict[str, list[Finding]] = {}
    for path, found in groupby(findings, key=lambda finding: finding.path):
        paths.setdefault(path, []).extend(found)
    return ((path, tuple(found)) for path, found in paths.items())


def all_paths(report: Report) -> tuple[str, ...]:
    """Return every path in the report once, in order."""
    judged = [outcome.path for outcome in report.outcomes]
    return tuple(dict.fromkeys([*judged, *(finding.path for finding in report.findings)]))
