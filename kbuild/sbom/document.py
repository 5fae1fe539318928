"""Write a bill of materials as CycloneDX 1.6.

Sources: CycloneDX 1.6, JSON reference; PEP 770, "SBOM files in the .dist-info/sboms directory";
package-url specification, "pypi".
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import License
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from kbuild import __version__
from kbuild.facts import ArtifactFacts
from kbuild.inspect.file_content import hash_content, open_content
from kbuild.sbom.build_inputs import BuildInputs, HeaderPackage, SourceFile
from kbuild.values import dataclass

_NAMESPACE: Final = uuid.UUID("b7a0a3b6-0a0e-5c53-9d3f-6b1f5f2d8f11")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the bill is about. ``version`` and ``license`` are None if its file does not say so."""

    path: Path
    name: str
    is_package: bool = False
    version: str | None = None
    license: str | None = None


def render_bill(
    subject: Subject,
    artifacts: Sequence[ArtifactFacts],
    inputs: Sequence[BuildInputs],
    *,
    is_embedded: bool = False,
) -> str:
    """Return the bill of materials as JSON. Equal input gives equal text.

    Args:
        subject: The artifact.
        artifacts: The facts of the files in it.
        inputs: What builds say about its targets.
        is_embedded: Whether the bill becomes a part of the artifact, whose digest changes then.
    """
    digest = hash_content(open_content(subject.path))
    main = Component(
        name=subject.name,
        version=subject.version,
        type=ComponentType.LIBRARY,
        bom_ref=subject.path.name,
        hashes=_make_hashes(None if is_embedded else digest),
        licenses=_make_licenses(subject.license),
        purl=_make_url(subject),
    )
    found = [
        *(_describe_file(facts, subject) for facts in artifacts if facts.images),
        *_describe_compilers(artifacts),
        *(_describe_source(file) for build in inputs for file in build.files),
        *(_describe_package(package) for build in inputs for package in build.packages),
        *_describe_runtimes(artifacts),
    ]
    components = {str(component.bom_ref.value): component for component in found}
    tool = Component(name="kbuild", version=__version__, type=ComponentType.APPLICATION)
    bom = Bom(
        serial_number=uuid.uuid5(_NAMESPACE, digest),
        metadata=BomMetaData(component=main, tools=ToolRepository(components=[tool])),
        components=components.values(),
    )
    bom.register_dependency(main, components.values())
    outputter = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    document = json.loads(outputter.output_as_string())
    # The same artifact has the same bill on another day.
    del document["metadata"]["timestamp"]
    return json.dumps(document, indent=2) + "\n"


def _describe_file(facts: ArtifactFacts, subject: Subject) -> Component:
    """Describe a file with device code, with its images."""
    name = facts.path.rpartition("!")[2] if "!" in facts.path else Path(facts.path).name
    return Component(
        name=name,
        type=ComponentType.FILE,
        bom_ref=f"{subject.path.name}!{name}",
        hashes=_make_hashes(facts.sha256),
        properties=[
            *(Property(name="kbuild:target", value=m.record.target) for m in facts.modules),
            *_list_images(facts),
        ],
    )


def _list_images(facts: ArtifactFacts) -> Iterator[Property]:
    """Yield the architectures with the number of images, and the digests that a note has."""
    counts: dict[str, int] = {}
    for image in facts.images:
        arch = f"{image.backend} {image.arch} {image.kind}"
        counts[arch] = counts.get(arch, 0) + 1
    for arch, count in counts.items():
        yield Property(name="kbuild:images", value=f"{arch}: {count}")
    for module in facts.modules:
        for container in module.record.containers:
            for kept in container.images:
                value = f"{container.source} {kept.arch} {kept.kind} sha256:{kept.sha256}"
                yield Property(name="kbuild:image", value=value)


def _describe_compilers(artifacts: Iterable[ArtifactFacts]) -> Iterator[Component]:
    """Describe the compilers of device code, with their options for each target."""
    options: dict[tuple[str, str], list[Property]] = {}
    for facts in artifacts:
        for module in facts.modules:
            for position, compiler in enumerate(module.record.compilers):
                arches = ", ".join(module.record.architectures_of(position))
                words = " ".join(compiler.options)
                value = f"{module.record.target} ({arches}): {words}"
                found = options.setdefault((compiler.name, compiler.version), [])
                found.append(Property(name="kbuild:options", value=value))
    for (name, version), properties in options.items():
        yield Component(
            name=name,
            version=version,
            type=ComponentType.APPLICATION,
            bom_ref=f"compiler:{name}@{version}",
            scope=ComponentScope.EXCLUDED,
            description="compiler of device code; not a part of the artifact",
            properties=properties,
        )


def _describe_source(file: SourceFile) -> Component:
    return Component(
        name=file.name,
        type=ComponentType.FILE,
        bom_ref=f"source:{file.name}:{file.sha256[:16]}",
        hashes=_make_hashes(file.sha256),
        licenses=_make_licenses(file.license),
        description="source of device code" if file.is_source else "header of device code",
    )


def _describe_package(package: HeaderPackage) -> Component:
    use = "included" if package.is_included else "found by the compiler; its use is unknown"
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"headers:{package.name}@{package.version}",
        licenses=_make_licenses(package.license),
        properties=[Property(name="kbuild:use", value=use)],
    )


def _describe_runtimes(artifacts: Iterable[ArtifactFacts]) -> Iterator[Component]:
    """Describe the runtimes that files need or contain."""
    for facts in artifacts:
        for runtime in facts.runtimes:
            yield Component(
                name=runtime.name,
                version=runtime.version,
                type=ComponentType.LIBRARY,
                bom_ref=f"runtime:{runtime.name}:{runtime.linkage}:{runtime.soname}",
                scope=(
                    ComponentScope.REQUIRED
                    if runtime.linkage == "static" or runtime.is_copy
                    else ComponentScope.EXCLUDED
                ),
                properties=[Property(name="kbuild:linkage", value=runtime.linkage)],
            )


def _make_hashes(digest: str | None) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []


def _make_licenses(text: str | None) -> list[License]:
    return [LicenseFactory().make_from_string(text)] if text else []


def _make_url(subject: Subject) -> PackageURL | None:
    if not subject.is_package:
        return None
    # The normalized name: binary distribution format, "Name normalization".
    name = re.sub(r"[-_.]+", "-", subject.name).lower()
    return PackageURL(type="pypi", name=name, version=subject.version)
