"""The verifier on real ELF files: sound, malformed, and mutated ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.formats.elf.file import Elf
from kbuild.inspect import inspect_path
from kbuild.verify import Policy, Report, verify
from kbuild.verify.catalog import RULES
from support.accuracy.build_env import BuildEnv
from support.accuracy.units.malformed_stubs import (
    MALFORMED_STUBS,
    MalformedStub,
    load_malformed_stub,
)
from support.files.hand_made import (
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
    """Return a sound shared object with hidden handles."""
    return link_shared([sound_object], workspace / "libsound.so").read_bytes()


def found_rules(report: Report) -> set[str]:
    assert not report.rules_errored
    return {finding.rule for finding in report.findings}


def judge(path: Path, policy: Policy | None = None) -> Report:
    return verify(inspect_path(path), policy)


# Rules that apply only to some artifacts.
STUBS = ("KB305", "KB307")
CALLS = ("KB309",)
PROGRAMS = ("KB501",)
EXPORTS = ("KB502",)
# Rules that need a policy, a baseline, images that state their resources, exports, files of other
# tools, or linked files.
UNASKED = frozenset(
    (
        *("KB003", "KB102", "KB105", "KB106", "KB107", "KB110"),
        *("KB201", "KB202", "KB203", "KB204", "KB205", "KB310"),
        *("KB402", "KB403", "KB404", "KB405", "KB406", "KB409", "KB504", "KB506", "KB602", "KB604"),
        *("KB410", "KB411", "KB412", "KB413"),
        *("KB701", "KB702", "KB703", "KB704", "KB705", "KB706"),
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
    assert_clean(judge(program), *STUBS, *CALLS, *PROGRAMS, *EXPORTS)


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


def test_policy_requires_an_architecture_of_every_container(sound_object: Path) -> None:
    policy = Policy(required_architectures=("x86-64", "x86-64-v4"))
    report = judge(sound_object, policy)
    (finding,) = report.findings
    assert (finding.rule, finding.arch) == ("KB101", "x86-64-v4")
    assert not report.ok


# Malformed artifacts. accuracy/units/malformed_stubs.py has them linked by bfd, with sound ones.


@pytest.mark.parametrize("unit", MALFORMED_STUBS, ids=lambda unit: f"{unit.rule}: {unit.way}")
def test_malformed_artifact_raises_only_its_rule_with_every_linker(
    build_env: BuildEnv, tmp_path: Path, unit: MalformedStub
) -> None:
    compiled = load_malformed_stub(build_env, unit)
    files = [compiled] if unit.shows_in_object else []
    if unit.links:
        files += [
            link_shared([compiled], tmp_path / f"lib{linker}.so", linker=linker)
            for linker in LINKERS
        ]
    for path in files:
        report = judge(path)
        assert found_rules(report) == {unit.rule}, path
        assert report.ok is (unit.severity != "error")


def test_finding_shows_the_symbol_of_the_stub(tmp_path: Path, design: Design) -> None:
    (facts,) = inspect_path(build_object(tmp_path, with_stub(design)))
    first, second = facts.handles
    assert first.row.stub == SCALE_STUB
    assert first.stub is not None
    assert first.content is not None
    assert first.content.place == first.stub.place
    assert second.stub is None
    assert second.content is not None
    assert second.content.is_null
