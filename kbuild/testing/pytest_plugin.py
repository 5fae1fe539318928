"""``pytest --kbuild-check``: a test fails if checks find a mistake in a kernel that it runs.

The runtime writes its findings to a file per process; see `kbuild.check.processes`. The plugin
compares these files before and after each phase of a test. pytest-xdist runs tests in several
processes, so each of them has its own directory.

pytest imports this module in every run, so most modules are imported where they are needed.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from kbuild import process
from kbuild.testing.process_end import ProcessEnd

if TYPE_CHECKING:
    from kbuild.check.processes import Cause
    from kbuild.check.report import CheckFinding, CheckReport
    from kbuild.check.suppressions import Suppressions

_OPTION: Final = "--kbuild-check"
_SUPPRESSIONS: Final = "--kbuild-suppressions"
_SCHEDULES: Final = "--kbuild-schedules"
# A parameter of each test that runs in several orders of blocks.
_PARAMETER: Final = "kbuild_seed"
_NAME: Final = "kbuild-check"
_STDERR: Final = 2
_MOST_SCHEDULES: Final = 1000
_WORKER: Final = "PYTEST_XDIST_WORKER"
# Memory can outlive a test, so that no test is to blame for it.
_EXCLUDED: Final = "leak"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("kbuild")
    group.addoption(
        _OPTION,
        action="store_true",
        help="find mistakes in kernels on the CPU backend that were built with checks; a finding "
        "fails the test that made it",
    )
    group.addoption(
        _SUPPRESSIONS,
        type=Path,
        metavar="FILE",
        help=f"with {_OPTION}: do not count the findings that this TOML file lists",
    )
    group.addoption(
        _SCHEDULES,
        type=int,
        metavar="N",
        help=f"with {_OPTION}: run each test N times, with the blocks of kernels in N orders",
    )


@pytest.fixture(name=_PARAMETER)
def return_seed(request: pytest.FixtureRequest) -> int:
    """Return the order of blocks in which a test runs."""
    return int(request.param)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start checks before any file of the suite can load a library with kernels."""
    arguments = early_config.known_args_namespace
    if arguments.kbuild_check:
        suppressions = _read_suppressions(arguments.kbuild_suppressions)
        report = functools.partial(_report_error, early_config)
        plugin = _CheckPlugin(suppressions, arguments.kbuild_schedules, report)
        early_config.pluginmanager.register(plugin, _NAME)
    for option, value in (
        (_SUPPRESSIONS, arguments.kbuild_suppressions),
        (_SCHEDULES, arguments.kbuild_schedules),
    ):
        if value is not None and not arguments.kbuild_check:
            raise pytest.UsageError(f"{option} has no effect without {_OPTION}; add {_OPTION}")
    schedules = arguments.kbuild_schedules
    if schedules is not None and not 1 <= schedules <= _MOST_SCHEDULES:
        raise pytest.UsageError(
            f"{_SCHEDULES} {schedules}: expected a number from 1 to {_MOST_SCHEDULES}"
        )


def _report_error(config: pytest.Config, text: str) -> None:
    """Print an error where the output of a test does not hide it."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    os.write(_STDERR, f"kbuild: error: {text}\n".encode())


def _read_suppressions(path: Path | None) -> Suppressions | None:
    from kbuild.check.suppressions import read_suppressions  # noqa: PLC0415 - see above
    from kbuild.errors import ConfigurationError  # noqa: PLC0415 - see above

    try:
        return None if path is None else read_suppressions(path)
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from error


def _select_checks() -> tuple[str, ...]:
    """Return the checks that the environment selects, and that a test can fail."""
    from kbuild.check.processes import SELECTION, select_checks  # noqa: PLC0415 - see above
    from kbuild.errors import ConfigurationError  # noqa: PLC0415 - see above

    try:
        checks = tuple(check for check in select_checks() if check != _EXCLUDED)
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from error
    if not checks:
        raise pytest.UsageError(
            f"{SELECTION}={_EXCLUDED}: {_OPTION} does not find leaks; select other checks"
        )
    return checks


def _find_seed(item: pytest.Item) -> int | None:
    """Return the order of blocks of a test, or None for a test without parameters."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    seed = item.callspec.params.get(_PARAMETER)
    return seed if isinstance(seed, int) else None


