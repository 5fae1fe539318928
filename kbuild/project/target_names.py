"""Which names a target may have: CMake, the generated project and file systems have a say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.errors import ConfigurationError

# What CMake's generators have already.
_OF_CMAKE: Final = frozenset(
    (
        *("all", "ALL_BUILD", "clean", "help", "install", "package", "test", "RUN_TESTS"),
        *("edit_cache", "rebuild_cache", "list_install_components"),
    )
)
# Words of the commands that get names of targets in the generated project.
_KEYWORDS: Final = frozenset(
    (
        *("SOURCES", "DEPENDS", "COMMAND", "COMMENT", "VERBATIM", "BYPRODUCTS", "JOB_POOL"),
        *("WORKING_DIRECTORY", "JOB_SERVER_AWARE", "COMMAND_EXPAND_LISTS", "USES_TERMINAL"),
        *("PROPERTIES", "POLICY", "TARGET"),
    )
)
# Folders of the output folder, and files where targets have folders.
_OF_KBUILD: Final = {
    "debug": "its folder is that of the debug profile",
    "cmake": "its folder is the one that CMake works in",
    "project": "its folder is that of the generated project",
    "run-kbuild": "the build has a file of that name",
    "runtimes.cmake": "the build has a file of that name",
}
# What the targets are called that a target comes with.
_PARTS: Final = ("_all", "_headers", "_object", "_device_code", "_verified", "_editor")
# The files of a target bear more than its name; file systems take 255 bytes.
_LONGEST: Final = 120


def check_name(name: str) -> None:
    """Refuse a name that no target can have; ConfigurationError says why."""
    if name in _OF_KBUILD:
        raise ConfigurationError(f"kbuild reserves the name: {_OF_KBUILD[name]}; choose another")
    if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII) or name in _OF_CMAKE | _KEYWORDS:
        raise ConfigurationError("CMake can have no target of that name; choose another")
    if len(name) > _LONGEST:
        raise ConfigurationError(
            f"the name has {len(name)} characters; files are named after it, so it may have "
            f"{_LONGEST}"
        )


def check_together(names: Iterable[str]) -> None:
    """Refuse a name that is that of another target's part; ConfigurationError names both."""
    known = frozenset(names)
    for name in sorted(known):
        for part in _PARTS:
            if name + part in known:
                raise ConfigurationError(
                    f"[target.{name}{part}]: kbuild calls a part of [target.{name}] by that name; "
                    "choose another"
                )
