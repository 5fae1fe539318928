"""The child of a smoke test: loads the library, and may crash.

``python -m kbuild.smoke.probe JOURNAL list CASES | resolve LIBRARY FIRST | run LIBRARY
CASES NAME``.  The parent is :mod:`kbuild.smoke.runner`; nothing here prints.
"""

from __future__ import annotations

import faulthandler
import itertools
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from kbuild.errors import KbuildError
from kbuild.runtime.module import load
from kbuild.smoke.cases import call_case, read_cases
from kbuild.smoke.journal import Journal


def main(words: list[str]) -> None:
    """Do what the parent asks for and write it to the journal."""
    # A crash, and the time limit's SIGTERM, show where each thread is.
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
    except BaseException as error:  # noqa: BLE001 - the file may raise anything, and exit
        journal.write(error=f"{path} cannot be imported:\n{_trace(error)}")
    else:
        journal.write(cases=names)


def _resolve(journal: Journal, library: Path, first: int) -> None:
    """Resolve the kernels from number ``first`` on, one event each."""
    try:
        module = load(library)
    except KbuildError as error:
        journal.write(load_error=str(error))
        return
    try:
        journal.write(device_count=module.count_devices())
    except KbuildError as error:
        journal.write(device_count=0, reason=str(error))
        return
    for kernel in itertools.islice(module.values(), first, None):
        _time(journal, kernel.resolve)


def _run_case(journal: Journal, library: Path, cases: Path, name: str) -> None:
    def run() -> None:
        case = read_cases(cases)[name]
        with load(library) as module:
            call_case(case, module)

    _time(journal, run)


def _time(journal: Journal, action: Callable[[], None]) -> None:
    start = time.perf_counter()
    problem = None
    try:
        action()
    except KbuildError as error:
        # Ours say what is wrong; where matters only in a case.
        problem = str(error) if len(traceback.extract_tb(error.__traceback__)) < 0 else _trace(error)
    except BaseException as error:  # noqa: BLE001 - a case may raise anything, and exit
        problem = _trace(error)
    journal.write(problem=problem, seconds=time.perf_counter() - start)


def _trace(error: BaseException) -> str:
    """The traceback from the user's own file on."""
    return "".join(traceback.format_exception(error)).rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
