"""Compare the words that can stop a thread with the preprocessed device headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends.cpu.mixed.thread_words import FUNCTIONS, INDEX
from kbuild.cxx.mentions import describe_place, list_words
from kbuild.cxx.unit import Unit
from support.commands import run, succeed
from support.tools.toolchains import require_programs

NATIVE = resources.native_directory()
HEADERS = ("cuda_runtime.h", "cooperative_groups.h", "hip/hip_runtime.h")
# Who uses these namespaces mentions a word of NAMESPACES.
QUALIFIED = {"kbuild_cpu", "cooperative_groups", "cuda", "nvcuda"}
RUNTIME = f"kbuild_cpu_api|kbuild_cpu_runner|{INDEX}"


def list_functions(code: Unit, pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield the functions that mention a word, and whether their names are not qualified."""
    for word in list_words(code, pattern):
        place = describe_place(code, word)
        if place.kind == "function" and place.function is not None:
            around = {scope.name.split("::")[0] for scope in place.around}
            yield place.function.name, not around & QUALIFIED


@pytest.mark.parametrize("header", HEADERS)
def test_every_function_that_calls_the_runtime_is_a_word(header: str, tmp_path: Path) -> None:
    require_programs("g++")
    source = tmp_path / "a.cu"
    source.write_text(f"#include <{header}>\n")
    directories = (f"-isystem{NATIVE / 'device' / 'cpu'}", f"-isystem{NATIVE / 'include'}")
    text = succeed(
        run("g++", "-E", "-x", "c++", "-include", "kbuild_cpu_device.h", *directories, source)
    )

    found: set[str] = set()
    public: set[str] = set()
    words = RUNTIME
    while words:
        functions = set(list_functions(Unit(text), words))
        public |= {name for name, is_public in functions if is_public}
        new = {name for name, _ in functions if re.fullmatch(r"\w+", name)} - found
        found |= new
        words = "|".join(map(re.escape, sorted(new)))

    assert {"__syncthreads", "__trap", "__syncwarp", "atomicCAS"} <= public
    assert {name for name in public if not re.match(rf"(?:{FUNCTIONS})\(", f"{name}(")} == set()
