from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu import machines as cpu_machines
from kbuild.backends.interface.toolchain import Toolchain

GCC = Toolchain(backend="cpu", compiler=Path("/usr/bin/g++"), compiler_id="gcc", version="12.2.0")
V2 = "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"
V3 = f"{V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
V4 = f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl"

pytestmark = pytest.mark.skipif(
    cpu_machines.own_machine() != "x86_64", reason="levels are those of x86-64"
)


@pytest.mark.parametrize(
    ("flags", "level"),
    [
        ("fpu", "x86-64"),
        (V2, "x86-64-v2"),
        (V3, "x86-64-v3"),
        (V4, "x86-64-v4"),
        (V3.replace("fma ", ""), "x86-64-v2"),
        (V4.replace("movbe ", ""), "x86-64-v2"),
    ],
)
def test_level_is_the_highest_one_that_is_complete(tmp_path: Path, flags: str, level: str) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor : 0\nflags\t\t: fpu vme {flags}\nbugs\t: avx512f\n")
    assert cpu_machines.find_best_level(file) == level


def test_level_is_the_baseline_when_flags_are_missing(tmp_path: Path) -> None:
    assert cpu_machines.find_best_level(tmp_path / "absent") == "x86-64"


def test_level_of_this_machine_is_known() -> None:
    assert cpu_machines.find_best_level() in cpu_machines.MACHINES


def test_levels_are_listed_up_to_the_best_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_machines, "find_best_level", lambda: "x86-64-v3")
    assert cpu_machines.list_levels() == ("x86-64-v3", "x86-64-v2", "x86-64")
    assert cpu_machines.list_levels("x86-64-v2") == ("x86-64-v2", "x86-64")
    assert cpu_machines.list_levels("aarch64") == ()


def test_images_have_the_instructions_of_host_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_machines, "own_machine", lambda: "x86_64")

    assert cpu_machines.select_host_machine("x86-64-v3", GCC, ("-O2", "-mavx512f")) == (
        "-mavx512f",
    )
    assert cpu_machines.select_host_machine("x86-64", GCC, ("-march=haswell", "-mno-avx2")) == (
        "-march=haswell",
    )
    # A later -march replaces the one of the image, whose features remain.
    named, *features = cpu_machines.select_host_machine("x86-64-v3", GCC, ("-march=x86-64-v2",))
    assert named == "-march=x86-64-v2"
    assert {"-mavx2", "-mlzcnt", "-mbmi", "-msse4.2", "-msahf"} <= set(features)
    assert "-mavx512f" not in features
    # The options are those of another machine.
    assert cpu_machines.select_host_machine("aarch64", GCC, ("-mavx2", "-march=native")) == ()


def test_headers_learn_what_a_machine_has() -> None:
    assert cpu_machines.list_macros("x86-64-v3") == ("-DKBUILD_CPU_F16C=1",)
    assert cpu_machines.list_macros("x86-64-v2") == cpu_machines.list_macros("aarch64") == ()
