from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts, DynamicFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect import ReadOptions, find_artifacts, inspect_path
from kbuild.inspect.image_bytes import iterate_artifacts
from kbuild.inspect.paths import inspect_content


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an object, an archive, a library, and programs, all without kernels."""
    root = tmp_path_factory.mktemp("host")
    (root / "f.c").write_text("int f(void) { return 0; }\nint main(void) { return f(); }\n")
    for command in (
        ["gcc", "-c", "f.c"],
        ["ar", "rcs", "libf.a", "f.o", "f.c"],
        ["gcc", "-shared", "-fPIC", "f.c", "-o", "libf.so"],
        ["gcc", "f.c", "-o", "program"],
        ["gcc", "-no-pie", "f.c", "-o", "fixed"],
    ):
        subprocess.run(command, cwd=root, check=True)
    (root / "below").mkdir()
    (root / "below" / "g.o").write_bytes((root / "f.o").read_bytes())
    (root / "link.so").symlink_to("libf.so")
    return root


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("f.o", "object"),
        ("libf.so", "shared-object"),
        ("program", "executable"),
        ("fixed", "executable"),
        ("link.so", "shared-object"),
    ],
)
def test_kind_of_host_file(directory: Path, name: str, kind: str) -> None:
    (facts,) = inspect_path(directory / name)
    assert (facts.path, facts.kind, facts.machine) == (str(directory / name), kind, "x86_64")
    assert (facts.modules, facts.images, facts.handles) == ((), (), ())


def test_archive_member_path_includes_the_archive(directory: Path) -> None:
    (facts,) = inspect_path(directory / "libf.a")
    assert facts.path == f"{directory / 'libf.a'}!f.o"
    assert facts.kind == "object"


def test_files_read_in_parallel_have_the_same_facts(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = inspect_path(directory, ReadOptions(jobs=1))
    done: list[int] = []
    monkeypatch.setattr("kbuild.inspect.paths._PARALLEL", 0)
    assert inspect_path(directory, ReadOptions(jobs=2, progress=done.append)) == alone
    sizes = [path.stat().st_size for path in find_artifacts(directory)]
    assert done == sizes


def test_summary_reads_no_symbols(directory: Path) -> None:
    (facts,) = inspect_path(directory / "f.o", ReadOptions(summary=True))
    assert (facts.kind, facts.machine, facts.is_summary) == ("object", "x86_64", True)
    assert (facts.sha256, facts.symbols) == (None, ())


def test_mapped_file_has_the_same_facts_as_one_in_memory(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = inspect_path(directory)
    monkeypatch.setattr("kbuild.inspect.file_content._MAPPED", 0)
    monkeypatch.setattr("kbuild.formats.buffer._COPIED", 0)
    assert inspect_path(directory) == expected


def test_listed_containers_do_not_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 16) + bytes(1 << 16)
    (tmp_path / "containers").write_bytes(container * 8)
    (tmp_path / "f.s").write_text('.section .nv_fatbin,"a"\n.balign 8\n.incbin "containers"\n')
    subprocess.run(["gcc", "-shared", "-nostdlib", "f.s", "-o", "f.so"], cwd=tmp_path, check=True)
    released: list[int] = []
    monkeypatch.setattr("kbuild.inspect.containers.KEPT", 1 << 17)
    monkeypatch.setattr("kbuild.inspect.containers.release", lambda c: released.append(len(c)))

    inspect_path(tmp_path / "f.so")

    assert released == [len(container) * 8] * 3


def test_directory_is_searched_in_order_and_without_symbolic_links(directory: Path) -> None:
    found = find_artifacts(directory)
    names = [str(path.relative_to(directory)) for path in found]
    assert names == ["f.o", "fixed", "libf.a", "libf.so", "program", "below/g.o"]
    assert len(inspect_path(directory)) == len(names)


def test_file_is_its_own_artifact(directory: Path) -> None:
    assert find_artifacts(directory / "f.c") == (directory / "f.c",)


def test_deeply_nested_archives_are_not_opened(tmp_path: Path) -> None:
    content = b""
    for _ in range(2000):
        header = f"{'a.a/':<48}{len(content):<10}`\n"
        content = b"!<arch>\n" + header.encode() + content + b"\n" * (len(content) % 2)
    path = tmp_path / "nested.a"
    path.write_bytes(content)
    ((name, _),) = iterate_artifacts(path, ReadOptions())
    assert name == f"{path}!a.a!a.a!a.a"
    (facts,) = inspect_path(path)
    assert "nested more than 3 deep" in facts.problems[0].message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"#!/bin/sh\n", "not an artifact"),
        (b"\x7fELF", "not a valid ELF file"),
        (b"\x7fELF" + bytes(100), "not a valid ELF file|not an object"),
        (b"!<arch>\n", "no artifact in this archive"),
        (b"!<arch>\nrubbish", "invalid member header"),
        (b"!<thin>\n", "thin archive"),
    ],
)
def test_content_that_is_not_an_artifact_is_rejected(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "input"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        inspect_path(path)
    assert str(caught.value).startswith(str(path))


def test_unreadable_paths_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        inspect_path(tmp_path / "absent")
    with pytest.raises(InputError, match="no artifact in this directory"):
        inspect_path(tmp_path)
    with pytest.raises(InputError, match="not a file or directory"):
        inspect_path(Path("/dev/null"))


def test_big_endian_files_are_rejected(directory: Path) -> None:
    content = bytearray((directory / "f.o").read_bytes())
    content[5] = 2  # big-endian
    with pytest.raises(InputError):
        inspect_content("big.o", bytes(content))


def test_core_files_are_rejected(directory: Path) -> None:
    content = bytearray((directory / "program").read_bytes())
    content[16] = 4  # ET_CORE
    with pytest.raises(InputError, match="not an object, shared object, or executable"):
        inspect_content("core", bytes(content))


def test_split_debug_files_are_rejected(directory: Path, tmp_path: Path) -> None:
    debug = tmp_path / "libf.debug"
    source = directory / "libf.so"
    subprocess.run(["objcopy", "--only-keep-debug", str(source), str(debug)], check=True)
    with pytest.raises(InputError, match="contains only debug information"):
        inspect_path(debug)


def read_c(directory: Path, text: str, *options: str) -> ArtifactFacts:
    (directory / "c.c").write_text(text)
    subprocess.run(["gcc", "-O2", "c.c", *options, "-o", "c.out"], cwd=directory, check=True)
    (facts,) = inspect_path(directory / "c.out")
    return facts


def uses(facts: ArtifactFacts) -> set[tuple[str, str]]:
    return {(reference.kind, reference.symbol) for reference in facts.references}


USER = """\
void called(void), passed(void), jumped(void), own(void);
extern int value;
__attribute__((noinline)) void own(void) { __asm__(""); }
void f(void (**to)(void)) { own(); called(); *to = passed; jumped(); }
int *g(void) { return &value; }
"""


def test_object_references_what_it_calls_but_not_its_own_functions(tmp_path: Path) -> None:
    calls = {("call", "called"), ("call", "jumped")}
    for options in (("-fPIC",), ("-fPIC", "-fno-plt")):
        assert uses(read_c(tmp_path, USER, "-c", *options)) == calls
    addresses = {("absolute-32", "passed"), ("absolute-32", "value")}
    assert uses(read_c(tmp_path, USER, "-c", "-fno-pie")) == calls | addresses


def test_call_opcodes_in_data_are_not_references(tmp_path: Path) -> None:
    text = '__asm__(".data\\n.byte 0xe8\\n.long called - . - 4\\n.text");\n'
    assert uses(read_c(tmp_path, text, "-c")) == set()


def test_program_references_call_slots_and_copies(tmp_path: Path) -> None:
    text = '#include <stdio.h>\nint main(void) { return puts("x") + getc(stdin); }\n'
    facts = read_c(tmp_path, text, "-no-pie", "-fno-pie", "-Wl,-z,lazy")
    assert {("call-slot", "puts"), ("copy", "stdin")} <= uses(facts)
    assert facts.dynamic is not None
    assert facts.dynamic.needed == ("libc.so.6",)


def test_dynamic_section_facts(tmp_path: Path) -> None:
    options = ("-shared", "-fPIC", "-nostdlib")
    plain = read_c(tmp_path, "int f;\n", *options).dynamic
    assert plain == DynamicFacts(
        soname=None, needed=(), is_symbolic=False, has_text_relocations=False
    )
    linker_options = ("-Wl,-Bsymbolic", "-Wl,-soname,libf.so.1")
    symbolic = read_c(tmp_path, "int f;\n", *options, *linker_options).dynamic
    assert symbolic is not None
    assert (symbolic.soname, symbolic.is_symbolic) == ("libf.so.1", True)
    assert read_c(tmp_path, "int main(void) { return 0; }\n", "-static").dynamic is None
    assert read_c(tmp_path, "int f;\n", "-c").dynamic is None


@pytest.mark.parametrize("name", ["f.o", "libf.so"])
def test_symbols_in_missing_sections_are_rejected(directory: Path, name: str) -> None:
    content = bytearray((directory / name).read_bytes())
    elf = Elf(bytes(content))
    (table,) = elf.sections_named(".symtab")
    number = next(n for n in range(table.size // 24) if elf.symbols[-n].name == "f")
    at = table.offset + table.size - 24 * number
    content[at + 6 : at + 8] = (200).to_bytes(2, "little")
    with pytest.raises(
        InputError, match=r"symbol 'f' is in section 200, but the file has \d+ sections"
    ):
        inspect_content(name, bytes(content))


STARTS = (
    *(b"\x7fELF\x02\x01\x01", b"!<arch>\n", b"PK\x03\x04", b"\x10\xff\x10\xad"),
    *(b"\x50\xed\x55\xba\x01\x00\x10\x00", b".version 9.0\n.target sm_90\n"),
    b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7) + b"\x02\x00\xbe\x00",
)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_rejected(content: bytes) -> None:
    for start in (b"", *STARTS):
        try:
            found = inspect_content("random", start + content)
        except InputError:
            continue
        # Content that starts like device code is reported as such, with problems.
        assert all(facts.kind in ("image", "fat-binary", "other") for facts in found)
