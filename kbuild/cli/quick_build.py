"""A build that has nothing to do, found out without importing what building takes.

Whole commands start in the time that this takes.  So it reads plain text, has tuples where others
have dataclasses, and leaves all that is not quite as it was to `kbuild build` itself: it says None.
"""

from __future__ import annotations

import fcntl
import os
import sys

from kbuild import __version__

_HEADER = "kbuild.quick/1"
FILE = ".quick"
_PLACE = os.path.join("build", "kbuild")
_DEFAULT_PROFILE = "release"
_PREFIXES = ("CMAKE_", "KBUILD_")
_MOST_FOLDERS = 200
_NOTHING = b"ninja: no work to do.\n"


def describe_process(variables: tuple[str, ...]) -> str:
    """What of this process a configuration depends on; ``variables`` by name."""
    values = (f"{name}={os.environ.get(name)}" for name in variables)
    others = sorted(f"{n}={v}" for n, v in os.environ.items() if n.startswith(_PREFIXES))
    text = "\0".join((__version__, sys.prefix, mark(__file__), *values, *others))
    return text.replace("\n", "\0")


def mark(path: str) -> str:
    """The file or folder as it is now, in one line, by what nobody can set back."""
    try:
        status = os.stat(path)
    except OSError:
        return f"-1 -1 {path}"
    return f"{status.st_ctime_ns} {status.st_ino} {path}"


def list_folders(root: str, pattern: str, output: str) -> list[str] | None:
    """Where a file could come or go that ``pattern`` names: folders, and links to nothing.

    None where they are too many; those in ``output`` are none, for a build writes there.
    """
    fixed = os.path.join(root, pattern)
    while any(character in fixed for character in "*?["):
        fixed = os.path.dirname(fixed)
    is_deep = any(character in os.path.dirname(pattern) for character in "*?[")
    start = fixed if is_deep else os.path.dirname(os.path.join(root, pattern))
    found, seen = [], set()
    for folder, inner, files in os.walk(start, followlinks=True):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:  # links may lead around in circles
            inner.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        inner[:] = (n for n in inner if is_deep and os.path.join(folder, n) != output)
        paths = (os.path.join(folder, name) for name in files)
        found += [folder, *(path for path in paths if not os.path.exists(path))]
        if len(found) > _MOST_FOLDERS:
            return None
    return found or [start]


def format_quick_file(
    root: str, variables: tuple[str, ...], ninja: str, outputs: dict[str, str], marks: list[str]
) -> bytes:
    """What `find_nothing_to_do` reads in ``root``: ``outputs`` are artifacts by target."""
    described = describe_process(variables)
    pairs = (line for item in outputs.items() for line in item)
    first = (_HEADER, root, described, " ".join(variables), ninja, str(len(outputs)))
    lines = (*first, *pairs, *marks)
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def find_nothing_to_do(words: list[str]) -> tuple[str, ...] | None:
    """The artifacts that ``words`` ask for, if the build in this folder is up to date.

    None where it is not, or where it takes more to find out.
    """
    asked = _read_words(words)
    return None if asked is None else _find_artifacts(*asked)


def _read_words(words: list[str]) -> tuple[str, list[str]] | None:
    """The output folder and the targets (none: all); None for options that we do not know."""
    profile, targets, rest = _DEFAULT_PROFILE, [], iter(words)
    for word in rest:
        if word == "--profile":
            profile = next(rest, "-")
        elif word.startswith("--profile="):
            profile = word.partition("=")[2]
        elif word.startswith("-j"):  # nothing is done with any number of jobs
            jobs = word[2:] or next(rest, "")
            if not jobs.isdecimal() or int(jobs) < 1:
                return None
        elif word.startswith("-"):
            return None
        else:
            targets.append(word)
    if not profile.isalnum():
        return None
    is_default = profile == _DEFAULT_PROFILE
    return _PLACE if is_default else os.path.join(_PLACE, profile), targets


def _find_artifacts(place: str, targets: list[str]) -> tuple[str, ...] | None:
    try:
        with open(os.path.join(place, FILE), encoding="utf-8", errors="surrogateescape") as file:
            header, root, described, names, ninja, count, *lines = file.read().split("\n")
    except (OSError, ValueError):
        return None
    # The folder may have been copied, or be a link.
    if header != _HEADER or root != os.path.join(os.getcwd(), place):
        return None
    if described != describe_process(tuple(names.split(" "))):
        return None
    end = 2 * int(count)
    outputs = dict(zip(lines[:end:2], lines[1:end:2], strict=True))
    is_known = all(target in outputs for target in targets)
    is_marked = is_known and all(line == mark(line.split(" ", 2)[2]) for line in lines[end:])
    if not is_marked or not _has_no_work(place, ninja, [f"{target}_all" for target in targets]):
        return None
    return tuple(outputs[target] for target in targets or outputs)


def _has_no_work(place: str, ninja: str, targets: list[str]) -> bool:
    """Whether ninja would do nothing, and nobody else is at work."""
    try:
        lock = os.open(os.path.join(place, ".kbuild-lock"), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder = os.path.join(place, "cmake")
        return _read_output([ninja, "-C", folder, "-n", *targets]).endswith(_NOTHING)
    except OSError:
        return False
    finally:
        os.close(lock)


def _read_output(argv: list[str]) -> bytes:
    """What a program prints that prints little."""
    readable, writable = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, writable, 1), (os.POSIX_SPAWN_DUP2, writable, 2)]
        process = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    finally:
        os.close(writable)
    with open(readable, "rb") as stream:
        output = stream.read()
    os.waitpid(process, 0)
    return output
