"""Check the names of targets against CMake, the generated project, and file systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.errors import ConfigurationError

# Targets that CMake's generators define.
_CMAKE_TARGETS: Final = frozenset(
    (
        *("all", "ALL_BUILD", "clean", "help", "install", "package", "test", "RUN_TESTS"),
        *("edit_cache", "rebuild_cache", "list_install_components"),
    )
)
# Keywords of the commands that receive target names in the generated project.
_KEYWORDS: Final = frozenset(
    (
        *("SOURCES", "DEPENDS", "COMMAND", "COMMENT", "VERBATIM", "BYPRODUCTS", "JOB_POOL"),
        *("WORKING_DIRECTORY", "JOB_SERVER_AWARE", "COMMAND_EXPAND_LISTS", "USES_TERMINAL"),
        *("PROPERTIES", "POLICY", "TARGET"),
    )
)
# Directories of the output directory, and files beside the directories of targets.
_RESERVED: Final = {
    "debug": "the debug profile uses the directory of that name",
    "cmake": "CMake works in the directory of that name",
    "project": "the generated project is in the directory of that name",
    "run-kbuild": "the build writes a file of that name",
    "runtimes.cmake": "the build writes a file of that name",
}
# Each target comes with targets of these names.
_PARTS: Final = ("_all", "_headers", "_object", "_device_code", "_verified", "_editor")
# File names contain the name of the target and more. File systems allow 255 bytes.
_MAX_LENGTH: Final = 120


def check_name(name: str) -> None:
    """Raise ConfigurationError if a target cannot have this name."""
    if name in _RESERVED:
        raise ConfigurationError(
            f"kbuild reserves the name: {_RESERVED[name]}; choose another name"
        )
    if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII) or name in _CMAKE_TARGETS | _KEYWORDS:
        raise ConfigurationError("CMake does not allow a target of that name; choose another name")
    if len(name) > _MAX_LENGTH:
        raise ConfigurationError(
            f"the name has {len(name)} characters; kbuild names files after it, so the limit is "
            f"{_MAX_LENGTH}"
        )


def check_conflicts(names: Iterable[str]) -> None:
    """Raise ConfigurationError if a name is that of another target's part."""
    known = frozenset(names)
    for name in sorted(known):
        for part in _PARTS:
            if name + part in known:
                raise ConfigurationError(
                    f"kbuild uses that name for a part of [target.{name}]; choose another name",
                    target=name + part,
                )