class _CheckPlugin:
    """The state of one process.

    The main process sets the directory for its workers. A worker without one belongs to another
    run, which this one is a test of.
    """

    def __init__(
        self,
        suppressions: Suppressions | None,
        schedules: int | None,
        report: Callable[[str], None],
    ) -> None:
        from kbuild.check.processes import DIRECTORY, SELECTION  # noqa: PLC0415 - see above

        variables = process.select_environment((_WORKER, DIRECTORY))
        self._is_main = variables.keys() != {_WORKER, DIRECTORY}
        self._suppressions = suppressions
        self._schedules = schedules
        self._checks = _select_checks()
        self._here = Path.cwd()  # tests can change it
        if self._is_main:
            self._directory = Path(tempfile.mkdtemp(prefix="kbuild-check-"))
        else:
            self._directory = Path(variables[DIRECTORY]) / variables[_WORKER]
            self._directory.mkdir(exist_ok=True)
        variables = {DIRECTORY: str(self._directory), SELECTION: ",".join(self._checks)}
        process.export_variables(variables)
        self._counts: dict[tuple[Path, Cause], int] = {}
        self._contents: dict[Path, bytes] = {}
        self._total: CheckReport | None = None
        self._end = ProcessEnd(report)
        if self._is_main:
            self._end.guard()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Let each test run once per order of blocks."""
        if self._schedules is None:
            return
        from kbuild.check.schedules import SEED  # noqa: PLC0415 - see above

        metafunc.fixturenames.append(_PARAMETER)
        seeds = range(self._schedules)
        metafunc.parametrize(
            _PARAMETER, seeds, indirect=True, ids=[f"{SEED}={seed}" for seed in seeds]
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Select the order of blocks before any fixture launches a kernel."""
        if self._schedules is None:
            return
        from kbuild.check.schedules import SEED  # noqa: PLC0415 - see above

        seed = _find_seed(item)
        if seed is None:
            warnings.warn(
                f"{item.nodeid} runs in one order of blocks only, because pytest cannot give it "
                f"parameters; make it a function to use {_SCHEDULES}",
                pytest.PytestWarning,
                stacklevel=2,
            )
        process.export_variables({SEED: str(seed or 0)})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Fail a phase of a test in which a kernel made a mistake."""
        from kbuild.report.check.text import render_findings  # noqa: PLC0415 - see above

        report = yield
        found = tuple(self._take_findings())
        if not found:
            return report
        text = render_findings(found)
        if report.outcome != "failed" and any(finding.severity == "error" for finding in found):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: checks found mistakes in kernels\n\n{text}"
        else:
            report.sections.append(("kbuild checks", text))
        return report

    def _take_findings(self) -> Iterator[CheckFinding]:
        """Yield the findings since the last call that count, also repeated ones."""
        from kbuild.check.journals import read_content  # noqa: PLC0415 - see above
        from kbuild.check.processes import find_cause, read_findings  # noqa: PLC0415 - see above

        for path in sorted(self._directory.glob("*.jsonl")):
            content = read_content(path)
            if self._contents.get(path) == content:
                continue
            self._contents[path] = content
            for finding in read_findings(path, self._here):
                key = (path, find_cause(finding))
                if finding.count > self._counts.get(key, 0):
                    self._counts[key] = finding.count
                    if self._suppressions is None or self._suppressions.find(finding) is None:
                        yield finding

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the suite if nothing was checked, or a suppression has expired."""
        from kbuild.check.rules import find_rule  # noqa: PLC0415 - see above

        self._end.release()
        if not self._is_main or session.config.option.collectonly:
            return
        self._total = self._read_total()
        is_about_suite = any(not find_rule(found.rule).check for found in self._total.findings)
        if is_about_suite and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _read_total(self) -> CheckReport:
        """Return the report of all processes."""
        from kbuild.check.gaps import Requirements  # noqa: PLC0415 - see above
        from kbuild.check.processes import read_report  # noqa: PLC0415 - see above
        from kbuild.check.suppressions import apply_suppressions  # noqa: PLC0415 - see above

        report = read_report(
            self._directory,
            program="pytest",
            exit_status=0,
            checks=self._checks,
            requirements=Requirements(can_run=True),
        )
        return apply_suppressions(report, self._suppressions) if self._suppressions else report

    def pytest_report_header(self) -> str:
        """Say what is checked."""
        return f"kbuild: checks {', '.join(self._checks)}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what ran, and warnings, which fail no test."""
        from kbuild.check.rules import find_rule  # noqa: PLC0415 - see above
        from kbuild.report.check import text  # noqa: PLC0415 - see above

        total = self._total
        if total is None:
            return
        terminalreporter.section("kbuild checks")
        shown = tuple(
            f for f in total.findings if f.severity == "warning" or not find_rule(f.rule).check
        )
        terminalreporter.write(text.render_findings(shown))
        terminalreporter.write(text.render_suppressed(total.suppressed))
        terminalreporter.write(text.render_verdict(total))

    def pytest_unconfigure(self) -> None:
        """Remove the files."""
        if self._is_main:
            shutil.rmtree(self._directory, ignore_errors=True)
