"""The fuzzer itself: its targets find nothing in a short run, and it notices every defect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.commands import ROOT

COUNT = 150
# Registers a target with a defect. Its input has a byte that triggers it.
DRIVER = """
import ctypes, sys, time
import fuzz.engine.judge, fuzz.engine.worker
from fuzz.__main__ import main
from fuzz.engine import driver, model
from fuzz.target import Target
from fuzz.targets import TARGETS

def check(data):
    if 0x41 in data:
        {defect}

driver._LIMITS = model.Limits(seconds=0.2)
driver.Plan.__init__.__kwdefaults__["limits"] = driver._LIMITS
driver._GRACE = 0.3
TARGETS["broken"] = Target(
    name="broken", check=check, seeds=("name/01.txt",), mutate=lambda chance, pool: b"seed A")
sys.exit(main())
"""
DEFECTS = {
    "exception": "raise KeyError(data)",
    "hang": "time.sleep(60)",
    "memory": "bytearray(2 << 30)",
    "crash": "ctypes.string_at(0)",
}


def fuzz(directory: Path, *words: str, script: str | None = None) -> tuple[int, dict[str, Any]]:
    program = ("-m", "fuzz") if script is None else ("-c", script)
    done = subprocess.run(
        [
            *(sys.executable, *program, "run", *words),
            *("-o", directory / "out.json", "--findings", directory / "found"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    summary: dict[str, Any] = json.loads((directory / "out.json").read_text())
    return done.returncode, summary


@pytest.mark.slow
def test_no_target_has_a_defect_in_a_short_run(tmp_path: Path) -> None:
    code, summary = fuzz(tmp_path, "--all", "--count", str(COUNT))

    assert [row["crashes"] for row in summary["targets"]] == [[]] * len(summary["targets"])
    assert code == 0
    assert summary["schema"] == "kbuild.fuzz/1"
    assert {row["executions"] for row in summary["targets"]} == {COUNT}
    assert not (tmp_path / "found").exists()


@pytest.mark.parametrize("kind", DEFECTS)
def test_defects_are_found_and_saved(tmp_path: Path, kind: str) -> None:
    script = DRIVER.format(defect=DEFECTS[kind])
    code, summary = fuzz(tmp_path, "broken", "--count", "3", script=script)

    assert code == 1
    (row,) = summary["targets"]
    (crash,) = row["crashes"]
    assert crash["kind"] == kind
    found = (tmp_path / "found" / crash["file"]).read_bytes()
    assert found == (b"A" if kind == "exception" else b"seed A")


def test_equal_seeds_give_equal_runs(tmp_path: Path) -> None:
    script = DRIVER.format(defect="raise AssertionError(data)").replace(
        'lambda chance, pool: b"seed A"', "lambda chance, pool: chance.randbytes(8)"
    )
    runs = []
    for name, seed in (("one", "1"), ("two", "1"), ("three", "2")):
        directory = tmp_path / name
        directory.mkdir()
        _, summary = fuzz(directory, "broken", "--count", "200", "--seed", seed, script=script)
        runs.append([crash["signature"] for crash in summary["targets"][0]["crashes"]])
    assert len(runs[0]) > 1
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.slow
def test_time_limit_ends_a_run(tmp_path: Path) -> None:
    _, summary = fuzz(tmp_path, "archive", "record", "--seconds", "2", "-j", "2")

    assert summary["seconds"] < 20
    assert all(row["executions"] > 10 for row in summary["targets"])
