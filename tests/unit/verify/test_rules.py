"""Every rule on one artifact that violates it and on one that does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_facts import (
    AXPY,
    KERNELS,
    SCALE,
    change_handle,
    change_image,
    change_module,
    change_record,
    change_symbol,
    sound_facts,
)

from kbuild.facts import ArtifactFacts, Place, Pointer, Problem
from kbuild.formats.elf import SHF_MERGE
from kbuild.model import Kernel, KernelRecord
from kbuild.verify import Policy, verify
from kbuild.verify.catalogue import RULES

SOUND = sound_facts()
SOUND_WITH_STUBS = sound_facts(stub="__device_stub__")


def _widen(kernel: Kernel) -> Kernel:
    return replace(
        kernel, params=(*kernel.params[:-1], replace(kernel.params[-1], offset=16, size=8))
    )


def _merged(facts: ArtifactFacts) -> ArtifactFacts:
    sections = list(facts.sections)
    sections[1] = replace(sections[1], flags=sections[1].flags | SHF_MERGE)
    return replace(facts, sections=tuple(sections))


def _row_in_container(number: int) -> ArtifactFacts:
    def change(row: KernelRecord) -> KernelRecord:
        return replace(row, container=number)

    return change_record(
        SOUND, lambda r: replace(r, kernels=(change(r.kernels[0]), *r.kernels[1:]))
    )


# Rule id, what is wrong, the facts.
BAD: tuple[tuple[str, str, ArtifactFacts], ...] = (
    ("KB101", "image absent", replace(SOUND, images=SOUND.images[:1])),
    ("KB101", "no image at all", replace(SOUND, images=())),
    (
        "KB103",
        "kernel absent",
        change_record(
            change_image(SOUND, lambda i: replace(i, kernels=KERNELS[:1])),
            lambda r: replace(
                r,
                containers=(
                    replace(
                        r.containers[0],
                        images=(
                            r.containers[0].images[0],
                            replace(r.containers[0].images[1], kernels=(SCALE,)),
                        ),
                    ),
                ),
            ),
        ),
    ),
    (
        "KB108",
        "image differs from the table",
        change_image(SOUND, lambda i: replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1]))),
    ),
    (
        "KB108",
        "name differs from all",
        change_record(
            replace(
                SOUND,
                images=tuple(
                    replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1])) for i in SOUND.images
                ),
            ),
            lambda r: replace(
                r,
                kernels=(
                    replace(r.kernels[0], params=_widen(KERNELS[0]).params),
                    *r.kernels[1:],
                ),
            ),
        ),
    ),
    (
        "KB109",
        "unreadable image",
        change_image(SOUND, lambda i: replace(i, problem="cut off", kernels=(), sha256="x")),
    ),
    (
        "KB109",
        "unreadable container",
        replace(
            SOUND,
            images=SOUND.images[:1],
            problems=(Problem(where="container 0, byte 0x40", message="bad magic"),),
            containers=(replace(SOUND.containers[0], is_damaged=True),),
        ),
    ),
    (
        "KB301",
        "no symbol",
        change_handle(SOUND, lambda h: replace(h, symbol=None, place=None, content=None)),
    ),
    (
        "KB301",
        "defined elsewhere",
        replace(
            change_handle(
                SOUND,
                lambda h: replace(
                    h, symbol=None, place=None, content=None, registered=Pointer(symbol=SCALE)
                ),
            ),
            has_symbol_table=False,
        ),
    ),
    ("KB303", "function", change_symbol(SOUND, lambda s: replace(s, type="function"))),
    ("KB303", "size", change_symbol(SOUND, lambda s: replace(s, size=32))),
    ("KB303", "writable", change_handle(SOUND, lambda h: replace(h, is_read_only=False))),
    ("KB303", "mergeable", _merged(SOUND)),
    (
        "KB303",
        "misaligned",
        change_handle(
            SOUND,
            lambda h: replace(
                h,
                place=Place(section=1, offset=36),
                registered=Pointer(place=Place(section=1, offset=36)),
            ),
        ),
    ),
    (
        "KB303",
        "section",
        change_handle(
            SOUND,
            lambda h: replace(
                h,
                place=Place(section=4, offset=0),
                registered=Pointer(place=Place(section=4, offset=0)),
            ),
        ),
    ),
    (
        "KB304",
        "shared",
        change_handle(
            SOUND,
            lambda h: replace(
                h, place=SOUND.handles[1].place, registered=SOUND.handles[1].registered
            ),
        ),
    ),
    (
        "KB308",
        "not null",
        change_handle(
            SOUND, lambda h: replace(h, content=Pointer(place=Place(section=2, offset=0)))
        ),
    ),
    (
        "KB308",
        "null",
        change_handle(SOUND_WITH_STUBS, lambda h: replace(h, content=Pointer())),
    ),
    (
        "KB308",
        "another stub",
        change_handle(
            SOUND_WITH_STUBS, lambda h: replace(h, content=SOUND_WITH_STUBS.handles[1].content)
        ),
    ),
    (
        "KB308",
        "interposable",
        change_handle(
            SOUND_WITH_STUBS,
            lambda h: replace(h, content=Pointer(place=h.stub, symbol="stub", interposable=True)),
        ),
    ),
    (
        "KB401",
        "not reached",
        change_module(SOUND, lambda m: replace(m, is_constructor_reached=False)),
    ),
    ("KB401", "no constructor", change_module(SOUND, lambda m: replace(m, constructor=None))),
    (
        "KB401",
        "no descriptor",
        change_module(SOUND, lambda m: replace(m, descriptor_problem="ABI 9", containers=(None,))),
    ),
    (
        "KB401",
        "other address",
        change_handle(
            SOUND, lambda h: replace(h, registered=Pointer(place=Place(section=1, offset=512)))
        ),
    ),
    ("KB601", "hash", change_image(SOUND, lambda i: replace(i, sha256="other", kernels=()))),
    ("KB601", "label", change_image(SOUND, lambda i: replace(i, arch="sm_91"))),
    ("KB601", "kind", change_image(SOUND, lambda i: replace(i, kind="other"))),
    (
        "KB601",
        "extra image",
        replace(
            SOUND, images=(*SOUND.images, replace(SOUND.images[0], arch="sm_70", sha256="new"))
        ),
    ),
    (
        "KB601",
        "kernels",
        change_record(
            SOUND,
            lambda r: replace(
                r,
                containers=(
                    replace(
                        r.containers[0],
                        images=tuple(replace(i, kernels=(SCALE,)) for i in r.containers[0].images),
                    ),
                ),
            ),
        ),
    ),
    ("KB601", "row without container", _row_in_container(7)),
    (
        "KB601",
        "unreadable note",
        replace(
            SOUND,
            modules=(),
            handles=(),
            note_problems=(Problem(where=".note.kbuild, byte 0x0", message="cut off"),),
        ),
    ),
)


@pytest.mark.parametrize(
    ("rule", "facts"), [(r, f) for r, _, f in BAD], ids=[f"{r} {w}" for r, w, _ in BAD]
)
def test_bad_facts_raise_their_rule_alone(rule: str, facts: ArtifactFacts) -> None:
    report = verify((facts,))
    assert not report.rules_errored
    assert {finding.rule for finding in report.findings} == {rule}


@pytest.mark.parametrize("facts", [SOUND, SOUND_WITH_STUBS], ids=["plain", "stubs"])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_sound_facts_raise_nothing(facts: ArtifactFacts, rule: object) -> None:
    (one,) = (r for r in RULES if r is rule)
    report = verify((facts,), rules=(one,))
    assert report.findings == ()
    assert report.rules_run == (one.id,)


def test_every_rule_has_a_bad_artifact() -> None:
    assert {rule for rule, _, _ in BAD} == {rule.id for rule in RULES}


def test_missing_architecture_names_source_and_kernels() -> None:
    report = verify((replace(SOUND, images=SOUND.images[:1]),))
    (finding,) = report.findings
    assert finding.arch == "sm_90"
    assert finding.message == (
        "demo.cu has no image for sm_90, only sm_80: ns::scale(float*, float, int), "
        "axpy(float, float*) cannot run there"
    )


def test_policy_architecture_is_expected_of_files_without_note() -> None:
    foreign = replace(SOUND, modules=(), handles=())
    report = verify((foreign,), Policy(required_architectures=("sm_100",)))
    assert [(f.rule, f.arch) for f in report.findings] == [("KB101", "sm_100")]


def test_images_of_foreign_container_are_compared_with_each_other() -> None:
    foreign = replace(SOUND, modules=(), handles=())
    short = change_image(foreign, lambda i: replace(i, kernels=KERNELS[:1]))
    assert [(f.rule, f.symbol) for f in verify((short,)).findings] == [("KB103", AXPY)]
    wide = change_image(foreign, lambda i: replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1])))
    (finding,) = verify((wide,)).findings
    assert (finding.rule, finding.arch) == ("KB108", "sm_90")
    assert "in the sm_80 image" in finding.message


def test_stripped_hidden_handle_lacks_evidence() -> None:
    facts = replace(change_handle(SOUND, lambda h: replace(h, symbol=None)), has_symbol_table=False)
    report = verify((facts,))
    assert report.findings == ()
    assert {note.rule for note in report.rules_skipped} == {"KB301", "KB303"}


def test_unreadable_descriptor_is_not_repeated_by_other_rules() -> None:
    facts = change_module(
        SOUND, lambda m: replace(m, descriptor_problem="ABI 9", containers=(None,))
    )
    handles = tuple(
        replace(h, symbol=None, place=None, registered=None, content=None) for h in facts.handles
    )
    report = verify((replace(facts, handles=handles, has_symbol_table=False),))
    assert {finding.rule for finding in report.findings} == {"KB401"}


def test_interposable_stub_is_a_warning() -> None:
    facts = change_handle(
        SOUND_WITH_STUBS,
        lambda h: replace(h, content=Pointer(place=h.stub, symbol="stub", interposable=True)),
    )
    report = verify((facts,))
    assert [finding.severity for finding in report.findings] == ["warning"]
    assert report.ok
