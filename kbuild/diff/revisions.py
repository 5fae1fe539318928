"""Two git revisions, each built in a work tree of its own at one and the same path."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild.errors import ConfigurationError, ToolchainError, ToolError
from kbuild.model import Command, CommandResult
from kbuild.process import describe_failure, run, run_checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A commit; ``name`` is what the user wrote."""

    name: str
    commit: str


def resolve_range(text: str, repository: Path) -> tuple[Revision, Revision]:
    """The commits that ``A..B`` names; with three dots the first is where B left A.

    Raises ConfigurationError for what is no range, no revision, or outside of a repository.
    """
    first, dots, last = text.partition("...")
    if not dots:
        first, dots, last = text.partition("..")
    if not dots:
        raise ConfigurationError(f"--git {text!r} is no range of revisions; write it as A..B")
    if _git(repository, "rev-parse", "--show-toplevel").returncode != 0:
        raise ConfigurationError(f"{repository}: not in the work tree of a git repository")
    old, new = _resolve(first or "HEAD", repository), _resolve(last or "HEAD", repository)
    if "..." in text:
        base = _git(repository, "merge-base", old.commit, new.commit)
        if base.returncode != 0:
            raise ConfigurationError(f"--git {text}: the two have no commit in common")
        old = Revision(name=f"merge base of {text}", commit=base.stdout.strip())
    return old, new


def _resolve(name: str, repository: Path) -> Revision:
    result = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if result.returncode != 0:
        raise ConfigurationError(f"{name!r} is no revision of the repository at {repository}")
    return Revision(name=name, commit=result.stdout.strip())


def _git(repository: Path, *words: str) -> CommandResult:
    try:
        return run(Command(argv=("git", "-C", str(repository), *words)))
    except ToolchainError as error:
        raise ToolchainError("git: not found; --git needs it") from error


@contextlib.contextmanager
def build_revisions(
    revisions: Sequence[Revision], repository: Path, build: Sequence[str]
) -> Iterator[tuple[Path, ...]]:
    """The folders with what each revision's build left; they are gone afterwards.

    The user's work tree is not touched.  The build runs where the user is, seen from the top
    of the repository, at the same path for every revision, so that paths make no difference.
    """
    prefix = _git(repository, "rev-parse", "--show-prefix").stdout.strip()
    with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as name:
        folder = Path(name).resolve()
        tree = folder / "tree"
        built: list[Path] = []
        try:
            for number, revision in enumerate(revisions):
                words = ("worktree", "add", "--detach", "--force", str(tree), revision.commit)
                # The user's hooks are for the user's own work tree.
                hooks = ("-c", "core.hooksPath=/dev/null")
                run_checked(Command(argv=("git", *hooks, "-C", str(repository), *words)))
                _build(revision, tree / prefix, build)
                kept = folder / f"built{number}"
                (tree / ".git").unlink()
                shutil.move(tree, kept)
                _git(repository, "worktree", "prune")
                built.append(kept)
            yield tuple(built)
        finally:
            shutil.rmtree(tree, ignore_errors=True)
            _git(repository, "worktree", "prune")


def _build(revision: Revision, folder: Path, build: Sequence[str]) -> None:
    if not folder.is_dir():
        raise ConfigurationError(f"{revision.name} has no folder {folder.name}")
    try:
        result = run(Command(argv=tuple(build)), cwd=folder)
    except ToolchainError as error:
        raise ToolError(str(error)) from error
    if result.returncode != 0:
        raise ToolError(f"building {revision.name}: {describe_failure(result)}")
