"""Hostile files are read or rejected with limited memory and time."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lz4.block
import pytest
import zstandard

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats.compression import decompress
from kbuild.formats.elf.file import Elf
from kbuild.formats.nvidia.ptx.reader import looks_like_ptx
from kbuild.inspect.file_content import open_content
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import find_artifacts, inspect_content, inspect_files
from kbuild.model import Compression, KernelRecord, TargetRecord
from kbuild.records import RECORD_SCHEMA, dump
from support.files.hostile_files import (
    DYNAMIC,
    INIT_ARRAY,
    NOBITS,
    NOTE,
    PROGBITS,
    RELA,
    RELR,
    SOUND_PTX,
    STRTAB,
    SYMTAB,
    Part,
    make_archive,
    make_elf,
    make_member,
    make_wheel,
    repeat_directory,
    symbols,
    write_sparse,
    write_sparse_elf,
)
from support.files.nvidia_builders import (
    LZ4,
    PTX,
    ZSTD,
    CubinBuilder,
    NewEntry,
    container,
    entry,
    param,
)

# The limit includes Python and its libraries, which need some tens of MiB.
MEMORY = 768 << 20
SECONDS = 120
CLI = """\
import resource, sys
from kbuild.cli.main import main
resource.setrlimit(resource.RLIMIT_DATA, ({memory}, {memory}))
sys.exit(main(sys.argv[1:]))
"""


def run_cli(*words: object, directory: Path, report: str = "json") -> tuple[int, str, str]:
    """Run `kbuild inspect` with limited memory and time; return the exit code and both outputs."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", CLI.format(memory=MEMORY), "inspect", "--jobs", "1"),
            *("--format", report, *map(str, words)),
        ],
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    output = done.stdout + done.stderr
    assert "Traceback" not in output, output[-4000:]
    assert "MemoryError" not in output
    assert done.returncode in (0, 2), output[-4000:]
    return done.returncode, done.stdout, done.stderr


def inspect_beside_valid_file(path: Path, *options: object) -> tuple[int, list[str]]:
    """Inspect a file together with a valid file, which must be read in any case.

    Returns the exit code and the error messages.
    """
    work = path.parent / "work"
    work.mkdir()
    sound = path.parent / "sound.ptx"
    sound.write_bytes(SOUND_PTX)
    code, output, _ = run_cli(path, sound, *options, directory=work)
    report = json.loads(output)
    assert str(sound) in [artifact["path"] for artifact in report["artifacts"]]
    assert not list(work.iterdir())
    return code, [error["message"] for error in report["errors"]]


