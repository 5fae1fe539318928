"""kbuild finds the phases, images, and libraries that nvcc finds."""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path
from typing import Final

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.read import read_invocation
from kbuild.nvcc.invocation import Invocation
from support.tools.nvcc_steps import DryRun, join_values, run_dry, run_plain, subtract
from support.tools.nvidia_compiler import needs_nvcc

pytestmark = needs_nvcc

PHASES: Final = (
    *("-c", "-dc", "-dw", "-E", "-M", "-MM", "-ptx", "-cubin", "-fatbin", "-dlink", "-lib"),
    *("-link", "-shared", "-MD", "-MMD", "-rdc=true", "-rdc=false"),
)
# Compiler caches pass both, and nvcc rejects them.
ACCEPTED: Final = ({"-E", "-MD"}, {"-E", "-MMD"})


def find_phase(commands: tuple[tuple[str, ...], ...]) -> str:
    """Return the last step of nvcc's commands, in kbuild's words."""
    last = [command for command in commands if command[0] != "rm"][-1]
    outputs = {
        "a.out": "link",
        "a.o": "compile",
        "a_dlink.o": "device-link",
        "a_dlink.cubin": "device-link",
        "--create=a_dlink.fatbin": "device-link",
        "a.cubin": "cubin",
        "--create=a.fatbin": "fatbin",
        "a.a": "archive",
    }
    for word in last:
        if word in outputs:
            return outputs[word]
    if "Filter" in last:
        return "dependencies"
    ptx = any("a.ptx" in command for command in commands)
    return "ptx" if ptx else "preprocess"


@pytest.mark.parametrize("first", PHASES)
def test_phases(first: str, tmp_path: Path) -> None:
    pairs = [(first,), *((first, second) for second in PHASES if second > first)]
    for options in pairs:
        if set(options) in ACCEPTED:
            continue
        words = ("a.cu", *options)
        theirs = run_dry(words, tmp_path)
        if theirs.error:
            with pytest.raises(ConfigurationError):
                read_invocation(words, {})
        else:
            assert read_invocation(words, {}).phase == find_phase(theirs.commands), words


ARCHITECTURES: Final = (
    "-arch=sm_90",
    "-arch sm_80 -arch sm_80",
    "-arch=sm_86 -arch=sm_90",
    "--gpu-architecture compute_90",
    "-arch=compute_80 -code=sm_86",
    "-arch=compute_80 -code=sm_80,sm_86,compute_80",
    "-arch=compute_80 -code=sm_80 -code=sm_86",
    "-arch=compute_80 -code=sm_80,compute_75",
    "-arch=sm_80 -code=sm_80",
    "-arch=sm_80 -code=compute_80",
    "-code=sm_80",
    "-arch=all -code=sm_80",
    "-arch=sm_90 -gencode arch=compute_80,code=sm_80",
    "-arch=compute_90 -gencode arch=compute_80,code=sm_80",
    "-arch=compute_90 -code=sm_90 -gencode arch=compute_80,code=sm_80",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=compute_80",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=sm_80",
    "-gencode arch=compute_80,code=[sm_80,compute_80]",
    '-gencode arch=compute_80,code="sm_80,compute_80"',
    "--generate-code=arch=compute_80,code=sm_80",
    "-gencode code=sm_80,arch=compute_80",
    "-gencode arch=compute_80,code=sm_86",
    "-gencode arch=compute_80,code=sm_75",
    "-gencode arch=compute_86,code=sm_80",
    "-gencode arch=sm_80,code=sm_80",
    "-gencode arch=compute_80",
    "-gencode code=sm_80",
    "-gencode arch=compute_75,code=compute_80",
    "-gencode arch=compute_80,code=sm_80,arch=compute_86",
    "-gencode arch=compute_80,code=sm_80,code=compute_80",
    "-gencode arch=compute_90a,code=sm_90a",
    "-gencode arch=compute_90,code=sm_90a",
    "-gencode arch=compute_90a,code=sm_90",
    "-gencode arch=compute_90a,code=sm_100",
    "-gencode arch=compute_90,code=compute_90a",
    "-gencode arch=compute_100f,code=sm_103",
    "-gencode arch=compute_100f,code=sm_100f",
    "-gencode arch=compute_100f,code=sm_103a",
    "-gencode arch=compute_100f,code=sm_110",
    "-gencode arch=compute_100,code=sm_100f",
    "-gencode arch=compute_75,code=sm_90",
    "-gencode arch=all,code=all",
    "-gencode=",
    "-arch=",
    "-arch=Ampere",
    "-arch sm_80,sm_90",
    "-arch=sm_90 -cubin",
    "-arch=sm_90 -ptx",
    "-arch=compute_90 -cubin",
    "-arch=compute_80 -code=sm_80,compute_80 -cubin",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86 -cubin",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86 -ptx",
    "-arch=all -ptx",
    "-arch=all-major -cubin",
)


def list_images(invocation: Invocation) -> set[tuple[str, str]]:
    """Return the images that an invocation requests, as ``fatbinary`` names them."""
    images = set()
    for name in invocation.architectures:
        number, _, kind = name.partition("-")
        images |= {("elf", number)} if kind != "virtual" else set()
        images |= {("ptx", number)} if kind != "real" else set()
    return images


