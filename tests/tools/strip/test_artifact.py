"""Strip, split, and merge a shared object whose containers the test makes, and wheels of it."""

from __future__ import annotations

import ctypes
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, InputError
from kbuild.inspect.paths import inspect_path
from kbuild.strip import merge_artifacts, split_artifact, strip_artifact
from kbuild.strip.estimate import estimate_sizes
from kbuild.verify import verify
from support.commands import run_kbuild, succeed
from support.files.amd_builders import GFX90A, HOST, bundle, compressed_bundle
from support.files.nvidia_builders import (
    ELF,
    PTX,
    ZSTD,
    NewEntry,
    concatenated,
    container,
    entry,
)
from support.tools.toolchains import needs_backend

_PTX = b".version 8.0\n.target sm_90\n.address_size 64\n//" + b"x" * 30000
# No record leads to the hidden container, so it must stay where it is.
_SOURCE = """
        .section .nv_fatbin, "a"
        .balign 8
        .incbin "hidden"
first:  .incbin "first"
second: .incbin "second"
        .section __nv_relfatbin, "a"
        .balign 8
input:  .incbin "relocatable"
        .section .nvFatBinSegment, "aw"
        .balign 8
        .globl records
        .type records, @object
records:
        .long 0x466243b1, 1
        .quad first, 0
        .long 0x466243b1, 1
        .quad second, 0
        .long 0x466243b1, 1
        .quad input, 0
        .size records, 72
        .section .rodata
        .ascii "the rest"
        .section .note.GNU-stack, ""
"""
_OWN_SOURCE = """
__device__ float table[40000];
__global__ void scale(float* values) { values[threadIdx.x] *= table[threadIdx.x]; }
extern "C" int run(float* values)
{
    scale<<<1, 32>>>(values);
    return cudaDeviceSynchronize();
}
"""
_HIP_SOURCE = """
        .section .hip_fatbin, "a"
        .p2align 12
plain:  .incbin "plain"
        .p2align 12
packed: .incbin "packed"
        .section .hipFatBinSegment, "aw"
        .balign 8
        .globl records
        .type records, @object
records:
        .long 0x48495046, 1
        .quad plain, 0
        .long 0x48495046, 1
        .quad packed, 0
        .size records, 48
        .section .note.GNU-stack, ""
"""


def make_entry(arch: int, kind: int = ELF, size: int = 30000) -> bytes:
    data = _PTX if kind == PTX else bytes([arch]) * size
    return entry(NewEntry(data=data, kind=kind, arch=arch))


def link(directory: Path, name: str, source: str = _SOURCE, **contents: bytes) -> Path:
    for file, content in contents.items():
        (directory / file).write_bytes(content)
    (directory / "lib.S").write_text(source)
    command = ("gcc", "-shared", "-nostdlib", "-o", name, "lib.S")
    subprocess.run(command, cwd=directory, check=True)
    return directory / name


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    together = (NewEntry(data=b"x" * 64, arch=70), NewEntry(data=b"y" * 64, arch=75))
    return link(
        tmp_path_factory.mktemp("strip"),
        "lib.so",
        first=container(make_entry(80), make_entry(90), make_entry(90, PTX)),
        second=container(make_entry(90), make_entry(80), concatenated(together, 0x11 | ZSTD)),
        hidden=container(make_entry(80, size=8)),
        relocatable=container(make_entry(80), make_entry(100), make_entry(90, PTX)),
    )


def list_images(path: Path) -> list[tuple[int, str]]:
    (facts,) = inspect_path(path)
    assert not facts.problems
    assert all(record.problem is None for record in facts.wrappers)
    return [(image.container, image.arch) for image in facts.images]


def read_containers(path: Path) -> list[bytes]:
    """Load a library, and return the containers to which its records lead in memory."""
    records = (ctypes.c_uint64 * 9).in_dll(ctypes.CDLL(str(path)), "records")
    found = []
    for pointer in records[1::3]:
        size = int.from_bytes(ctypes.string_at(pointer + 8, 8), "little")
        found.append(ctypes.string_at(pointer, 16 + size))
    return found


