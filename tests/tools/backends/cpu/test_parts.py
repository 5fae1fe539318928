"""Compare the names that select parts of the device language with what the parts declare."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends.cpu.mixed.parts import PARTS, select_parts
from kbuild.cxx.unit import Unit
from support.commands import run, succeed
from support.tools.toolchains import require_programs

DEVICE = resources.native_directory() / "device" / "cpu"
DIRECTORIES = (f"-I{DEVICE}", f"-isystem{resources.native_directory() / 'include'}")
OPTIONS = ("-x", "c++", "-std=gnu++17", *DIRECTORIES, "-include")
# Headers that a program includes. The others are the prelude under another name.
HEADERS = sorted(
    path.name
    for path in DEVICE.glob("*.h")
    if "language.h" not in path.read_text() and not path.name.startswith("kbuild_cpu")
)
# Some functions of each part. LIBRARY has only names of namespace std.
FUNCTIONS = {
    "MATH": {"sqrtf", "pow", "rsqrt", "normcdfinvf", "M_PI", "INFINITY"},
    "WARP": {"__shfl_down_sync", "__syncwarp", "__activemask", "__reduce_add_sync"},
    "ATOMICS": {"atomicAdd", "atomicCAS_block", "__nv_atomic_load_n", "__ldg", "__stcs"},
    "INTRINSICS": {"__popc", "__vadd4", "__float2int_rn", "__sinf", "__trap", "__shfl"},
    "TEXTURES": {"tex2D", "surf2Dread", "tex1Dfetch"},
    "API": {"cudaMallocAsync", "cudaGraph_t", "cudaStreamBeginCapture", "cudaFunction_t"},
}


def preprocess(*options: str, without: set[str]) -> str:
    require_programs("g++")
    absent = (f"-DKBUILD_WITHOUT_{part}" for part in without)
    return succeed(run("g++", "-E", *options, *OPTIONS, "kbuild_cpu_mixed.h", *absent, "/dev/null"))


def list_names(*parts: str) -> set[str]:
    """Return the functions of the global namespace, CUDA's names, and the macros of programs."""
    without = set(PARTS) - set(parts)
    code = Unit(preprocess(without=without))
    names, scopes = set(), [False]
    for index, word in enumerate(code.words):
        if word == "{":
            scopes.append(scopes[-1] or code.get(index - 1) != '"C"')
        elif word == "}":
            scopes.pop()
        elif word.startswith("cuda") or (
            code.get(index + 1) == "(" and not scopes[-1] and code.get_token(index).is_word
        ):
            names.add(word)
    names -= {"error", "unavailable", "__visibility__"}  # attributes
    macros = re.findall(r"^#define (\w+)", preprocess("-dM", without=without), re.MULTILINE)
    return names | {name for name in macros if not name.startswith(("_", "KBUILD"))}


def test_names_select_the_parts_that_declare_them() -> None:
    found = {name for name in list_names(*PARTS) - list_names() if name[:7] != "kbuild_"}
    names = {name: select_parts(name) for name in found}
    for part, functions in FUNCTIONS.items():
        assert {name for name in functions if part not in names.get(name, ())} == set()
    declared = {parts: list_names(*parts) for parts in set(names.values())}
    assert {name for name, parts in names.items() if name not in declared[parts]} == set()


@pytest.mark.parametrize("header", HEADERS)
def test_headers_include_the_parts_that_they_use(header: str, tmp_path: Path) -> None:
    require_programs("g++")
    source = tmp_path / "a.cu"
    source.write_text(f"#include <{header}>\n")
    absent = (f"-DKBUILD_WITHOUT_{part}" for part in PARTS)
    succeed(run("g++", "-fsyntax-only", *OPTIONS, "kbuild_cpu_device.h", *absent, source))
