"""Fingerprints by which CI systems recognize a finding of an earlier run.

A fingerprint depends neither on the directory of the project nor on what changes in every
build: sizes, counts, and addresses. See SARIF 2.1.0, section 3.27.17 and appendix B.
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
_DIRECTORIES: Final = re.compile(r"(?<![\w.+~@%/-])(?:[\w.+~@%-]*/)+(?=[\w.+~@%-])")
_NUMBER: Final = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)*)\b")


def fingerprint(report: Report) -> Iterator[str]:
    """Yield a fingerprint for each finding in order, as ``hash:number``.

    Findings with equal hashes are numbered, like GitHub's own fingerprints of equal lines.
    """
    directories = _Directories(all_paths(report))
    seen: Counter[str] = Counter()
    for finding in report.findings:
        digest = _hash(finding, directories)
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


class _Directories:
    """Removes the directories from the paths in a message."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        # The pattern does not find paths with unusual characters, such as spaces. They are
        # rare, so they are searched by name.
        files = {split_member(path)[0] for path in paths}
        unusual = (f for f in files if _DIRECTORIES.sub("", f) != PurePosixPath(f).name)
        known = sorted(unusual, key=lambda file: (-len(file), file))
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def remove(self, message: str) -> str:
        if self._known is not None:
            message = self._known.sub(lambda match: PurePosixPath(match[0]).name, message)
        return _DIRECTORIES.sub("", message)


def _hash(finding: Finding, directories: _Directories) -> str:
    file, member = split_member(finding.path)
    message = _NUMBER.sub("#", " ".join(directories.remove(finding.message).split()))
    parts = (
        finding.rule,
        # The name of a wheel contains its version, but its members keep their paths.
        member or PurePosixPath(file).name,
        finding.symbol or "",
        finding.arch or "",
        message,
    )
    text = "\0".join(map(make_printable, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
