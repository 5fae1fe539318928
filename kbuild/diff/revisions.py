"""Two git revisions, each built in a work tree of its own at one and the same path."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild.diff.working_tree import copy_working_tree
from kbuild.errors import ConfigurationError, ToolchainError, ToolError
from kbuild.model import Command, CommandResult
from kbuild.process import describe_failure, run, run_checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A commit; ``name`` is what the user wrote.

    With ``is_work_tree`` it is the user's work tree as it stands, and ``commit`` what it is on.
    """

    name: str
    commit: str
    is_work_tree: bool = False

    @property
    def label(self) -> str:
        """What reports call it."""
        on = "on " if self.is_work_tree else ""
        return f"{self.name} ({on}{self.commit[:12]})"


def resolve_range(text: str, repository: Path) -> tuple[Revision, Revision]:
    """The commits that ``A..B`` names; with three dots the first is where B left A.

    ``A`` alone is A and the work tree.  Raises ConfigurationError for what is no revision, or
    outside of a repository.
    """
    first, dots, last = text.partition("...")
    if not dots:
        first, dots, last = text.partition("..")
    if _git(repository, "rev-parse", "--show-toplevel").returncode != 0:
        raise ConfigurationError(f"{repository}: not in the work tree of a git repository")
    old, new = _resolve(first or "HEAD", repository), _resolve(last or "HEAD", repository)
    if not dots:
        return old, Revision(name="work tree", commit=new.commit, is_work_tree=True)
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
                _check_out(revision, repository, tree)
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


def _check_out(revision: Revision, repository: Path, tree: Path) -> None:
    """Make ``tree`` a work tree of the revision, or a copy of the user's own."""
    # The user's hooks are for the user's own work tree.
    git = ("git", "-c", "core.hooksPath=/dev/null", "-C")
    empty = ("--no-checkout",) if revision.is_work_tree else ()
    words = ("worktree", "add", "--detach", "--force", *empty, str(tree), revision.commit)
    run_checked(Command(argv=(*git, str(repository), *words)))
    if revision.is_work_tree:
        # What asks git about the copy is told what the user is told.
        run_checked(Command(argv=(*git, str(tree), "read-tree", revision.commit)))
        copy_working_tree(Path(_ask(repository, "rev-parse", "--show-toplevel")), tree)


def _ask(repository: Path, *words: str) -> str:
    return run_checked(Command(argv=("git", "-C", str(repository), *words))).stdout.strip()


def _build(revision: Revision, folder: Path, build: Sequence[str]) -> None:
    if not folder.is_dir():
        raise ConfigurationError(f"{revision.name} has no folder {folder.name}")
    try:
        result = run(Command(argv=tuple(build)), cwd=folder)
    except ToolchainError as error:
        raise ToolError(str(error)) from error
    if result.returncode != 0:
        raise ToolError(f"building {revision.name}: {describe_failure(result)}")
