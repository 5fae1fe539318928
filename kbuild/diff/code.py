"""The code of functions whose bytes differ: which of them to look at, and what came of it."""

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
from kbuild.diff.artifacts import CodePlace, Draft
from kbuild.diff.disassembly import ImageFile, Job, Outcome, compare_job
from kbuild.diff.model import CodeChange, FunctionChange
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.inspect import ReadOptions
from kbuild.inspect.image_bytes import ImagePlace, load_images
from kbuild.model import ImageKind
from kbuild.toolchain.find import find_program, gather_hints

# So many bytes of images lie in temporary files at a time.
_BATCH_BYTES: Final = 256 << 20
# A process of its own pays from here on, in bytes.
_APART: Final = 8 << 20
# What is listed at a time, in bytes of code: some ten times as much memory for text, and a tool
# takes a fifth of a second to start.
_JOB_BYTES: Final = 384 << 10
# Where nobody knows how long a function is.
_USUAL_BYTES: Final = 16 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOptions:
    """``limit`` functions are looked at; ``demands_tool``: a tool has to be there and to work."""

    limit: int
    demands_tool: bool
    read: ReadOptions


class _Image(NamedTuple):
    file: Path
    place: ImagePlace
    size: int


class _Task(NamedTuple):
    """Functions of two images, by the numbers of their drafts, which one job compares."""

    backend: str
    kind: ImageKind
    old: _Image
    new: _Image
    numbers: tuple[int, ...]
    names: tuple[tuple[str, str], ...]


def compare_code(
    drafts: Sequence[Draft], options: CodeOptions, notes: dict[str, None]
) -> list[FunctionChange]:
    """The changes with what their code says."""
    opened = [number for number, draft in enumerate(drafts) if draft.places]
    chosen = opened[: options.limit]
    if len(opened) > len(chosen):
        notes[
            f"the bytes of {len(opened)} functions differ; the code of the first "
            f"{len(chosen)} was looked at (--code-limit)"
        ] = None
    codes: dict[int, CodeChange | None] = {}
    for number in opened[options.limit :]:
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
    """The number of each chosen draft with its difference, or why it is not known."""
    tasks = list(_divide(drafts, chosen))
    tools = _Tools(options)
    for batch in _iterate_batches(tasks):
        with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as folder:
            files = _write_apart(batch, Path(folder), options.read)
            jobs = [tools.plan(task, files) for task in batch]
            results = parallel.map_in_order(compare_job, jobs, jobs=options.read.jobs)
            for task, found in zip(batch, results, strict=True):
                yield from zip(task.numbers, found, strict=True)


def _divide(drafts: Sequence[Draft], chosen: Sequence[int]) -> Iterator[_Task]:
    """The functions by the images that they are in, not too many at a time."""
    groups: dict[tuple[_Image, _Image], list[int]] = {}
    for number in chosen:
        old, new = _places(drafts[number])
        images = _image(old), _image(new)
        groups.setdefault(images, []).append(number)
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
                    (old.name, new.name) for old, new in (_places(drafts[n]) for n in part)
                ),
            )


def _image(function: CodePlace) -> _Image:
    return _Image(function.file, function.place, function.image_size)


def _places(draft: Draft) -> tuple[CodePlace, CodePlace]:
    if draft.places is None:
        raise ValueError("only drafts with places have code to look at")
    return draft.places


def _split(drafts: Sequence[Draft], numbers: Sequence[int]) -> Iterator[list[int]]:
    part: list[int] = []
    size = 0
    for number in numbers:
        part.append(number)
        size += max(place.size or _USUAL_BYTES for place in _places(drafts[number]))
        if size >= _JOB_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _iterate_batches(tasks: Sequence[_Task]) -> Iterator[list[_Task]]:
    batch: list[_Task] = []
    images: set[_Image] = set()
    for task in tasks:
        more = images | {task.old, task.new}
        if batch and sum(image.size for image in more) > _BATCH_BYTES:
            yield batch
            batch, more = [], {task.old, task.new}
        batch.append(task)
        images = more
    if batch:
        yield batch


def _write_apart(
    tasks: Sequence[_Task], folder: Path, options: ReadOptions
) -> dict[tuple[Path, ImagePlace], ImageFile]:
    """The tasks' images as files; large ones leave nothing in this process's memory."""
    if sum(image.size for task in tasks for image in (task.old, task.new)) < _APART:
        return _write_images(tasks, folder, options)
    return parallel.call_apart(lambda: _write_images(tasks, folder, options))


def _write_images(
    tasks: Sequence[_Task], folder: Path, options: ReadOptions
) -> dict[tuple[Path, ImagePlace], ImageFile]:
    """The tasks' images as files."""
    wanted: dict[Path, set[ImagePlace]] = {}
    for task in tasks:
        for image in (task.old, task.new):
            wanted.setdefault(image.file, set()).add(image.place)
    found: dict[tuple[Path, ImagePlace], ImageFile] = {}
    for file, places in wanted.items():
        for place, data in load_images(file, frozenset(places), options):
            path = folder / f"image{len(found)}"
            path.write_bytes(data)
            found[file, place] = ImageFile(path=path, front=bytes(data[:64]))
    return found


class _Tools:
    """The disassemblers, each looked for once."""

    def __init__(self, options: CodeOptions) -> None:
        self._options = options
        self._hints: ToolchainHints = gather_hints()
        self._found: dict[tuple[str, ...], Path | None] = {}

    def plan(self, task: _Task, files: dict[tuple[Path, ImagePlace], ImageFile]) -> Job:
        """The job of a task; ToolchainError where a tool is demanded and missing."""
        return Job(
            reader=_find_reader(task.backend),
            language=_find_reader(task.backend).LANGUAGES.get(task.kind, "code"),
            old=self._equip(task, files.get(task.old[:2])),
            new=self._equip(task, files.get(task.new[:2])),
            names=task.names,
            demands_tool=self._options.demands_tool,
        )

    def _equip(self, task: _Task, file: ImageFile | None) -> ImageFile | None:
        if file is None or task.kind != "elf":
            return file
        candidates = _find_reader(task.backend).disassemblers(self._hints, file.front)
        if candidates not in self._found:
            found = (find_program(name) for name in candidates)
            self._found[candidates] = next((tool for tool in found if tool), None)
        tool = self._found[candidates]
        if tool is not None:
            return replace(file, tool=tool)
        looked_for = " or ".join(dict.fromkeys(Path(name).name for name in candidates))
        missing = f"no disassembler {looked_for} found"
        if self._options.demands_tool:
            raise ToolchainError(f"backend {task.backend}: {missing}")
        return replace(file, missing=missing)
