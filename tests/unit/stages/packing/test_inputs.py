"""What the pack edge reads, and how it groups images into containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild import records
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import DeviceImage
from kbuild.stages.compile import CompiledSource
from kbuild.stages.edges import CompileEdge, PackPlan, name_declarations, name_depfile
from kbuild.stages.packing.inputs import (
    PackInputs,
    group_prelinked,
    group_registered,
    list_declaring,
    read_inputs,
)

TOOLCHAIN = Toolchain(backend="cpu", compiler=Path("/bin/g++"), compiler_id="gcc", version="12")


def write_record(directory: Path, source: str, arch: str) -> Path:
    image = DeviceImage(
        source=source,
        arch=arch,
        kind="elf",
        path=directory / f"{source}.{arch}.so",
        sha256="",
        size=0,
        kernels=(),
    )
    record = CompiledSource(source=source, backend="cpu", images=(image,), log="", warnings="")
    stamp = directory / f"{source}.{arch}.json"
    stamp.write_bytes(records.dump(records.IMAGE_SCHEMA, record))
    return stamp


def make_plan(
    directory: Path, compiled: tuple[Path, ...], prelinked: tuple[Path, ...] = ()
) -> PackPlan:
    return PackPlan(
        kbuild_version="0",
        target="t",
        backend="cpu",
        visibility="hidden",
        headers=(),
        compiled=compiled,
        output_directory=directory,
        stub_suffix=".c",
        toolchain=TOOLCHAIN,
        prelinked=prelinked,
    )


def write_sources(directory: Path) -> tuple[Path, ...]:
    directory.mkdir(exist_ok=True)
    return tuple(write_record(directory, s, a) for s in ("a.cu", "b.cu") for a in ("v1", "v2"))


def read_linked(directory: Path) -> PackInputs:
    """Read a target with a device link for one of two architectures."""
    stamps = write_sources(directory)
    links = (write_record(directory, "t", "v1"),)
    return read_inputs(make_plan(directory, links, stamps))


def name_groups(groups: tuple[tuple[str, tuple[DeviceImage, ...]], ...]) -> list[tuple[str, str]]:
    return [(source, " ".join(image.arch for image in images)) for source, images in groups]


def test_each_source_is_a_container(tmp_path: Path) -> None:
    inputs = read_inputs(make_plan(tmp_path, write_sources(tmp_path)))

    assert name_groups(group_registered(inputs)) == [("a.cu", "v1 v2"), ("b.cu", "v1 v2")]
    assert group_prelinked(inputs) == ()


def test_images_that_a_device_link_used_are_not_packed_again(tmp_path: Path) -> None:
    inputs = read_linked(tmp_path)

    assert name_groups(group_registered(inputs)) == [("t", "v1")]
    assert name_groups(group_prelinked(inputs)) == [("a.cu", "v2"), ("b.cu", "v2")]


def test_records_are_read_once(tmp_path: Path) -> None:
    stamps = write_sources(tmp_path)
    inputs = read_inputs(make_plan(tmp_path, stamps))
    for stamp in stamps:
        stamp.unlink()

    assert len(group_registered(inputs)) == 2
    assert list_declaring(inputs) == {0: (), 1: ()}


@pytest.mark.parametrize("is_linked", [False, True])
def test_kernels_are_declared_in_what_their_edges_wrote_or_read(
    tmp_path: Path, is_linked: bool
) -> None:
    inputs = read_linked(tmp_path) if is_linked else None
    inputs = inputs or read_inputs(make_plan(tmp_path, write_sources(tmp_path)))
    first, second, third, _ = inputs.stamps
    for stamp in (first, second):
        name_declarations(stamp).touch()
    name_depfile(third).write_text(f"{third}: /src/b.cu /src/types.h\n")

    written = (name_declarations(first), name_declarations(second))
    read = (Path("/src/b.cu"), Path("/src/types.h"))
    expected = {0: written + read} if is_linked else {0: written, 1: read}
    assert list_declaring(inputs) == expected


def test_files_of_an_edge_are_named_after_its_stamp() -> None:
    edge = CompileEdge(
        kbuild_version="0",
        source=Path("/src/a.cu"),
        display_source="a.cu",
        arch="v1",
        device_standard=17,
        output=Path("/out/a.cu.v1"),
        toolchain=TOOLCHAIN,
    )

    assert edge.depfile == Path("/out/a.cu.v1.d")
    assert edge.declarations == Path("/out/a.cu.v1.ii")
