"""Wheels whose name, metadata, or libraries promise something that does not hold."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Final

from kbuild.verify import Policy
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation

POLICY: Final = Policy(wheel_policy="pypi")
_DIST_INFO: Final = "k-1.0.dist-info/"
_RECORD: Final = f"{_DIST_INFO}RECORD"
_PLAIN: Final = 'extern "C" int scale(int n) { return 2 * n; }\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A wheel with one library.

    Attributes:
        tags: The tags of its name.
        text: The C++ source of the library.
        module: The name of the library.
        requires: The requirements in the metadata.
        bill: The place of the bill of materials, below the metadata.
        unlisted: The file that RECORD leaves out.
        listed: A file that only RECORD lists.
        damaged: The file that differs from its digest.
    """

    tags: str = "cp312-cp312-manylinux_2_39_x86_64"
    version: str = "1.0"
    text: str = _PLAIN
    module: str = "k/_k.so"
    requires: str = ""
    bill: str = "sboms/k.cdx.json"
    unlisted: str = ""
    listed: str = ""
    damaged: str = ""

    def make(self, build_env: BuildEnv) -> Path:
        """Return the wheel."""
        library = make_library(build_env, self.text)

        def write(path: Path) -> None:
            files = self._list_files(library)
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
                for name, data in files.items():
                    wheel.writestr(name, data + b"\n" if name == self.damaged else data)
                wheel.writestr(_RECORD, self._format_record(files))

        name = f"k-{self.version}-{self.tags}.whl"
        return build_env.file(f"published/{_name(repr(astuple(self)))}/{name}", write)

    def _list_files(self, library: Path) -> dict[str, bytes]:
        lines = ("Metadata-Version: 2.4", "Name: k", f"Version: {self.version}")
        required = (f"Requires-Dist: {self.requires}",) if self.requires else ()
        return {
            self.module: library.read_bytes(),
            f"{_DIST_INFO}METADATA": "\n".join((*lines, *required, "")).encode(),
            **({f"{_DIST_INFO}{self.bill}": b"{}"} if self.bill else {}),
        }

    def _format_record(self, files: dict[str, bytes]) -> str:
        listed = {name: data for name, data in files.items() if name != self.unlisted}
        if self.listed:
            listed[self.listed] = b""
        rows = (f"{name},{_digest(data)},{len(data)}" for name, data in listed.items())
        return "\n".join((*rows, f"{_RECORD},,", ""))


def make_library(build_env: BuildEnv, text: str) -> Path:
    """Return a shared object that is compiled from C++ source text."""
    name = _name(text)
    source = build_env.text(f"published/{name}.cpp", text)
    words = ("-shared", "-fPIC", "-O1", source, "-o")
    return build_env.call(f"published/{name}.so", "g++", *words)


def _name(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.rstrip(b'=').decode()}"


def _judged(recipe: Recipe, policy: Policy = POLICY) -> Build:
    return lambda w: Case(paths=(recipe.make(w),), policy=policy)


_SOUND: Final = Recipe()
_OLD: Final = "cp312-cp312-manylinux_2_17_x86_64"
_ABI3: Final = "cp310-abi3-manylinux_2_39_x86_64"
# Symbols of two versions of glibc, and of the C++ library of gcc 12.
_NEWER: Final = {
    "GLIBC_2.36": '#include <stdlib.h>\nextern "C" unsigned draw() { return arc4random(); }\n',
    "GLIBC_2.34": "#include <pthread.h>\n"
    "int wait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* t)\n"
    "{ return pthread_cond_clockwait(c, m, CLOCK_MONOTONIC, t); }\n",
    "GLIBCXX_3.4.30": "#include <condition_variable>\n"
    "void wait(std::condition_variable& c, std::unique_lock<std::mutex>& l) { c.wait(l); }\n",
}
# Of weak references, the dynamic linker only says that there is no such version.
_WEAK: Final = (
    'extern "C" __attribute__((weak)) unsigned arc4random();\n'
    'extern "C" unsigned draw() { return arc4random ? arc4random() : 4; }\n'
)
_OF_PYTHON: Final = 'extern "C" void* {0}(void*);\nvoid* get(void* o) {{ return {0}(o); }}\n'
_OF_TORCH: Final = {
    "function": "namespace at { int f(); }\nint use() { return at::f(); }\n",
    "type information": "namespace c10 { struct Error { virtual ~Error(); }; }\n"
    "void raise(const c10::Error& e) { throw e; }\n",
    "data of its Python module": 'extern "C" void* THPVariableClass;\n'
    "void* use() { return THPVariableClass; }\n",
}
_STABLE: Final = replace(
    _SOUND,
    text='extern "C" int aoti_torch_get_dim(void*, long*);\n'
    "namespace torch::stable { int f(); }\n"
    "int use(long* n) { return aoti_torch_get_dim(nullptr, n) + torch::stable::f(); }\n",
)


def _change(rule: str, way: str, broken: Recipe, sound: Recipe = _SOUND) -> Mutation:
    return Mutation(rule=rule, way=way, broken=_judged(broken), sound=_judged(sound))


MUTATIONS: Final = (
    *(
        _change("KB701", f"{version} for an older system", replace(new, tags=_OLD), new)
        for version, text in _NEWER.items()
        for new in (replace(_SOUND, text=text),)
    ),
    _change(
        "KB701",
        "strong reference to GLIBC_2.36",
        replace(_SOUND, tags=_OLD, text=_NEWER["GLIBC_2.36"]),
        replace(_SOUND, tags=_OLD, text=_WEAK),
    ),
    *(
        _change("KB702", way, replace(broken, text=_OF_PYTHON.format(name)), sound)
        for sound in (replace(_SOUND, tags=_ABI3, text=_OF_PYTHON.format("PyObject_Str")),)
        for way, name, broken in (
            ("function without a stable ABI", "_PyObject_GetDictPtr", sound),
            ("function of Python 3.13", "PyList_GetItemRef", sound),
            ("module abi3.so", "_PyObject_GetDictPtr", replace(_SOUND, module="k/_k.abi3.so")),
        )
    ),
    *(
        replace(
            _change("KB703", way, replace(_STABLE, text=text), _STABLE),
            severity="warning",
        )
        for way, text in _OF_TORCH.items()
    ),
    _change("KB704", "no manylinux tag", replace(_SOUND, tags="cp312-cp312-linux_x86_64")),
    _change("KB704", "local version", replace(_SOUND, version="1.0+cu130")),
    Mutation(
        rule="KB704",
        way="larger than the limit",
        broken=_judged(_SOUND, replace(POLICY, max_wheel_bytes=100)),
        sound=_judged(_SOUND, replace(POLICY, max_wheel_bytes=100_000)),
    ),
    *(
        replace(_change("KB705", way, replace(_SOUND, bill=bill)), severity="warning")
        for way, bill in (
            ("no bill", ""),
            ("bill beside the directory", "k.cdx.json"),
            ("directory for licenses", "licenses/k.cdx.json"),
        )
    ),
    _change("KB706", "file changed", replace(_SOUND, damaged="k/_k.so")),
    _change("KB706", "file not listed", replace(_SOUND, unlisted="k/_k.so")),
    _change("KB706", "listed file is missing", replace(_SOUND, listed="k/_other.so")),
)
