"""Run commands of kbuild in forks of this process, until its standard input is closed."""

from __future__ import annotations

import array
import atexit
import contextlib
import dataclasses
import gc
import importlib
import os
import pkgutil
import re
import select
import signal
import socket
import struct
import sys
from types import ModuleType
from typing import Any
from unittest import mock

from kbuild import process, resources
from kbuild.cli.main import main
from kbuild.project import cmake
from support.compiler_detection import find_detection

_FILES = 3  # stdin, stdout, stderr
_SIGNALS = 4096  # more than can be pending
# The packages of what most tests run, without what loads NumPy or more.
_PACKAGES = (
    *("backends", "cli", "cxx", "demangle", "diff", "facts", "formats", "inspect", "nvcc"),
    *("project", "report", "stages", "toolchain", "verify"),
)
_RARE = re.compile(
    r".*(?:streams|\.module\..*|\.cuda\.(?:driver|execution|nvrtc|queue)"
    r"|commands\.(?:bench|demo|doctor|replay|smoke))"
)
# Libraries that commands import where they use them.
_LIBRARIES = ("concurrent.futures.thread", "importlib.metadata")


def serve(name: str, program: str) -> None:
    """Accept connections to the abstract socket ``name``; ``program`` is the client."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(f"\0{name}")
    listener.listen(64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client gets it, too
    _import_commands()
    _share_work(program)
    ended = _watch_children()
    os.write(1, b"ready\n")
    running: dict[int, socket.socket] = {}  # the clients by the processes of their commands
    while True:
        ready, _, _ = select.select([listener.fileno(), ended.fileno(), 0], [], [])
        if 0 in ready:
            return
        if ended.fileno() in ready:
            ended.recv(_SIGNALS)
            _report_ends(running)
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            process = os.fork()
            if process == 0:
                for other in (listener, ended, *running.values()):
                    other.close()
                _answer(connection)
            running[process] = connection


def _watch_children() -> socket.socket:
    """Return a socket that becomes readable when a process has ended."""
    readable, writable = socket.socketpair()
    writable.settimeout(0)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writable.detach(), warn_on_full_buffer=False)
    return readable


def _report_ends(running: dict[int, socket.socket]) -> None:
    """Tell the clients of the commands that have ended how they ended."""
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        with running.pop(process) as connection, contextlib.suppress(OSError):  # it can be gone
            connection.sendall(struct.pack("=i", status))


def _import_commands() -> None:
    for name in _LIBRARIES:
        importlib.import_module(name)
    for package in _PACKAGES:
        directories = importlib.import_module(f"kbuild.{package}").__path__
        for module in pkgutil.walk_packages(directories, f"kbuild.{package}."):
            if not _RARE.fullmatch(module.name):
                importlib.import_module(module.name)
    for name, imported in tuple(sys.modules.items()):
        if name.startswith("kbuild."):
            _generate_functions(imported)
    resources.identify_installation()  # reads all files of kbuild
    sys.path.pop(0)  # the directory of `support`, which installed commands do not see
    gc.freeze()


def _generate_functions(module: ModuleType) -> None:
    """Generate the functions of values, which kbuild/values.py does when they are called."""
    for member in vars(module).values():
        if isinstance(member, type) and dataclasses.is_dataclass(member):
            dataclasses.fields(member)


def _share_work(program: str) -> None:
    """Let the builds of `kbuild build` and `kbuild run` use this server and known compilers."""
    argv, configure = process.python_argv, cmake.configure

    def configure_quickly(project: cmake.CMakeBuild, *arguments: Any) -> None:
        detection = find_detection("Ninja", project.definitions)
        detection.restore(project.build)
        configure(project, *arguments)
        detection.keep(project.build)

    def name_command(module: str) -> tuple[str, ...]:
        return (program,) if module == main.__module__ else argv(module)

    mock.patch("kbuild.process.python_argv", name_command).start()
    mock.patch("kbuild.project.configure.configure", configure_quickly).start()


def _answer(connection: socket.socket) -> None:
    """Run the command that a client sends. Never returns."""
    writable = signal.set_wakeup_fd(-1)
    if writable >= 0:  # asyncio, since Python 3.12, has reset it in the fork
        os.close(writable)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    files = array.array("i")
    _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_LEN(_FILES * files.itemsize))
    files.frombytes(ancillary[0][2])
    (size,) = struct.unpack("=I", _read(connection, 4))
    directory, count, *words = _read(connection, size).split(b"\0")[:-1]
    connection.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    _run(directory, words[: int(count)], words[int(count) :])


def _read(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        content += connection.recv(size - len(content))
    return content


def _run(directory: bytes, arguments: list[bytes], environment: list[bytes]) -> None:
    """Do what the installed script does. Never returns."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(directory)
    os.environ.clear()
    for variable in environment:
        key, _, value = variable.partition(b"=")
        os.environb[key] = value
    sys.argv[:] = map(os.fsdecode, arguments)
    code = main()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # without the time in which Python frees all objects


if __name__ == "__main__":
    serve(*sys.argv[1:])
