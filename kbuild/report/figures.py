"""The device code that programs load, and the device code that is only weight.

All reports count the same images. If a file is device-linked, only the output of the link runs.
Its input stays in the file, unless somebody strips it.
"""

from __future__ import annotations

from kbuild.facts import ArtifactFacts
from kbuild.report.layout import format_size, plural
from kbuild.verify.figures import final_images
from kbuild.verify.matching import linked_at_load, match_containers


def describe_relocatable(facts: ArtifactFacts) -> str | None:
    """Describe the input of the device link in one line; None without a device link."""
    final = set(map(id, final_images(facts)))
    rest = [image for image in facts.images if id(image) not in final]
    if not rest:
        return None
    places = (facts.containers[number].place for number in {image.container for image in rest})
    found = (facts.section_of(place) for place in places)
    sections = ", ".join(sorted({section.name for section in found if section}))
    size, stored = (
        format_size(sum(getattr(image, name) for image in rest)) for name in ("size", "stored_size")
    )
    architectures = plural(len({image.arch for image in rest}), "architecture")
    return (
        f"relocatable device code{f' ({sections})' if sections else ''}: "
        f"{plural(len(rest), 'image')} for {architectures}, {size}, {stored} stored; dead weight "
        f"after the device link{_describe_use(facts)}"
    )


def _describe_use(facts: ArtifactFacts) -> str:
    """Say which relocatable images drivers link at run time, for devices without another image."""
    portable = {image.container for image in facts.images if image.kind == "ptx"}
    if facts.is_summary:  # only wrappers say what drivers link, and nobody has read them
        return ", except for PTX that drivers link" if portable else ""
    containers = match_containers(facts)
    used = {one.number for c in containers for one in linked_at_load(c, containers, facts)}
    if portable & used:
        return ", except for its PTX, which drivers can link for devices without another image"
    return ""
