"""Libraries of C code that need other libraries: of the driver, copies of it, or versions."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.formats.elf.file import Elf
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.files.mutations import section_range

_DYNAMIC: Final = struct.Struct("<QQ")
_DT_NEEDED: Final = 1
_DT_DEBUG: Final = 21
_VERSIONED: Final = "libversioned.so.1"
_RENAMED: Final = "libversioned-1a2b3c4d.so.1"
_DRIVER: Final = "libcuda.so.1"
_COPY: Final = "libcuda-1a2b3c4d.so.580.65.06"
_RUNTIME: Final = "libcudart.so.13"
_CALL: Final = "void call(void);\n"
_WEAK_CALL: Final = "void call(void) __attribute__((weak));\n"


def _link(build_env: BuildEnv, name: str, text: str, *words: object) -> Path:
    source = build_env.text(f"dependencies/{name}.c", text)
    options = ("-shared", "-fPIC", "-nostdlib", "-Wl,--no-as-needed", "-Wl,--disable-new-dtags")
    return build_env.call(f"dependencies/{name}", "gcc", *options, source, *words, "-o")


def _needing(*sonames: str) -> Build:
    """Return a library that needs libraries with these names."""

    def build(build_env: BuildEnv) -> Case:
        libraries = [_link(build_env, n, "", f"-Wl,-soname,{n}") for n in sonames]
        name = f"needs-{'-'.join(re.findall('[a-z]+', ''.join(sonames)))}.so"
        return Case(paths=(_link(build_env, name, "", *libraries),))

    return build


def _copy_of_driver(build_env: BuildEnv) -> Case:
    """Return the copy itself, in the directory into which auditwheel copies."""
    copy = _link(build_env, f"k.libs/{_COPY}", "", "-Wl,-soname,renamed")
    return Case(paths=(copy,))


def _versioned(name: str, call: str, edit: Callable[[bytes], bytes] | None = None) -> Build:
    """Return a library that needs a version of a function, with an edit of what it needs."""

    def build(build_env: BuildEnv) -> Case:
        script = build_env.text("dependencies/versioned.map", "V_1 { global: *; };\n")
        words = (f"-Wl,-soname,{_VERSIONED}", f"-Wl,--version-script={script}")
        library = _link(build_env, _VERSIONED, "void call(void) {}\n", *words)
        caller = f"{call}void use(void) {{ call(); }}\n"
        copy = _link(build_env, _RENAMED, "", f"-Wl,-soname,{_RENAMED}")
        # A tool that renames what is needed adds a name, which the search path stands for here.
        user = _link(build_env, name, caller, library, f"-Wl,-rpath,{_RENAMED}")
        if edit is None:
            return Case(paths=(user, library))
        return Case(paths=(build_env.edit(f"{name}-needs", user, edit), copy))

    return build


def _edit_needed(change: Callable[[int], tuple[int, int]]) -> Callable[[bytes], bytes]:
    """Return an edit of the only needed library, which gets the name of the search path."""

    def edit(data: bytes) -> bytes:
        tags = dict(Elf(data).dynamic)
        place = section_range(data, ".dynamic")
        old = _DYNAMIC.pack(_DT_NEEDED, tags["DT_NEEDED"])
        at = data.index(old, place.start, place.stop)
        return data[:at] + _DYNAMIC.pack(*change(tags["DT_RPATH"])) + data[at + len(old) :]

    return edit


_REMOVE: Final = _edit_needed(lambda name: (_DT_DEBUG, name))
_RENAME: Final = _edit_needed(lambda name: (_DT_NEEDED, name))

MUTATIONS: Final = (
    *(
        Mutation(
            rule="KB410",
            way=f"gcc: library that needs {' and '.join(names)}",
            severity="warning",
            broken=_needing(*names),
            sound=_needing(_RUNTIME),
        )
        for names in ((_DRIVER,), ("libnvidia-ml.so.1",), (_RUNTIME, _DRIVER))
    ),
    *(
        Mutation(
            rule="KB411",
            way=f"gcc: library that needs {name}",
            broken=_needing(name),
            sound=_needing(_RUNTIME),
        )
        for name in (_COPY, "libnvidia-ml.1a2b3c4d.so.580.65.06")
    ),
    Mutation(
        rule="KB411",
        way="gcc: copy of the driver's library",
        broken=_copy_of_driver,
        sound=_needing(_RUNTIME),
    ),
    *(
        Mutation(
            rule="KB412",
            way=f"gcc: {way}",
            broken=_versioned(name, call, edit),
            sound=_versioned(name, call),
        )
        for way, name, call, edit in (
            ("needed library removed", "removed.so", _CALL, _REMOVE),
            ("needed library renamed", "renamed.so", _CALL, _RENAME),
            ("needed library of weak references removed", "weak.so", _WEAK_CALL, _REMOVE),
        )
    ),
)