def overlapping(kind: int, name: str, unit: bytes, count: int, entry_size: int = 0) -> bytes:
    """Return a file with ``count`` sections that contain the same bytes."""
    data = unit * (200_000 // len(unit))
    first = Part(name=name, type=kind, data=data, entry_size=entry_size, link=2, info=1)
    other = Part(
        name=name, type=kind, offset=64, size=len(data), entry_size=entry_size, link=2, info=1
    )
    return make_elf([first, Part(type=STRTAB, data=b"\0"), *[other] * count])


def make_note_file(count: int, symbol_count: int) -> bytes:
    """Return a file with ``count`` kernel targets, and symbols that all have a handle's name."""
    row = KernelRecord(
        handle="k",
        device_name="k",
        display="k()",
        linkage="external",
        container=0,
        params=(),
    )
    record = TargetRecord(
        version="1",
        target="t",
        backend="cpu",
        visibility="hidden",
        kernels=(row,),
        containers=(),
    )
    text = dump(RECORD_SCHEMA, record)
    text += b" " * (-len(text) % 4)
    body = struct.pack("<IIqqqQ", 1, 40, 0, 0, 0, len(text)) + text
    note = struct.pack("<III", 7, len(body), 1) + b"kbuild\0\0" + body
    return make_elf(
        [
            Part(name=".note.kbuild", type=NOTE, data=note * count),
            Part(type=SYMTAB, data=symbols(symbol_count, name=1), link=3, entry_size=24),
            Part(type=STRTAB, data=b"\0k\0"),
        ]
    )


def make_dynamic_file() -> bytes:
    tags = struct.pack("<QQ", 1, 1) * 20_000 + bytes(16)
    return make_elf(
        [
            Part(name=".dynamic", type=DYNAMIC, data=tags, link=2, entry_size=16),
            Part(name=".dynstr", type=STRTAB, data=b"\0" + b"a" * 60_000 + b"\0"),
        ],
        kind=3,
    )


def make_packed_relocations() -> bytes:
    """Return packed relocations in which every second word stands for the same 63 slots."""
    words = struct.pack("<QQ", 4096, (1 << 64) - 1) * 60_000
    return make_elf(
        [
            Part(name=".data", data=bytes(512), address=4096),
            Part(name=".relr.dyn", type=RELR, data=words, entry_size=8),
            Part(name=".init_array", type=INIT_ARRAY, data=bytes(8), address=8192),
            Part(name=".note.kbuild", type=NOTE, data=note_section(make_note_file(1, 2))),
        ],
        kind=3,
    )


def note_section(elf: bytes) -> bytes:
    start = elf.index(b"kbuild\0\0") - 12
    (size,) = struct.unpack_from("<I", elf, start + 4)
    return elf[start : start + 20 + size]


def make_empty_sections() -> bytes:
    """Return a file whose addresses follow thousands of empty sections."""
    empty = [Part(address=4096 + n) for n in range(20_000)]
    entries = struct.pack("<QQq", 100_000, 8, 90_000) * 40_000
    return make_elf(
        [
            Part(address=64, data=bytes(8)),
            *empty,
            Part(name=".rela.dyn", type=RELA, data=entries, entry_size=24),
            Part(name=".note.kbuild", type=NOTE, data=note_section(make_note_file(1, 2))),
        ],
        kind=3,
    )


def many_symbols(name: bytes, count: int) -> bytes:
    return make_elf(
        [
            Part(type=SYMTAB, data=symbols(count, name=1), link=2, entry_size=24),
            Part(type=STRTAB, data=b"\0" + name + b"\0"),
        ]
    )


def make_countless_sections() -> bytes:
    """Return a file that stores its number of sections in the first section header."""
    elf = bytearray(make_elf([Part()], shnum=0))
    (table,) = struct.unpack_from("<Q", elf, 40)
    struct.pack_into("<Q", elf, table + 32, 1 << 40)
    return bytes(elf)


def make_sharing_cubin() -> bytes:
    """Return a cubin with thousands of kernels that share thousands of parameters."""
    cubin = CubinBuilder()
    info = b"".join(param(index, 8 * index % 65536, 8) for index in range(3000))
    cubin.kernel("first", info)
    for number in range(3000):
        cubin.symbol(f"k{number}", 2, 1, size=16, other=0x10)
    return cubin.build()


def long_names(count: int) -> bytes:
    """Return an archive whose members all have the rest of the name table as their name."""
    table = b"a" * 2_000_000 + b"/\n"
    members = [(f"/{number}", SOUND_PTX) for number in range(count)]
    return make_archive([("//", table), *members])


REJECTED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no bytes": (lambda: b"", "the file is empty"),
    "sections past the end of the file": (
        make_countless_sections,
        "section headers end at byte",
    ),
    "sections of no size": (lambda: make_elf([Part()], shentsize=0, shnum=65535), "of 0 bytes"),
    "segments of no size": (
        lambda: make_elf([Part()], kind=3, phoff=64, phentsize=0, phnum=65534),
        "program headers of 0 bytes",
    ),
    "segments past the end of the file": (
        lambda: make_elf([Part()], kind=3, phoff=64, phnum=65534),
        "program headers end at byte",
    ),
    "sections that are all the same symbols": (
        lambda: overlapping(SYMTAB, "", symbols(2), 3000, 24),
        "sections of the ELF file overlap",
    ),
    "sections that are all the same relocations": (
        lambda: overlapping(RELA, ".rela", struct.pack("<QQq", 0, 1, 0), 3000, 24),
        "sections of the ELF file overlap",
    ),
    "sections that are all the same fat binary": (
        lambda: overlapping(PROGBITS, ".nv_fatbin", container(entry(NewEntry())), 3000),
        "sections of the ELF file overlap",
    ),
    "sections that share a name": (
        lambda: make_elf([Part(name="a" * 60_000), *[Part(type=NOBITS, named_like=0)] * 5000]),
        "names and tables of the ELF file are larger",
    ),
    "a name without end": (
        lambda: make_elf([Part(data=b"a" * 100_000)], names=1),
        "has no end",
    ),
    "symbols that share a name": (
        lambda: many_symbols(b"a" * 60_000, 20_000),
        "names and tables of the ELF file are larger",
    ),
    "libraries that share a name": (
        make_dynamic_file,
        "names and tables of the ELF file are larger",
    ),
    "packed relocations": (make_packed_relocations, "more relocations than"),
    "initializers past the end of the file": (
        lambda: make_elf(
            [
                Part(name=".init_array", type=INIT_ARRAY, size=1 << 60),
                Part(name=".note.kbuild", type=NOTE, data=note_section(make_note_file(1, 2))),
            ]
        ),
        "are outside the section",
    ),
    "kernels that share parameters": (make_sharing_cubin, "too many parameters for its size"),
    "comments": (lambda: b"/**/" * 5000, "not an artifact"),
    "strings": (lambda: SOUND_PTX + b'"a' * 9_000_000, "more than 4194304 strings"),
    "declarations": (
        lambda: SOUND_PTX + b".global .u8 a" + b",b" * 1_100_000 + b";",
        "the limit is 1048576",
    ),
    "a target without end": (
        lambda: b".version 8.4\n.target sm_" + b"9" * 500_000 + b"\n" + b".entry k() {}\n" * 999,
        "expected .version and .target",
    ),
    "members that share a name": (lambda: long_names(5000), "is not in its table of names"),
    "a name longer than its member": (
        lambda: make_archive([("#1/9999999999999", SOUND_PTX)]),
        "longer than the member",
    ),
    "a member that is its own name": (
        lambda: make_archive([(f"#1/{len(SOUND_PTX)}", SOUND_PTX)]),
        "no artifact in this archive",
    ),
    "names of the names": (
        lambda: make_archive([("//", b"/0\n"), ("/0", b"/0\n"), ("/1", SOUND_PTX * 0)]),
        "no artifact in this archive",
    ),
    "a member larger than the archive": (
        lambda: b"!<arch>\n" + make_member("a.o", SOUND_PTX, 10**9),
        "ends at byte",
    ),
    "a wheel whose directory is outside the file": (
        lambda: make_wheel([("a.ptx", SOUND_PTX)])[:-10] + b"\xff" * 8 + bytes(2),
        "not a valid zip archive",
    ),
    "a wheel whose member is outside the file": (
        lambda: repeat_directory(
            make_wheel([("a.ptx", SOUND_PTX)]),
            1,
            extra=struct.pack("<HHQ", 1, 8, (1 << 64) - 1),
            offset=0xFFFFFFFF,
        ),
        "cannot be read|not a valid zip",
    ),
    "bzip2": (
        lambda: make_wheel([("a.ptx", SOUND_PTX)], zipfile.ZIP_BZIP2),
        "compression method 12",
    ),
    "lzma": (lambda: make_wheel([("a.ptx", SOUND_PTX)], zipfile.ZIP_LZMA), "compression method 14"),
}


