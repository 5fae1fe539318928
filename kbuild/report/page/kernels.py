"""The data that the scripts of a report's page show: kernels, images, and their sizes.

There is one value per kernel and image in each column, because a page can have 150,000 of them.
None means that an image does not contain the information.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kbuild.backends import find_limits
from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import Kernel
from kbuild.report.layout import make_one_line
from kbuild.verify.figures import final_images, spill_bytes_of

# The block for occupancy if the kernel declares none. Programs often use this size.
_USUAL_BLOCK: Final = 256
_COLUMNS: Final = (
    *("image", "name", "registers", "spills", "shared", "local", "code", "bound"),
    *("block", "occupancy"),
)


def shorten_paths(paths: Iterable[str]) -> list[str]:
    """Return paths without the directories that all of them have in common."""
    parts = [make_one_line(path).split("/") for path in paths]
    common = 0
    for names in zip(*(path[:-1] for path in parts), strict=False):
        if len(set(names)) > 1:
            break
        common += 1
    return ["/".join(names[common:]) for names in parts]


def list_architectures(artifacts: Iterable[ArtifactFacts]) -> tuple[str, ...]:
    """Return all architectures of the images, each once, with numbers in their natural order."""
    found = {image.arch for facts in artifacts for image in final_images(facts)}
    return tuple(sorted(found, key=_order))


def _order(arch: str) -> tuple[tuple[int, str], ...]:
    parts = re.findall(r"\d+|\D+", arch)
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in parts)


def describe_kernels(artifacts: tuple[ArtifactFacts, ...]) -> dict[str, Any]:
    """Return artifacts, architectures, images, names, and one column per figure."""
    architectures = list_architectures(artifacts)
    positions = {arch: number for number, arch in enumerate(architectures)}
    names: dict[str, int] = {}
    displays: list[str] = []
    images: list[dict[str, int]] = []
    rows: list[tuple[int | None, ...]] = []
    for number, facts in enumerate(artifacts):
        for image in final_images(facts):
            place = {"artifact": number, "arch": positions[image.arch], "size": image.size}
            images.append(place)
            for kernel in image.kernels:
                if kernel.name not in names:
                    displays.append(make_one_line(kernel.display.removeprefix("void ")))
                name = names.setdefault(kernel.name, len(names))
                rows.append((len(images) - 1, name, *_measure(image, kernel)))
    columns = zip(*rows, strict=True) if rows else [()] * len(_COLUMNS)
    return {
        "artifacts": shorten_paths(facts.path for facts in artifacts),
        "architectures": list(map(make_one_line, architectures)),
        "images": images,
        "names": displays,
        "symbols": list(map(make_one_line, names)),
        "kernels": dict(zip(_COLUMNS, columns, strict=True)),
    }


def _measure(image: ImageFacts, kernel: Kernel) -> Iterator[int | None]:
    """Yield the figures of a kernel in the order of the columns."""
    resources = kernel.resources
    yield resources.registers
    yield spill_bytes_of(resources)
    yield resources.shared_bytes
    yield resources.local_bytes
    yield resources.code_bytes
    yield resources.max_threads
    block = resources.max_threads or _USUAL_BLOCK
    occupancy = find_limits(image.backend).occupancy_of(image.arch, resources, block)
    yield block if occupancy else None
    yield round(100 * occupancy.resident / occupancy.most) if occupancy else None


def compress(data: dict[str, Any]) -> str:
    """Return data as JSON, compressed, in letters that HTML does not change."""
    text = json.dumps(data, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode()
