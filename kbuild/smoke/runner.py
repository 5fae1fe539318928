"""The parent process of a smoke test: it runs probes, which load the library and might crash."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.process import python_argv, run_isolated
from kbuild.runtime.loading.shared_object import SharedObject
from kbuild.smoke.journal import read_journal
from kbuild.smoke.report import Kind, SmokeReport, SmokeResult, Status
from kbuild.smoke.target import read_target

_OUTPUT_LINES: Final = 40
# If an image crashes or hangs when it is loaded, each of its kernels does, up to the time limit.
_MOST_CRASHES_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProbeResult:
    """The result of one probe.

    Attributes:
        events: The events in its journal.
        problem: How the process failed, or None if it succeeded.
        output: The end of its output.
        seconds: The time that it ran.
    """

    events: tuple[dict[str, Any], ...]
    problem: str | None
    output: str
    seconds: float

    def explain(self, problem: str | None = None) -> str:
        """Return ``problem``, or how the process failed, with the end of its output."""
        text = problem or self.problem or "the process exited before it was done"
        return f"{text}\n[output]\n{self.output}" if self.output else text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolution:
    """The result of loading all kernels.

    Attributes:
        device_count: The number of devices, or None if the library could not be loaded.
        results: One result per kernel.
        names: The names of the kernels.
        reason: Why there is no device.
    """

    device_count: int | None
    results: tuple[SmokeResult, ...]
    names: tuple[str, ...] = ()
    reason: str | None = None


def run_smoke(
    path: Path,
    cases: Path | None = None,
    *,
    timeout: float = 60,
    require_device: bool = False,
    probe: tuple[str, ...] = (),
) -> SmokeReport:
    """Load every kernel of the shared object at ``path``, then run the cases.

    Args:
        path: The shared object.
        cases: A case file, or None to load the kernels only.
        timeout: The time limit in seconds for each case and for loading the kernels, which run
            in separate processes.
        require_device: Without a device, report a failure for everything.  Otherwise,
            everything is skipped then.
        probe: The command that loads the library of another machine, such as an emulator and the
            program of ``smoke_probe.h``.

    Raises:
        InputError: The file is not a shared object with kernels of kbuild.
        ConfigurationError: The case file cannot be used, as with a probe, which is not Python.
    """
    if cases and probe:
        raise ConfigurationError(
            f"{cases}: cases run in Python, which a probe replaces; leave out the file or --probe"
        )
    file = read_target(path)
    names = _list_cases(cases, timeout) if cases else ()
    resolution = _resolve(file, timeout, probe)
    results = list(resolution.results)
    if resolution.device_count == 0:
        status: Status = "failed" if require_device else "skipped"
        results += _repeat_result(resolution.names, "resolve", status, resolution.reason)
        results += _repeat_result(names, "case", status, resolution.reason)
    elif resolution.device_count is None:
        results += _repeat_result(names, "case", "skipped", "the library cannot be loaded")
    else:
        results += [_run_case(path, cases, name, timeout) for name in names if cases]
    return _make_report(path, resolution.device_count, results)


def report_rejected(path: Path) -> SmokeReport:
    """Return a report for a shared object that the verifier rejected, so that nothing ran."""
    names = _list_kernels(read_target(path))
    reason = "not loaded: the verifier found errors"
    return _make_report(path, None, _repeat_result(names, "resolve", "skipped", reason))


def _make_report(
    path: Path, device_count: int | None, results: Iterable[SmokeResult]
) -> SmokeReport:
    return SmokeReport(path=str(path), device_count=device_count, results=tuple(results))


def _list_kernels(file: SharedObject) -> tuple[str, ...]:
    """Return the symbols of the kernels, without loading the file."""
    return tuple(dict.fromkeys(k.handle for t in file.targets for k in t.record.kernels))


def _list_cases(path: Path, timeout: float) -> tuple[str, ...]:
    if not path.is_file():
        raise ConfigurationError(f"{path}: the case file does not exist")
    probe = _run_probe(timeout, "list", path.absolute())
    event = probe.events[0] if probe.events else {}
    if "cases" not in event:
        problem = (
            event.get("error")
            or f"{path}: the import failed: the process {probe.problem or 'exited'}"
        )
        raise ConfigurationError(probe.explain(problem))
    return tuple(event["cases"])


def _resolve(file: SharedObject, timeout: float, command: tuple[str, ...]) -> _Resolution:
    """Load all kernels; after a crash, a new probe continues with the next kernel."""
    results: list[SmokeResult] = []
    crashes = 0
    while True:
        words = (file.path.absolute(), str(len(results)))
        descriptors = (target.descriptor for target in file.targets) if command else ()
        probe = _run_probe(timeout, "resolve", *words, *descriptors, command=command)
        event = probe.events[0] if probe.events else {}
        if "kernels" not in event:
            return _fail_to_load(file, probe, event.get("error"))
        names = tuple(event["kernels"])
        count = event["device_count"]
        if count == 0:
            reason = event["reason"] or "no device found"
            return _Resolution(device_count=0, results=(), names=names, reason=reason)
        outcomes = probe.events[1:]
        for outcome in outcomes:
            results.append(_read_outcome(names[len(results)], "resolve", outcome, probe))
        if len(results) == len(names):
            return _Resolution(
                device_count=count, results=(*results, *_check_exit(file, probe)), names=names
            )
        results.append(_fail(names[len(results)], "resolve", probe))
        crashes = 1 if outcomes else crashes + 1
        left = names[len(results) :]
        if not left or crashes == _MOST_CRASHES_IN_A_ROW:
            detail = f"not tried, because {crashes} kernels in a row crashed or timed out"
            results += _repeat_result(left, "resolve", "skipped", detail)
            return _Resolution(device_count=count, results=tuple(results), names=names)


def _fail_to_load(file: SharedObject, probe: _ProbeResult, error: str | None) -> _Resolution:
    detail = probe.explain(
        error or f"while loading the library, the process {probe.problem or 'exited'}"
    )
    results = _repeat_result(_list_kernels(file), "resolve", "failed", detail)
    return _Resolution(device_count=None, results=tuple(results))


def _check_exit(file: SharedObject, probe: _ProbeResult) -> Iterator[SmokeResult]:
    """Report a failure if the process failed at its exit, where kernels are unregistered."""
    if probe.problem:
        detail = probe.explain(f"while unloading the library, the process {probe.problem}")
        yield from _repeat_result([file.path.name], "resolve", "failed", detail)


def _run_case(path: Path, cases: Path, name: str, timeout: float) -> SmokeResult:
    probe = _run_probe(timeout, "run", path.absolute(), cases.absolute(), name)
    if not probe.events:
        return _fail(name, "case", probe)
    outcome = dict(probe.events[0])
    if probe.problem and outcome["problem"] is None:
        outcome["problem"] = f"the case passed, but after that the process {probe.problem}"
    return _read_outcome(name, "case", outcome, probe)


def _read_outcome(
    name: str, kind: Kind, outcome: dict[str, Any], probe: _ProbeResult
) -> SmokeResult:
    problem = outcome["problem"]
    return SmokeResult(
        name=name,
        kind=kind,
        status="passed" if problem is None else "failed",
        detail=None if problem is None else probe.explain(problem),
        seconds=outcome["seconds"],
    )


def _fail(name: str, kind: Kind, probe: _ProbeResult) -> SmokeResult:
    return SmokeResult(
        name=name, kind=kind, status="failed", detail=probe.explain(), seconds=probe.seconds
    )


def _repeat_result(
    names: Iterable[str], kind: Kind, status: Status, detail: str | None
) -> Iterator[SmokeResult]:
    """Return the same result for each name, without running anything."""
    for name in names:
        yield SmokeResult(name=name, kind=kind, status=status, detail=detail, seconds=0.0)


def _run_probe(
    timeout: float, request: str, *words: object, command: tuple[str, ...] = ()
) -> _ProbeResult:
    """Run a probe until it exits, crashes, or exceeds the time limit."""
    with tempfile.TemporaryDirectory(prefix="kbuild-smoke-") as directory:
        journal = Path(directory, "journal")
        program = command or python_argv("kbuild.smoke.probe")
        argv = (*program, str(journal), request, *map(str, words))
        # The probe must import the same kbuild as this process.
        paths = os.pathsep.join(path for path in sys.path if path)
        env = (("PYTHONPATH", paths), ("PYTHONUNBUFFERED", "1"))
        start = time.perf_counter()
        ending = run_isolated(Command(argv=argv, env=env), timeout=timeout)
        return _ProbeResult(
            events=read_journal(journal),
            problem=_describe_ending(ending.returncode, timeout),
            output="\n".join(ending.output.strip().splitlines()[-_OUTPUT_LINES:]),
            seconds=time.perf_counter() - start,
        )


def _describe_ending(returncode: int | None, timeout: float) -> str | None:
    if returncode is None:
        return f"exceeded the time limit of {timeout:g} s and was stopped"
    if returncode < 0:
        return f"crashed with {_name_signal(-returncode)}"
    return f"exited with status {returncode}" if returncode else None


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
