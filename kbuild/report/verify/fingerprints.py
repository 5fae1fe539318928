"""What tells CI systems that a finding of today is the one of yesterday.

A fingerprint must not depend on where the project lies, nor on what every build changes:
sizes, counts, addresses.  (SARIF 2.1.0, section 3.27.17 and appendix B.)
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from kbuild.report.layout import make_printable
from kbuild.report.verify.locations import all_paths, split_member
from kbuild.verify.report import Finding, Report

_DIGITS: Final = 16
_FOLDERS: Final = re.compile(r"(?<![\w.+~@%/-])(?:[\w.+~@%-]*/)+(?=[\w.+~@%-])")
_NUMBER: Final = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)*)\b")


def fingerprint(report: Report) -> Iterator[str]:
    """A fingerprint for each finding in turn, ``hash:number``.

    Findings that differ only in what does not count are numbered, as GitHub's own
    fingerprints of equal lines are.
    """
    folders = _Folders(all_paths(report))
    seen: Counter[str] = Counter()
    for finding in report.findings:
        digest = _hash(finding, folders)
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


class _Folders:
    """Takes the folders from the paths in a message."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        # A path with a space in it is found only by knowing it; such paths are few.
        files = {split_member(path)[0] for path in paths}
        odd = (f for f in files if _FOLDERS.sub("", f) != PurePosixPath(f).name)
        known = sorted(odd, key=lambda file: (-len(file), file))
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def remove(self, message: str) -> str:
        if self._known is not None:
            message = self._known.sub(lambda match: PurePosixPath(match[0]).name, message)
        return _FOLDERS.sub("", message)


def _hash(finding: Finding, folders: _Folders) -> str:
    file, member = split_member(finding.path)
    message = _NUMBER.sub("#", " ".join(folders.remove(finding.message).split()))
    parts = (
        finding.rule,
        # A wheel's name has its version in it; what lies in it keeps its place.
        member or PurePosixPath(file).name,
        finding.symbol or "",
        finding.arch or "",
        message,
    )
    text = "\0".join(map(make_printable, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
