"""Tests for inline PTX in device texts."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.inline_ptx.statements import replace_assembly
from kbuild.cxx.model import HostText
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit


def make_text(source: str) -> str:
    code = Unit(source)
    edits = tuple(replace_assembly(code))
    return rewrite(code, HostText(kernels=(), launches=(), edits=edits), "m").text


@pytest.mark.parametrize(
    ("code", "quote"),
    [
        ('"mov.u32 %0, %%smid;" : "=r"(x)', "mov.u32 %0, %%smid;"),
        ('"{\\n\\t" ".reg .pred p;\\n" "exit;}"', "{ .reg .pred p; exit;}"),
        ('R"(ex2.approx.f32 %0, %1;)" : "=f"(x) : "f"(y)', "ex2.approx.f32 %0, %1;"),
        ('"exit;"', "exit;"),
        ('"@p bra.uni L;"', "@p bra.uni L;"),
        ('"L: mbarrier.try_wait.b64 p, [%0];" :: "l"(x)', "L: mbarrier.try_wait.b64 p, [%0];"),
    ],
)
def test_ptx_is_replaced_by_an_error(code: str, quote: str) -> None:
    text = make_text(f"void f() {{ asm volatile ({code}); }}")
    assert f"does not support inline PTX: '{quote}'" in text
    assert "asm" not in text


def test_an_instruction_becomes_a_call_with_its_operands() -> None:
    statement = '"bfe" ".u32 %0, %1, 8, %2;" : "=r"(a[0]) : "r"(f(1)), "n"(2) : "memory"'

    assert make_text(f"asm volatile({statement}); g();") == (
        "[](auto &&__operand_0, auto &&__operand_1, auto &&__operand_2) { "
        "::kbuild_cpu::ptx::extract_bits(__operand_0, __operand_1, 8, __operand_2); }"
        "((a[0]), (f(1)), (2)); g();"
    )


@pytest.mark.parametrize(
    "source",
    [
        'asm volatile("" ::: "memory");',
        '__asm__ volatile("lock cmpxchg16b %0" : "+m"(x));',
        '__asm__("b.ne 1f; yield");',
        '__asm__("rep; nop");',
        'int f() __asm__("kbuild_cpu_clock");',
        'const char *s = R"(asm("mov.u32 %0, %1;");)";',
        "int asm_count; // asm(",
    ],
)
def test_other_assembly_is_kept(source: str) -> None:
    assert make_text(source) == source


def test_operands_and_lines_are_kept() -> None:
    source = 'asm("rcp.rn.f32 %0, %1;"\n: "=r"(a[0])\n# 7 "x.h" 3\n, "=r"(b) : "r"(f(c, "(")));\n'
    text = make_text(source)
    assert text.count("\n") == source.count("\n")
    assert "static_cast<void>\n(a[0]);" in text
    assert '\n# 7 "x.h" 3\n' in text
    assert text.endswith('static_cast<void>(f(c, "(")); });\n')
