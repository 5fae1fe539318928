"""Compare the words that NVIDIA's headers and nvcc define with those of both passes on the CPU."""

from __future__ import annotations

import re
from typing import Final

import pytest

from kbuild import resources
from support.commands import run, succeed
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.toolchains import find_compiler, require_programs

DEVICE: Final = resources.native_directory() / "device" / "cpu"
DIRECTORIES: Final = (f"-I{DEVICE}", f"-isystem{resources.native_directory() / 'include'}")
# Attributes under other names, internal macros, and words of tile code, which no pass supports.
# libcu++ would select functions by the last one.
ABSENT: Final = re.compile(
    r"__annotate__|__location__|__experimental_\w+|__CL?Z\w*_TYPE|__CLZ\w+|\w+_H__|__NV_TL\w+"
    r"|__tile\w*__|\w+_COMPILER_INTERNAL_HEADERS\w*|__restrict__|__volatile__|__inline__"
    r"|__CUDACC_DEVICE_ATOMIC_BUILTINS__"
)
DEFINED: Final = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)


@needs_nvcc
@pytest.mark.parametrize("macros", [(), ("-D__CUDA_ARCH__=800", "-DKBUILD_MIXED_DEVICE=1")])
def test_words_of_vendor_headers_exist(macros: tuple[str, ...]) -> None:
    require_programs("g++")
    compiler = find_compiler("cuda")
    header = compiler.resolve().parent.parent / "include" / "crt" / "host_defines.h"
    listing = run(str(compiler), "--dryrun", "-arch=sm_80", "-x", "cu", "-c", "/dev/null").stderr
    words = {*DEFINED.findall(header.read_text()), *re.findall(r'-D *"?(__\w+)', listing)}
    call = ("g++", "-E", "-dM", "-x", "c++", "-std=gnu++17", *DIRECTORIES, *macros)
    text = succeed(run(*call, "-include", "kbuild_cpu_mixed.h", "/dev/null"))
    own = {*DEFINED.findall(text), "__CUDA_ARCH__"}

    assert len(words) > 40
    assert sorted(w for w in words - own if not ABSENT.fullmatch(w)) == []
