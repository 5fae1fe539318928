"""A command line becomes an invocation, or an error that says what to do."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.read import read_invocation
from kbuild.nvcc.invocation import DependencyFile, Input, Invocation

CUDA = Input(path=Path("a.cu"), kind="cu")


def read(line: str) -> Invocation:
    return read_invocation(shlex.split(line), {})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {}),
        (
            "-o x -shared -cudart=shared",
            {"output": Path("x"), "is_shared": True, "runtime": "shared"},
        ),
        ("-c -odir d", {"phase": "compile", "output_directory": Path("d")}),
        ("-dc", {"phase": "compile", "relocatable": True}),
        ("-rdc=true -rdc=false", {}),
        ("-dlto", {"relocatable": True, "device_options": ("-dlto",)}),
        (
            "-rdc=true -gencode arch=compute_90,code=[sm_90,lto_90]",
            {"relocatable": True, "architectures": ("90-real",), "device_options": ("-dlto",)},
        ),
        ("-compress-mode=size", {"compression": "size"}),
        ("-compress-mode=default", {}),
        ("-compress-mode=size -no-compress", {"compression": "none"}),
        ("--device-entity-has-hidden-visibility=true", {"hides_entities": True}),
        ("--device-entity-has-hidden-visibility=false", {}),
        ("-enable-tile -Xfatbin -compress-all", {"enables_tiles": True}),
        (
            "-time t.csv -Xnvprune x -Xnvprune x",
            {
                "notes": (
                    "option '-time t.csv' has no effect: no file with times is written",
                    "option '-Xnvprune x' has no effect: as for -prune",
                )
            },
        ),
        ("-c -ptx -lib", {"phase": "ptx"}),
        (
            "-dlink -nodlink",
            {"phase": "device-link", "relocatable": True, "links_device_code": False},
        ),
        (
            "-DA -I b -isystem=c -UD -include e,f",
            {
                "preprocessor": (
                    "-DA",
                    "-Ib",
                    "-isystem",
                    "c",
                    "-UD",
                    "-include",
                    "e",
                    "-include",
                    "f",
                )
            },
        ),
        (
            "-default-stream per-thread -DA",
            {"preprocessor": ("-DA", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1")},
        ),
        ("-std=c++20 -O9 -g", {"standard": "20", "optimization": "3", "has_debug": True}),
        (
            "-G --use_fast_math -Xptxas -v,-O3 -maxrregcount 32 -Ofc -fmad false",
            {
                "device_options": (
                    *("-G", "-use_fast_math", "-Xptxas=-v,-O3", "-maxrregcount=32", "-Ofc"),
                    "-fmad=false",
                )
            },
        ),
        (
            "-w -ftemplate-depth 9",
            {
                "device_options": ("-w", "-ftemplate-depth=9"),
                "host_options": ("-w", "-ftemplate-depth=9"),
            },
        ),
        (
            "-Werror all-warnings,reorder",
            {"device_options": ("-Werror=all-warnings,reorder",), "host_options": ("-Werror",)},
        ),
        (
            '-pg -noeh -Xcompiler \'-Wall -DA=\\"x\\","-fa,b"\' -frandom-seed=s',
            {
                "host_options": (
                    *("-Wall", "-DA=x", "-fa,b", "-pg", "-fno-exceptions", "-frandom-seed=s"),
                )
            },
        ),
        ("-lfoo,bar -La", {"libraries": ("foo", "bar"), "library_directories": ("a",)}),
        (
            "-Xlinker -rpath,'$ORIGIN' -Xnvlink -v -Xarchive s",
            {
                "linker_options": ("-Xlinker", "-rpath", "-Xlinker", "$ORIGIN"),
                "device_linker_options": ("-v",),
                "archiver_options": ("s",),
            },
        ),
        ("-ccbin clang++ -t 0", {"host_compiler": "clang++", "jobs": 0}),
        ("-keep", {"kept": Path()}),
        ("-save-temps -keep-dir k", {"kept": Path("k")}),
        ("-keep-dir k", {}),
        ("-v --dryrun", {"is_verbose": True, "is_dry_run": True}),
        ("--backend=x", {"backend": "x"}),
        ("-concat -dopt=on", {"device_options": ("-dopt=on",)}),
        (
            "-MD -MF d -MT t -MP",
            {
                "dependencies": DependencyFile(
                    path=Path("d"), targets=("t",), has_phony_targets=True
                )
            },
        ),
        ("-MMD", {"dependencies": DependencyFile(has_system_headers=False)}),
        (
            "-M -o d",
            {
                "phase": "dependencies",
                "output": Path("d"),
                "dependencies": DependencyFile(path=Path("d")),
            },
        ),
    ],
)
def test_invocations(line: str, expected: dict[str, Any]) -> None:
    assert read(f"{line} a.cu") == Invocation(inputs=(CUDA,), **expected)


def test_kinds_of_inputs() -> None:
    names = ("a.cu", "b.cc", "c.c", "d.o", "e.a", "f.so")
    assert [one.kind for one in read(" ".join(names)).inputs] == [
        *("cu", "c++", "c", "object", "archive", "shared")
    ]
    assert [one.kind for one in read("-c a.cpp b -x cu").inputs] == ["cu", "cu"]


def test_version_and_help_need_no_input() -> None:
    assert read("--version") == Invocation(asks_for_version=True)
    assert read("-c -h") == Invocation(asks_for_help=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-c", "no input files; name a source, an object, or a library"),
        ("-c a.cu b.cu -o x", "'-o x' with 2 inputs, 'a.cu' and 'b.cu'; call kbuild-nvcc once"),
        ("-dc -dw a.cu", "'-dc' together with '-dw'; remove one of them"),
        ("-dc -rdc=false a.cu", "'-dc' together with '-rdc=false'; remove one of them"),
        ("-cubin -dlink -arch=sm_80 -gencode=arch=compute_90,code=sm_90 a.o", "one real"),
        ("-MF x a.cu", "option '-MF x' without -M, -MM, -MD, or -MMD; add one of them"),
        ("--run a.cu", "does not support option '--run'; link, and run the program yourself"),
        ("-optix-ir a.cu", "does not support option '-optix-ir'; compile this source with nvcc"),
        ("-Xfatbin -fast a.cu", "unknown value '-fast'; expected one of -compress-all"),
        ("-ltoir -dlto a.cu", "does not support option '-ltoir'; use -cubin or -fatbin"),
        ("-ltoir a.cu", "does not support option '-ltoir'; use -cubin or -fatbin"),
        ("-cudart=dynamic a.cu", "unknown value 'dynamic'; expected one of none, shared, static"),
        ("-Werror reorder,x a.cu", "unknown value 'x'; expected one of all-warnings,"),
        ("-Ofast a.cu", "'fast' is not a number that is 0 or larger; write one, or pass"),
        ("-rdc=yes a.cu", "unknown value 'yes'; expected one of true, false"),
        ("a.txt", "input 'a.txt' has an unknown suffix; name the language with -x cu"),
        ("-c a.ptx", "input 'a.ptx' is device code; use -dlink, -cubin, -fatbin, -dc"),
        ('-Xcompiler "\'" a.cu', "a quote in ''' is not closed; close it"),
        (
            "-ptx -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 a.cu",
            "option '-ptx' with the architectures 80-real, 90-real; it writes one architecture",
        ),
        ("-cubin -arch=compute_90 a.cu", "it writes one real architecture: select it with -arch"),
    ],
)
def test_errors(line: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read(line)
    assert message in str(raised.value)
    assert raised.value.exit_code == 2
