"""Shell patterns of a policy: which kernels, files and architectures they name."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

from kbuild.demangle.names import demangle, spell_function

# A wheel's version is no part of what it is: figures of one release are compared with the
# next one's.  {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl, PEP 427.
_WHEEL: Final = re.compile(r"(?P<name>[^-]+)-[^-]+(?:-[0-9][^-]*)?(?P<tags>(?:-[^-]+){3}\.whl)")


@lru_cache(maxsize=256)
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns))


def matches(patterns: tuple[str, ...], *spellings: str) -> bool:
    """Whether one of the patterns fits one of the spellings as a whole."""
    pattern = _compile(patterns)
    return any(pattern.fullmatch(spelling) for spelling in spellings)


@lru_cache(maxsize=1 << 16)
def matches_kernel(patterns: tuple[str, ...], symbol: str) -> bool:
    """Whether the patterns name a kernel: by symbol, demangled, or by that name alone."""
    return matches(patterns, *spell_function(symbol, demangle(symbol)))


@lru_cache(maxsize=1 << 12)
def matches_file(patterns: tuple[str, ...], path: str) -> bool:
    """Whether the patterns name a file: by path, by name, or a member by its own name.

    ``libk.so`` and ``build/*`` name ``build/libk.so``, ``pkg/*.so`` and ``*.whl!*`` a
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
    """A file's name without folders, which differ between machines; ``outer!inner`` stays."""
    outer, mark, inner = path.partition("!")
    name = _last_part(outer)
    wheel = _WHEEL.fullmatch(name)
    if wheel:
        name = wheel["name"] + wheel["tags"]
    return f"{name}{mark}{inner}"
