"""The child process of a smoke test, which loads the library and might crash.

Its arguments are ``JOURNAL list CASES``, ``JOURNAL resolve LIBRARY FIRST``, or ``JOURNAL run
LIBRARY CASES NAME``.  The parent is :mod:`kbuild.smoke.runner`.  The probe prints nothing.
"""

from __future__ import annotations

import faulthandler
import itertools
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from kbuild.errors import KbuildError
from kbuild.runtime.loading.loaded_library import load
from kbuild.smoke.cases import call_case, read_cases
from kbuild.smoke.journal import Journal


def main(words: list[str]) -> None:
    """Do the work that the parent requests, and write the results to the journal."""
    # On a crash, and on the SIGTERM at the time limit, show the stack of each thread.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)
    journal = Journal(Path(words[0]))
    match words[1:]:
        case ["list", cases]:
            _list_cases(journal, Path(cases))
        case ["resolve", library, first]:
            _resolve(journal, Path(library), int(first))
        case ["run", library, cases, name]:
            _run_case(journal, Path(library), Path(cases), name)
        case _:
            raise SystemExit(f"kbuild.smoke.probe: unknown request {words}")


def _list_cases(journal: Journal, path: Path) -> None:
    try:
        names = list(read_cases(path))
    except KbuildError as error:
        journal.write(error=str(error))
    except BaseException as error:  # noqa: BLE001 - the file can raise anything, and exit
        journal.write(error=f"{path} cannot be imported\n{_format_traceback(error, path)}")
    else:
        journal.write(cases=names)


def _resolve(journal: Journal, library: Path, first: int) -> None:
    """Write the names of the kernels and the number of devices; resolve the kernels.

    Kernels before number ``first`` are left out.
    """
    try:
        module = load(library)
    except KbuildError as error:
        journal.write(error=str(error))
        return
    try:
        count, reason = module.count_devices(), None
    except KbuildError as error:
        count, reason = 0, str(error)
    journal.write(kernels=list(module.symbols), device_count=count, reason=reason)
    if count:
        for kernel in itertools.islice(module.values(), first, None):
            _run_timed(journal, kernel.resolve, str)


def _run_case(journal: Journal, library: Path, path: Path, name: str) -> None:
    def run() -> None:
        case = read_cases(path)[name]
        with load(library) as module:
            call_case(case, module)

    _run_timed(journal, run, lambda error: _format_traceback(error, path))


def _run_timed(
    journal: Journal, action: Callable[[], None], describe: Callable[[BaseException], str]
) -> None:
    start = time.perf_counter()
    problem = None
    try:
        action()
    except BaseException as error:  # noqa: BLE001 - a case can raise anything, and exit
        problem = describe(error)
    journal.write(problem=problem, seconds=round(time.perf_counter() - start, 6))


def _format_traceback(error: BaseException, path: Path) -> str:
    """Return the traceback, starting in the user's file."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != str(path):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()
