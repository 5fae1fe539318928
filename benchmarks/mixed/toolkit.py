"""A toolkit that counts how often its device compilers run."""

from __future__ import annotations

import shutil
from pathlib import Path

COUNTED = ("cicc", "ptxas")


class CountedToolkit:
    """A copy of a toolkit, made of links, in which ``cicc`` and ``ptxas`` are small scripts.

    All sides use it, so that the scripts cost each of them the same.
    """

    def __init__(self, nvcc: Path, directory: Path) -> None:
        root = nvcc.resolve().parent.parent
        self._log = directory / "runs"
        self.nvcc = directory / "bin" / "nvcc"
        _link_all(root, directory, but=("bin", "nvvm"))
        # nvcc looks for the other programs beside itself, where a link would not lead.
        _link_all(root / "bin", directory / "bin", but=("nvcc", "ptxas"))
        shutil.copy2(nvcc.resolve(), self.nvcc)
        _link_all(root / "nvvm", directory / "nvvm", but=("bin",))
        _link_all(root / "nvvm" / "bin", directory / "nvvm" / "bin", but=("cicc",))
        self._wrap(root, directory, "bin/ptxas")
        self._wrap(root, directory, "nvvm/bin/cicc")

    def _wrap(self, root: Path, directory: Path, name: str) -> None:
        script = directory / name
        tool = root / name
        script.write_text(f'#!/bin/sh\necho {tool.name} >>"{self._log}"\nexec "{tool}" "$@"\n')
        script.chmod(0o755)

    def take_counts(self) -> dict[str, int]:
        """Return how often each of `COUNTED` ran since the last call."""
        lines = self._log.read_text().split() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return {name: lines.count(name) for name in COUNTED}


def _link_all(source: Path, target: Path, but: tuple[str, ...]) -> None:
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in but:
            (target / path.name).symlink_to(path)