@pytest.fixture(scope="module")
def rejections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the errors of each file. One call reads all of them, between two valid files."""
    directory = tmp_path_factory.mktemp("hostile")
    work = tmp_path_factory.mktemp("work")
    files = {name: directory / f"{number}" for number, name in enumerate(REJECTED)}
    for name, path in files.items():
        path.write_bytes(REJECTED[name][0]())
    sound = [directory / "sound", directory / "last"]
    for path in sound:
        path.write_bytes(SOUND_PTX)
    code, output, _ = run_cli(sound[0], *files.values(), sound[1], directory=work)
    assert code == 2
    assert not list(work.iterdir())
    report = json.loads(output)
    found = [artifact["path"] for artifact in report["artifacts"]]
    assert found == list(map(str, sound))
    return {
        name: [e["message"] for e in report["errors"] if e["path"].split("!")[0] == str(path)]
        for name, path in files.items()
    }


@pytest.mark.parametrize("name", REJECTED)
def test_hostile_file_is_rejected_and_other_files_are_read(
    rejections: dict[str, list[str]], name: str
) -> None:
    (message,) = rejections[name]
    assert re.search(REJECTED[name][1], message)


READ: dict[str, Callable[[], bytes]] = {
    # The number does not fit in the field of the header.
    "sections": lambda: make_elf([Part(name=f".text.{n}") for n in range(66_000)]),
    "symbols and targets": lambda: make_note_file(2000, 50_000),
    "empty sections": make_empty_sections,
    "members": lambda: make_archive([*[("a.txt/", b"")] * 100_000, ("b.ptx/", SOUND_PTX)]),
    "files": lambda: make_wheel([*[(str(n), b"") for n in range(60_000)], ("b.ptx", SOUND_PTX)], 0),
    "names that are the names": lambda: make_elf([Part(type=STRTAB, data=bytes(9), link=1)]),
    "braces": lambda: SOUND_PTX + b"{" * 200_000 + b"}" * 200_000,
    "statements": lambda: SOUND_PTX + b".const;" * 50_000,
    "kernels": lambda: SOUND_PTX + b".entry a() {}" * 20_000,
    "magic numbers": lambda: container(entry(NewEntry())) + b"\x50\xed\x55\xba" * 1_000_000,
    "entries": lambda: container(*[entry(NewEntry(data=bytes(8)))] * 20_000),
}


# The others repeat a limit of another level of the same file.
USUAL_READ = {"sections", "symbols and targets", "statements", "magic numbers", "braces"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in USUAL_READ else pytest.mark.slow) for n in READ]
)
def test_a_hundred_thousand_items_are_read_within_limits(tmp_path: Path, name: str) -> None:
    path = tmp_path / "many"
    path.write_bytes(READ[name]())
    inspect_beside_valid_file(path)


def test_both_reports_of_wide_tables_stay_small(tmp_path: Path) -> None:
    path = tmp_path / "wide"
    path.write_bytes(make_note_file(200, 1000))
    work = tmp_path / "work"
    work.mkdir()
    _, output, _ = run_cli(path, directory=work, report="text")
    assert len(output) < 1 << 20


def test_front_comments_take_linear_time() -> None:
    assert not looks_like_ptx(b"/**/" * 1000)
    assert looks_like_ptx(b"/* a */ // b\n/* **/ /***/\n.version 8.4")
    assert not looks_like_ptx(b"/* a .version 8.4")


def sparse_files(directory: Path) -> dict[str, Path]:
    ptx = make_member("a.ptx/", SOUND_PTX)
    elf = make_elf([Part(name=".nv_fatbin", data=bytes(8))])
    stored = make_wheel([("a", b"\1")], zipfile.ZIP_STORED)
    large = make_member("large/", b"", 4 * 10**9)
    found = {
        "zeros": write_sparse(directory / "zeros"),
        "front": write_sparse(directory / "front", (0, b"\x7fELF\x02\x01\x01")),
        "elf": write_sparse(directory / "elf", (0, elf)),
        "archive": write_sparse(directory / "archive.a", (0, b"!<arch>\n" + ptx + large)),
        "names": write_sparse(
            directory / "names.a", (0, b"!<arch>\n" + make_member("//", b"", 4 * 10**9))
        ),
        "name": write_sparse(
            directory / "name.a",
            (0, b"!<arch>\n" + make_member(f"#1/{4 * 10**9 - 9}", b"", 4 * 10**9)),
        ),
        "wheel": write_sparse(directory / "w.whl", (0, stored), ((4 << 30) - 100, stored[-76:])),
        "directory": write_sparse(directory / "d.whl", (0, b"PK\x03\x04")),
        "offload binary": write_sparse(
            directory / "o", (0, struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, 4 << 30, 32, 40))
        ),
        "bundle": write_sparse(directory / "b", (0, b"__CLANG_OFFLOAD_BUNDLE__\1")),
    }
    for name, kind, size in (
        *((".nv_fatbin", PROGBITS, 0), (".kbuild_fatbin", PROGBITS, 0), (".note.kbuild", NOTE, 0)),
        *((".symtab", SYMTAB, 24), (".rela.dyn", RELA, 24), (".init_array", INIT_ARRAY, 8)),
    ):
        found[name] = write_sparse_elf(directory / name[1:], name, kind, size)
    return found


@pytest.mark.slow
def test_sparse_files_of_four_gigabytes(tmp_path: Path) -> None:
    directory = tmp_path / "files"
    directory.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    files = sparse_files(directory)
    # Hashing each of them takes seconds, and so does the search for its end. See the next test.
    del files["offload binary"], files["bundle"]
    # A search for containers takes seconds per gigabyte: these are smaller here.
    for name in (".nv_fatbin", ".kbuild_fatbin"):
        files[name] = write_sparse_elf(directory / name[1:], name, PROGBITS, size=1 << 28)
    _, output, _ = run_cli("--summary", *files.values(), directory=work)
    report = json.loads(output)
    known = {artifact["path"].partition("!")[0] for artifact in report["artifacts"]}
    known |= {error["path"].partition("!")[0] for error in report["errors"]}
    assert known == {str(path) for path in files.values()}
    assert not list(work.iterdir())


@pytest.mark.slow
def test_sparse_files_of_four_gigabytes_are_read_in_full(tmp_path: Path) -> None:
    files = sparse_files(tmp_path)
    for path in files.values():
        run_cli(path, "--max-archive-size", "1M", directory=tmp_path)


def test_sparse_tables_are_not_read(tmp_path: Path) -> None:
    symtab = Elf(open_content(write_sparse_elf(tmp_path / "a", ".symtab", SYMTAB, 24)))
    rela = Elf(open_content(write_sparse_elf(tmp_path / "b", ".rela.dyn", RELA, 24)))
    with pytest.raises(InputError, match="the limit is"):
        _ = symtab.symbols
    with pytest.raises(InputError, match="the limit is"):
        _ = rela.content(rela.sections[1])


def bomb(size: int) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(size)


def only(facts: tuple[ArtifactFacts, ...]) -> Any:
    (one,) = facts
    return one


@pytest.mark.parametrize("flags", [LZ4, ZSTD])
@pytest.mark.parametrize("kind", [2, PTX])
def test_image_larger_than_the_limit_is_a_problem(flags: int, kind: int) -> None:
    image = entry(NewEntry(data=bomb(4 << 20), flags=0x11 | flags, kind=kind))
    facts = only(
        inspect_content("bomb", container(image), ReadOptions(image_limit=1 << 20, jobs=1))
    )
    assert "the limit is 1048576" in facts.images[0].problem


@pytest.mark.parametrize("flags", [LZ4, ZSTD])
@pytest.mark.parametrize("size", [1 << 29, 1 << 40, (1 << 64) - 1])
def test_image_with_forged_size_is_a_problem(flags: int, size: int) -> None:
    image = bytearray(entry(NewEntry(data=bomb(100), flags=0x11 | flags)))
    struct.pack_into("<Q", image, 0x38, size)
    facts = only(inspect_content("bomb", container(bytes(image))))
    assert facts.images[0].problem


@pytest.mark.parametrize(
    ("compression", "stored"),
    [
        ("zlib", zlib.compress(bytes(1 << 20))),
        ("zstd", zstandard.ZstdCompressor().compress(bytes(1 << 20))),
        ("lz4", lz4.block.compress(bytes(1 << 20), store_size=False)),
    ],
)
def test_decompression_is_bounded(compression: Compression, stored: bytes) -> None:
    view = memoryview(stored)
    assert len(decompress(compression, view, 1 << 20)) == 1 << 20
    for size, limit, message in (
        (1 << 20, (1 << 20) - 1, "the limit is"),
        (len(stored) << 20, 1 << 62, "can yield|not a valid|frame"),
        (1000, 1 << 30, "not a valid|end where|frame|but yields"),
    ):
        with pytest.raises(InputError, match=message):
            decompress(compression, view, size, limit=limit)


def test_wheels_in_a_wheel_share_its_limit() -> None:
    inner = make_wheel([("a.so", bomb(1 << 20))])
    outer = make_wheel((f"{number}.whl", inner) for number in range(20))
    options = ReadOptions(archive_limit=5 << 20, jobs=1)
    found = inspect_content("outer.whl", outer, options)
    limited = [f for f in found if f.problems and "limit leaves" in f.problems[0].message]
    assert len(found) == 20
    assert len(limited) == 16


def test_damaged_members_count_toward_the_limit() -> None:
    """All entries of the directory refer to one member, whose checksum is wrong."""
    wheel = bytearray(make_wheel([("a.so", bomb(1 << 20))]))
    start = wheel.index(b"PK\x01\x02")
    for place in (14, start + 16):
        wheel[place] ^= 0xFF
    options = ReadOptions(archive_limit=5 << 20, jobs=1)
    found = inspect_content("w.whl", repeat_directory(bytes(wheel), 50), options)
    messages = [facts.problems[0].message for facts in found]
    assert len(messages) == 50
    assert sum("limit leaves" in m or "verlap" in m for m in messages) >= 45


def test_deeply_nested_wheels_are_rejected() -> None:
    wheel = make_wheel([("a.ptx", SOUND_PTX)])
    for _ in range(50):
        wheel = make_wheel([("w.whl", wheel), ("b.ptx", SOUND_PTX)])
    found = inspect_content("w.whl", wheel)
    assert [facts.kind for facts in found] == ["other", "image", "image", "image"]
    assert "nested more than 3 deep" in found[0].problems[0].message


def test_member_larger_than_declared_is_a_problem(tmp_path: Path) -> None:
    wheel = bytearray(make_wheel([("a.so", bomb(1 << 20))]))
    start = wheel.index(b"PK\x01\x02")
    for place in (22, start + 24):
        struct.pack_into("<I", wheel, place, 8192)
    path = tmp_path / "w.whl"
    path.write_bytes(wheel)
    code, errors = inspect_beside_valid_file(path)
    assert code == 2
    assert len(errors) == 1


NAMES = ("../../up.so", "/absolute.so", "..\\back.so", "a/../../b.so", "C:\\x.so", "a\0b.so")


def test_wheel_members_are_not_written_to_files(tmp_path: Path) -> None:
    """Large members use temporary files, but these have no names."""
    directory = tmp_path / "a" / "b"
    directory.mkdir(parents=True)
    large = make_elf([Part(name=".data", data=bytes(17 << 20))])
    members = [(name, large if name == NAMES[0] else SOUND_PTX) for name in NAMES]
    (tmp_path / "w.whl").write_bytes(make_wheel(members))
    table = "".join(f"{name}/\n" for name in NAMES).encode()
    fields = [(f"/{table.index(name.encode())}", SOUND_PTX) for name in NAMES]
    (tmp_path / "a.a").write_bytes(make_archive([("//", table), *fields]))
    before = sorted(tmp_path.rglob("*"))
    code, output, _ = run_cli(tmp_path / "w.whl", tmp_path / "a.a", directory=directory)
    assert code == 0
    assert len(json.loads(output)["artifacts"]) == 2 * len(NAMES)
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/absolute.so").exists()


def test_special_files_are_rejected(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "loop").symlink_to("loop")
    for path in (pipe, Path("/dev/zero"), Path("/dev/tty"), tmp_path / "loop"):
        code, _, error = run_cli(path, directory=tmp_path)
        assert code == 2
        assert str(path) in error


def test_directories_that_contain_themselves_are_read_once(tmp_path: Path) -> None:
    work = tmp_path / "work"
    directory = tmp_path / "tree" / "a"
    directory.mkdir(parents=True)
    work.mkdir()
    (directory / "up").symlink_to(tmp_path / "tree")
    (directory / "self").symlink_to("self")
    os.mkfifo(directory / "pipe")
    (directory / "sound.ptx").write_bytes(SOUND_PTX)
    code, output, _ = run_cli(tmp_path / "tree", directory=work)
    assert code == 0
    assert len(json.loads(output)["artifacts"]) == 1


@pytest.fixture
def other_user() -> Iterator[None]:
    """Run the test as another user, because root can read every file."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield
    os.seteuid(user)


def test_file_without_permission_is_a_separate_error(other_user: None) -> None:  # noqa: ARG001
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "sound.ptx").write_bytes(SOUND_PTX)
        (directory / "secret.ptx").write_bytes(SOUND_PTX)
        (directory / "secret.ptx").chmod(0)
        found = dict(inspect_files(find_artifacts(directory)))
    assert isinstance(found[directory / "sound.ptx"], tuple)
    assert "Permission denied" in str(found[directory / "secret.ptx"])


def test_images_above_the_total_limit_are_problems() -> None:
    zeros = NewEntry(data=bytes(1 << 20), flags=0x11 | ZSTD)
    content = container(*(entry(zeros) for _ in range(4)))
    (facts,) = inspect_content("bomb.fatbin", content, ReadOptions(archive_limit=2 << 20))
    refused = ["decompress to more than" in str(image.problem) for image in facts.images]
    assert refused == [False, False, True, True]