def test_removed_images_leave_the_file(library: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.so"

    report = strip_artifact(library, output, keep=("sm_80", "compute_90", "sm_75"))

    assert list_images(output) == [
        *((0, "sm_80"), (1, "sm_80"), (1, "compute_90")),
        *((2, "sm_80"), (2, "sm_70"), (2, "sm_75"), (3, "compute_90")),
    ]
    first, second, relocatable = read_containers(output)
    assert first == container(make_entry(80), make_entry(90, PTX))
    assert second.startswith(container(make_entry(80))[16:], 16)
    assert relocatable == container(make_entry(90, PTX))
    assert output.stat().st_size < library.stat().st_size - 80000
    (file,) = report.files
    assert file.kept == ("sm_80", "compute_90", "sm_70", "sm_75")
    assert [(r.section, r.arch, r.cause, r.images, r.bytes) for r in file.removed] == [
        (".nv_fatbin", "sm_90", "architecture", 2, 60000),
        ("__nv_relfatbin", "sm_80", "linked", 1, 30000),
        ("__nv_relfatbin", "sm_100", "architecture", 1, 30000),
    ]
    again = strip_artifact(output, tmp_path / "again.so", keep=("sm_80", "sm_75"))
    assert again.output_size < report.output_size
    words = ("strip", "-o", tmp_path / "bare.so", tmp_path / "again.so")
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    assert read_containers(tmp_path / "bare.so") == read_containers(tmp_path / "again.so")


def test_only_linked_code_goes_by_default(library: Path, tmp_path: Path) -> None:
    strip_artifact(library, tmp_path)

    relocatable = [arch for number, arch in list_images(tmp_path / "lib.so") if number == 3]
    assert relocatable == ["sm_100", "compute_90"]


def test_a_file_with_data_behind_its_sections_keeps_its_length(
    library: Path, tmp_path: Path
) -> None:
    longer = tmp_path / "longer.so"
    longer.write_bytes(library.read_bytes() + b"an archive that a launcher finds from the end")

    report = strip_artifact(longer, longer, keep=("sm_80",))

    assert report.output_size == report.size
    assert report.files[0].obstacle == "it has data behind its last section"
    assert longer.read_bytes().endswith(b"from the end")
    assert (0, "sm_90") not in list_images(longer)


def test_files_that_patchelf_changed_are_stripped_and_merged(tmp_path: Path) -> None:
    # It adds a zero, and linkers can put the containers into a writable segment.
    (tmp_path / "b").mkdir()
    contents = (make_entry(80), make_entry(90))
    one = container(*contents)
    source = _SOURCE.replace('.nv_fatbin, "a"', '.nv_fatbin, "aw"')
    hidden = container(make_entry(75, size=8))
    link(tmp_path / "b", "l.so", source, first=one, second=one, hidden=hidden, relocatable=one)
    whole = tmp_path / "l.so"
    whole.write_bytes((tmp_path / "b/l.so").read_bytes() + bytes(1))

    report = split_artifact(whole, tmp_path / "s", devices=("sm_80", "sm_90"))

    outputs = [Path(artifact.result.output) for artifact in report.artifacts]
    for output, content in zip(outputs, contents, strict=True):
        assert read_containers(output)[:2] == [container(content)] * 2
        assert output.stat().st_size < whole.stat().st_size - 50000
    merged = merge_artifacts(outputs, tmp_path / "m.so")
    assert merged.files[0].containers == 2
    assert read_containers(tmp_path / "m.so")[:2] == [one] * 2


def test_containers_with_room_get_new_images(library: Path, tmp_path: Path) -> None:
    longer = tmp_path / "lib.so"
    longer.write_bytes(library.read_bytes() + b"end")  # so that containers keep their room
    report = split_artifact(longer, tmp_path / "s", devices=("sm_80", "sm_90"))
    outputs = [Path(artifact.result.output) for artifact in report.artifacts]
    for output in outputs:
        output.write_bytes(output.read_bytes()[: -len(b"end")])

    merged = merge_artifacts(outputs, tmp_path / "m.so")

    assert merged.files[0].containers > 0
    assert {(0, "sm_80"), (0, "sm_90")} <= {*list_images(tmp_path / "m.so")}


def test_split_and_merge_are_inverse(library: Path, tmp_path: Path) -> None:
    report = split_artifact(library, tmp_path / "s", devices=("sm_80", "sm_100", "sm_90"))

    outputs = [Path(artifact.result.output) for artifact in report.artifacts]
    assert [path.relative_to(tmp_path).as_posix() for path in outputs] == [
        f"s/{device}/lib.so" for device in ("sm_80", "sm_100", "sm_90")
    ]
    # sm_100 can run PTX of the first source, and nothing of the others.
    assert list_images(outputs[1])[:3] == [(0, "sm_80"), (1, "compute_90"), (2, "sm_70")]
    assert list_images(outputs[2])[:3] == [(0, "sm_80"), (1, "sm_90"), (2, "sm_90")]
    merged = merge_artifacts(outputs[:1] + outputs[2:], tmp_path / "m.so")

    assert merged.files[0].architectures == ("sm_80", "sm_90", "compute_90")
    images = [(number, arch) for number, arch in list_images(tmp_path / "m.so") if number < 2]
    assert images == [(0, "sm_80"), (0, "sm_90"), (1, "sm_80"), (1, "sm_90")]
    first, second, _ = read_containers(tmp_path / "m.so")
    assert first == second == container(make_entry(80), make_entry(90))


def test_builds_for_other_architectures_are_merged(tmp_path: Path) -> None:
    def build(arch: int, size: int = 30000) -> Path:
        directory = tmp_path / f"{arch}-{size}"
        directory.mkdir()
        hidden = container(make_entry(75, size=8))
        one = container(make_entry(arch, size=size))
        return link(directory, "l.so", first=one, second=one, hidden=hidden, relocatable=one)

    old, new = build(80), build(90, 50000)

    merge_artifacts((old, new), tmp_path / "m.so")

    both = container(make_entry(80), make_entry(90, size=50000))
    assert read_containers(tmp_path / "m.so") == [both] * 3
    with pytest.raises(InputError, match=r"two different images for sm_90; first remove one"):
        merge_artifacts((new, build(90)), tmp_path / "m.so")
    (old.with_name("lib.S")).write_text(_SOURCE.replace("the rest", "other code"))
    command = ("gcc", "-shared", "-nostdlib", "-o", "l.so", "lib.S")
    subprocess.run(command, cwd=old.parent, check=True)
    with pytest.raises(InputError, match=r"differ in more than device code: .rodata has 10 bytes"):
        merge_artifacts((old, new), tmp_path / "m.so")


def make_wheel(path: Path, library: Path, signature: str = "signature") -> Path:
    names = ("d/lib.so", "d-1.dist-info/RECORD.p7s", "d-1.dist-info/RECORD")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(library, names[0])
        archive.writestr(names[1], signature)
        archive.writestr(names[2], "".join(f"{name},,\n" for name in names))
    return path


def test_wheels_are_stripped_split_and_merged(library: Path, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "d-1-py3-none-any.whl", library)
    words = ("strip", wheel, "--keep-arch", "80,90", "-o", tmp_path / "out.whl")

    text = run_kbuild(*words)

    assert text.returncode == 0, text.stderr
    assert text.stdout.startswith(f"{wheel}!d/lib.so: kept sm_80, sm_90, compute_90; ")
    assert "\n  removed sm_100 from __nv_relfatbin: 1 image, 29.3 KiB\n" in text.stdout
    assert "removed d-1.dist-info/RECORD.p7s, which signed the old content\n" in text.stdout
    names = zipfile.ZipFile(tmp_path / "out.whl").namelist()
    assert names == ["d/lib.so", "d-1.dist-info/RECORD"]

    split = run_kbuild("split", tmp_path / "out.whl", "-o", tmp_path / "s", "--format", "json")

    artifacts = json.loads(split.stdout)["artifacts"]
    assert [artifact["device"] for artifact in artifacts] == ["sm_80", "sm_90"]
    outputs = [artifact["result"]["output"] for artifact in artifacts]

    merged = run_kbuild("merge", *outputs, "-o", tmp_path / "m.whl")

    assert merged.returncode == 0, merged.stderr
    assert "out.whl!d/lib.so: sm_80, compute_90, sm_90; 2 containers" in merged.stdout
    other = make_wheel(tmp_path / "e.whl", library)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("d/new.py", "")
    failed = run_kbuild("merge", wheel, other, "-o", tmp_path / "m.whl")
    assert failed.returncode == 2
    assert "differ in more than device code: d/new.py is missing" in failed.stderr


def test_impossible_requests_are_errors(library: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.so"
    with pytest.raises(ConfigurationError, match="no image for 'sm_91' to keep; did you mean"):
        strip_artifact(library, output, keep=("sm_80", "sm_91"))
    with pytest.raises(InputError, match=r"would lose all its images.*also keep one of sm_80"):
        strip_artifact(library, output, keep=("sm_70",))
    with pytest.raises(ConfigurationError, match="'compute_90' is not the architecture of a dev"):
        split_artifact(library, output, devices=("compute_90",))
    with pytest.raises(ConfigurationError, match="at least two artifacts"):
        merge_artifacts((library,), output)
    text = tmp_path / "text"
    text.write_text("no device code")
    with pytest.raises(InputError, match="not a shared object, executable, or wheel"):
        strip_artifact(text, output)
    assert not output.exists()


def test_bill_of_materials_becomes_a_part_of_the_wheel(library: Path, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "d-1-py3-none-any.whl", library)
    with zipfile.ZipFile(wheel, "a") as archive:
        headers = "Metadata-Version: 2.4\nName: My_d\nVersion: 1\nLicense-Expression: MIT\n"
        archive.writestr("d-1.dist-info/METADATA", headers)

    result = run_kbuild("sbom", wheel, "--embed", tmp_path / "out.whl")

    assert result.stdout == "removed d-1.dist-info/RECORD.p7s, which signed the old content\n"
    name = "d-1.dist-info/sboms/kbuild.cdx.json"
    with zipfile.ZipFile(tmp_path / "out.whl") as archive:
        bill = json.loads(archive.read(name))
        assert archive.read("d-1.dist-info/RECORD").startswith(f"{name},sha256=".encode())
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/my-d@1"
    assert bill["metadata"]["component"]["licenses"] == [{"license": {"id": "MIT"}}]
    images = [p["value"] for p in bill["components"][0]["properties"]]
    assert "cuda sm_80 elf: 4" in images


def test_estimates_agree_with_what_strip_does(library: Path, tmp_path: Path) -> None:
    report = estimate_sizes(library)

    base = strip_artifact(library, tmp_path).output_size
    sizes = {estimate.change: estimate.size for estimate in report.estimates}
    assert sizes["linked relocatable code"] == base
    without = strip_artifact(library, tmp_path, keep=("sm_80", "sm_90", "compute_90", "70", "75"))
    assert report.size - sizes["without sm_100"] == base - without.output_size
    # Only the cubins of the test, which are all alike, are not compressed yet.
    assert sizes["compression mode size"] < report.size - 200_000
    (line,) = report.impossible
    assert line.startswith("without sm_80: ")
    text = run_kbuild("report", "--estimate", library)
    assert "without sm_100" in text.stdout
    assert "-o FILE is missing" in run_kbuild("report", library).stderr


def test_bundles_of_hip_are_split_and_merged(tmp_path: Path) -> None:
    gfx942 = GFX90A.replace("gfx90a:sramecc+:xnack-", "gfx942")
    plain = bundle([(HOST, b""), (GFX90A, b"a" * 90000), (gfx942, b"b" * 5000)], 4096)
    packed = compressed_bundle(plain, version=2)
    for name, content in (("plain", plain), ("packed", packed)):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "lib.S").write_text(_HIP_SOURCE)
    words = ("gcc", "-shared", "-nostdlib", "-o", "lib.so", "lib.S")
    subprocess.run(words, cwd=tmp_path, check=True)

    split = split_artifact(tmp_path / "lib.so", tmp_path / "s")

    outputs = [Path(artifact.result.output) for artifact in split.artifacts]
    assert [artifact.device for artifact in split.artifacts] == ["gfx90a:sramecc+:xnack-", "gfx942"]
    assert list_images(outputs[1]) == [(0, "gfx942"), (1, "gfx942")]
    assert outputs[1].stat().st_size < (tmp_path / "lib.so").stat().st_size - 80000
    records = (ctypes.c_uint64 * 6).in_dll(ctypes.CDLL(str(outputs[1])), "records")
    front = bundle([(HOST, b""), (gfx942, b"b" * 5000)], 4096)
    assert ctypes.string_at(records[1], len(front)) == front
    assert ctypes.string_at(records[4], 6) == packed[:6]
    # The runtime reads the numbers of a bundle in place.
    assert [address % 4096 for address in records[1::3]] == [0, 0]
    merge_artifacts(outputs, tmp_path / "m.so")
    assert list_images(tmp_path / "m.so") == list_images(tmp_path / "lib.so")


@needs_backend("cuda")
def test_notes_of_kbuild_describe_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(_OWN_SOURCE)
    targets = (f"-gencode=arch=compute_{n},code=sm_{n}" for n in (80, 90))
    words = ("--backend=cuda", "-shared", "-Xcompiler=-fPIC", *targets, "k.cu", "-o", "k.so")
    succeed(run_kbuild("nvcc", *words, cwd=tmp_path))

    strip_artifact(tmp_path / "k.so", tmp_path / "out.so", keep=("sm_90",))

    (facts,) = inspect_path(tmp_path / "out.so")
    (module,) = facts.modules
    (container,) = module.record.containers
    assert [image.arch for image in container.images] == ["sm_90"]
    assert module.descriptor_problem is None
    assert module.containers == (0,)
    errors = [f for f in verify((facts,)).findings if f.severity == "error"]
    assert errors == []
    with pytest.raises(InputError, match=r"lists every image of this file, which kbuild built"):
        merge_artifacts((tmp_path / "k.so", tmp_path / "out.so"), tmp_path / "m.so")
