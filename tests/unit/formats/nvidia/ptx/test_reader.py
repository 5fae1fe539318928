from __future__ import annotations

import contextlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.nvidia.ptx.facts import PtxFacts, PtxKernel, PtxParam, PtxVariable
from kbuild.formats.nvidia.ptx.reader import read_ptx

HEAD = ".version 9.4\n.target sm_90a, debug\n.address_size 64\n"
TEXT = (
    HEAD
    + r"""
// .visible .entry commented_out()
/* .visible .entry
   commented_out_too() { */
.file	1 "/http://{/not a brace.cu"
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
.const .align 4 .b8 table[64];
.global .attribute(.managed) .align 8 .f64 shared_with_host;
.visible .global .align 16 .b8 matrix[4][5] = {1, {2, 3}, 4};
.weak .global .align 4 .u32 counter = 3;
.extern .global .align 4 .u32 elsewhere;
.extern .shared .align 16 .b8 dynamic[];
.global .u32 one, two = 2, three[3];
.global .align 1 .b8 $str[];
.global .texref texture;
.visible .entry forward(.param .u32 forward_param_0);
.func  (.param .b32 func_retval0) helper(.param .u64 helper_param_0)
{
	{ // callseq
	}
	ld.global.u32 %r1, [one];
}
.visible .entry _Z4typed(
	.param .u8 _Z4typed_param_0,
	.param .f64 _Z4typed_param_1,
	.param .align 16 .b8 _Z4typed_param_2[5],
	.param .u64 .ptr .global .align 32 _Z4typed_param_3,
	.param .v4 .f32 _Z4typed_param_4,
	.param .b16 _Z4typed_param_5[2][3]
)
.maxntid 256, 2, 1
.minnctapersm 2
.explicitcluster
.reqnctapercluster 2, 1, 1
.maxclusterrank 8
.pragma "nounroll {";
{
	.reg .b32 %r<3>;
	.entry_like: ret;
}
.weak .entry _Z4tmpl()
.reqntid 128
{
	ret;
}
.entry _ZL2st(.param .u64 p) { ret; }
.section .debug_info { .b8 1,2 }
"""
)


def _read(text: str) -> PtxFacts:
    return read_ptx(text.encode())


def _kernel(text: str) -> PtxKernel:
    facts = _read(HEAD + text)
    assert facts.problems == ()
    (kernel,) = facts.kernels
    return kernel


def test_module_is_read() -> None:
    facts = _read(TEXT)
    assert (facts.version, facts.target, facts.address_size) == ("9.4", "sm_90a", 64)
    assert facts.arch == "compute_90a"
    assert facts.problems == ()
    assert [(k.name, k.linkage) for k in facts.kernels] == [
        ("_Z4typed", "external"),
        ("_Z4tmpl", "weak"),
        ("_ZL2st", "internal"),
    ]


def test_launch_bounds_are_read() -> None:
    typed, template, _ = _read(TEXT).kernels
    assert typed.max_threads == (256, 2, 1)
    assert (typed.min_blocks, typed.cluster, typed.max_cluster_rank) == (2, (2, 1, 1), 8)
    assert typed.required_block is None
    assert (template.params, template.required_block) == ((), (128, 1, 1))


def test_parameters_have_the_layout_of_the_isa() -> None:
    params = _read(TEXT).kernels[0].params
    assert params
    layout = [(p.type, p.count, p.alignment, p.offset, p.size) for p in params]
    assert layout == [
        ("u8", None, 1, 0, 1),
        ("f64", None, 8, 8, 8),
        ("b8", 5, 16, 16, 5),
        ("u64", None, 8, 24, 8),
        ("f32", None, 16, 32, 16),
        ("b16", 6, 2, 48, 12),
    ]
    assert params[0] == PtxParam(
        index=0, offset=0, size=1, name="_Z4typed_param_0", type="u8", count=None, alignment=1
    )