@pytest.mark.parametrize("line", ARCHITECTURES)
def test_architectures(line: str, tmp_path: Path) -> None:
    words = ("a.cu", *line.split())
    if not {"-ptx", "-cubin"} & set(words):
        words = ("-c", *words)
    theirs = run_dry(words, tmp_path)
    if theirs.error:
        with pytest.raises(ConfigurationError):
            read_invocation(words, {})
        return
    ours = read_invocation(words, {})
    if theirs.images:  # not with -ptx and -cubin
        assert list_images(ours) == theirs.images


def find_links(run: DryRun) -> list[str]:
    """Return the words of the command that links, without the object of the device link."""
    words = join_values(run.find("-Wl,--start-group"))
    return [word for word in words if not word.endswith("_dlink.o")]


@pytest.mark.parametrize(
    "line",
    [
        "-lfoo -Lbar b.a c.so",
        "-l foo,bar -L=a,b --library=c --library-path d",
        "-Xlinker -rpath,x -Xlinker=-z",
        "-Xlinker '-a -b'",
        """-Xlinker '"-a,b"'""",
        r"-Xlinker '-a\,b'",
        "-Xlinker '-a b' -lq",
        "-Xlinker '-rpath=$ORIGIN'",
        r"""-Xlinker '-rpath=\$ORIGIN' -Xlinker "'a  b'" """,
        "-Xcompiler -fopenmp -g -pg",
        "-forward-unknown-to-host-compiler -pthread -Wl,-z",
        "-forward-unknown-to-host-linker -pthread -Xlinker a",
        "-forward-unknown-opts -fopenmp -Xlinker a,b",
        "-shared",
        "-w -O2",
    ],
)
def test_links(line: str, tmp_path: Path) -> None:
    words = ("a.o", *shlex.split(line))
    given = subtract(find_links(run_dry(words, tmp_path)), find_links(run_plain("a.o")))
    ours = read_invocation(words, {})
    read = [
        *(str(one.path) for one in ours.inputs[1:]),
        *(*ours.host_options, *ours.linker_options),
        *(f"-l{name}" for name in ours.libraries),
        *(f"-L{name}" for name in ours.library_directories),
        *(["-shared"] if ours.is_shared else []),
        *(["-g"] if ours.has_debug else []),
        *([f"-O{ours.optimization}"] if ours.optimization else []),
    ]
    assert given == subtract(read, ())


@pytest.mark.parametrize(
    "words",
    [
        *itertools.product(
            (
                "a.cu",
                "a.c",
                "a.cc",
                "a.cpp",
                "a.cxx",
                "a.i",
                "a.ii",
                "a.o",
                "a.obj",
                "a.a",
                "a.lib",
                "a.so",
                "a.ptx",
                "a.cubin",
                "a.fatbin",
                "a.C",
                "a.c++",
                "a.hpp",
                "a.gpu",
                "a.so.1",
                "a",
                "a.txt",
            ),
        )
    ],
    ids=" ".join,
)
def test_kinds_of_inputs(words: tuple[str, ...], tmp_path: Path) -> None:
    for phase in (
        "-c",
        "-dc",
        "-link",
        "-lib",
        "-dlink",
        "-E",
        "-cubin",
        "-fatbin",
        "-x=cu",
        "-x=c",
    ):
        line = (*words, phase, "-o", "x")
        theirs = run_dry(line, tmp_path)
        if theirs.error:
            with pytest.raises(ConfigurationError):
                read_invocation(line, {})
        else:
            read_invocation(line, {})


@pytest.mark.parametrize(
    "line",
    [
        *("-c a.cu b.cu", "-c a.cu b.cu -o x", "-c a.cu b.o -o x", "-E a.cu b.cu -o x"),
        *("-M a.cu b.cu -o x", "-M a.cu b.cu -MF x", "-MD -c a.cu b.cu -MF x", "a.cu b.cu -o x"),
        *("-lib a.cu b.cu -o x", "-dlink a.o b.o -o x", "-ptx a.cu b.cu -o x", "-c", "-v"),
        *("-MF x -c a.cu", "-MT x -c a.cu", "-MP -c a.cu", "-MD -MT x -MT y -c a.cu"),
        *("-o x -o y -c a.cu", "-cudart shared a.o", "-cudart=foo a.o", "-cudart=none a.o"),
        *("-x cu -c a.txt", "-c a.cpp -x c++", "-x foo -c a.cu", "-std=c++03 -c a.cpp"),
        *("-t 0 -c a.cu", "-t -1 -c a.cu", "-maxrregcount=x -c a.cu", "-maxrregcount 32 -c a.cu"),
        *("-keep -c a.cu", "-keep-dir . -c a.cu", "-save-temps -keep-dir=. -c a.cu"),
        *("-Ofc -c a.cu", "-Ofc max -c a.cu", "-Ofc a.cu -c", "-m 64 -c a.cu", "-m32 -c a.cu"),
        *("-odir d -c a.cu", "--version", "-V -c", "-h", "-dlto -dc a.cu", "-lto a.cu"),
    ],
)
def test_valid_lines(line: str, tmp_path: Path) -> None:
    theirs = run_dry(line.split(), tmp_path)
    if theirs.error:
        with pytest.raises(ConfigurationError):
            read_invocation(line.split(), {})
    else:
        read_invocation(line.split(), {})
