"""Tests for the functions that instructions of PTX become."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.inline_ptx.instructions import express_instruction


def shorten(call: str | None) -> str | None:
    """Leave out what is in all calls."""
    if call is None:
        return None
    place = "__builtin_FILE(), __builtin_LINE(), 32"
    return call.replace("::kbuild_cpu::ptx::", "").replace("__operand_", "%").replace(place, "")


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("mov.u32 %0, %%lanemask_lt;", "read_lanemask_lt(%0)"),
        ("mov.u32 %0, %%tid.x;", "read_tid_x(%0)"),
        ("mov.u32 %0, %nctaid.z;", "read_nctaid_z(%0)"),
        ("add.s32 %0, %0, 1;", "add_words(%0, %0, 1)"),
        ("mad.lo.u32 %0, %1, 4, %2;", "multiply_and_add(%0, %1, 4, %2)"),
        ("bfind.u32 %0, %1;", "find_top_bit(%0, %1)"),
        ("shl.b32 %0,%1,31;", "shift_left(%0, %1, 31)"),
        ("cvta.to.shared.u64 %0, %1;", "convert_to_shared(%0, %1)"),
        (
            "{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }",
            "convert_to_shared(%0, %1)",
        ),
        (
            "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;",
            "copy_async(%0, %1, 16, %2)",
        ),
        ("cp.async.wait_group 1;", "wait_group(1)"),
        ("cp.async.wait_all;", "wait_all()"),
        (
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%1, %0}, [%2];",
            'load_matrices<2, true>(kbuild_cpu_call{"ldmatrix", }, %1, %0, %2)',
        ),
        (
            "ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%0}, [%1];",
            'load_matrices<1, false>(kbuild_cpu_call{"ldmatrix", }, %0, %1)',
        ),
        (
            (
                "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 "
                "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            ),
            (
                'multiply_add<16, 8, 16, s32, u8, s8, s32, true>(kbuild_cpu_call{"mma", }, '
                "%0, %1, %2, %3, %4, %5, %6, %0, %1, %2, %3)"
            ),
        ),
        ("ld.f32 %0, [%1];", "load<kbuild_uint32, false, weak>(%1, 0, %0)"),
        (
            "ld.global.nc.L1::no_allocate.v2.s32 {%0,%1}, [%2+0x10];",
            "load<kbuild_int32, false, weak>(%2, 0x10, %0, %1)",
        ),
        (
            "ld.acquire.gpu.global.u64 %0, [%1 + -8];",
            "load<kbuild_uint64, false, __ATOMIC_ACQUIRE>(%1, -8, %0)",
        ),
        (
            "st.shared.u8 [%0+%2], 255;",
            "store<kbuild_uint8, true, weak>(%0, %2, kbuild_uint8{255})",
        ),
        (
            "st.volatile.global.f64 [%0], %1;",
            "store<kbuild_uint64, false, __ATOMIC_RELAXED>(%0, 0, %1)",
        ),
        ("mov.u64 %0, %%globaltimer;", "read_globaltimer(%0)"),
        ("trap;", "trap()"),
        ("bar.sync 0;", "synchronize_block(0)"),
        ("bar.warp.sync 0xffffffff;", "synchronize_warp(0xffffffff)"),
        ("lop3.b32 %0, %1, %2, %3, 0x96;", "look_up(%0, %1, %2, %3, 0x96)"),
        ("fma.rn.f32 %0, %1, %2, %0;", "multiply_and_round(%0, %1, %2, %0)"),
        ("prefetch.global.L1 [%0];", "prefetch(%0)"),
        ("membar.gl;", "::__threadfence()"),
        ("fence.sc.cta;", "::__threadfence_block()"),
    ],
)
def test_functions_have_the_operands_of_the_instruction(code: str, call: str) -> None:
    assert shorten(express_instruction(code)) == call


@pytest.mark.parametrize(
    "code",
    [
        "ex2.approx.f32 %0, %1;",
        "bar.sync 1;",
        "bar.sync 0, 64;",
        "fma.rn.ftz.f32 %0, %1, %2, %3;",
        "ld.param.u32 %0, [%1];",
        "ld.global.v2.u32 %0, [%1];",
        "ld.global.L2::cache_hint.u32 %0, [%1], %2;",
        "st.global.v2.u32 [%0], {%1, %2, %3};",
        "st.shared::cluster.u32 [%0], %1;",
        "st.global.u32 [%0+%1+4], %2;",
        "fence.proxy.async;",
        "bfind.u32 %0, %1; bfind.u32 %2, %3;",
        "bfind.u32 %0, foo;",
        "mov.u32 %1, %%laneid;",
        "mov.u32 %0, %%tid.w;",
        "add.cc.u32 %0, %1, %2;",
        "mad.wide.u32 %0, %1, %2, %3;",
        "cp.async.cg.shared.global [%0+16], [%1], 16;",
        "{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, q; }",
        "ldmatrix.sync.aligned.x1.shared.b16 {%0}, [%1];",
        "ldmatrix.sync.aligned.m8n8.x1.m8n8.shared.b16 {%0}, [%1];",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32 {%0,%1}, {%2,%3}, {%4}, {%5,%6};",
        "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%0,%1}, {%2}, {%3}, {%4,%5};",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1}, {%2}, {%3}, {%4,%5};",
    ],
)
def test_other_forms_are_unknown(code: str) -> None:
    assert express_instruction(code) is None
