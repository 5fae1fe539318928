"""Rules about wheels as wholes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.model import Problem
from kbuild.verify import Policy, Report, select_rules, verify
from support.facts.build_facts import host_facts
from support.facts.policy_cases import DAMAGE
from support.facts.wheel_facts import (
    NEW,
    PLATFORM,
    PYPI,
    PYTHON,
    STRICT,
    as_wheel,
    change_wheel,
    needing,
)

UNSTABLE = "_ZN3c106detail14torchCheckFailEPKcS2_jS2_"


def judge(rule: str, *artifacts: ArtifactFacts, policy: Policy = PYPI) -> Report:
    report = verify(artifacts, policy, select_rules([rule]))
    assert not report.rules_errored
    return report


def state(report: Report) -> list[tuple[str, str]]:
    return [(f.severity, f.message) for f in report.findings]


def reason(report: Report) -> str:
    assert report.findings == ()
    (note,) = report.rules_skipped
    return note.reason


def test_rules_for_files_do_not_judge_the_wheel_as_a_whole() -> None:
    policy = replace(PYPI, require_device_code=True)

    report = verify((needing("puts"), as_wheel()), policy)

    assert [f.rule for f in report.findings] == ["KB102"]
    assert {o.rule[:3] for o in report.outcomes if o.path.endswith(".whl")} == {"KB7"}
    assert "KB701" not in {o.rule for o in report.outcomes if not o.path.endswith(".whl")}


def test_wheels_are_not_judged_as_wholes_without_a_policy() -> None:
    assert reason(judge("KB706", host_facts("shared-object"))) == "no policy for wheels"


# KB701


def test_libraries_outside_of_a_wheel_can_come_from_its_requirements() -> None:
    platform = replace(PLATFORM, external=("libcudart.so.13", "libtorch.so"))
    required = change_wheel(platform=platform, requirements=("torch",))

    (finding,) = state(judge("KB701", required))
    assert finding == (
        "info",
        "libcudart.so.13, libtorch.so must come from the system or a required distribution",
    )
    (finding,) = state(judge("KB701", required, policy=STRICT))
    assert finding == (
        "error",
        "libcudart.so.13 must come from the system or a required distribution",
    )


def test_versions_of_a_newer_system_are_named() -> None:
    platform = replace(PLATFORM, missing=(NEW,), sufficient="manylinux_2_34_x86_64")
    ((severity, message),) = state(judge("KB701", change_wheel(platform=platform)))
    assert severity == "error"
    assert message == (
        "manylinux_2_28_x86_64 does not have GLIBC_2.34 of libc.so.6; the oldest tag with all "
        "versions is manylinux_2_34_x86_64"
    )


def test_what_systems_do_not_promise_is_a_warning() -> None:
    platform = replace(PLATFORM, forbidden=("uncompress2",), needs_newer_processor=True)
    assert state(judge("KB701", change_wheel(platform=platform))) == [
        ("warning", "a library requires instructions that not all processors of its platform have"),
        ("warning", "not all systems of the tag have uncompress2"),
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"platforms": ("win_amd64",), "platform": None}, "not a wheel for Linux"),
        (
            {"platform": replace(PLATFORM, promised=None), "platforms": ("any",)},
            "any promises no release of the C library",
        ),
        (
            {"platform": replace(PLATFORM, missing=None)},
            "auditwheel does not know manylinux_2_28_x86_64",
        ),
    ],
)
def test_unknown_platforms_lack_evidence(changes: dict[str, object], expected: str) -> None:
    assert reason(judge("KB701", change_wheel(**changes))) == expected


def test_wheel_that_auditwheel_rejects_is_a_warning() -> None:
    wheel = change_wheel(platform=None, platform_problem="auditwheel: purelib")
    assert state(judge("KB701", wheel)) == [("warning", "auditwheel: purelib")]


# KB702


def test_wheels_without_modules_for_the_stable_abi_do_not_promise_it() -> None:
    wheel = change_wheel(python=replace(PYTHON, modules=()))
    assert reason(judge("KB702", wheel)) == "no module promises the stable ABI"


# KB703


def test_unstable_symbols_of_libtorch_need_a_bound_version() -> None:
    module = needing(UNSTABLE, "THPVariableClass", "_ZTIN3c105ErrorE", "aoti_torch_get_dim")

    def judged(*requirements: str, policy: Policy = PYPI) -> Report:
        return judge("KB703", module, change_wheel(requirements=requirements), policy=policy)

    (finding,) = judged("torch>=2.9").findings
    assert (finding.severity, finding.count) == ("warning", 3)
    assert finding.message == (
        "not in the stable ABI of libtorch, and the wheel allows other versions of torch: "
        "c10::detail::torchCheckFail(char const*, char const*, unsigned int, char const*), "
        "THPVariableClass, typeinfo for c10::Error, which k/_k.so needs"
    )
    assert judged().findings
    assert judged("torchvision==0.24", 'torch ; extra == "all"').findings
    for bound in ("torch==2.9.1", "torch (<2.10,>=2.9)", "torch[opt] ~=2.9.0"):
        assert reason(judged(bound)) == f"the wheel requires {bound}"
    strict = replace(PYPI, stable_torch_abi=True)
    assert [f.severity for f in judged("torch==2.9.1", policy=strict).findings] == ["error"]


@pytest.mark.parametrize(
    "names", [("puts", "_ZN4mine2at1fEv", "_ZN3foo3barEN2at6TensorE"), ("_ZN2atE",)]
)
def test_other_symbols_are_not_those_of_libtorch(names: tuple[str, ...]) -> None:
    defining = needing(file="k/libat.so", defined=("_ZN2atE",))
    report = judge("KB703", needing(*names), defining, as_wheel())
    assert reason(report) == "no library needs a symbol of libtorch"


# KB704


def test_index_accepts_32_bit_arm_without_manylinux() -> None:
    assert state(judge("KB704", change_wheel(platforms=("linux_armv7l",)))) == []
    assert state(judge("KB704", change_wheel(platforms=("linux_x86_64",)))) == [
        ("error", "PyPI does not accept the platform linux_x86_64")
    ]


# KB706


def test_file_without_a_digest_is_a_warning() -> None:
    problems = (Problem(where="k/a.py", message="RECORD has no digest"), DAMAGE)
    assert state(judge("KB706", change_wheel(record_problems=problems))) == [
        ("warning", "k/a.py: RECORD has no digest"),
        ("error", "k/_k.so: differs"),
    ]
