"""Estimate how large an artifact becomes without an architecture, or compressed differently.

Nothing is written. What `kbuild strip` removes is known exactly. In a wheel, which is compressed,
the images count as if each was compressed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias, get_args

from kbuild.backends.interface.read import StoredImage
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT, measure_deflated
from kbuild.formats.elf.file import Elf
from kbuild.formats.wheel import is_wheel
from kbuild.inspect.file_content import open_content
from kbuild.model import CompressionMode, Problem
from kbuild.strip.device_sections import DeviceSection, StoredContainer, find_device_sections
from kbuild.strip.linked_file import find_linked, judge, strip_file
from kbuild.strip.model import EstimateReport, SizeEstimate
from kbuild.strip.rewriting import visit_artifact
from kbuild.strip.selection import Selection, select_all, select_names
from kbuild.values import dataclass

_MODES: Final[tuple[CompressionMode, ...]] = get_args(CompressionMode)
_LINKED: Final = "linked relocatable code"
# A change, and the bytes that it saves in the file and in the artifact
_Saving: TypeAlias = tuple[str, int, int]
_Measure: TypeAlias = Callable[[Buffer], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """Images that are stored together: ``size`` bytes, and ``packed`` bytes of the artifact."""

    part: DeviceSection
    container: StoredContainer
    images: tuple[StoredImage, ...]
    size: int
    packed: int


def estimate_sizes(path: Path) -> EstimateReport:
    """Return the sizes of an artifact for each architecture and compression mode.

    Args:
        path: A shared object, an executable, or a wheel.

    Raises:
        InputError: The artifact is of another kind, is damaged, or has no device code.
    """
    is_archive = is_wheel(bytes(open_content(path)[:4]))
    measure = measure_deflated if is_archive else len
    totals: dict[str, list[int]] = {}
    installed: list[int] = []
    impossible: dict[str, str] = {}

    def visit(name: str, content: Buffer) -> None:
        elf = Elf(content)
        sections = find_device_sections(name, elf)
        if not sections:
            return
        installed.append(len(content))
        stored = tuple(_list_stored(name, elf, sections, measure))
        for change, saved, packed in (
            *_estimate_removals(name, content, stored, impossible),
            *_estimate_modes(elf, stored, measure),
        ):
            total = totals.setdefault(change, [0, 0])
            total[0] += saved
            total[1] += packed if is_archive else saved

    visit_artifact(path, visit)
    if not installed:
        raise InputError(f"{path}: not a shared object, executable, or wheel with device code")
    size = path.stat().st_size
    return EstimateReport(
        path=str(path),
        size=size,
        installed_size=sum(installed),
        estimates=tuple(
            SizeEstimate(change=change, size=size - packed, installed_size=sum(installed) - saved)
            for change, (saved, packed) in totals.items()
            if change not in impossible
        ),
        impossible=tuple(impossible.values()),
    )


def _list_stored(
    path: str, elf: Elf, sections: tuple[DeviceSection, ...], measure: _Measure
) -> Iterator[_Stored]:
    for part in sections:
        repacker = part.backend.repacking
        if repacker is None:
            raise InputError(
                f"{path}: images of {part.backend.name} cannot be removed, so there is nothing "
                "to estimate"
            )
        for container in part.containers:
            content = _view(elf, part, container)
            for images in repacker.group_images(container.images):
                stored = repacker.find_stored(images[0], content)
                yield _Stored(
                    part=part,
                    container=container,
                    images=images,
                    size=len(stored),
                    packed=measure(stored),
                )


def _view(elf: Elf, part: DeviceSection, container: StoredContainer) -> Buffer:
    return elf.view(part.section)[container.offset : container.offset + container.size]


def _estimate_removals(
    path: str, content: Buffer, stored: tuple[_Stored, ...], impossible: dict[str, str]
) -> Iterator[_Saving]:
    """Yield what linked relocatable code, and then each architecture, takes.

    What cannot be removed goes to ``impossible``, with the reason.
    """
    known = dict.fromkeys(image.arch for each in stored for image in each.images)
    linked = find_linked(tuple(dict.fromkeys(each.part for each in stored)))
    changes: dict[str, Selection] = {_LINKED: select_all}
    changes |= {f"without {arch}": select_names(known.keys() - {arch}) for arch in known}
    base, left = len(content), stored
    for change, select in changes.items():
        try:
            stripped = strip_file(path, content, select)
        except InputError as error:
            impossible.setdefault(change, f"{change}: {error}")
            continue
        size = stripped.file.output_size if stripped else base
        gone = {
            each
            for each in left
            if judge(each.part, each.container, select, linked).keys() >= {*each.images}
        }
        if gone:
            yield change, base - size, sum(each.packed for each in gone)
        if select is select_all:
            base, left = size, tuple(each for each in stored if each not in gone)


def _estimate_modes(elf: Elf, stored: tuple[_Stored, ...], measure: _Measure) -> Iterator[_Saving]:
    """Yield what each compression mode saves, which can be negative."""
    saved = dict.fromkeys(_MODES, 0)
    packed = dict.fromkeys(_MODES, 0)
    for each in stored:
        reader, repacker = each.part.backend.read, each.part.backend.repacking
        if reader is None or repacker is None:
            continue
        content = _view(elf, each.part, each.container)
        is_relocatable = each.part.role == "relocatable"
        for mode in _MODES:
            saved[mode] += each.size
            packed[mode] += each.packed
        for image, data in reader.load_images(each.images, content, DEFAULT_LIMIT):
            for mode in _MODES:
                if isinstance(data, Problem) or image.kind not in ("elf", "ptx"):
                    size = packed_size = image.stored_size
                else:
                    size, is_packed = repacker.estimate_size(
                        data, image, mode, is_relocatable=is_relocatable
                    )
                    packed_size = size if is_packed or measure is len else measure(data)
                saved[mode] -= size
                packed[mode] -= packed_size
    for mode in _MODES:
        yield f"compression mode {mode}", saved[mode], packed[mode]
