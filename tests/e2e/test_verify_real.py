"""The verifier on real ELF files: sound ones, badly built ones, and mutations."""

from __future__ import annotations

import shutil
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

from kbuild.formats.elf import Elf
from kbuild.inspect import inspect_path
from kbuild.model import Param
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


# What there is to judge in some artifacts only.
STUBS = ("KB305", "KB307")
CALLS = ("KB309",)
PROGRAMS = ("KB501",)
EXPORTS = ("KB502",)
# What asks for a policy or a baseline, for images that say what they need, for the files of
# other tools, or for linked ones.
UNASKED = frozenset(
    (
        *("KB003", "KB102", "KB105", "KB106", "KB107", "KB110"),
        *("KB201", "KB202", "KB203", "KB204", "KB205"),
        *("KB402", "KB403", "KB404", "KB405", "KB406", "KB409", "KB504", "KB506", "KB602", "KB604"),
    )
)


def assert_clean(report: Report, *unjudged: str) -> None:
    assert report.findings == ()
    skipped = tuple(note.rule for note in report.rules_skipped)
    assert tuple(rule for rule in skipped if rule not in UNASKED) == unjudged
    assert report.rules_run == tuple(rule.id for rule in RULES if rule.id not in skipped)
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
    stubs = () if has_stub else STUBS
    assert_clean(judge(compiled), *stubs, *PROGRAMS, *EXPORTS)
    assert_clean(judge(archive), *stubs, *PROGRAMS, *EXPORTS)
    for linker in LINKERS:
        library = link_shared([compiled], tmp_path / f"lib{linker}.so", linker=linker)
        if visibility == "default":
            assert_clean(judge(library), *stubs, *PROGRAMS)
        else:
            assert_clean(judge(library), *stubs, *CALLS, *PROGRAMS, *EXPORTS)


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("mode", ["-pie", "-no-pie", "-static"])
def test_sound_executable(tmp_path: Path, sound_object: Path, linker: str, mode: str) -> None:
    main = tmp_path / "main.c"
    main.write_text("int main(void) { return 0; }\n")
    program = tmp_path / "program"
    run("gcc", f"-fuse-ld={linker}", mode, main, sound_object, "-o", program)
    (facts,) = inspect_path(program)
    assert facts.kind == "executable"
    assert_clean(judge(program), *STUBS, *CALLS, *EXPORTS)


def test_packed_relative_relocations_are_read(tmp_path: Path, sound_object: Path) -> None:
    library = link_shared(
        [sound_object], tmp_path / "librelr.so", "-Wl,--pack-dyn-relocs=relr", linker="lld"
    )
    assert any(s.name == ".relr.dyn" for s in Elf(library.read_bytes()).sections)
    assert_clean(judge(library), *STUBS, *CALLS, *PROGRAMS, *EXPORTS)


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
    assert_clean(judge(library), *STUBS, *CALLS, *PROGRAMS, *EXPORTS)


def test_stripped_hidden_handles_are_not_judged(tmp_path: Path, sound: bytes) -> None:
    library = tmp_path / "libsound.so"
    library.write_bytes(sound)
    run("strip", library)
    report = judge(library)
    assert report.findings == ()
    stripped = {n.rule for n in report.rules_skipped if n.reason.startswith("stripped")}
    assert stripped == {"KB301", "KB302", "KB303", "KB306"}
    assert "KB308" in report.rules_run


def test_stripped_exported_handles_are_judged(tmp_path: Path, design: Design) -> None:
    compiled = build_object(tmp_path, replace(with_stub(design), visibility="default"))
    library = link_shared([compiled], tmp_path / "libk.so")
    run("strip", library)
    assert_clean(judge(library), *PROGRAMS)


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


def _function_handle(_: Path, design: Design) -> Design:
    definition = ("void *handle_0 RELRO = 0;", "void handle_0(void) {}")
    return replace(
        design, c=(definition, ("extern void *handle_0 ", "extern void handle_0(void) "))
    )


def _renamed_stub(_: Path, design: Design) -> Design:
    return replace(with_stub(design), c=((SCALE_STUB, f"{SCALE_STUB}x"),))


def _no_stub(directory: Path, design: Design) -> Design:
    renamed, empty = _renamed_stub(directory, design), _empty_slot(directory, design)
    return replace(empty, c=(*empty.c, *renamed.c))


def _stale_stub(_: Path, design: Design) -> Design:
    new = (
        f'void stale(void) __asm__("{SCALE_STUB}") __attribute__((visibility("hidden")));\n'
        "void stale(void) {}\n"
        "void *handle_0 RELRO = 0;"
    )
    return replace(design, c=(("void *handle_0 RELRO = 0;", new),))


def _hidden_stub(_: Path, design: Design) -> Design:
    hidden = '__attribute__((visibility("hidden"))) void stub_0(void) __asm__'
    shown = f'__asm__("{SCALE_STUB}") __attribute__((visibility("default")))'
    return replace(
        with_stub(design),
        visibility="default",
        c=((shown, f'__asm__("{SCALE_STUB}")'), ("void stub_0(void) __asm__", hidden)),
    )


def _misaligned_fat_binary(_: Path, design: Design) -> Design:
    return replace(design, c=((".balign 16", ".balign 4"),))


def _misaligned_note(_: Path, design: Design) -> Design:
    return replace(design, c=((".balign 4", ".balign 2"),))


def _filled_slot(_: Path, design: Design) -> Design:
    new = (
        "static void register_module(void) __attribute__((constructor(101)));\n"
        "void *handle_0 RELRO = (void *)register_module;"
    )
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
        ("KB302", _function_handle),
        ("KB303", _handle_of_32_bytes),
        ("KB303", _writable_handle),
        ("KB304", _folded_handles),
        ("KB305", _renamed_stub),
        ("KB305", _no_stub),
        ("KB306", _stale_stub),
        ("KB307", _hidden_stub),
        ("KB308", _filled_slot),
        ("KB308", _empty_slot),
        ("KB401", _no_constructor),
        ("KB401", _no_descriptor),
        ("KB401", _foreign_container),
        ("KB505", _misaligned_fat_binary),
        ("KB505", _misaligned_note),
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
        assert report.ok is (rule == "KB306")


def test_handle_without_relro_is_writable(tmp_path: Path, sound_object: Path) -> None:
    library = link_shared([sound_object], tmp_path / "libk.so", "-Wl,-z,norelro")
    report = judge(library)
    assert {f.rule for f in report.findings if f.severity == "error"} == {"KB303"}
    assert found_rules(report) == {"KB303", "KB506"}


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


def test_stub_symbol_is_shown(tmp_path: Path, design: Design) -> None:
    (facts,) = inspect_path(build_object(tmp_path, with_stub(design)))
    first, second = facts.handles
    assert first.row.stub == SCALE_STUB
    assert first.stub is not None
    assert first.content is not None
    assert first.content.place == first.stub.place
    assert second.stub is None
    assert second.content is not None
    assert second.content.is_null
