"""Which image of the file is which image of the record: one answer for all rules.

So that one defect raises one rule:

* An image that cannot be read is KB109's; the other image rules leave it alone, and where
  parts of a container cannot be read, nothing is said to be missing from it.
* A sound image with another hash than the record's is KB601's; what it holds is then not
  compared with the record (KB103, KB108), because the record speaks of another image.
* An image of the record that the container lacks is KB101's.
* A descriptor that leads nowhere is KB401's; without it, no image has a container.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kbuild.facts import ArtifactFacts, ContainerFacts, ImageFacts
from kbuild.model import ContainerRecord, ImageRecord, KernelRecord
from kbuild.verify.rule import LacksEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePair:
    """An image as the record has it and as the file has it; one of them may be absent."""

    expected: ImageRecord | None
    found: ImageFacts | None

    @property
    def is_described(self) -> bool:
        """Whether the image can be read and nothing in the record contradicts its content."""
        if self.found is None or self.found.problem is not None:
            return False
        return self.expected is None or self.expected.sha256 == self.found.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerMatch:
    """A container of the file; ``record`` and ``rows`` are what a note says of it, if any.

    ``target`` is the position of that note, ``pairs`` all images of either side.
    """

    number: int
    facts: ContainerFacts
    target: int | None
    record: ContainerRecord | None
    rows: tuple[KernelRecord, ...]
    pairs: tuple[ImagePair, ...]

    @property
    def name(self) -> str:
        """The container as people know it: by its source, else by its number."""
        return self.record.source if self.record else f"container {self.number}"

    @property
    def is_prelinked(self) -> bool:
        """Whether its images wait for the runtime's own link."""
        return self.record is not None and self.record.is_prelinked

    @property
    def architectures(self) -> set[str]:
        """What it has an image for, readable or not.

        Content that the record knows under another label is not missing (KB601).
        """
        found = {pair.found.arch for pair in self.pairs if pair.found}
        return found | {p.expected.arch for p in self.pairs if p.found and p.expected}

    @property
    def kernels(self) -> dict[str, str]:
        """Its kernels' names for people, by symbol: the table's, else those in the images."""
        rows = {row.device_name: row.display for row in self.rows}
        images = (pair.found for pair in self.pairs if pair.found)
        return rows or {k.name: k.display for image in images for k in image.kernels}

    @property
    def readable(self) -> tuple[ImageFacts, ...]:
        """The images to compare: those that can be read and that the record describes."""
        return tuple(pair.found for pair in self.pairs if pair.found and pair.is_described)


def match_containers(facts: ArtifactFacts) -> tuple[ContainerMatch, ...]:
    """Every container of the file: those of each note in its order, then the others."""
    matches: list[ContainerMatch] = []
    for target, module in enumerate(facts.modules):
        of_module = zip(module.containers, module.record.containers, strict=True)
        for index, (number, record) in enumerate(of_module):
            if number is not None:
                rows = tuple(row for row in module.record.kernels if row.container == index)
                matches.append(_match(facts, number, target, record, rows))
    claimed = {match.number for match in matches}
    others = (n for n in range(len(facts.containers)) if n not in claimed)
    matches.extend(_match(facts, number, None, None, ()) for number in others)
    return tuple(matches)


def standing_alone(containers: tuple[ContainerMatch, ...]) -> tuple[ContainerMatch, ...]:
    """Those whose images a device can run: not what waits for a link, if that was done.

    An object file has nothing else yet, so that its parts stand for themselves.
    """
    linked = tuple(c for c in containers if not c.is_prelinked and not c.facts.is_relocatable)
    return linked or tuple(c for c in containers if not c.is_prelinked)


def linked_at_load(
    container: ContainerMatch, containers: tuple[ContainerMatch, ...], facts: ArtifactFacts
) -> tuple[ContainerMatch, ...]:
    """What the runtime links where no image of ``container`` suits the device."""
    if container.is_prelinked or container.facts.is_relocatable:
        return ()
    if container.target is not None:
        return tuple(c for c in containers if c.is_prelinked and c.target == container.target)
    # Whoever registers a device linker's output registers what went into it as well.
    is_linked = any(w.is_device_linked and w.container == container.number for w in facts.wrappers)
    return tuple(c for c in containers if is_linked and c.facts.is_relocatable)


def require_containers(facts: ArtifactFacts) -> None:
    """Raise LacksEvidence when a note's containers cannot be told apart in the file."""
    for module in facts.modules:
        if None in module.containers:
            raise LacksEvidence(
                f"the descriptor of {module.record.target} does not lead to its containers"
            )


def _match(
    facts: ArtifactFacts,
    number: int,
    target: int | None,
    record: ContainerRecord | None,
    rows: tuple[KernelRecord, ...],
) -> ContainerMatch:
    expected = list(record.images) if record else []
    found = list(facts.images_of(number))
    pairs: list[ImagePair] = []
    # The same content under another label is that image, wrongly labelled; only what is
    # left over pairs by label alone.
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
