"""Find the libraries that are loaded with a file, as far as the files of a call show them."""

from __future__ import annotations

import re
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.values import dataclass
from kbuild.verify.file_set import FileSet

# The dynamic linker of glibc, which is always loaded.
LOADER: Final = re.compile(r"ld(?:-linux[\w-]*|64)\.so\.\d+")
# The parts of the C library, which programs have often loaded before their modules.
C_LIBRARY: Final = (
    *("libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1"),
)
# What the libraries of compilers need. They are usually not among the files of a call.
_STANDARD_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(C_LIBRARY, ("libc.so.6",)),
    "libgcc_s.so.1": ("libc.so.6",),
    "libgomp.so.1": ("libc.so.6",),
    "libstdc++.so.6": ("libc.so.6", "libm.so.6", "libgcc_s.so.1"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The names of the libraries that are loaded with a file.

    ``is_complete`` tells whether the needs of all of them are known.
    """

    names: frozenset[str]
    is_complete: bool


def find_loaded(facts: ArtifactFacts, files: FileSet) -> Loaded:
    """Return the libraries that are loaded with a file, including the C library and itself."""
    if facts.dynamic is None:
        return Loaded(names=frozenset(), is_complete=True)
    # The runtimes need nothing but the C library and libraries of compilers.
    known = {**_STANDARD_NEEDS, **{r.soname: () for r in facts.runtimes if r.soname}}
    loaded = dict.fromkeys(("libc.so.6", *facts.dynamic.needed))
    is_complete = True
    rest = list(loaded)
    for name in rest:
        library = files.find_library(name)
        if library is not None and library.dynamic is not None:
            needed = library.dynamic.needed
        else:
            needed = known.get(name, ())
            is_complete = is_complete and (name in known or bool(LOADER.fullmatch(name)))
        rest += [other for other in dict.fromkeys(needed) if other not in loaded]
        loaded.update(dict.fromkeys(needed))
    names = frozenset((*loaded, *filter(None, (facts.dynamic.soname,))))
    return Loaded(names=names, is_complete=is_complete)
