"""Stand-ins for the libraries of drivers, and a way to hide those of this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import list_host_conventions
from kbuild.errors import ToolError
from kbuild.model import Command
from kbuild.process import find_program, run_checked, run_isolated
from kbuild.verify.system_symbols import read_system_symbols

_COMPILERS: Final = ("cc", "gcc", "clang")
_SECONDS: Final = 60.0


def list_drivers() -> Iterator[tuple[str, int]]:
    """Yield the name of each driver's library, and the status that says there is no device."""
    for _, conventions in list_host_conventions():
        for library in conventions.runtimes:
            if library.no_device is not None:
                yield f"lib{library.name}.so.1", library.no_device


def hide_drivers(directory: Path) -> Path | None:
    """Return a search path in which loading the driver's libraries fails.

    None if it fails on this machine anyway.
    """
    directory.mkdir()
    for name, _ in list_drivers():
        program = f"import ctypes; ctypes.CDLL({name!r})"
        command = Command(argv=(sys.executable, "-I", "-c", program))
        if run_isolated(command, timeout=_SECONDS).returncode == 0:
            (directory / name).write_bytes(b"")
    return directory if any(directory.iterdir()) else None


def build_stand_ins(directory: Path) -> tuple[Path | None, str | None]:
    """Build libraries with the driver's functions, all of which report that there is no device.

    Returns:
        The directory that contains them, or why they cannot be built.
    """
    compiler = next(filter(None, map(find_program, _COMPILERS)), None)
    if compiler is None:
        return None, "no C compiler builds a stand-in for the driver (cc, gcc, or clang)"
    directory.mkdir()
    source = directory / "driver.c"
    for name, status in list_drivers():
        listed = (n for n, s in read_system_symbols().items() if name.startswith(s.library))
        functions = (f"int {function}(void) {{ return {status}; }}\n" for function in listed)
        source.write_text("".join(functions))
        words = ("-shared", "-fPIC", "-w", f"-Wl,-soname,{name}")
        argv = (str(compiler), *words, str(source), "-o", str(directory / name))
        try:
            run_checked(Command(argv=argv, inputs=(source,)))
        except ToolError as error:
            return None, f"the stand-in for {name} does not compile: {error}"
    source.unlink()
    return directory, None
