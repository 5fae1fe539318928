"""Strip a shared object whose containers the test makes, alone and in a wheel."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, InputError
from kbuild.inspect.paths import inspect_path
from kbuild.strip import strip_artifact
from support.commands import run_kbuild
from support.files.nvidia_builders import (
    ELF,
    PTX,
    ZSTD,
    NewEntry,
    concatenated,
    container,
    entry,
)

_SOURCE = """
        .section .nv_fatbin, "a"
        .balign 8
first:  .incbin "executable"
        .section __nv_relfatbin, "a"
        .balign 8
        .incbin "relocatable"
        .section .nvFatBinSegment, "aw"
        .balign 8
        .long 0x466243b1, 1
        .quad first, 0
        .section .rodata
        .ascii "the rest"
"""


def make_entry(arch: int, kind: int = ELF, size: int = 9000) -> bytes:
    return entry(NewEntry(data=bytes([arch]) * size, kind=kind, arch=arch))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("strip")
    together = (NewEntry(data=b"x" * 64, arch=70), NewEntry(data=b"y" * 64, arch=75))
    executable = (
        container(make_entry(80), make_entry(90), make_entry(90, PTX)),
        container(make_entry(90), make_entry(80), concatenated(together, 0x11 | ZSTD)),
    )
    (directory / "executable").write_bytes(b"".join(executable))
    relocatable = (make_entry(80), make_entry(100), make_entry(90, PTX))
    (directory / "relocatable").write_bytes(container(*relocatable))
    (directory / "lib.S").write_text(_SOURCE)
    command = ("gcc", "-shared", "-nostdlib", "-o", "lib.so", "lib.S")
    subprocess.run(command, cwd=directory, check=True)
    return directory / "lib.so"


def list_images(path: Path) -> list[tuple[int, str]]:
    (facts,) = inspect_path(path)
    return [(image.container, image.arch) for image in facts.images]


def test_kept_images_are_unchanged_and_nothing_else_moves(library: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.so"

    report = strip_artifact(library, output, keep=("sm_80", "compute_90", "sm_75"))

    assert list_images(output) == [
        *((0, "sm_80"), (0, "compute_90"), (1, "sm_80"), (1, "sm_70"), (1, "sm_75")),
        (2, "compute_90"),
    ]
    old, new = library.read_bytes(), output.read_bytes()
    (start, end), (last, final) = (_find_section(library, n) for n in (".nv_fatbin", "__nv_relfat"))
    assert len(old) == len(new)
    assert old[:start] == new[:start]
    assert old[end:last] == new[end:last]
    assert old[final:] == new[final:]
    assert make_entry(80) in new
    assert make_entry(90) not in new
    assert report.output_size < report.size
    (file,) = report.files
    assert file.kept == ("sm_80", "compute_90", "sm_70", "sm_75")
    assert [(r.section, r.arch, r.cause, r.images, r.bytes) for r in file.removed] == [
        (".nv_fatbin", "sm_90", "architecture", 2, 18000),
        ("__nv_relfatbin", "sm_80", "linked", 1, 9000),
        ("__nv_relfatbin", "sm_100", "architecture", 1, 9000),
    ]


def _find_section(path: Path, name: str) -> tuple[int, int]:
    words = subprocess.run(
        ("readelf", "-SW", path), check=True, capture_output=True, text=True
    ).stdout
    fields = next(line for line in words.splitlines() if name in line).partition("]")[2].split()
    return int(fields[3], 16), int(fields[3], 16) + int(fields[4], 16)


def test_only_linked_code_goes_by_default(library: Path, tmp_path: Path) -> None:
    strip_artifact(library, tmp_path)

    relocatable = [arch for number, arch in list_images(tmp_path / "lib.so") if number == 2]
    assert relocatable == ["sm_100", "compute_90"]


def test_wheel_is_stripped_and_reported(library: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "d-1-py3-none-any.whl"
    names = ("d/lib.so", "d-1.dist-info/RECORD.p7s", "d-1.dist-info/RECORD")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(library, names[0])
        archive.writestr(names[1], "signature")
        archive.writestr(names[2], "".join(f"{name},,\n" for name in names))
    words = ("strip", wheel, "--keep-arch", "80,compute_90", "-o", wheel)

    text = run_kbuild(*words)

    assert text.returncode == 0, text.stderr
    assert text.stdout.startswith(f"{wheel}!d/lib.so: kept sm_80, compute_90\n  removed sm_90")
    assert "removed d-1.dist-info/RECORD.p7s, which signed the old content\n" in text.stdout
    assert zipfile.ZipFile(wheel).namelist() == ["d/lib.so", "d-1.dist-info/RECORD"]

    again = run_kbuild(*words, "--format", "json")

    report = json.loads(again.stdout)
    assert report["schema"] == "kbuild.strip/1"
    assert report["files"][0]["removed"] == []


def test_impossible_requests_are_errors(library: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.so"
    with pytest.raises(ConfigurationError, match="no image for 'sm_91' to keep; did you mean"):
        strip_artifact(library, output, keep=("sm_80", "sm_91"))
    with pytest.raises(InputError, match=r"would lose all its images.*also keep one of sm_80"):
        strip_artifact(library, output, keep=("sm_70",))
    text = tmp_path / "text"
    text.write_text("no device code")
    with pytest.raises(InputError, match="not a shared object, executable, or wheel"):
        strip_artifact(text, output)
    assert not output.exists()
