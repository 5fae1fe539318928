"""The verifier on real ELF files: sound ones, badly built ones, and mutations."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    SCALE,
    SCALE_PARAMS,
    SCALE_STUB,
    Design,
    Image,
    build_image,
    build_object,
    link_shared,
    run,
    with_stub,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import (
    change_image,
    change_record,
    change_symbol,
    file_offset,
    patch,
    section_range,
)

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats.elf import Elf
from kbuild.inspect import inspect_path
from kbuild.inspect.paths import inspect_content
from kbuild.model import Param, TargetRecord
from kbuild.record import sha256
from kbuild.verify import Policy, Report, verify
from kbuild.verify.catalogue import RULES

LINKERS = ("bfd", "gold", "lld")
KERNELS = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("artifacts")


@pytest.fixture(scope="module")
def images(workspace: Path) -> tuple[Image, ...]:
    return tuple(build_image(workspace, arch, KERNELS) for arch in ARCHITECTURES)


@pytest.fixture(scope="module")
def design(images: tuple[Image, ...]) -> Design:
    return Design(images=images)


@pytest.fixture(scope="module")
def sound_object(workspace: Path, design: Design) -> Path:
    return build_object(workspace, design, "sound")


@pytest.fixture(scope="module")
def sound(workspace: Path, sound_object: Path) -> bytes:
    """A sound shared object, its handles hidden."""
    return link_shared([sound_object], workspace / "libsound.so").read_bytes()


def found_rules(report: Report) -> set[str]:
    assert not report.rules_errored
    return {finding.rule for finding in report.findings}


def judge(path: Path, policy: Policy | None = None) -> Report:
    return verify(inspect_path(path), policy)


def judge_bytes(data: bytes) -> set[str]:
    return found_rules(verify(inspect_content("mutated.so", data)))


def assert_all_ran_clean(report: Report) -> None:
    assert report.findings == ()
    assert report.rules_run == tuple(rule.id for rule in RULES)
    assert report.rules_skipped == ()
    assert report.ok


# Sound artifacts, in every form.


@pytest.mark.parametrize("visibility", ["default", "hidden"])
@pytest.mark.parametrize("has_stub", [True, False])
def test_sound_object_archive_and_libraries(
    tmp_path: Path, design: Design, visibility: str, has_stub: bool
) -> None:
    variant = replace(with_stub(design) if has_stub else design, visibility=visibility)
    compiled = build_object(tmp_path, variant)
    archive = tmp_path / "libk.a"
    run("ar", "rcs", archive, compiled)
    assert_all_ran_clean(judge(compiled))
    assert_all_ran_clean(judge(archive))
    for linker in LINKERS:
        library = link_shared([compiled], tmp_path / f"lib{linker}.so", linker=linker)
        assert_all_ran_clean(judge(library))


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("mode", ["-pie", "-no-pie", "-static"])
def test_sound_executable(tmp_path: Path, sound_object: Path, linker: str, mode: str) -> None:
    main = tmp_path / "main.c"
    main.write_text("int main(void) { return 0; }\n")
    program = tmp_path / "program"
    run("gcc", f"-fuse-ld={linker}", mode, main, sound_object, "-o", program)
    (facts,) = inspect_path(program)
    assert facts.kind == "executable"
    assert_all_ran_clean(judge(program))


def test_packed_relative_relocations_are_read(tmp_path: Path, sound_object: Path) -> None:
    library = link_shared(
        [sound_object], tmp_path / "librelr.so", "-Wl,--pack-dyn-relocs=relr", linker="lld"
    )
    assert any(s.name == ".relr.dyn" for s in Elf(library.read_bytes()).sections)
    assert_all_ran_clean(judge(library))


@pytest.mark.parametrize("linker", LINKERS)
def test_two_targets_in_one_library(
    tmp_path: Path, workspace: Path, sound_object: Path, images: tuple[Image, ...], linker: str
) -> None:
    name = "_Z5otherPf"
    row = replace(
        Design(images=images).rows[0],
        handle=name,
        device_name=name,
        display="other(float*)",
        params=SCALE_PARAMS[:1],
    )
    image = build_image(workspace, "x86-64", {name: SCALE_PARAMS[:1]})
    other = build_object(tmp_path, Design(images=(image,), rows=(row,)), "other")
    library = link_shared([sound_object, other], tmp_path / "libtwo.so", linker=linker)
    (facts,) = inspect_path(library)
    assert [len(module.record.kernels) for module in facts.modules] == [2, 1]
    assert [image.container for image in facts.images] == [0, 0, 1]
    assert_all_ran_clean(judge(library))


def test_stripped_hidden_handles_are_not_judged(tmp_path: Path, sound: bytes) -> None:
    library = tmp_path / "libsound.so"
    library.write_bytes(sound)
    run("strip", library)
    report = judge(library)
    assert report.findings == ()
    assert {note.rule for note in report.rules_skipped} == {"KB301", "KB303"}
    assert "KB308" in report.rules_run


def test_stripped_exported_handles_are_judged(tmp_path: Path, design: Design) -> None:
    compiled = build_object(tmp_path, replace(with_stub(design), visibility="default"))
    library = link_shared([compiled], tmp_path / "libk.so")
    run("strip", library)
    assert_all_ran_clean(judge(library))


def test_policy_architecture_is_asked_of_every_container(sound_object: Path) -> None:
    policy = Policy(required_architectures=("x86-64", "x86-64-v4"))
    report = judge(sound_object, policy)
    (finding,) = report.findings
    assert (finding.rule, finding.arch) == ("KB101", "x86-64-v4")
    assert not report.ok


# Badly built artifacts, by rule.  Their clean twin is the sound one above.


def _narrow(params: tuple[Param, ...]) -> tuple[Param, ...]:
    return (*params[:-1], replace(params[-1], size=8, offset=16))


def _lacking_architecture(_: Path, design: Design) -> Design:
    return replace(design, packed=design.images[:1])


def _lacking_kernel(directory: Path, design: Design) -> Design:
    image = build_image(directory, "x86-64-v3", {SCALE: SCALE_PARAMS})
    return replace(design, images=(design.images[0], image))


def _other_layout(directory: Path, design: Design) -> Design:
    kernels = {SCALE: _narrow(SCALE_PARAMS), AXPY: AXPY_PARAMS}
    return replace(design, images=(design.images[0], build_image(directory, "x86-64-v3", kernels)))


def _cut_image(_: Path, design: Design) -> Design:
    first, second = design.images
    return replace(design, images=(first, replace(second, data=second.data[:4096])))


def _undefined_handle(_: Path, design: Design) -> Design:
    return replace(design, c=(("void *handle_0 RELRO = 0;", ""),))


def _handle_of_32_bytes(_: Path, design: Design) -> Design:
    definition = ("void *handle_0 RELRO = 0;", "void *handle_0[4] RELRO = { 0 };")
    return replace(design, c=(definition, ("extern void *handle_0 ", "extern void *handle_0[4] ")))


def _writable_handle(_: Path, design: Design) -> Design:
    new = 'void *handle_0 __attribute__((section(".data"))) = 0;'
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _folded_handles(_: Path, design: Design) -> Design:
    new = f'__asm__(".globl {AXPY}\\n.hidden {AXPY}\\n.set {AXPY}, {SCALE}");'
    return replace(design, c=(("void *handle_1 RELRO = 0;", new),))


def _filled_slot(_: Path, design: Design) -> Design:
    new = "static void register_module(void);\nvoid *handle_0 RELRO = (void *)register_module;"
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _empty_slot(_: Path, design: Design) -> Design:
    return replace(
        with_stub(design),
        c=(("void *handle_0 RELRO = (void *)own_stub_0;", "void *handle_0 RELRO = 0;"),),
    )


def _no_constructor(_: Path, design: Design) -> Design:
    return replace(design, c=((", constructor(101)", ""),))


def _no_descriptor(_: Path, design: Design) -> Design:
    return replace(design, c=((".quad module_data - .", ".quad 0"),))


def _foreign_container(_: Path, design: Design) -> Design:
    return replace(design, c=(("{ { fat_binary, ", "{ { (const void *)record, "),))


def _other_hash(_: Path, design: Design) -> Design:
    return replace(design, hashes=(sha256(design.images[0].data), "0" * 64))


def _undescribed_image(directory: Path, design: Design) -> Design:
    extra = build_image(directory, "x86-64-v2", KERNELS)
    return replace(design, packed=(*design.images, extra))


@pytest.mark.parametrize(
    ("rule", "spoil"),
    [
        ("KB101", _lacking_architecture),
        ("KB103", _lacking_kernel),
        ("KB108", _other_layout),
        ("KB109", _cut_image),
        ("KB301", _undefined_handle),
        ("KB303", _handle_of_32_bytes),
        ("KB303", _writable_handle),
        ("KB304", _folded_handles),
        ("KB308", _filled_slot),
        ("KB308", _empty_slot),
        ("KB401", _no_constructor),
        ("KB401", _no_descriptor),
        ("KB401", _foreign_container),
        ("KB601", _other_hash),
        ("KB601", _undescribed_image),
    ],
)
def test_badly_built_raises_its_rule_alone(
    tmp_path: Path, design: Design, rule: str, spoil: Callable[[Path, Design], Design]
) -> None:
    compiled = build_object(tmp_path, spoil(tmp_path, design))
    assert found_rules(judge(compiled)) == {rule}
    if spoil is _undefined_handle:  # does not link, which is the point of the rule
        return
    for linker in LINKERS:
        library = link_shared([compiled], tmp_path / f"lib{linker}.so", linker=linker)
        report = judge(library)
        assert found_rules(report) == {rule}
        assert not report.ok


def test_handle_without_relro_is_writable(tmp_path: Path, sound_object: Path) -> None:
    library = link_shared([sound_object], tmp_path / "libk.so", "-Wl,-z,norelro")
    assert found_rules(judge(library)) == {"KB303"}


def test_interposable_stub_is_a_warning(tmp_path: Path, design: Design) -> None:
    variant = replace(
        with_stub(design), visibility="default", c=(("(void *)own_stub_0", "(void *)stub_0"),)
    )
    library = link_shared([build_object(tmp_path, variant)], tmp_path / "libk.so")
    report = judge(library)
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("KB308", "warning")
    assert report.ok


def test_initialisers_discarded_at_the_link(tmp_path: Path, sound_object: Path) -> None:
    objcopied = tmp_path / "plain.o"
    shutil.copy(sound_object, objcopied)
    run("objcopy", "--remove-section=.init_array.00101", objcopied)
    assert found_rules(judge(objcopied)) == {"KB401"}


# Mutations of a sound file: each raises exactly its rule.


def _without_second_image(data: bytes, images: tuple[Image, ...]) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    second = data.index(b"\x10\xff\x10\xad", place.start + 4)
    return patch(data, second, bytes(place.stop - second))


def _renamed_kernel(data: bytes, images: tuple[Image, ...]) -> bytes:
    other = AXPY.replace("axpy", "axpq")
    old = images[1].data
    data = change_image(data, old, old.replace(AXPY.encode(), other.encode()), fix_hash=True)

    def change(record: TargetRecord) -> TargetRecord:
        (container,) = record.containers
        first, second = container.images
        second = replace(second, kernels=(SCALE, other))
        return replace(record, containers=(replace(container, images=(first, second)),))

    return change_record(data, change)


def _changed_parameter(data: bytes, images: tuple[Image, ...]) -> bytes:
    def change(record: TargetRecord) -> TargetRecord:
        first, *others = record.kernels
        params = (*first.params[:-1], replace(first.params[-1], size=8))
        return replace(record, kernels=(replace(first, params=params), *others))

    return change_record(data, change)


def _changed_layout_in_image(data: bytes, images: tuple[Image, ...]) -> bytes:
    layout = struct.pack("<6I", 0, 8, 8, 4, 12, 4)
    old = images[1].data
    assert old.count(layout) == 1
    new = old.replace(layout, struct.pack("<6I", 0, 8, 8, 4, 16, 4))
    return change_image(data, old, new, fix_hash=True)


def _broken_elf(data: bytes, images: tuple[Image, ...]) -> bytes:
    return change_image(data, images[1].data, b"\0" + images[1].data[1:])


def _zeroed_image(data: bytes, images: tuple[Image, ...]) -> bytes:
    return change_image(data, images[0].data, bytes(len(images[0].data)))


def _broken_container_magic(data: bytes, images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".kbuild_fatbin").start, b"\x11")


def _broken_container_size(data: bytes, images: tuple[Image, ...]) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    (size,) = struct.unpack_from("<Q", data, start + 8)
    return patch(data, start + 8, struct.pack("<Q", size + 64))


def _huge_container_size(data: bytes, images: tuple[Image, ...]) -> bytes:
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 8, struct.pack("<Q", 1 << 62))


def _cut_container_entry(data: bytes, images: tuple[Image, ...]) -> bytes:
    # The image's size: the last field of the entry that follows the header.
    start = section_range(data, ".kbuild_fatbin").start
    return patch(data, start + 32 + 32, struct.pack("<Q", 1 << 40))


def _nameless_handle(data: bytes, images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[0] = 0

    return change_symbol(data, SCALE, change)


def _small_handle(data: bytes, images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[5] = 4

    return change_symbol(data, SCALE, change)


def _function_handle(data: bytes, images: tuple[Image, ...]) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 2

    return change_symbol(data, SCALE, change)


def _shared_handle(data: bytes, images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    first, second = facts.handles
    assert first.symbol and second.symbol and first.place and second.place

    def change(fields: list[int]) -> None:
        assert first.symbol
        fields[4] = first.symbol.value

    # The kernel table holds the handle's address, in a relocation without a symbol.
    data = change_symbol(data, AXPY, change)
    old, new = (struct.pack("<Q", h.symbol.value) for h in (second, first) if h.symbol)
    rela = section_range(data, ".rela.dyn")
    at = data.index(old, rela.start, rela.stop)
    return patch(data, at, new)


def _filled_handle(data: bytes, images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    place, constructor = facts.handles[0].place, facts.modules[0].constructor
    assert place and constructor
    address = Elf(data).address(constructor)
    return patch(data, file_offset(data, place), struct.pack("<Q", address))


def _other_initialiser(data: bytes, images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    constructor = facts.modules[0].constructor
    assert constructor
    address = Elf(data).address(constructor)
    rela = section_range(data, ".rela.dyn")
    at = data.index(struct.pack("<Q", address), rela.start, rela.stop)
    return patch(data, at, struct.pack("<Q", address + 1))


def _broken_descriptor_abi(data: bytes, images: tuple[Image, ...]) -> bytes:
    (facts,) = inspect_content("x", data)
    descriptor = facts.modules[0].descriptor
    assert descriptor
    return patch(data, file_offset(data, descriptor), struct.pack("<I", 99))


def _flipped_code_byte(data: bytes, images: tuple[Image, ...]) -> bytes:
    image = images[1].data
    at = section_range(image, ".text").start
    return change_image(data, image, patch(image, at, bytes([image[at] ^ 0xFF])))


def _other_label(data: bytes, images: tuple[Image, ...]) -> bytes:
    place = section_range(data, ".kbuild_fatbin")
    at = data.index(b"x86-64-v3\0", place.start)
    return patch(data, at, b"x86-64-v4")


def _broken_record(data: bytes, images: tuple[Image, ...]) -> bytes:
    at = data.index(b'{"schema"', section_range(data, ".note.kbuild").start)
    return patch(data, at, b"[")


def _broken_note_version(data: bytes, images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 20, struct.pack("<I", 9))


def _cut_note(data: bytes, images: tuple[Image, ...]) -> bytes:
    return patch(data, section_range(data, ".note.kbuild").start + 4, struct.pack("<I", 1 << 20))


MUTATIONS: tuple[tuple[str, Callable[[bytes, tuple[Image, ...]], bytes]], ...] = (
    ("KB101", _without_second_image),
    ("KB103", _renamed_kernel),
    ("KB108", _changed_parameter),
    ("KB108", _changed_layout_in_image),
    ("KB109", _broken_elf),
    ("KB109", _zeroed_image),
    ("KB109", _broken_container_magic),
    ("KB109", _broken_container_size),
    ("KB109", _huge_container_size),
    ("KB109", _cut_container_entry),
    ("KB301", _nameless_handle),
    ("KB303", _small_handle),
    ("KB303", _function_handle),
    ("KB304", _shared_handle),
    ("KB308", _filled_handle),
    ("KB401", _other_initialiser),
    ("KB401", _broken_descriptor_abi),
    ("KB601", _flipped_code_byte),
    ("KB601", _other_label),
    ("KB601", _broken_record),
    ("KB601", _broken_note_version),
    ("KB601", _cut_note),
)


@pytest.mark.parametrize(("rule", "mutate"), MUTATIONS, ids=lambda v: getattr(v, "__name__", v))
def test_mutation_raises_its_rule_alone(
    sound: bytes,
    images: tuple[Image, ...],
    rule: str,
    mutate: Callable[[bytes, tuple[Image, ...]], bytes],
) -> None:
    assert judge_bytes(sound) == set()
    mutated = mutate(sound, images)
    assert mutated != sound
    assert judge_bytes(mutated) == {rule}


def test_every_rule_has_a_mutation() -> None:
    assert {rule for rule, _ in MUTATIONS} == {rule.id for rule in RULES}


# What no rule speaks of: files that are no artifacts any more.


def _read(data: bytes) -> tuple[ArtifactFacts, ...]:
    try:
        return inspect_content("fuzzed", data)
    except InputError:
        return ()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cut=st.floats(0, 1))
def test_truncation_never_crashes(sound: bytes, cut: float) -> None:
    verify(_read(sound[: int(cut * len(sound))]))


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=8))
def test_flipped_bytes_never_crash(sound: bytes, flips: list[tuple[float, int]]) -> None:
    data = bytearray(sound)
    for where, bits in flips:
        data[min(int(where * len(data)), len(data) - 1)] ^= bits
    assert not verify(_read(bytes(data))).rules_errored


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_flipped_bytes_where_kbuild_reads_never_crash(sound: bytes, data: st.DataObject) -> None:
    names = (".note.kbuild", ".data.rel.ro", ".rela.dyn", ".symtab", ".init_array", ".dynamic")
    mutated = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        place = section_range(sound, data.draw(st.sampled_from(names)))
        at = data.draw(st.integers(place.start, place.stop - 1))
        mutated[at] = data.draw(st.integers(0, 255))
    assert not verify(_read(bytes(mutated))).rules_errored


def test_stub_symbol_is_shown(tmp_path: Path, design: Design) -> None:
    (facts,) = inspect_path(build_object(tmp_path, with_stub(design)))
    first, second = facts.handles
    assert first.row.stub == SCALE_STUB
    assert first.stub is not None
    assert first.content is not None
    assert first.content.place == first.stub
    assert second.stub is None
    assert second.content is not None
    assert second.content.is_null
