"""KB102: device code that a policy requires of an artifact, and empty registrations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.verify import Policy, Report, select_rules, verify
from kbuild.verify.policy.model import Part
from support.facts.build_facts import AXPY, SCALE, host_facts, sound_facts
from support.facts.foreign_facts import FOREIGN, LINKAGE

SOUND = sound_facts()
HOST = host_facts("shared-object")
PROGRAM = host_facts("executable")
EMPTY = replace(FOREIGN, images=(), host_kernels=())
REQUIRED = Policy(require_device_code=True)
IMPLIED = Policy(required_architectures=("sm_80",))


def judge(
    *artifacts: ArtifactFacts, policy: Policy | None, context: tuple[ArtifactFacts, ...] = ()
) -> Report:
    report = verify(artifacts, policy, select_rules(["KB102"]), context=context)
    assert not report.rules_errored
    return report


def messages(*artifacts: ArtifactFacts, policy: Policy | None) -> list[str]:
    return [finding.message for finding in judge(*artifacts, policy=policy).findings]


def in_wheel(facts: ArtifactFacts, name: str, wheel: str = "dist/p.whl") -> ArtifactFacts:
    return replace(facts, path=f"{wheel}!p/{name}")


@pytest.mark.parametrize("policy", [REQUIRED, IMPLIED], ids=["required", "implied"])
def test_wheel_needs_device_code_in_one_of_its_files(policy: Policy) -> None:
    host, other, kernels = (
        in_wheel(HOST, "_a.so"),
        in_wheel(HOST, "_b.so"),
        in_wheel(SOUND, "_k.so"),
    )
    assert messages(host, kernels, policy=policy) == []
    found = judge(host, other, policy=policy).findings
    message = "the policy requires device code, but there is no kernel in dist/p.whl"
    assert [(f.severity, f.path, f.message) for f in found] == [("error", host.path, message)]
    # Each wheel is judged on its own.
    empty = in_wheel(HOST, "_a.so", "dist/q.whl")
    assert [f.path for f in judge(kernels, host, empty, policy=policy).findings] == [empty.path]


def test_files_of_a_call_are_judged_together() -> None:
    library = replace(HOST, path="libhost.so")
    assert messages(library, SOUND, policy=IMPLIED) == []
    message = "the policy requires device code, but there is no kernel in libhost.so"
    assert messages(library, policy=IMPLIED) == [message]
    message = "the policy requires device code, but there is no kernel in the 2 files of the call"
    assert messages(library, replace(HOST, path="b.so"), policy=IMPLIED) == [message]


def test_requirement_can_be_withdrawn() -> None:
    policy = replace(IMPLIED, require_device_code=False)
    assert messages(HOST, policy=policy) == []
    assert messages(HOST, policy=None) == []


def test_architectures_of_other_files_imply_nothing() -> None:
    part = Part(files=("libk.so",), required_architectures=("sm_80",))
    assert messages(HOST, policy=Policy(parts=(part,))) == []
    named = replace(HOST, path="build/libk.so")
    assert len(messages(named, policy=Policy(parts=(part,)))) == 1


def test_program_may_use_the_kernels_of_a_library() -> None:
    report = judge(PROGRAM, policy=IMPLIED)
    assert report.findings == ()
    assert "--closure" in report.rules_skipped[0].reason
    assert judge(PROGRAM, policy=IMPLIED, context=(SOUND,)).rules_run == ("KB102",)
    assert len(judge(PROGRAM, policy=IMPLIED, context=(HOST,)).findings) == 1
    assert len(judge(PROGRAM, policy=REQUIRED).findings) == 1


@pytest.mark.parametrize("pattern", [SCALE, "ns::scale", "axpy*", "ns::scale(float*, float, int)"])
def test_required_kernel_is_found_by_any_of_its_names(pattern: str) -> None:
    assert messages(SOUND, policy=Policy(required_kernels=(pattern,))) == []
    assert messages(HOST, SOUND, policy=Policy(required_kernels=(pattern,))) == []


def test_required_kernels_are_missing() -> None:
    policy = Policy(required_kernels=("other*", AXPY, "ns::more"))
    expected = "the policy requires kernels that are not in libdemo.so: 'other*', 'ns::more'"
    assert messages(SOUND, policy=policy) == [expected]
    both = replace(policy, require_device_code=True)
    assert len(messages(HOST, policy=both)) == 2


def test_unreadable_images_can_contain_what_is_required() -> None:
    unread = tuple(replace(i, kind="bitcode", kernels=()) for i in SOUND.images)
    facts = replace(SOUND, images=unread)
    report = judge(facts, policy=Policy(require_device_code=True, required_kernels=(SCALE,)))
    assert report.findings == ()
    assert "cannot read an image of kind 'bitcode'" in report.rules_skipped[0].reason


def test_empty_registration_of_another_tool_is_an_error_if_it_names_kernels() -> None:
    (finding,) = judge(EMPTY, policy=None).findings
    assert (finding.severity, finding.message) == (
        "info",
        "the file registers device code, but it has no device image",
    )
    registering = replace(EMPTY, linkage=(replace(LINKAGE, registers_kernels=True),))
    (finding,) = judge(registering, policy=None).findings
    assert (finding.severity, finding.message) == (
        "error",
        "the file registers kernels, but it has no device image",
    )
    found = judge(EMPTY, policy=REQUIRED).findings
    assert [f.severity for f in found] == ["info", "error"]
