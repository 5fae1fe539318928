"""Compare the code of functions whose digests differ, in batches of disassembly jobs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from kbuild import parallel
from kbuild.backends import find_backend
from kbuild.backends.interface.code import CodeReader
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.diff.artifacts import CodeLocation, Draft, ImageLocation
from kbuild.diff.disassembly import ImageFile, Job, Outcome, compare_job
from kbuild.diff.model import CodeChange, FunctionChange
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.inspect import ReadOptions
from kbuild.inspect.image_bytes import ImagePlace, load_images
from kbuild.model import ImageKind
from kbuild.process import find_program
from kbuild.toolchain.find import gather_hints

# Temporary files hold at most this many bytes of images at a time.
_BATCH_BYTES: Final = 256 << 20
# Below this many bytes, a separate process costs more time than it saves memory.
_SEPARATE_BYTES: Final = 8 << 20
# How many bytes of code one job lists. The text needs about ten times as much memory, and a
# disassembler takes 0.2 s to start.
_JOB_BYTES: Final = 384 << 10
# The assumed size of a function whose size is unknown.
_TYPICAL_BYTES: Final = 16 << 10
# The first bytes of an image, from which a backend chooses its disassembler.
_FRONT_BYTES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOptions:
    """The options for comparing code.

    At most ``limit`` functions are disassembled. With ``require_tool``, a disassembler that is
    missing or fails is an error.
    """

    limit: int
    require_tool: bool
    read: ReadOptions


class _Task(NamedTuple):
    """The functions of two images that one job compares; ``numbers`` are those of their drafts."""

    backend: str
    kind: ImageKind
    old: ImageLocation
    new: ImageLocation
    numbers: tuple[int, ...]
    names: tuple[tuple[str, str], ...]


def compare_code(
    drafts: Sequence[Draft], options: CodeOptions, notes: dict[str, None]
) -> list[FunctionChange]:
    """Return the changes with the differences in their code.

    Args:
        drafts: The changes without code.
        options: The functions to disassemble, and the tools.
        notes: Receives a note for each kind of code that is not compared.

    Raises:
        ToolchainError: A disassembler is required but missing.
        ToolError: A disassembler is required and fails.
    """
    undecided = [number for number, draft in enumerate(drafts) if draft.locations]
    chosen = undecided[: options.limit]
    if len(undecided) > len(chosen):
        notes[
            f"the bytes of {len(undecided)} functions differ; only the code of the first "
            f"{len(chosen)} was compared (--code-limit)"
        ] = None
    codes: dict[int, CodeChange | None] = {}
    for number in undecided[options.limit :]:
        codes[number] = _leave_undecided(drafts[number].change, "beyond --code-limit")
    for number, result in _compare_chosen(drafts, chosen, options):
        if isinstance(result, str):
            notes[f"code differs, not listed: {result}"] = None
            codes[number] = _leave_undecided(drafts[number].change, result)
        else:
            codes[number] = result
    return [
        replace(draft.change, code=codes[number]) if number in codes else draft.change
        for number, draft in enumerate(drafts)
    ]


def _find_reader(backend: str) -> CodeReader:
    reader = find_backend(backend).code
    if reader is None:
        raise ConfigurationError(f"backend {backend!r} cannot compare code")
    return reader


def _leave_undecided(change: FunctionChange, reason: str) -> CodeChange:
    language = _find_reader(change.backend).LANGUAGES.get(change.kind, "code")
    return CodeChange(language=language, undecided=reason)


def _compare_chosen(
    drafts: Sequence[Draft], chosen: Sequence[int], options: CodeOptions
) -> Iterator[tuple[int, Outcome]]:
    """Yield the number of each chosen draft with the outcome of comparing its code."""
    tasks = list(_divide(drafts, chosen))
    tools = _Tools(options)
    for batch in _iterate_batches(tasks):
        with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as directory:
            files = _write_images(batch, Path(directory), options.read)
            jobs = [tools.plan(task, files) for task in batch]
            results = parallel.map_in_order(compare_job, jobs, jobs=options.read.jobs)
            for task, found in zip(batch, results, strict=True):
                yield from zip(task.numbers, found, strict=True)


def _divide(drafts: Sequence[Draft], chosen: Sequence[int]) -> Iterator[_Task]:
    """Group the chosen drafts by their images, and split large groups."""
    groups: dict[tuple[ImageLocation, ImageLocation], list[int]] = {}
    for number in chosen:
        old, new = _locations(drafts[number])
        groups.setdefault((old.image, new.image), []).append(number)
    for (before, after), numbers in groups.items():
        change = drafts[numbers[0]].change
        is_selective = _find_reader(change.backend).LISTS_SELECTED
        for part in _split(drafts, numbers) if is_selective else (numbers,):
            yield _Task(
                backend=change.backend,
                kind=change.kind,
                old=before,
                new=after,
                numbers=tuple(part),
                names=tuple(
                    (old.name, new.name) for old, new in (_locations(drafts[n]) for n in part)
                ),
            )


def _locations(draft: Draft) -> tuple[CodeLocation, CodeLocation]:
    if draft.locations is None:
        raise ValueError("the draft does not say where its code is")
    return draft.locations


def _split(drafts: Sequence[Draft], numbers: Sequence[int]) -> Iterator[list[int]]:
    part: list[int] = []
    size = 0
    for number in numbers:
        part.append(number)
        size += max(code.size or _TYPICAL_BYTES for code in _locations(drafts[number]))
        if size >= _JOB_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _iterate_batches(tasks: Sequence[_Task]) -> Iterator[list[_Task]]:
    batch: list[_Task] = []
    images: set[ImageLocation] = set()
    for task in tasks:
        more = images | {task.old, task.new}
        if batch and sum(image.size for image in more) > _BATCH_BYTES:
            yield batch
            batch, more = [], {task.old, task.new}
        batch.append(task)
        images = more
    if batch:
        yield batch


def _write_images(
    tasks: Sequence[_Task], directory: Path, options: ReadOptions
) -> dict[tuple[Path, ImagePlace], ImageFile]:
    """Write the images of the tasks to files in ``directory``."""
    images = dict.fromkeys(image for task in tasks for image in (task.old, task.new))
    places: dict[Path, list[ImagePlace]] = {}
    for image in images:
        places.setdefault(image.file, []).append(image.place)

    def write() -> dict[tuple[Path, ImagePlace], ImageFile]:
        found: dict[tuple[Path, ImagePlace], ImageFile] = {}
        for file, image_places in places.items():
            for place, data in load_images(file, frozenset(image_places), options):
                path = directory / f"image{len(found)}"
                path.write_bytes(data)
                found[file, place] = ImageFile(path=path, front=bytes(data[:_FRONT_BYTES]))
        return found

    # A separate process gives the memory of large images back.
    is_large = sum(image.size for image in images) >= _SEPARATE_BYTES
    return parallel.call_in_child(write) if is_large else write()


class _Tools:
    """The disassemblers; each is searched once."""

    def __init__(self, options: CodeOptions) -> None:
        self._options = options
        self._hints: ToolchainHints = gather_hints()
        self._found: dict[tuple[str, ...], Path | None] = {}

    def plan(self, task: _Task, files: dict[tuple[Path, ImagePlace], ImageFile]) -> Job:
        """Return the job for a task.

        Raises:
            ToolchainError: A disassembler is required but missing.
        """
        return Job(
            reader=_find_reader(task.backend),
            language=_find_reader(task.backend).LANGUAGES.get(task.kind, "code"),
            old=self._add_tool(task, files.get(task.old[:2])),
            new=self._add_tool(task, files.get(task.new[:2])),
            names=task.names,
            require_tool=self._options.require_tool,
        )

    def _add_tool(self, task: _Task, file: ImageFile | None) -> ImageFile | None:
        if file is None or task.kind != "elf":
            return file
        candidates = _find_reader(task.backend).disassemblers(self._hints, file.front)
        if candidates not in self._found:
            found = (find_program(name) for name in candidates)
            self._found[candidates] = next((tool for tool in found if tool), None)
        tool = self._found[candidates]
        if tool is not None:
            return replace(file, tool=tool)
        names = " or ".join(dict.fromkeys(Path(name).name for name in candidates))
        missing = f"no disassembler {names} found"
        if self._options.require_tool:
            raise ToolchainError(f"backend {task.backend}: {missing}")
        return replace(file, missing=missing)
