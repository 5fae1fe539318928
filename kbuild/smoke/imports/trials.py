"""Import each module in a process of its own."""

from __future__ import annotations

import json
import platform
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.formats.wheel import is_wheel
from kbuild.inspect.file_content import open_content
from kbuild.model import Command
from kbuild.process import IsolatedResult, run_isolated
from kbuild.smoke.imports.driver import build_stand_ins, hide_drivers, list_drivers
from kbuild.smoke.imports.model import Driver, ImportReport, ImportTrial
from kbuild.smoke.imports.modules import (
    Target,
    find_file_target,
    find_wheel_targets,
    unpack,
)

_SECONDS: Final = 120.0
_MARKER: Final = "kbuild-import-result: "
# Python's own statements, so that the process contains nothing of kbuild.
_PROGRAM: Final = f"""
import ctypes, faulthandler, importlib, importlib.util, json, os, sys
faulthandler.enable()
request = json.loads(sys.argv[1])
sys.path[:0] = request["search"]
try:
    if not request["is_module"]:
        ctypes.CDLL(request["path"], os.RTLD_NOW)
    elif request["path"]:
        spec = importlib.util.spec_from_file_location(request["name"], request["path"])
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    else:
        importlib.import_module(request["name"])
    result = ["imported", "", ""]
except BaseException as error:
    missing = error.name if isinstance(error, ModuleNotFoundError) else ""
    result = ["failed", f"{{type(error).__name__}}: {{error}}", missing or ""]
print("\\n{_MARKER}" + json.dumps(result), flush=True)
os._exit(0)
"""


def try_imports(path: Path) -> ImportReport:
    """Import the modules of a wheel, or load one shared object, with and without a driver.

    Raises:
        InputError: The path is neither a wheel nor a shared object.
    """
    with tempfile.TemporaryDirectory(prefix="kbuild-import-") as name:
        directory = Path(name)
        if is_wheel(bytes(open_content(path)[:4])):
            (directory / "wheel").mkdir()
            search = unpack(path, directory / "wheel")
            targets = tuple(find_wheel_targets(search))
        else:
            search, targets = (), (find_file_target(path),)
        (directory / "drivers").mkdir()
        hidden = hide_drivers(directory / "drivers" / "hidden")
        stand_in, problem = build_stand_ins(directory / "drivers" / "stand-in")
        environments: dict[Driver, Path | None] = {"none": hidden}
        if stand_in:
            environments["stand-in"] = stand_in
        own = {part.name for place in search for part in place.iterdir()}
        trials = tuple(
            _try(target, search, driver, libraries, own)
            for target in targets
            for driver, libraries in environments.items()
        )
    notes = [problem] if problem else []
    if not targets:
        notes.append("no Python module with native code")
    return ImportReport(
        path=str(path), python=platform.python_version(), trials=trials, notes=tuple(notes)
    )


def _try(
    target: Target,
    search: tuple[Path, ...],
    driver: Driver,
    libraries: Path | None,
    own: set[str],
) -> ImportTrial:
    if target.problem:
        return ImportTrial(
            module=target.name, driver=driver, outcome="unjudged", message=target.problem
        )
    request = {
        "name": target.name,
        "path": str(target.path) if target.path else "",
        "is_module": target.is_module,
        "search": [str(place) for place in search],
    }
    argv = (sys.executable, "-I", "-c", _PROGRAM, json.dumps(request))
    variables = (("LD_LIBRARY_PATH", str(libraries or "")), ("LD_PRELOAD", ""))
    result = run_isolated(Command(argv=argv, env=variables), timeout=_SECONDS)
    return _judge(target.name, driver, result, own)


def _judge(name: str, driver: Driver, result: IsolatedResult, own: set[str]) -> ImportTrial:
    output, marker, verdict = result.output.rpartition(_MARKER)
    if not marker:
        lines = list(_shorten(output or verdict))
        reason = "it exceeded the time limit" if result.returncode is None else _name_end(result)
        return ImportTrial(
            module=name, driver=driver, outcome="crashed", message="\n".join((reason, *lines))
        )
    outcome, message, missing = json.loads(verdict)
    top = missing.partition(".")[0]
    if missing and top not in own and f"{top}.py" not in own:
        message = f"{missing} is not installed here"
        return ImportTrial(module=name, driver=driver, outcome="unjudged", message=message)
    # What hides a driver of this machine is a file that is not a library.
    for library, _ in list_drivers():
        usual = f"{library}: cannot open shared object file: No such file or directory"
        message = message.replace(f"{library}: file too short", usual)
    return ImportTrial(module=name, driver=driver, outcome=outcome, message=message)


def _name_end(result: IsolatedResult) -> str:
    code = result.returncode or 0
    return f"signal {-code} ended Python" if code < 0 else f"Python ended with exit status {code}"


def _shorten(output: str) -> Iterator[str]:
    """Yield the lines of the output without those of the interpreter's stack."""
    for line in output.splitlines():
        if line.startswith(("Current thread", "Extension modules")):
            return
        if line.strip():
            yield line
