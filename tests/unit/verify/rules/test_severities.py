"""Rules that judge what kbuild built more strictly than files of other tools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from kbuild.facts import ArtifactFacts, HostKernel, Place
from kbuild.verify import Policy, select_rules, verify
from kbuild.verify.policy.model import Severity, SeverityChange
from support.facts.build_facts import (
    AXPY,
    KERNELS,
    SCALE,
    change_image,
    export,
    foreign_facts,
    gpu_image,
    make_symbol,
    sound_facts,
)
from support.facts.foreign_facts import COPIED_RUNTIME, FOREIGN, in_wheel, versioned, visible

OWN = export(sound_facts())
DUAL = foreign_facts(gpu_image("sm_80"), gpu_image("sm_90"))
ONE_LACKS = change_image(DUAL, lambda image: replace(image, kernels=KERNELS[:1]))


def severities(rule: str, facts: ArtifactFacts, policy: Policy | None = None) -> list[Severity]:
    report = verify((facts,), policy, select_rules([rule]))
    assert not report.rules_errored
    return [finding.severity for finding in report.findings]


def _with_section(facts: ArtifactFacts, index: int, **changes: Any) -> ArtifactFacts:
    sections = list(facts.sections)
    sections[index] = replace(sections[index], **changes)
    return replace(facts, sections=tuple(sections))


def _with_text_relocations(facts: ArtifactFacts) -> ArtifactFacts:
    assert facts.dynamic is not None
    return replace(facts, dynamic=replace(facts.dynamic, has_text_relocations=True))


def _far(facts: ArtifactFacts) -> ArtifactFacts:
    """Return the file with writable data more than two gigabytes behind its code."""
    code = replace(facts.sections[2], flags=facts.sections[2].flags | 4)
    data = replace(facts.sections[4], address=0x9000_0000)
    return replace(facts, sections=(*facts.sections[:2], code, facts.sections[3], data))


FAULTS = {
    "KB503": (_with_text_relocations(OWN), _with_text_relocations(FOREIGN)),
    "KB504": (_far(OWN), _far(FOREIGN)),
    "KB604": tuple(
        replace(in_wheel("k-1.0-py3-none-any.whl", "12"), modules=modules)
        for modules in (OWN.modules, ())
    ),
}


@pytest.mark.parametrize("rule", FAULTS)
def test_fault_that_works_for_some_is_an_error_only_with_a_note(rule: str) -> None:
    own, foreign = FAULTS[rule]
    assert severities(rule, own) == ["error"]
    assert severities(rule, foreign) == ["warning"]
    strict = Policy(severities=(SeverityChange(rule=rule, severity="error"),))
    assert severities(rule, foreign, strict) == ["error"]


def test_small_alignment_is_an_error_only_where_it_has_an_effect() -> None:
    small = _with_section(FOREIGN, 3, alignment=4)
    assert severities("KB505", small) == []
    assert severities("KB505", replace(small, kind="object")) == ["warning"]
    assert severities("KB505", _with_section(small, 3, address=0x3004)) == ["error"]
    assert severities("KB505", _with_section(OWN, 3, alignment=4)) == ["error"]


def test_version_without_library_is_an_error_unless_another_library_could_load_it() -> None:
    assert severities("KB412", versioned("libgone.so.1")) == ["error"]
    assert severities("KB412", versioned("libgone.so.1", ("libunseen.so.1",))) == ["warning"]
    assert severities("KB412", versioned("libm.so.6")) == ["warning"]


def test_copied_runtime_is_an_info_if_only_other_packages_can_load_a_second_one() -> None:
    own, unseen = (
        replace(versioned("libc.so.6", needed), runtimes=(COPIED_RUNTIME,))
        for needed in ((), ("libtorch.so",))
    )
    assert severities("KB404", own) == []
    assert severities("KB404", unseen) == ["info"]


def test_missing_portable_code_is_an_info_for_other_tools() -> None:
    bare = foreign_facts(gpu_image("sm_90"))
    assert severities("KB106", bare) == ["info"]
    assert severities("KB106", bare, Policy(ptx="required")) == ["error"]


def test_leftover_relocatable_code_is_a_warning() -> None:
    relocatable = replace(FOREIGN.containers[0], is_relocatable=True)
    assert severities("KB402", replace(FOREIGN, containers=(relocatable,))) == ["warning"]


def test_kernel_that_one_image_lacks_is_an_info_unless_the_policy_expects_it() -> None:
    assert severities("KB103", ONE_LACKS) == ["info"]
    for arch, expected in (("sm_90", "error"), ("sm_80", "info"), ("sm_100", "info")):
        policy = Policy(required_architectures=(arch,))
        assert severities("KB103", ONE_LACKS, policy) == [expected]


def test_image_that_does_not_show_its_kernels_lacks_none() -> None:
    code = replace(gpu_image("lto_90"), kind="bitcode", kernels=())
    assert severities("KB103", foreign_facts(gpu_image("sm_90"), code)) == []


def _bind(facts: ArtifactFacts, path: str, binding: Literal["global", "weak"]) -> ArtifactFacts:
    """Return the library with exported kernels of this binding."""
    kernels = tuple(
        replace(one, symbol=one.symbol and replace(one.symbol, binding=binding))
        for one in facts.host_kernels
    )
    return visible(replace(facts, host_kernels=kernels), path)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (_bind(FOREIGN, "a.so", "weak"), _bind(FOREIGN, "b.so", "weak"), ["warning"]),
        (_bind(FOREIGN, "a.so", "weak"), _bind(FOREIGN, "b.so", "global"), ["error"]),
        (_bind(FOREIGN, "a.so", "global"), _bind(FOREIGN, "b.so", "global"), ["error"]),
        (_bind(FOREIGN, "a.so", "weak"), OWN, ["error"]),
    ],
)
def test_equal_instances_of_a_template_are_an_error_only_beside_kbuild(
    first: ArtifactFacts, second: ArtifactFacts, expected: list[Severity]
) -> None:
    found = verify((first, second), rules=select_rules(["KB405"])).findings
    assert [(f.severity, f.count) for f in found] == [(severity, 2) for severity in expected]


def _registering(name: str) -> ArtifactFacts:
    """Return a library that registers a kernel that no image contains."""
    symbol = make_symbol(name, Place(section=1, offset=128))
    absent = HostKernel(
        backend="other",
        kernel=name,
        symbol=symbol,
        stub=None,
        is_registered=True,
        is_absent=True,
    )
    return replace(FOREIGN, host_kernels=(*FOREIGN.host_kernels, absent))


def test_registered_kernel_that_no_image_contains_is_an_error() -> None:
    facts = _registering("_Z4gonePf")
    (finding,) = verify((facts,), rules=select_rules(["KB103"])).findings
    assert (finding.severity, finding.symbol) == ("error", "_Z4gonePf")
    assert finding.message == "host code registers kernels that no image contains: gone(float*)"


def test_registered_kernel_can_be_in_code_that_cannot_be_read() -> None:
    facts = _registering("_Z4gonePf")
    unread = replace(facts.images[0], kind="bitcode", kernels=())
    assert severities("KB103", replace(facts, images=(*facts.images, unread))) == []
    elsewhere = replace(facts.wrappers[0], container=None, awaits="fatbinary1")
    assert severities("KB103", replace(facts, wrappers=(elsewhere,))) == []


def test_findings_about_many_kernels_are_one() -> None:
    (finding,) = verify((ONE_LACKS,), rules=select_rules(["KB103"])).findings
    assert (finding.count, finding.symbol, finding.arch) == (1, AXPY, "sm_90")
    none = change_image(DUAL, lambda image: replace(image, kernels=()))
    (finding,) = verify((none,), rules=select_rules(["KB103"])).findings
    assert [one.symbol for one in finding.instances] == [SCALE, AXPY]
