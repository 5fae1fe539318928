"""`process.run_isolated`: a child cannot disturb or outlive its parent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from kbuild.model import Command
from kbuild.process import IsolatedResult, run_isolated


def run_python(code: str, timeout: float = 30) -> IsolatedResult:
    return run_isolated(Command(argv=(sys.executable, "-c", code)), timeout=timeout)


def test_output_and_exit_status_are_returned() -> None:
    ending = run_python("import sys; print('out', flush=True); sys.exit('error')")
    assert ending == IsolatedResult(returncode=1, output="out\nerror\n")


def test_signals_are_negative_statuses() -> None:
    assert run_python("import os; os.kill(os.getpid(), 11)").returncode == -11


def test_hanging_child_is_killed_even_if_it_ignores_sigterm() -> None:
    start = time.monotonic()
    ending = run_python(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\ntime.sleep(60)",
        timeout=0.5,
    )
    assert ending == IsolatedResult(returncode=None, output="deaf\n")
    assert time.monotonic() - start < 20


def test_grandchildren_are_killed_and_do_not_block(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    start = time.monotonic()
    code = f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 2; touch {mark}'])"
    assert run_python(code).returncode == 0
    assert time.monotonic() - start < 2
    time.sleep(2.2)
    assert not mark.exists()
