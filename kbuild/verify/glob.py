"""Match the patterns of a policy with kernels, files, and architectures."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

from kbuild.demangle.names import demangle, spell_function

# Baselines compare one release with the next, so the version of a wheel is removed.
# {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl, PEP 427.
_WHEEL: Final = re.compile(r"(?P<name>[^-]+)-[^-]+(?:-[0-9][^-]*)?(?P<tags>(?:-[^-]+){3}\.whl)")


@lru_cache(maxsize=256)
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns))


def matches(patterns: tuple[str, ...], *spellings: str) -> bool:
    """Return whether a pattern matches one of the spellings completely."""
    pattern = _compile(patterns)
    return any(pattern.fullmatch(spelling) for spelling in spellings)


@lru_cache(maxsize=1 << 16)
def matches_kernel(patterns: tuple[str, ...], symbol: str) -> bool:
    """Return whether a pattern matches a kernel.

    It can match the symbol, the demangled name, or the name without parameters.
    """
    return matches(patterns, *spell_function(symbol, demangle(symbol)))


@lru_cache(maxsize=1 << 12)
def matches_file(patterns: tuple[str, ...], path: str) -> bool:
    """Return whether a pattern matches a file, by its path or its name.

    ``libk.so`` and ``build/*`` match ``build/libk.so``. ``pkg/*.so`` and ``*.whl!*`` match a
    library in a wheel.
    """
    outer, _, inner = path.partition("!")
    member = inner or outer
    return matches(
        patterns, path, stable_name(path), outer.rpartition("/")[2], inner, _last_part(member)
    )


def _last_part(path: str) -> str:
    return path.rpartition("/")[2]


def stable_name(path: str) -> str:
    """Return a file's name without directories, which differ between machines.

    The path inside a wheel or an archive (``outer!inner``) stays.
    """
    outer, mark, inner = path.partition("!")
    name = _last_part(outer)
    wheel = _WHEEL.fullmatch(name)
    if wheel:
        name = wheel["name"] + wheel["tags"]
    return f"{name}{mark}{inner}"
