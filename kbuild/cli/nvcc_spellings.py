"""Read the options of ``kbuild run`` that people write as they write them for nvcc.

``-std=c++20``, ``-arch=sm_80``, ``-lineinfo``, and others have the names and the values of nvcc's
options. They set what the options of ``kbuild run`` set.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from kbuild.backends import BACKENDS, find_nvcc_conventions
from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.architectures import read_images
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions
from kbuild.nvcc.command_line.options import OPTIONS
from kbuild.nvcc.command_line.tool_options import list_device_options, list_host_options
from kbuild.nvcc.command_line.words import read_option
from kbuild.values import dataclass

# What has a setting of its own, and what every program of `kbuild run` is.
_SETTINGS: Final = (
    *("--gpu-architecture", "--gpu-code", "--generate-code", "--relocatable-device-code"),
    *("--device-c", "--device-debug", "--std", "--compiler-options", "--link", "--run"),
)
_STANDARD: Final = re.compile(r"(?:c\+\+)?(\d\d)")
_NATIVE: Final = "native"


@dataclass(frozen=True, slots=True, kw_only=True)
class NvccSettings:
    """What nvcc's spellings set. None and empty values stand for options that nobody wrote."""

    standard: int | None = None
    architectures: tuple[str, ...] = ()
    rdc: bool = False
    debug: bool = False
    device_options: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()

    def translate(self, backend: str) -> tuple[str, ...]:
        """Return the options of device code as a backend's compiler takes them."""
        if not self.device_options:
            return ()
        return find_nvcc_conventions(backend).translate_options(self.device_options)


def divide_words(words: Sequence[str], own: Collection[str]) -> tuple[list[str], GivenOptions]:
    """Divide words into those of the command's own options, and those in nvcc's spelling.

    Args:
        words: The words of the command line.
        own: The command's own options, which have precedence.
    """
    remaining, kept, given = deque(words), [], []
    while remaining:
        word = remaining.popleft()
        name = word.partition("=")[0]
        one = read_option(word, remaining) if name in OPTIONS and name not in own else None
        if one is None:
            kept.append(word)
        else:
            given.append(one)
    return kept, GivenOptions(given)


def read_settings(given: GivenOptions) -> NvccSettings:
    """Return what the options set.

    Raises:
        ConfigurationError: A value is wrong, or the option does not concern a program that is
            built and run.
    """
    for one in given:
        _check(one)
    standard = given.find("--std")
    rdc = given.find_value("--relocatable-device-code")
    return NvccSettings(
        standard=parse_standard(standard.value, standard.text) if standard else None,
        architectures=tuple(dict.fromkeys(_limit(image.name for image in read_images(given)))),
        rdc=rdc == "true" or given.has("--device-c"),
        debug=given.has("--device-debug"),
        device_options=tuple(list_device_options(given)),
        host_options=tuple(list_host_options(given, ())),
    )


def parse_standard(value: str, option: str = "--std") -> int:
    """Return the number of a C++ standard: ``20``, or ``c++20`` as compilers spell it."""
    match = _STANDARD.fullmatch(value)
    if match is None:
        raise ConfigurationError(f"{option}: unknown standard {value!r}; write 17 or c++17")
    return int(match[1])


def _check(one: GivenOption) -> None:
    option = one.option
    is_passed = option.receiver is not None or option.outcome.effect in ("none", "warning")
    if option.outcome.effect == "error" or not (option.name in _SETTINGS or is_passed):
        raise ConfigurationError(
            f"option '{one.text}' of nvcc is not one of kbuild run, which builds a program and "
            "runs it; use kbuild-nvcc for it"
        )


def _limit(architectures: Iterable[str]) -> Iterator[str]:
    """Yield architectures that only NVIDIA's devices have, so that other backends ignore them."""
    (backend,) = (name for name, one in BACKENDS.items() if one.rtc)
    yield from (name if name == _NATIVE else f"{backend}:{name}" for name in architectures)
