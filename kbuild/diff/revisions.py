"""Build two git revisions, each in a separate working tree at the same path."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild.diff.runs import record_kernels, require_kernels
from kbuild.diff.working_tree import copy_working_tree
from kbuild.errors import ConfigurationError, ToolchainError, ToolError
from kbuild.model import Command, CommandResult
from kbuild.process import make_error, run, run_checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A commit. ``name`` is what the user wrote.

    With ``is_work_tree``, it is the user's working tree including uncommitted changes, and
    ``commit`` is its HEAD.
    """

    name: str
    commit: str
    is_work_tree: bool = False

    @property
    def label(self) -> str:
        """The name in reports."""
        on = "on " if self.is_work_tree else ""
        return f"{self.name} ({on}{self.commit[:12]})"


def resolve_range(text: str, repository: Path) -> tuple[Revision, Revision]:
    """Return the two revisions that a range names.

    Args:
        text: ``A..B``; ``A...B`` for the merge base of A and B, and B; or ``A`` for A and the
            working tree.
        repository: A directory in the working tree of the repository.

    Raises:
        ConfigurationError: A revision does not exist, or the directory is not in a repository.
    """
    first, dots, last = text.partition("...")
    if not dots:
        first, dots, last = text.partition("..")
    if _git(repository, "rev-parse", "--show-toplevel").returncode != 0:
        raise ConfigurationError(f"{repository}: not in the working tree of a git repository")
    old, new = _resolve(first or "HEAD", repository), _resolve(last or "HEAD", repository)
    if not dots:
        return old, Revision(name="working tree", commit=new.commit, is_work_tree=True)
    if "..." in text:
        base = _git(repository, "merge-base", old.commit, new.commit)
        if base.returncode != 0:
            raise ConfigurationError(f"--git {text}: the revisions have no common commit")
        old = Revision(name=f"merge base of {text}", commit=base.stdout.strip())
    return old, new


def _resolve(name: str, repository: Path) -> Revision:
    result = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if result.returncode != 0:
        raise ConfigurationError(f"unknown revision {name!r} in the repository at {repository}")
    return Revision(name=name, commit=result.stdout.strip())


def _git(repository: Path, *words: str) -> CommandResult:
    try:
        return run(Command(argv=("git", "-C", str(repository), *words)))
    except ToolchainError as error:
        raise ToolchainError("git not found; --git requires it") from error


@contextlib.contextmanager
def build_revisions(
    revisions: Sequence[Revision],
    repository: Path,
    build: Sequence[str],
    test_command: str | None = None,
) -> Iterator[tuple[Path, ...]]:
    """Build each revision, and yield the directories that contain the results.

    With a test command, these are the directories with the kernels that it compiles.

    The directories are removed afterwards. The user's working tree is not touched. The build runs
    in the directory that corresponds to the user's current one. Its path is the same for every
    revision, so that paths do not cause differences.

    Args:
        revisions: The revisions to build.
        repository: The user's current directory.
        build: The build command; empty if there is nothing to build.
        test_command: A command that runs in each built revision, as a shell reads it.

    Raises:
        ConfigurationError: A revision does not have the directory.
        InputError: The test command compiled no kernels in any revision.
        ToolError: The build or the test command fails.
    """
    prefix = _git(repository, "rev-parse", "--show-prefix").stdout.strip()
    with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as name:
        directory = Path(name).resolve()
        tree = directory / "tree"
        built: list[Path] = []
        dumps: list[Path] = []
        try:
            for number, revision in enumerate(revisions):
                _check_out(revision, repository, tree)
                _build(revision, tree / prefix, build)
                if test_command is not None:
                    dump = directory / f"compiled{number}"
                    record_kernels(test_command, dump, tree / prefix, f"{revision.name}: ")
                    dumps.append(dump)
                kept = directory / f"built{number}"
                (tree / ".git").unlink()
                shutil.move(tree, kept)
                _git(repository, "worktree", "prune")
                built.append(kept)
            if test_command is not None:
                require_kernels(dumps, test_command)
            yield tuple(dumps or built)
        finally:
            shutil.rmtree(tree, ignore_errors=True)
            _git(repository, "worktree", "prune")


def _check_out(revision: Revision, repository: Path, tree: Path) -> None:
    """Make ``tree`` a working tree of the revision, or a copy of the user's working tree."""
    # The user's hooks are meant for the user's own working tree.
    git = ("git", "-c", "core.hooksPath=/dev/null", "-C")
    empty = ("--no-checkout",) if revision.is_work_tree else ()
    words = ("worktree", "add", "--detach", "--force", *empty, str(tree), revision.commit)
    run_checked(Command(argv=(*git, str(repository), *words)))
    if revision.is_work_tree:
        # Git commands in the copy should report the same as in the original.
        run_checked(Command(argv=(*git, str(tree), "read-tree", revision.commit)))
        copy_working_tree(Path(_ask(repository, "rev-parse", "--show-toplevel")), tree)


def _ask(repository: Path, *words: str) -> str:
    return run_checked(Command(argv=("git", "-C", str(repository), *words))).stdout.strip()


def _build(revision: Revision, directory: Path, build: Sequence[str]) -> None:
    if not directory.is_dir():
        raise ConfigurationError(f"{revision.name} does not have the directory {directory.name!r}")
    if not build:
        return
    try:
        result = run(Command(argv=tuple(build)), cwd=directory)
    except ToolchainError as error:
        raise ToolError(str(error)) from error
    if result.returncode != 0:
        raise make_error(result, context=f"building {revision.name}: ")
