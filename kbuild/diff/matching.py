"""Match the functions of two sides by name, code, or qualified name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kbuild.backends import find_backend
from kbuild.demangle.names import demangle, split_function
from kbuild.diff.pairing import Artifact
from kbuild.facts import ImageFacts
from kbuild.inspect.image_bytes import ImagePlace
from kbuild.model import ImageKind, Kernel

MatchKind: TypeAlias = Literal["same", "renamed", "signature"]


class Group(NamedTuple):
    """Images that are compared with each other: those of one backend, architecture, and kind."""

    backend: str
    arch: str
    kind: ImageKind


# A named tuple is smaller than a dataclass, and libraries have tens of thousands of functions.
class Entry(NamedTuple):
    """A function of an image. ``kernel`` is None for a function that is not a kernel.

    ``digest`` is None if the code of the function cannot be separated from the rest of the image.
    ``context`` is that of the image (see `CodeFacts`). ``position`` is that of the image.
    """

    name: str
    kernel: Kernel | None
    digest: str | None
    context: str | None
    artifact: Artifact
    position: int

    @property
    def place(self) -> ImagePlace:
        """The place of its image."""
        return ImagePlace(
            artifact=self.artifact.facts.path,
            occurrence=self.artifact.occurrence,
            position=self.position,
        )

    @property
    def display(self) -> str:
        """The demangled name."""
        return self.kernel.display if self.kernel else demangle(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The same function on both sides. ``old`` or ``new`` is None if that side does not have it.

    ``copies`` says how many images of each side have the function, if the numbers differ.
    """

    old: Entry | None
    new: Entry | None
    kind: MatchKind = "same"
    copies: tuple[int, int] | None = None


def group_images(artifact: Artifact) -> dict[Group, list[tuple[int, ImageFacts]]]:
    """Group the artifact's images, each with its position."""
    found: dict[Group, list[tuple[int, ImageFacts]]] = {}
    for position, image in enumerate(artifact.facts.images):
        group = Group(image.backend, image.arch, image.kind)
        found.setdefault(group, []).append((position, image))
    return found


def list_entries(artifact: Artifact, images: Iterable[tuple[int, ImageFacts]]) -> list[Entry]:
    """List the kernels and other functions of the images."""
    found: list[Entry] = []
    for position, image in images:
        digests = dict(image.code.functions) if image.code else {}
        context = image.code.context if image.code else None
        # The code of a kernel without a symbol is somewhere in the image, so use all digests.
        whole = "\n".join(("", *digests.values())) if digests else None
        for kernel in image.kernels:
            own = digests.pop(kernel.name, whole)
            found.append(Entry(kernel.name, kernel, own, context, artifact, position))
        found += (
            Entry(name, None, own, context, artifact, position) for name, own in digests.items()
        )
    return found


def match_entries(group: Group, old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Match]:
    """Yield every function of both sides once."""
    left, right = list(old), list(new)
    reader = find_backend(group.backend).code
    canonical = reader.canonical_name if reader else str
    for key in (_by_name, lambda entry: (entry.kernel is None, canonical(entry.name))):
        matches, left, right = _match_by(key, left, right)
        yield from matches
    matches, left, right = _match_unique("renamed", _by_code, left, right)
    yield from matches
    matches, left, right = _match_unique("signature", _by_qualified_name, left, right)
    yield from matches
    # Several images can have the same unmatched function.
    for side, entries in (("old", left), ("new", right)):
        for entry in {(e.kernel is None, e.name): e for e in entries}.values():
            yield Match(old=entry, new=None) if side == "old" else Match(old=None, new=entry)


def _by_name(entry: Entry) -> Hashable:
    return entry.kernel is None, entry.name


def _by_code(entry: Entry) -> Hashable:
    """Return the code and parameter layout, or None if the function's own code is unknown."""
    if entry.digest is None or entry.kernel is None or "\n" in entry.digest:
        return None
    layout = tuple((p.offset, p.size) for p in entry.kernel.params)
    return entry.digest, entry.context, layout


def _by_qualified_name(entry: Entry) -> Hashable:
    if entry.kernel is None or entry.name == entry.display:
        return None
    return split_function(entry.display)[0]


def _match_by(
    key: Callable[[Entry], Hashable], old: list[Entry], new: list[Entry]
) -> tuple[list[Match], list[Entry], list[Entry]]:
    """Match the functions that have the same key, the most similar ones first.

    A key that several names of one side share is ambiguous, so its functions are not matched.

    Returns:
        The matches, and the functions of each side that are left.
    """
    groups: dict[Hashable, tuple[list[Entry], list[Entry]]] = {}
    for number, entries in enumerate((old, new)):
        for entry in entries:
            groups.setdefault(key(entry), ([], []))[number].append(entry)
    matches: list[Match] = []
    rest: tuple[list[Entry], list[Entry]] = ([], [])
    for left, right in groups.values():
        is_clear = len({e.name for e in left}) <= 1 and len({e.name for e in right}) <= 1
        if left and right and is_clear:
            matches += _pair_copies(left, right)
        else:
            rest[0].extend(left)
            rest[1].extend(right)
    return matches, *rest


def _pair_copies(old: list[Entry], new: list[Entry]) -> Iterator[Match]:
    copies = (len(old), len(new)) if len(old) != len(new) else None
    if len(old) == len(new) == 1:
        yield Match(old=old[0], new=new[0])
        return
    waiting: dict[Hashable, list[Entry]] = {}
    for entry in new:
        waiting.setdefault(_identity(entry), []).append(entry)
    others: list[Entry] = []
    pairs: list[tuple[Entry, Entry]] = []
    for entry in old:
        identical = waiting.get(_identity(entry))
        if identical:
            pairs.append((entry, identical.pop(0)))
        else:
            others.append(entry)
    rest = [entry for entries in waiting.values() for entry in entries]
    # Pair different copies of one function in file order, as far as there are counterparts.
    pairs += zip(others, rest, strict=False)
    for number, (before, after) in enumerate(pairs):
        yield Match(old=before, new=after, copies=copies if number == 0 else None)


def _identity(entry: Entry) -> Hashable:
    kernel = entry.kernel
    return entry.digest, entry.context, kernel and (kernel.params, kernel.resources)


def _match_unique(
    kind: Literal["renamed", "signature"],
    evidence: Callable[[Entry], Hashable],
    old: list[Entry],
    new: list[Entry],
) -> tuple[list[Match], list[Entry], list[Entry]]:
    """Match the functions whose evidence is unique on both sides."""
    sides = []
    for entries in (old, new):
        # Copies with one name count once.
        named = {entry.name: entry for entry in entries if evidence(entry) is not None}
        counts = Counter(evidence(entry) for entry in named.values())
        sides.append({evidence(e): e for e in named.values() if counts[evidence(e)] == 1})
    left, right = sides
    matches = [
        Match(old=entry, new=right[key], kind=kind) for key, entry in left.items() if key in right
    ]
    matched_old = {m.old.name for m in matches if m.old}
    matched_new = {m.new.name for m in matches if m.new}
    return (
        matches,
        [entry for entry in old if entry.name not in matched_old],
        [entry for entry in new if entry.name not in matched_new],
    )
