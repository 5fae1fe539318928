"""Rules that judge by a policy, a baseline, or the limits of devices and drivers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.facts import ArtifactFacts, Place, WrapperFacts
from kbuild.verify import Finding, Policy, Report, select_rules, verify
from kbuild.verify.policy.model import Part, SeverityChange
from support.facts.build_facts import (
    AXPY,
    DYNAMIC,
    KERNELS,
    MODEST,
    SCALE,
    foreign_facts,
    gpu_image,
    sound_facts,
)
from support.facts.policy_cases import AMD, BAD_BY_POLICY, BASELINE, CUBIN, FOREIGN, PTX, needing


@pytest.mark.parametrize(
    ("rule", "facts", "policy"),
    [(rule, facts, policy) for rule, _, facts, policy in BAD_BY_POLICY],
    ids=[f"{rule} {what}" for rule, what, *_ in BAD_BY_POLICY],
)
def test_bad_facts_raise_only_their_rule(
    rule: str, facts: ArtifactFacts, policy: Policy | None
) -> None:
    report = verify((facts,), policy)
    assert not report.rules_errored
    assert {finding.rule for finding in report.findings} == {rule}


def judge(facts: ArtifactFacts, rule: str, policy: Policy | None = None) -> Report:
    report = verify((facts,), policy, select_rules([rule]))
    assert not report.rules_errored
    return report


def findings(facts: ArtifactFacts, rule: str, policy: Policy | None = None) -> tuple[Finding, ...]:
    return judge(facts, rule, policy).findings


def reason(facts: ArtifactFacts, rule: str, policy: Policy | None = None) -> str:
    report = judge(facts, rule, policy)
    assert report.findings == ()
    (note,) = report.rules_skipped
    return note.reason


# KB101, KB110: names are compared.


def test_requirement_for_some_kernels_names_only_them() -> None:
    policy = Policy(
        required_architectures=("sm_90",),
        parts=(Part(kernels=("axpy*",), required_architectures=("sm_90", "sm_100")),),
    )
    (finding,) = findings(FOREIGN, "KB101", policy)
    assert finding.arch == "sm_100"
    assert finding.message == (
        "no image for sm_100, only for compute_90, sm_90, in container 0: such a device runs "
        "axpy(float, float*) from the image for compute_90, but the policy requires its own"
    )


@pytest.mark.parametrize(
    ("missing", "consequence"),
    [
        ("sm_80", "ns::scale(float*, float, int), axpy(float, float*) cannot run on such a device"),
        ("compute_80", "the policy requires one for ns::scale(float*, float, int), axpy"),
        ("sm_100", "such a device runs ns::scale(float*, float, int), axpy(float, float*) from"),
    ],
)
def test_message_says_what_a_missing_image_means(missing: str, consequence: str) -> None:
    (finding,) = findings(FOREIGN, "KB101", Policy(required_architectures=(missing,)))
    assert finding.message.startswith(f"no image for {missing}, only for compute_90, sm_90, in ")
    assert consequence in finding.message


def test_devices_can_run_other_images() -> None:
    assert findings(FOREIGN, "KB101", Policy(required_devices=("sm_90", "sm_103"))) == ()
    (finding,) = findings(FOREIGN, "KB101", Policy(required_devices=("sm_86",)))
    assert finding.message == (
        "no image that sm_86 can run, only for compute_90, sm_90, in container 0: "
        "ns::scale(float*, float, int), axpy(float, float*) cannot run on such a device"
    )


def test_unknown_device_is_a_finding() -> None:
    (finding,) = findings(FOREIGN, "KB101", Policy(required_devices=("sm90",)))
    assert "'sm90' for ns::scale(float*, float, int), axpy" in finding.message
    assert "expected one such as sm_86" in finding.message


def test_each_vendor_has_its_own_files() -> None:
    policy = Policy(required_devices=("sm_90", "gfx90a"))
    report = verify((FOREIGN, AMD), policy, select_rules(["KB101"]))
    assert report.findings == ()
    report = verify((FOREIGN,), policy, select_rules(["KB101"]))
    assert [finding.arch for finding in report.findings] == ["gfx90a"]


def test_later_parts_win_and_files_select() -> None:
    policy = Policy(
        required_architectures=("sm_100",),
        parts=(
            Part(files=("*.so",), required_architectures=("sm_75",)),
            Part(files=("foreign.*",), required_architectures=("sm_90",)),
        ),
    )
    assert findings(FOREIGN, "KB101", policy) == ()
    moved = replace(FOREIGN, path="build/x.whl!pkg/libk.so")
    assert [f.arch for f in findings(moved, "KB101", policy)] == ["sm_75"]


def test_container_without_kernels_needs_no_architecture() -> None:
    empty = foreign_facts(replace(CUBIN, kernels=()))
    assert findings(empty, "KB101", Policy(required_architectures=("sm_100",))) == ()
    assert findings(empty, "KB110", Policy(allowed_architectures=("sm_100",))) == ()
    assert findings(empty, "KB106") == ()


def _device_linked() -> ArtifactFacts:
    """Return the facts of nvcc -rdc=true and its device link: the inputs and the output."""
    facts = foreign_facts(
        CUBIN, *(replace(i, container=n) for n in (1, 2) for i in (gpu_image("sm_80"), PTX))
    )
    (container,) = facts.containers
    part = replace(container, is_relocatable=True)
    wrapper = WrapperFacts(
        backend="cuda",
        place=Place(section=0, offset=0),
        version=2,
        is_device_linked=True,
        container=0,
    )
    return replace(facts, containers=(container, part, part), wrappers=(wrapper,))


def test_images_that_the_driver_links_count_for_a_device_linked_file() -> None:
    facts = _device_linked()
    policy = Policy(required_architectures=("sm_90", "compute_90"))
    assert findings(facts, "KB101", policy) == ()
    assert findings(facts, "KB106") == ()
    # Both sources must have it.
    cut = replace(facts, images=facts.images[:-1])
    assert [f.arch for f in findings(cut, "KB101", policy)] == ["compute_90"]
    assert [f.rule for f in findings(cut, "KB106")] == ["KB106"]


def test_required_architectures_are_allowed() -> None:
    policy = Policy(allowed_architectures=("sm_90",), required_architectures=("compute_90",))
    assert findings(FOREIGN, "KB110", policy) == ()
    assert "does not list" in reason(FOREIGN, "KB110")


# KB105


@pytest.mark.parametrize(
    ("version", "driver", "is_found"),
    [
        ("8.4", "12.4", False),
        ("8.5", "12.4", True),
        ("8.5", "12.5", False),
        ("9.0", "12.9", True),
        ("9.0", "13.0", False),
        ("7.8", "12.0", False),
    ],
)
def test_driver_for_ptx(version: str, driver: str, is_found: bool) -> None:
    facts = foreign_facts(CUBIN, replace(PTX, ptx_version=version))
    found = findings(facts, "KB105", Policy(minimum_driver=driver))
    assert bool(found) is is_found
    assert all(finding.severity == "error" for finding in found)


def test_unknown_ptx_version_is_skipped() -> None:
    facts = foreign_facts(CUBIN, replace(PTX, ptx_version="99.1"))
    assert "PTX 99.1" in reason(facts, "KB105", Policy(minimum_driver="12.4"))
    assert "no minimum driver" in reason(facts, "KB105")
    assert reason(AMD, "KB105", Policy(minimum_driver="12.4")) == "no PTX"


# KB106


@pytest.mark.parametrize(
    ("real", "virtual", "is_found"),
    [
        ("sm_90", "compute_90", False),
        ("sm_90", "compute_80", False),
        ("sm_90a", "compute_90a", True),
        ("sm_100a", "compute_100f", False),
        ("sm_103", "compute_100f", False),
        ("sm_120", "compute_100f", True),
        ("sm_120a", "compute_120", False),
    ],
)
def test_code_for_newer_devices(real: str, virtual: str, is_found: bool) -> None:
    facts = foreign_facts(gpu_image(real), gpu_image(virtual, kind="ptx"))
    found = findings(facts, "KB106")
    assert [f.severity for f in found] == (["info"] if is_found else [])


def test_policy_decides_on_ptx() -> None:
    bare = foreign_facts(CUBIN)
    assert [f.severity for f in findings(bare, "KB106", Policy(ptx="required"))] == ["error"]
    assert findings(FOREIGN, "KB106", Policy(ptx="required")) == ()
    assert [f.arch for f in findings(FOREIGN, "KB106", Policy(ptx="forbidden"))] == ["compute_90"]
    assert findings(bare, "KB106", Policy(ptx="forbidden")) == ()
    assert "makes PTX optional" in reason(bare, "KB106", Policy(ptx="optional"))
    only_here = Policy(ptx="optional", parts=(Part(files=("*.fatbin",), ptx="required"),))
    assert [f.severity for f in findings(bare, "KB106", only_here)] == ["error"]


def test_other_vendors_need_no_ptx() -> None:
    assert "do not compile" in reason(AMD, "KB106")
    assert "do not compile" in reason(sound_facts(), "KB106")
    assert (
        reason(replace(foreign_facts(CUBIN), kind="image"), "KB106") == "the file is a single image"
    )


# KB107


def test_compression_is_compared_with_the_minimum_driver_and_runtime() -> None:
    packed = foreign_facts(replace(CUBIN, compression="zstd"), PTX)
    (finding,) = findings(packed, "KB107", Policy(minimum_driver="12.3"))
    assert (finding.severity, "550.54.14" in finding.message) == ("warning", True)
    assert findings(packed, "KB107", Policy(minimum_driver="12.4")) == ()
    quick = foreign_facts(replace(CUBIN, compression="lz4"), PTX)
    assert findings(quick, "KB107", Policy(minimum_driver="11.0")) == ()
    assert findings(AMD, "KB107", Policy(minimum_runtime="6.2")) == ()
    assert "no minimum runtime" in reason(AMD, "KB107", Policy(minimum_driver="12.0"))


# KB413


@pytest.mark.parametrize(
    ("version", "library", "is_found"),
    [
        ("4", "libamdhip64.so.5", False),
        ("5", "libamdhip64.so.5", True),
        ("5", "libamdhip64.so.6", False),
        ("6", "libamdhip64.so.5", True),
        ("6", "libamdhip64.so.6", False),  # since 6.3
    ],
)
def test_runtime_for_code_objects(version: str, library: str, is_found: bool) -> None:
    facts = foreign_facts(replace(gpu_image("gfx90a"), object_version=version))
    linked = replace(facts, dynamic=replace(DYNAMIC, needed=(library,)))
    assert bool(findings(linked, "KB413")) is is_found
    assert "no runtime library" in reason(replace(facts, dynamic=None), "KB413")


# KB2xx


def test_unknown_figures_are_never_judged() -> None:
    unknown = foreign_facts(
        gpu_image("sm_90", resources=replace(MODEST, spill_bytes=None, local_bytes=64)), PTX
    )
    assert "2 kernels use" in reason(unknown, "KB201", Policy(max_spill_bytes=0))
    assert "no image states" in reason(unknown, "KB201")
    assert "no image states" in reason(sound_facts(), "KB202", Policy(max_registers=1))
    assert "no image states" in reason(sound_facts(), "KB203")
    assert "limits sizes" in reason(FOREIGN, "KB205")


def test_kernel_without_local_memory_has_no_spills() -> None:
    facts = needing(spill_bytes=None)
    assert findings(facts, "KB201", Policy(max_spill_bytes=0)) == ()
    assert judge(facts, "KB201", Policy(max_spill_bytes=0)).rules_run == ("KB201",)


def test_spills_without_a_limit_are_one_info() -> None:
    (finding,) = findings(needing(spill_bytes=16), "KB201")
    assert finding.severity == "info"
    assert finding.message == (
        "register spills: axpy(float, float*) on sm_90 (16 bytes), "
        "ns::scale(float*, float, int) on sm_90 (16 bytes)"
    )


def test_limits_of_some_kernels_and_architectures() -> None:
    facts = foreign_facts(CUBIN, gpu_image("sm_80"), PTX)
    policy = Policy(
        max_registers=16,
        parts=(
            Part(kernels=("ns::scale",), max_registers=64),
            Part(architectures=("sm_8*",), max_registers=32),
        ),
    )
    found = findings(facts, "KB202", policy)
    assert [(f.symbol, f.arch) for f in found] == [(AXPY, "sm_90")]


@pytest.mark.parametrize(
    ("arch", "registers", "threads", "is_found"),
    [
        ("sm_90", 64, 1024, False),
        ("sm_90", 65, 1024, True),
        ("sm_90a", 72, 896, False),
        ("sm_53", 40, 1024, True),
        ("sm_90", 80, 800, True),
        ("sm_90", 72, 800, False),
        ("gfx90a", 256, 1024, False),
        ("sm_90", 255, None, False),
    ],
)
def test_registers_of_the_declared_block(
    arch: str, registers: int, threads: int | None, is_found: bool
) -> None:
    facts = needing(arch, registers=registers, max_threads=threads)
    assert bool(findings(facts, "KB202")) is is_found


@pytest.mark.parametrize(
    ("arch", "most"),
    [
        ("sm_75", 48 << 10),
        ("sm_100a", 48 << 10),
        ("gfx90a", 64 << 10),
        ("gfx942:sramecc+:xnack-", 64 << 10),
        ("gfx9-4-generic", 64 << 10),
        ("gfx950", 160 << 10),
        ("gfx1250", 320 << 10),
        ("gfx1251", None),
        ("gfx12-5-generic", None),
        ("gfx1310", None),
    ],
)
def test_static_shared_memory_of_devices(arch: str, most: int | None) -> None:
    used = most or 1 << 30
    assert findings(needing(arch, shared_bytes=used), "KB203") == ()
    found = findings(needing(arch, shared_bytes=used + 1), "KB203")
    assert [f.count for f in found] == ([2] if most else [])


def test_kernels_of_several_sources_count_once() -> None:
    twice = replace(
        foreign_facts(CUBIN, replace(CUBIN, container=1), PTX), containers=FOREIGN.containers * 2
    )
    (found,) = findings(twice, "KB202", Policy(max_registers=16))
    assert sorted(one.symbol or "" for one in found.instances) == sorted((SCALE, AXPY))


# The baseline.


def test_figures_equal_to_the_baseline_pass() -> None:
    report = verify((FOREIGN,), Policy(baseline=BASELINE))
    assert report.findings == ()
    assert {"KB003", "KB201", "KB202", "KB203", "KB204", "KB205"} <= set(report.rules_run)


def test_improvement_asks_for_a_new_baseline() -> None:
    report = verify((needing(registers=30),), Policy(baseline=BASELINE))
    (finding,) = report.findings
    assert report.ok
    assert (finding.rule, finding.severity) == ("KB202", "info")
    assert "run kbuild verify --write-baseline kbuild.baseline PATH..." in finding.message
    assert finding.count == 2


def test_kernels_that_are_new_or_gone_are_listed() -> None:
    other = replace(KERNELS[0], name="_Z5otherPf", display="other(float*)", resources=MODEST)
    facts = foreign_facts(replace(CUBIN, kernels=(*CUBIN.kernels[1:], other)), PTX)
    found = findings(facts, "KB003", Policy(baseline=BASELINE))
    assert [f.message for f in found] == [
        "new: other(float*) on sm_90",
        "gone: ns::scale(float*, float, int) on sm_90",
    ]
    assert {f.severity for f in found} == {"info"}


def test_limit_and_baseline_report_a_kernel_once() -> None:
    policy = Policy(max_registers=16, baseline=BASELINE)
    (found,) = findings(needing(registers=40), "KB202", policy)
    assert found.count == 2


def test_severities_apply() -> None:
    change = SeverityChange(rule="KB106", severity="error")
    assert not verify((foreign_facts(CUBIN),), Policy(severities=(change,))).ok
