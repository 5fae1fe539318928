"""Tests for the imported targets of the runtimes and their run paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends import list_builders
from kbuild.backends.cpu import build as cpu
from kbuild.backends.interface.toolchain import Runtime, ToolchainHints
from kbuild.toolchain.runtime_targets import RuntimeTarget, describe_runtimes


def runtime_in(directory: str) -> tuple[Runtime, ...]:
    return (
        Runtime(linkage="shared", library=Path(directory, "libr.so.1")),
        Runtime(linkage="static", library=Path(directory, "libr.a")),
    )


def describe(
    monkeypatch: pytest.MonkeyPatch, directory: str, *, in_wheel: bool
) -> list[RuntimeTarget]:
    for builder in list_builders():
        monkeypatch.setattr(builder, "find_runtimes", lambda _: ())
    monkeypatch.setattr(cpu, "find_runtimes", lambda _: runtime_in(directory))
    return list(describe_runtimes(ToolchainHints(), in_wheel=in_wheel))


def test_run_path_of_a_program_is_the_directory_of_the_runtime(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared, bundle, static = describe(monkeypatch, "/opt/lib", in_wheel=False)

    assert (shared.name, shared.run_paths) == ("kbuild::runtime_cpu", ("/opt/lib",))
    assert (bundle.name, bundle.run_paths) == ("kbuild::runtime_cpu_bundle", ("$ORIGIN",))
    assert (static.name, static.run_paths) == ("kbuild::runtime_cpu_static", ())
    assert shared.describe_response(Path("/build/a")) == (
        "LINKER:@/build/a",
        b'-rpath "/opt/lib"\n',
    )
    assert shared.describe_response(Path("/build/a,b")) == (
        "@/build/a,b",
        b'-Xlinker -rpath -Xlinker "/opt/lib"\n',
    )


def test_run_paths_in_a_wheel_lead_to_the_wheel_with_the_runtime(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directory = "/env/lib/python3.11/site-packages/kbuild/lib"

    shared = describe(monkeypatch, directory, in_wheel=True)[0]

    assert shared.run_paths == (
        "$ORIGIN/kbuild/lib",
        "$ORIGIN/../kbuild/lib",
        "$ORIGIN/../../kbuild/lib",
        "$ORIGIN/../../../kbuild/lib",
    )


def test_wheel_cannot_use_a_runtime_outside_of_site_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared, bundle, static = describe(monkeypatch, "/opt/lib", in_wheel=True)

    assert shared.obstacle == (
        "a wheel cannot find the runtime in /opt/lib, which is outside of site-packages; "
        "use RUNTIME bundle or static"
    )
    assert (bundle.obstacle, static.obstacle) == (None, None)
