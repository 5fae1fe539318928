from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.verify import Policy, select_rules, verify
from kbuild.verify.grouping import group_files
from support.facts.build_facts import AXPY, SCALE, export, host_facts, sound_facts
from support.facts.foreign_facts import (
    FOREIGN,
    SHARED_RUNTIME,
    STATIC_RUNTIME,
    runtime_library,
    user,
)

SOUND = export(sound_facts())


def library(path: str, *needed: str, base: ArtifactFacts = SOUND) -> ArtifactFacts:
    assert base.dynamic is not None
    return replace(base, path=path, dynamic=replace(base.dynamic, needed=needed))


def rules_found(*artifacts: ArtifactFacts) -> set[str]:
    return {finding.rule for finding in verify(artifacts).findings}


def test_plain_paths_are_loaded_together() -> None:
    files = (library("a.so"), library("b.so"))
    sets = group_files(files)
    assert sets[id(files[0])] is sets[id(files[1])]
    assert rules_found(*files) == {"KB405"}


def test_libraries_of_a_wheel_are_not_unless_one_needs_the_other() -> None:
    first, second = library("p.whl!p/_a.so"), library("p.whl!p/_b.so")
    assert rules_found(first, second) == set()
    needing = library("p.whl!p/_a.so", "libc.so.6", "_b.so")
    assert rules_found(needing, second) == {"KB405"}
    assert rules_found(second, needing) == {"KB405"}


def test_what_a_library_needs_through_another_counts() -> None:
    through = library("p.whl!p/m.so", "_b.so", base=host_facts("shared-object"))
    files = (library("p.whl!p/_a.so", "m.so"), through, library("p.whl!p/_b.so"))
    assert [f.path for f in group_files(files)[id(files[0])].files] == [f.path for f in files]


def test_libraries_that_a_module_of_the_wheel_needs_are_loaded_together() -> None:
    first, second = library("p.whl!p/_a.so"), library("p.whl!p/_b.so")
    module = library("p.whl!p/m.so", "_a.so", "_b.so", base=host_facts("shared-object"))
    other = library("p.whl!p/n.so", "_a.so", base=host_facts("shared-object"))
    for files in ((module, first, second, other), (first, module, second)):
        found = verify(files).findings
        assert [(f.rule, f.path) for f in found] == [("KB405", second.path)]
    assert rules_found(first, second, other) == set()


def test_alternatives_with_one_name_are_loaded_by_their_neighbors() -> None:
    paths = [f"p.whl!p/{d}/{name}" for d in ("cu12", "cu13") for name in ("m.so", "libk.so")]
    host = host_facts("shared-object")
    files = [
        library(path, "libk.so", base=host) if path.endswith("m.so") else library(path)
        for path in paths
    ]
    sets = group_files(tuple(files))
    assert [[f.path for f in sets[id(file)].files] for file in files] == [
        *(paths[:2], paths[:2], paths[2:], paths[2:])
    ]
    elsewhere = library("p.whl!p/n.so", "libk.so", base=host)
    assert len(group_files((*files, elsewhere))[id(elsewhere)].files) == 1


def test_policy_says_what_is_loaded_together() -> None:
    files = (library("p.whl!p/_a.so"), library("p.whl!p/_b.so"), library("p.whl!p/_c.so"))
    policy = Policy(loaded_together=("p/_a.so", "*/_c.so"))
    found = verify(files, policy, select_rules(["KB405"])).findings
    assert [(f.rule, f.path) for f in found] == [("KB405", "p.whl!p/_c.so")]
    assert "_a.so also exports" in found[0].message


def test_libraries_of_two_wheels_do_not_meet() -> None:
    files = (library("p.whl!a.so", "b.so"), library("q.whl!b.so"))
    assert rules_found(*files) == set()


def test_context_is_compared_with_judged_files() -> None:
    judged, loaded = library("a.so"), library("b.so")
    report = verify((judged,), context=(loaded,))
    assert [(f.rule, f.path) for f in report.findings] == [("KB405", "a.so")]


def test_libraries_of_the_context_are_compared_with_each_other() -> None:
    program = host_facts("executable")
    context = (library("a.so"), library("b.so"))
    report = verify((program,), context=context)
    assert [(f.rule, f.path) for f in report.findings] == [("KB405", "b.so")]
    assert "a.so also exports" in report.findings[0].message
    assert "KB405" in report.rules_run
    # Everything else about a library of the context concerns its authors.
    broken = replace(context[0], images=())
    assert verify((program,), context=(broken,)).findings == ()
    assert verify((broken,)).findings != ()


def test_libraries_of_the_context_need_fitting_runtimes() -> None:
    program = host_facts("executable")
    report = verify((program,), context=(FOREIGN, runtime_library("runLaunch")))
    assert [(f.rule, f.path) for f in report.findings] == [("KB403", FOREIGN.path)]
    library_of_kernels = replace(SOUND, runtimes=(replace(SHARED_RUNTIME, backend="cpu"),))
    launching = user(SCALE, runtime=replace(STATIC_RUNTIME, backend="cpu"))
    launching = replace(launching, path="liblaunch.so", kind="shared-object")
    report = verify((program,), context=(launching, library_of_kernels))
    assert [(f.rule, f.path) for f in report.findings] == [("KB404", "liblaunch.so")]


@pytest.mark.parametrize(
    ("exported", "expected"),
    [
        (None, []),
        ((), ["error"]),
        (("ns::*",), ["error"]),
        (("ns::*", AXPY), []),
        ((SCALE,), ["error"]),
    ],
)
def test_policy_says_what_may_be_exported(
    exported: tuple[str, ...] | None, expected: list[str]
) -> None:
    report = verify((SOUND,), Policy(exported=exported), select_rules(["KB406"]))
    assert [finding.severity for finding in report.findings] == expected
