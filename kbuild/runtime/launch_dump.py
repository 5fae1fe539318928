"""``KBUILD_DUMP``: write the launches into the directories of dumped kernels, and count them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from kbuild import records
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError
from kbuild.files import sha256, write_file
from kbuild.process import select_environment
from kbuild.process.running_test import name_running_test
from kbuild.runtime.compiling.kernel_facts import KernelFacts
from kbuild.runtime.compiling.model import Variant

VARIABLE: Final = "KBUILD_DUMP"
# Whether the directory has one directory for each test.
BY_TEST_VARIABLE: Final = "KBUILD_DUMP_BY_TEST"
# What `kbuild diff --run` counts: a line with a test and a kernel for each launch.
LAUNCHES: Final = ".kbuild-launches"
_UNSAFE: Final = re.compile(r"[^\w.+-]+", re.ASCII)
_LONGEST_NAME: Final = 80
# The directory of each kernel that was dumped, so that its launches find it.
_DIRECTORIES: Final[WeakKeyDictionary[KernelFacts, Path]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def find_directory() -> tuple[Path, str] | None:
    """Return the directory for dumps, and the running test if it has one; None without a dump."""
    values = select_environment((VARIABLE, BY_TEST_VARIABLE))
    value = values.get(VARIABLE, "")
    if value in ("", "0"):
        return None
    root = Path(value).absolute()
    test = name_running_test() if values.get(BY_TEST_VARIABLE) else ""
    # The digest tells apart names that are cut off, or have other characters.
    return (root / f"{name_file(test)}-{sha256(test.encode())[:6]}" if test else root), test


def find_counter(kernel: str) -> Callable[[], None] | None:
    """Return a function that counts a launch; None if launches are not counted.

    Args:
        kernel: The name of the kernel.
    """
    if not select_environment((VARIABLE, BY_TEST_VARIABLE)).get(BY_TEST_VARIABLE):
        return None

    def count() -> None:
        found = find_directory()
        if found is None:
            return
        directory, test = found
        try:
            directory.mkdir(parents=True, exist_ok=True)
            # Processes and threads append whole lines.
            with (directory / LAUNCHES).open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps((test, kernel))}\n")
        except OSError as error:
            raise ConfigurationError(f"{VARIABLE}: {error}; name a writable directory") from error

    return count


def is_dumped(kernel: KernelFacts) -> bool:
    """Return whether a kernel has a directory."""
    return kernel in _DIRECTORIES


def set_directory(kernels: Iterable[KernelFacts], directory: Path) -> None:
    """Let the launches of kernels write to a directory."""
    with _LOCK:
        for kernel in kernels:
            _DIRECTORIES[kernel] = directory


def dump_launch(kernel: KernelFacts, config: LaunchConfig, variant: Variant | None) -> None:
    """Write the parameters of a launch, and code that was made for it, if the module was dumped.

    Args:
        kernel: The kernel.
        config: The configuration of the launch.
        variant: The code; None for the code of a library.

    Raises:
        ConfigurationError: The directory cannot be written.
    """
    directory = _DIRECTORIES.get(kernel)
    if directory is None or variant is None:
        return
    try:
        _write_launch(directory, kernel, config, variant)
    except OSError as error:
        raise ConfigurationError(f"{VARIABLE}: {error}; name a writable directory") from error


def _write_launch(
    directory: Path, kernel: KernelFacts, config: LaunchConfig, variant: Variant
) -> None:
    name, marks = _name_kernel(kernel), variant.marks
    made = ""
    if variant is not kernel.history[0]:
        made = f"{directory.name}.{name}.{marks.max_threads}-{marks.max_registers or 'any'}"
        for image in variant.images:
            write_file(directory / f"{made}{Path(image.file_name).suffix}", image.data)
        write_file(directory / f"{made}.log", variant.log.encode())
    launch: dict[str, Any] = {
        "kernel": kernel.display,
        "grid": config.grid,
        "block": config.block,
        "shared_bytes": config.shared_bytes,
        "max_registers": config.max_registers,
        "cluster": config.cluster,
        "cooperative": config.cooperative,
        "recompiled": made or None,
        "reason": variant.reason,
        "resources": variant.resources,
    }
    content = encode_description("kbuild.dumped-launch/1", launch)
    write_file(directory / f"{directory.name}.{name}.{sha256(content)[:8]}.launch.json", content)


def name_file(text: str) -> str:
    """Return a text as the name of a file."""
    return _UNSAFE.sub("_", text)[:_LONGEST_NAME].strip("._") or "kernels"


def _name_kernel(kernel: KernelFacts) -> str:
    """Return a short name, which overloads do not share."""
    name = kernel.display.partition("(")[0]
    suffix = "" if name == kernel.name else f"-{sha256(kernel.name.encode())[:6]}"
    return f"{name_file(name)}{suffix}"


def encode_description(schema: str, values: dict[str, Any]) -> bytes:
    """Return a description as JSON that people can read."""
    data = records.to_json({"schema": schema, **values})
    return json.dumps(data, indent=2, default=records.to_json).encode() + b"\n"