def test_variables_are_read() -> None:
    assert [(v.name, v.kind, v.size, v.linkage) for v in _read(TEXT).variables] == [
        ("table", "constant", 64, "internal"),
        ("shared_with_host", "managed", 8, "internal"),
        ("matrix", "global", 20, "external"),
        ("counter", "global", 4, "weak"),
        ("one", "global", 4, "internal"),
        ("two", "global", 4, "internal"),
        ("three", "global", 12, "internal"),
        ("$str", "global", None, "internal"),
    ]


def test_padding_is_ignored() -> None:
    facts = read_ptx(memoryview(HEAD.encode() + b"\0\0\0"))
    assert (facts.kernels, facts.variables) == ((), ())


def test_module_on_one_line_is_read() -> None:
    kernel = _kernel(".visible .entry k(.param .u32 a,.param .u64 b).maxntid 64{ret;}")
    assert kernel.max_threads == (64, 1, 1)
    assert [p.offset for p in kernel.params or ()] == [0, 8]


def test_address_size_defaults_to_32() -> None:
    assert _read(".version 3.2\n.target sm_20\n").address_size == 32


@pytest.mark.parametrize("text", ["", "text", ".version 9.0\n", ".target sm_90\n", "\x7fELF"])
def test_other_text_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match="not PTX"):
        _read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".param .u17 p", "size of parameter 0 is unknown"),
        (".param .u32 p[]", "size of parameter 0 is unknown"),
        (".param .u32", "the declaration has no name"),
        (".param .align x .u32 p", "'x' is not a decimal number"),
        (".param .u32 p[n]", "'n' is not a decimal number"),
        (f".param .u32 p[{'9' * 30}]", "is not a decimal number"),
        (f".param .u32 p{'[2]' * 20}", "20 dimensions"),
    ],
)
def test_invalid_parameter_is_a_problem(text: str, message: str) -> None:
    facts = _read(HEAD + f".visible .entry k({text}) {{}} .entry sound() {{}}")
    assert [(k.name, k.params) for k in facts.kernels] == [("k", None), ("sound", ())]
    (problem,) = facts.problems
    assert problem.where == "kernel k"
    assert re.search(message, problem.message)


def test_invalid_variable_is_a_problem() -> None:
    facts = _read(HEAD + ".global .u32 x[n];\n.global .u32 ;\n.global .u8 sound;")
    assert facts.variables == (
        PtxVariable(name="sound", kind="global", size=1, linkage="internal"),
    )
    assert [p.where for p in facts.problems] == [".global .u32 x[n]", ".global .u32"]


@pytest.mark.parametrize(
    "text",
    [
        ".visible " * 100_000,
        ".entry a " * 100_000,
        ".entry a(" * 100_000,
        "{" * 1_000_000,
        "{}" * 300_000,
        ".global .attribute(" * 50_000,
        ".global .attribute(" + "a" * 1_000_000,
        '"' * 1_000_000,
        "/*" * 500_000,
        ".entry k(" + ".param .u32 p," * 100_000 + ") {}",
        ".entry k()" + ".maxntid 1,1,1 " * 50_000 + "{}",
        ".global .u8 x" + "[9999999]" * 200_000 + ";",
    ],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    start = time.process_time()
    _read(HEAD + text)
    assert time.process_time() - start < 10


PIECES = (*re.findall(r"\s+|[\w$]+|.", TEXT), "\0", "٣", "é", "99999999999999999999999")


@given(st.data())
def test_damaged_text_raises_only_input_error(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(PIECES)))
    pieces = list(PIECES[start : start + data.draw(st.integers(0, 100))])
    for _ in range(data.draw(st.integers(0, 6))):
        if pieces:
            place = data.draw(st.integers(0, len(pieces) - 1))
            pieces[place] = data.draw(st.sampled_from(PIECES))
    facts = _read(HEAD + "".join(pieces))
    assert all(k.name for k in facts.kernels)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_only_input_error(content: bytes) -> None:
    with contextlib.suppress(InputError):
        read_ptx(content)
    read_ptx(HEAD.encode() + content)
