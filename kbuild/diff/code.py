"""The code of functions whose bytes differ: disassembled, on all cores, and compared."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kbuild import parallel
from kbuild.backends.code import CodeReader, Listing
from kbuild.backends.protocol import ToolchainHints
from kbuild.backends.readers import CODE_READERS
from kbuild.diff.artifacts import Draft
from kbuild.diff.lines import compare_lines
from kbuild.diff.matching import Entry
from kbuild.diff.model import CodeChange, FunctionChange
from kbuild.errors import InputError, ToolchainError
from kbuild.formats.buffer import Buffer
from kbuild.inspect import ReadOptions
from kbuild.inspect.loading import ImagePlace, load_images
from kbuild.model import ImageKind
from kbuild.process import run_checked
from kbuild.toolchain import find_program, gather_hints

# So much lies in temporary files at a time.
_BATCH_BYTES: Final = 256 << 20
_BATCH_IMAGES: Final = 256
# A forged image may keep a tool busy for ever.
_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Image:
    """An image of which some functions are to be listed."""

    file: Path
    place: ImagePlace
    backend: str
    kind: ImageKind
    names: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOptions:
    """``limit`` functions are looked at; ``demands_tool`` makes a missing one an error."""

    limit: int
    demands_tool: bool
    read: ReadOptions


def compare_code(
    drafts: Sequence[Draft], options: CodeOptions, notes: dict[str, None]
) -> list[FunctionChange]:
    """The changes with what their code says; those that turn out to be none are left out."""
    opened = [draft for draft in drafts if draft.is_open]
    chosen = opened[: options.limit]
    if len(opened) > len(chosen):
        notes[
            f"the bytes of {len(opened)} functions differ; the code of the first "
            f"{len(chosen)} was looked at (--code-limit)"
        ] = None
    hints = gather_hints()
    images = _gather_images(entry for d in chosen for entry in (d.old, d.new) if entry)
    listings, problems = _list_images(images, hints, options, notes)
    limited = {id(draft) for draft in opened[options.limit :]}
    return [
        replace(draft.change, code=_decide(draft, listings, problems, id(draft) in limited))
        if draft.is_open
        else draft.change
        for draft in drafts
    ]


def _gather_images(entries: Iterable[Entry]) -> list[_Image]:
    names: dict[tuple[Path, ImagePlace], set[str]] = {}
    kinds: dict[tuple[Path, ImagePlace], tuple[str, ImageKind]] = {}
    for entry in entries:
        key = (entry.artifact.file, entry.place)
        names.setdefault(key, set()).add(entry.name)
        image = entry.artifact.facts.images[entry.position]
        kinds[key] = (image.backend, image.kind)
    return [
        _Image(
            file=file,
            place=place,
            backend=kinds[file, place][0],
            kind=kinds[file, place][1],
            names=frozenset(wanted),
        )
        for (file, place), wanted in names.items()
    ]


_Listings = dict[tuple[Path, ImagePlace, str], tuple[str, ...]]
_Problems = dict[tuple[Path, ImagePlace], str]


def _decide(
    draft: Draft,
    listings: _Listings,
    problems: _Problems,
    is_limited: bool,
) -> CodeChange | None:
    change = draft.change
    reader = CODE_READERS[change.backend]
    language = reader.LANGUAGES.get(change.kind, "code")
    if is_limited:
        return CodeChange(language=language, undecided="beyond --code-limit")
    sides = []
    for entry in (draft.old, draft.new):
        if entry is None:
            return None
        listing = listings.get((entry.artifact.file, entry.place, entry.name))
        if listing is None:
            problem = problems.get((entry.artifact.file, entry.place))
            reason = problem or "the disassembler does not show the function"
            return CodeChange(language=language, undecided=reason)
        sides.append(listing)
    return compare_lines(sides[0], sides[1], language)


def _list_images(
    images: Sequence[_Image], hints: ToolchainHints, options: CodeOptions, notes: dict[str, None]
) -> tuple[_Listings, _Problems]:
    listings: _Listings = {}
    problems: _Problems = {}
    with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as folder:
        for batch in _iterate_batches(images, Path(folder), options.read):
            jobs = [_plan(image, path, hints, options) for image, path in batch]
            results = parallel.map_in_order(_list_image, jobs, jobs=options.read.jobs)
            for (image, path), result in zip(batch, results, strict=True):
                path.unlink()
                if isinstance(result, str):
                    problems[image.file, image.place] = result
                    notes[f"code differs, not shown: {result}"] = None
                    continue
                for name, lines in result.items():
                    listings[image.file, image.place, name] = lines
    return listings, problems


def _iterate_batches(
    images: Sequence[_Image], folder: Path, options: ReadOptions
) -> Iterator[list[tuple[_Image, Path]]]:
    """The images as files, not too many at a time."""
    by_file: dict[Path, dict[ImagePlace, _Image]] = {}
    for image in images:
        by_file.setdefault(image.file, {})[image.place] = image
    batch: list[tuple[_Image, Path]] = []
    size = number = 0
    for file, places in by_file.items():
        for place, data in load_images(file, frozenset(places), options):
            path = folder / f"image{number}"
            path.write_bytes(data)
            batch.append((places[place], path))
            size, number = size + len(data), number + 1
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_IMAGES:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """``tool`` is None for text, and where there is none: then ``missing`` says so."""

    reader: CodeReader
    path: Path
    names: frozenset[str]
    kind: ImageKind
    tool: Path | None
    missing: str | None


def _plan(image: _Image, path: Path, hints: ToolchainHints, options: CodeOptions) -> _Job:
    reader = CODE_READERS[image.backend]
    tool, missing = None, None
    if image.kind == "elf":
        candidates = reader.disassemblers(hints, path.read_bytes()[:64])
        tool = next((found for name in candidates if (found := find_program(name))), None)
        if tool is None:
            looked_for = " or ".join(dict.fromkeys(Path(name).name for name in candidates))
            missing = f"no disassembler {looked_for} found"
            if options.demands_tool:
                raise ToolchainError(f"backend {image.backend}: {missing}")
    return _Job(
        reader=reader,
        path=path,
        names=image.names,
        kind=image.kind,
        tool=tool,
        missing=missing,
    )


def _list_image(job: _Job) -> Listing | str:
    """The functions of an image, or why they cannot be shown."""
    if job.missing:
        return job.missing
    data: Buffer = job.path.read_bytes()
    try:
        text = job.reader.read_text(data, job.names)
        if text is not None:
            return dict(text)
        if job.tool is None:
            return "nothing shows code of this kind"
        command = job.reader.disassembly_command(job.tool, job.path, data, job.names)
        output = run_checked(command, timeout=_SECONDS).stdout
        found: Mapping[str, tuple[str, ...]] = job.reader.read_disassembly(output, data, job.names)
    except InputError as error:
        return str(error)
    return dict(found)
