"""Tests for reading the steps of an nvcc run from its dry-run listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cuda.steps import Naming, read_steps
from kbuild.backends.interface.build import CompileUnit, FrontEndStep

KEEP = Path("/out/a.80.keep")
UNIT = CompileUnit(
    source=Path("/tree/src/a.cu"),
    display_source="src/a.cu",
    arch="80",
    output=Path("/out/a.80"),
    stamp=Path("/out/a.80.json"),
    depfile=Path("/out/a.80.d"),
)
PREPROCESS = (
    '#$ gcc -E -x c++ "-I/cuda/include" -DSAID=\\"it\\" "/tree/src/a.cu" '
    '-o "/out/a.80.keep/a.cpp1.ii"'
)
# The listing of CUDA 13.5. Up to 13.0, -o directly follows the input.
COMPILE = (
    '#$ "$CICC_PATH/cicc" --orig_src_file_name "/tree/src/a.cu" -arch compute_80 '
    '--stub_file_name "/out/a.80.keep/a.cudafe1.stub.c" "/out/a.80.keep/a.cpp1.ii" '
    '--simt-only -o "/out/a.80.keep/a.ptx"'
)
ASSEMBLE = '#$ ptxas -arch=sm_80 "/out/a.80.keep/a.ptx"  -o "/out/a.80.cubin" '
VARIABLES = "#$ _SPACE_= \n#$ CICC_PATH=/cuda/bin/../nvvm/bin\n#$ PATH=/cuda/bin:/usr/bin"
LISTING = f"{VARIABLES}\n{PREPROCESS}\n{COMPILE}\n{ASSEMBLE}"


def read(listing: str = LISTING, root: Path | None = Path("/tree")) -> tuple[FrontEndStep, ...]:
    return read_steps(listing, UNIT, Naming(keep=KEEP, root=root))


def test_launcher_prefixes_cicc_and_ptxas() -> None:
    steps = read()

    assert [step.is_cacheable for step in steps] == [False, True, True]
    assert [Path(step.command.argv[0]).name for step in steps] == ["gcc", "cicc", "ptxas"]
    assert all(("PATH", "/cuda/bin:/usr/bin") in step.command.env for step in steps)


def test_preprocessed_text_has_relative_paths() -> None:
    preprocess, *others = read()

    assert preprocess.command.outputs == (KEEP / "a.cpp1.ii",)
    assert preprocess.root == Path("/tree")
    assert '-DSAID="it"' in preprocess.command.argv
    assert [step.root for step in others] == [None, None]


def test_cached_commands_contain_no_directory() -> None:
    _, compile_step, assemble = read()

    assert compile_step.command.argv == (
        "/cuda/nvvm/bin/cicc",
        *("--orig_src_file_name", "src/a.cu", "-arch", "compute_80"),
        *("--stub_file_name", "a.cudafe1.stub.c", "--simt-only", "a.cpp1.ii", "-o", "a.ptx"),
    )
    assert compile_step.command.cwd == assemble.command.cwd == KEEP
    assert assemble.command.argv[1:] == ("-arch=sm_80", "a.ptx", "-o", "/out/a.80.cubin")


def test_debug_information_keeps_the_path() -> None:
    preprocess, compile_step, _ = read(root=None)

    assert preprocess.root is None
    assert "/tree/src/a.cu" in compile_step.command.argv


def test_debug_options_are_those_of_nvcc() -> None:
    _, compile_step, _ = read_steps(LISTING, UNIT, Naming(keep=KEEP, root=None, is_full=True))

    assert compile_step.command.cwd is None
    assert f"{KEEP}/a.cudafe1.stub.c" in compile_step.command.argv


@pytest.mark.parametrize(
    "listing",
    [
        "",
        "nvcc fatal   : Unknown option",
        PREPROCESS,
        LISTING + "\n#$ cat a | tee b",
        LISTING + '\n#$ rm "a',
    ],
)
def test_unexpected_listing_is_not_split(listing: str) -> None:
    assert read(listing) == ()
