"""Where a finding is, as CI systems want to hear it: a file of the project, and what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from kbuild.verify.report import Finding, Report

# `outer!inner`.  A folder may have a `!` in its name; what contains files has a suffix.
_MEMBER: Final = re.compile(r"(?P<file>.*?[^/!]*\.[^/!]*)!(?P<member>.+)", re.DOTALL)


def split_member(path: str) -> tuple[str, str | None]:
    """The file on disk, and the member of the archive or wheel that it is."""
    match = _MEMBER.fullmatch(path)
    return (match["file"], match["member"]) if match else (path, None)


def relative_name(path: str) -> str:
    """``path`` without a leading ``./``, which CI systems do not match with the project's files."""
    return str(PurePosixPath(path))


def make_uri(path: str) -> str:
    """A relative reference to ``path``, or a file URI where it is absolute (RFC 3986, RFC 8089)."""
    name = relative_name(path)
    # A name that is no UTF-8 has its bytes as surrogates; others can only be forged.
    try:
        content = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        content = name.encode("utf-8", "surrogatepass")
    if name.startswith("/"):
        return "file:///" + quote(content.lstrip(b"/"))
    return quote(content)


def group_by_file(findings: Iterable[Finding]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """The findings of each path, files in the order in which they come first."""
    paths: dict[str, list[Finding]] = {}
    for path, found in groupby(findings, key=lambda finding: finding.path):
        paths.setdefault(path, []).extend(found)
    return ((path, tuple(found)) for path, found in paths.items())


def all_paths(report: Report) -> tuple[str, ...]:
    """Every path that the report speaks of, in order, once."""
    judged = [outcome.path for outcome in report.outcomes]
    return tuple(dict.fromkeys([*judged, *(finding.path for finding in report.findings)]))
