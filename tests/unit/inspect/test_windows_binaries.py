"""Device code in Windows programs and libraries."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.formats.portable_executable import is_portable_executable
from kbuild.inspect.paths import find_artifacts, inspect_content

CORPUS = Path(__file__).parents[3] / "fuzz" / "corpus" / "artifact"
HEADER_BYTES = 0x400


def make_binary(*sections: tuple[str, bytes], machine: int = 0x8664) -> bytes:
    """Return a PE file with these sections, padded as linkers do."""
    optional = bytes(240)
    rows, contents, position = b"", b"", HEADER_BYTES
    for name, content in sections:
        size = -len(content) % 512 + len(content)
        rows += struct.pack(
            "<8sIIIIIIHHI", name.encode(), len(content), 0, size, position, *[0] * 5
        )
        contents += content.ljust(size, b"\0")
        position += size
    header = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80)
    header = header.ljust(0x80, b"\0") + b"PE\0\0"
    header += struct.pack("<HHIIIHH", machine, len(sections), 0, 0, 0, len(optional), 0)
    return (header + optional + rows).ljust(HEADER_BYTES, b"\0") + contents


@pytest.mark.parametrize(
    ("section", "backend"), [(".nv_fatb", "cuda"), ("__nv_rel", "cuda"), (".hip_fat", "hip")]
)
def test_images_are_those_of_the_fat_binary(section: str, backend: str) -> None:
    seeds = {path: inspect_content(path.name, path.read_bytes()) for path in CORPUS.glob("fat-b*")}
    path, (expected,) = next(
        (path, facts)
        for path, facts in seeds.items()
        if {i.backend for i in facts[0].images} == {backend} and not facts[0].problems
    )
    content = make_binary((".text", b"\xcc" * 700), (section, bytes(64) + path.read_bytes()))

    (facts,) = inspect_content("k.dll", content)

    assert (facts.kind, facts.machine, facts.problems) == ("windows-binary", "x86_64", ())
    assert [(i.arch, i.kernels) for i in facts.images] == [
        (i.arch, i.kernels) for i in expected.images
    ]
    assert facts.containers[0].is_relocatable == (section == "__nv_rel")


def test_binary_without_device_code() -> None:
    (facts,) = inspect_content("k.exe", make_binary((".text", b"\xcc"), machine=0xAA64))

    assert (facts.machine, facts.images) == ("aarch64", ())


def test_damaged_binaries_are_errors() -> None:
    content = make_binary((".text", b"\xcc"), (".nv_fatb", b"\0" * 512))

    with pytest.raises(InputError, match=r"k.dll: the section at 0x600 extends past the end"):
        inspect_content("k.dll", content[:-1])
    with pytest.raises(InputError, match=r"k.dll: the section table extends past the end"):
        inspect_content("k.dll", content[:0x1A0])


def test_other_files_are_not_windows_binaries(tmp_path: Path) -> None:
    (tmp_path / "text.dll").write_bytes(b"MZ is not enough".ljust(4096))
    (tmp_path / "k.pyd").write_bytes(make_binary((".text", b"\xcc")))

    assert not is_portable_executable(b"MZ")
    assert find_artifacts(tmp_path) == (tmp_path / "k.pyd",)
