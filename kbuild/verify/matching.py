"""Match the images of a file with those of its record, for all rules.

Each defect raises one rule:

* KB109 reports an image that cannot be read. The other image rules ignore it, and nothing is
  reported as missing from a container that cannot be read completely.
* KB601 reports a readable image whose hash differs from the record. KB103 and KB108 do not
  compare its content with the record, which describes another image.
* KB101 reports an image that the record has and the container lacks.
* KB401 reports a descriptor that leads nowhere. Without it, no image belongs to a container.
"""

from __future__ import annotations

from collections.abc import Callable

from kbuild.facts import ArtifactFacts, ContainerFacts, ImageFacts
from kbuild.model import ContainerRecord, ImageRecord, KernelRecord
from kbuild.values import dataclass
from kbuild.verify.rule import LacksEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePair:
    """An image in the record and in the file. One of the two can be None."""

    expected: ImageRecord | None
    found: ImageFacts | None

    @property
    def is_described(self) -> bool:
        """Return whether the image can be read and matches the record, if there is one."""
        if self.found is None or self.found.problem is not None:
            return False
        return self.expected is None or self.expected.sha256 == self.found.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerMatch:
    """A container of the file.

    ``record`` and ``rows`` are the part of a note that describes it, if there is one, and
    ``target`` is the index of that note. ``pairs`` are all images of the file or the record.
    """

    number: int
    facts: ContainerFacts
    target: int | None
    record: ContainerRecord | None
    rows: tuple[KernelRecord, ...]
    pairs: tuple[ImagePair, ...]

    @property
    def name(self) -> str:
        """Return the container's source, or its number if the source is unknown."""
        return self.record.source if self.record else f"container {self.number}"

    @property
    def is_prelinked(self) -> bool:
        """Return whether the runtime links its images at run time."""
        return self.record is not None and self.record.is_prelinked

    @property
    def architectures(self) -> set[str]:
        """Return the architectures of its images, readable or not.

        An image that the record knows under another label counts for both labels (KB601).
        """
        found = {pair.found.arch for pair in self.pairs if pair.found}
        return found | {p.expected.arch for p in self.pairs if p.found and p.expected}

    @property
    def kernels(self) -> dict[str, str]:
        """Return the names of its kernels for people, by symbol.

        They come from the kernel table, or from the images if there is no table.
        """
        rows = {row.device_name: row.display for row in self.rows}
        images = (pair.found for pair in self.pairs if pair.found)
        return rows or {k.name: k.display for image in images for k in image.kernels}

    @property
    def readable(self) -> tuple[ImageFacts, ...]:
        """Return the images that can be read and compared with the record."""
        return tuple(pair.found for pair in self.pairs if pair.found and pair.is_described)


def match_containers(facts: ArtifactFacts) -> tuple[ContainerMatch, ...]:
    """Return all containers: those of each note in its order, then the others."""
    images: dict[int, list[ImageFacts]] = {}
    for image in facts.images:
        images.setdefault(image.container, []).append(image)
    matches: list[ContainerMatch] = []
    for target, module in enumerate(facts.modules):
        of_module = zip(module.containers, module.record.containers, strict=True)
        for index, (number, record) in enumerate(of_module):
            if number is not None:
                rows = tuple(row for row in module.record.kernels if row.container == index)
                found = images.get(number, [])
                matches.append(_match(facts, number, found, target, record, rows))
    claimed = {match.number for match in matches}
    matches.extend(
        _match(facts, number, images.get(number, []), None, None, ())
        for number in range(len(facts.containers))
        if number not in claimed
    )
    return tuple(matches)


def self_contained(containers: tuple[ContainerMatch, ...]) -> tuple[ContainerMatch, ...]:
    """Return the containers whose images a device can run without another link.

    In an object file, where no device link has happened, relocatable parts count as well.
    """
    linked = tuple(c for c in containers if not c.is_prelinked and not c.facts.is_relocatable)
    return linked or tuple(c for c in containers if not c.is_prelinked)


def linked_at_load(
    container: ContainerMatch, containers: tuple[ContainerMatch, ...], facts: ArtifactFacts
) -> tuple[ContainerMatch, ...]:
    """Return the containers that the runtime links if ``container`` has no image for the device."""
    if container.is_prelinked or container.facts.is_relocatable:
        return ()
    if container.target is not None:
        return tuple(c for c in containers if c.is_prelinked and c.target == container.target)
    # The output of a device linker is registered together with its input.
    is_linked = any(w.is_device_linked and w.container == container.number for w in facts.wrappers)
    return tuple(c for c in containers if is_linked and c.facts.is_relocatable)


def require_containers(facts: ArtifactFacts) -> None:
    """Check that the containers of every note can be found.

    Raises:
        LacksEvidence: The descriptor of a note does not lead to them.
    """
    for module in facts.modules:
        if None in module.containers:
            raise LacksEvidence(
                f"the descriptor of {module.record.target} does not lead to its containers"
            )


def _match(  # noqa: PLR0913, PLR0917 - a container and what the note says about it
    facts: ArtifactFacts,
    number: int,
    images: list[ImageFacts],
    target: int | None,
    record: ContainerRecord | None,
    rows: tuple[KernelRecord, ...],
) -> ContainerMatch:
    expected = list(record.images) if record else []
    found = list(images)
    pairs: list[ImagePair] = []
    # Equal content with another label is the same image with a wrong label. Only the
    # remaining images are paired only by label.
    for is_same in (_is_equal, _has_equal_content, _has_equal_arch):
        pairs.extend(_take_pairs(expected, found, is_same))
    pairs.extend(ImagePair(expected=image, found=None) for image in expected)
    pairs.extend(ImagePair(expected=None, found=image) for image in found)
    return ContainerMatch(
        number=number,
        facts=facts.containers[number],
        target=target,
        record=record,
        rows=rows,
        pairs=tuple(pairs),
    )


def _take_pairs(
    expected: list[ImageRecord],
    found: list[ImageFacts],
    is_same: Callable[[ImageRecord, ImageFacts], bool],
) -> list[ImagePair]:
    """Move every pair that ``is_same`` accepts out of the two lists."""
    pairs = []
    for record in tuple(expected):
        image = next((image for image in found if is_same(record, image)), None)
        if image is not None:
            expected.remove(record)
            found.remove(image)
            pairs.append(ImagePair(expected=record, found=image))
    return pairs


def _is_equal(record: ImageRecord, image: ImageFacts) -> bool:
    return _has_equal_content(record, image) and _has_equal_arch(record, image)


def _has_equal_content(record: ImageRecord, image: ImageFacts) -> bool:
    return record.sha256 == image.sha256


def _has_equal_arch(record: ImageRecord, image: ImageFacts) -> bool:
    return record.arch == image.arch
