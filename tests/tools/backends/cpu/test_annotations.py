"""Compare the annotations of the device headers with what their functions do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends.cpu.mixed.annotations import INDEX, find_thread_words
from kbuild.backends.cpu.mixed.mentions import Place, describe_place, list_words
from kbuild.cxx.unit import Unit
from support.commands import run, succeed
from support.tools.toolchains import require_programs

NATIVE = resources.native_directory()
HEADERS = (
    "cuda_runtime.h",
    "cooperative_groups.h",
    "hip/hip_runtime.h",
    "cuda/atomic",
    "cuda/barrier",
    "cuda/pipeline",
    "cuda_awbarrier.h",
    "cuda_pipeline.h",
    "mma.h",
)
RUNTIME = f"kbuild_cpu_(?:api|waits|yield|runner)|{INDEX}"
# Who calls these has a group, which another function or a static function of a class returned.
GROUPS = "cooperative_groups"
# Its functions call what the user declares as `begin` and `end`, which is not what has these names
# elsewhere.
LOOKUP = "kbuild_cpu_range_lookup"
ANNOTATION = re.compile(r"__kbuild_\w*needs_\w+__")


def list_functions(code: Unit, pattern: str) -> Iterator[tuple[str, Place]]:
    """Yield the functions that mention a word."""
    for word in list_words(code, pattern):
        place = describe_place(code, word)
        is_lookup = any(scope.name == LOOKUP for scope in place.around)
        if place.kind == "function" and place.function is not None and not is_lookup:
            yield place.function.name, place


def name_callers(name: str, place: Place) -> set[str]:
    """Return what a program mentions if it calls a function: its name, or a class around it."""
    classes = {scope.name for scope in place.around if scope.kind == "class"}
    namespaces = {scope.name.split("::")[0] for scope in place.around if scope.kind == "namespace"}
    if not namespaces.isdisjoint(("kbuild_cpu", GROUPS, "std")):
        return set()
    return classes or {name}


def preprocess(directory: Path, header: str) -> str:
    require_programs("g++")
    source = directory / "a.cu"
    source.write_text(f"#include <{header}>\n")
    directories = (f"-isystem{NATIVE / 'device' / 'cpu'}", f"-isystem{NATIVE / 'include'}")
    options = ("-DKBUILD_MARK_KERNELS", "-include", "kbuild_cpu_device.h", *directories)
    return succeed(run("g++", "-E", "-x", "c++", *options, source))


@pytest.mark.parametrize("header", HEADERS)
def test_every_function_that_needs_the_thread_is_annotated(header: str, tmp_path: Path) -> None:
    annotated = preprocess(tmp_path, header)
    code = Unit(ANNOTATION.sub("", annotated))
    pattern = re.compile(find_thread_words(Unit(annotated)).pattern)

    found: set[str] = set()
    public: set[str] = set()
    words = RUNTIME
    while words:
        functions = list(list_functions(code, words))
        public = public.union(*(name_callers(name, place) for name, place in functions))
        new = {name for name, _ in functions if re.fullmatch(r"\w+", name)} - found
        found |= new
        words = "|".join(map(re.escape, sorted(new)))

    assert {"__syncthreads", "__trap", "__syncwarp", "atomicCAS"} <= public
    assert {name for name in public if not pattern.match(f"{name}(")} == set()


def test_makers_of_groups_are_annotated(tmp_path: Path) -> None:
    text = preprocess(tmp_path, "cooperative_groups.h")
    pattern = re.compile(find_thread_words(Unit(text)).pattern)

    makers = set(re.findall(r"\b(this_\w+|coalesced_threads|\w+_partition)\(", text))
    assert {"this_thread", "this_grid", "coalesced_threads", "tiled_partition"} <= makers
    assert {name for name in makers if not pattern.match(f"{name}(")} == set()
