"""Statements whose parts C++17 evaluates in a fixed order, with warp operations among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from support.random_kernels.cxx.builder import Builder
from support.random_kernels.model import Text

_ACCUMULATOR = """\
struct Acc {
    unsigned v;
    __device__ Acc& add(unsigned x) { v += x; return *this; }
    __device__ Acc& next(unsigned& x) { x += 10u; return *this; }
    __device__ Acc& operator<<(unsigned x) { v = v * 3u + x; return *this; }
    __device__ Acc& operator,(unsigned x) { v = v * 5u + x; return *this; }
    __device__ Acc* operator->() { v += 1u; return this; }
    __device__ Acc& operator[](unsigned x) { v ^= x; return *this; }
    __device__ Acc& operator()(unsigned x) { v = v * 7u + x; return *this; }
    __device__ Acc& operator+=(unsigned x) { v = v * 11u + x; return *this; }
};"""
_TRIVIAL = (
    "struct Trivial { __device__ unsigned operator()(unsigned a, unsigned b) const "
    "{ return a * 3u + b; } };"
)
_PAIR = "struct Pair { unsigned a, b; };"
_TRIPLE = (
    "struct Triple { unsigned v; __device__ Triple(unsigned a, unsigned b, unsigned c) : "
    "v(a * 3u + b * 5u + c) {} };"
)
# What declares {r} and can change {v}. «...» is a warp operation; A{n} is an accumulator.
_STATEMENTS = {
    "comma": ("unsigned {r} = ({v} += {c}, «{v}»);", "{v} = ({v} + {c}) & M\n{r} = «{v}»"),
    "comma_statement": (
        "unsigned {r}; {v} += {c}, {r} = «{v}», {v} ^= {r};",
        "{v} = ({v} + {c}) & M\n{r} = «{v}»\n{v} ^= {r}",
    ),
    "operand_effect": ("unsigned {r} = «({v} += {c})»;", "{v} = ({v} + {c}) & M\n{r} = «{v}»"),
    "postfix_operand": ("unsigned {r} = «{v}++»;", "{r} = «{v}»\n{v} = ({v} + 1) & M"),
    "declarators": (
        "unsigned {r} = {v}++, {r}b = «{v}», &{r}c = {v}, {r}d = {r}c ^ {r}b; {r} += {r}d;",
        "{r} = {v}\n{v} = ({v} + 1) & M\n{r} = ({r} + ({v} ^ «{v}»)) & M",
    ),
    "declarators_array": (
        (
            "unsigned {r} = {v} += {c}, {r}b[2] = {{«{v}», {v}++}}, *{r}c = &{v}; "
            "{r} += {r}b[0] * 3u + *{r}c;"
        ),
        (
            "{v} = ({v} + {c}) & M\n{r} = {v}\nt = «{v}»\n"
            "{v} = ({v} + 1) & M\n{r} = ({r} + t * 3 + {v}) & M"
        ),
    ),
    "shift": (
        "unsigned {r} = ({v} += {c}) << («{v}» & 7u);",
        "{v} = ({v} + {c}) & M\n{r} = ({v} << («{v}» & 7)) & M",
    ),
    "shift_back": (
        "unsigned {r} = ({v} ^= {c}) >> («{v}» & 7u);",
        "{v} ^= {c}\n{r} = {v} >> («{v}» & 7)",
    ),
    "assign_subscript": (
        (
            "unsigned {r}b[4] = {{}}; {r}b[{v}++ & 3u] = «{v}»; "
            "unsigned {r} = {r}b[0] + {r}b[1] * 3u + {r}b[2] * 5u + {r}b[3] * 7u;"
        ),
        "t = «{v}»\n{r} = t * (1, 3, 5, 7)[{v} & 3] & M\n{v} = ({v} + 1) & M",
    ),
    "compound_right_first": (
        "unsigned {r} = {v}; {r} += ({r} ^= {c}, «{r}»);",
        "{r} = {v} ^ {c}\n{r} = ({r} + «{r}») & M",
    ),
    "chained_assignment": (
        "unsigned {r} = 3, {r}b; {r}b = {r} += «{v}»; {v} = {r} ^= {r}b + {c};",
        "{r} = (3 + «{v}») & M\n{r} ^= ({r} + {c}) & M\n{v} = {r}",
    ),
    "braces_array": (
        (
            "unsigned {r}b[3] = {{{v}++, «{v}», {v} += {c}}}; "
            "unsigned {r} = {r}b[0] + {r}b[1] * 3u + {r}b[2] * 5u;"
        ),
        (
            "{r} = {v}\n{v} = ({v} + 1) & M\n{r} += «{v}» * 3\n"
            "{v} = ({v} + {c}) & M\n{r} = ({r} + {v} * 5) & M"
        ),
    ),
    "braces_object": (
        "Pair {r}b{{{v}++, «{v}»}}; unsigned {r} = {r}b.a * 3u + {r}b.b;",
        "{r} = {v}\n{v} = ({v} + 1) & M\n{r} = ({r} * 3 + «{v}») & M",
    ),
    "braces_constructor": (
        "Triple {r}b{{{v}++, «{v}», {v} += {c}}}; unsigned {r} = {r}b.v;",
        (
            "{r} = {v} * 3\n{v} = ({v} + 1) & M\n{r} += «{v}» * 5\n"
            "{v} = ({v} + {c}) & M\n{r} = ({r} + {v}) & M"
        ),
    ),
    "call_chain": (
        "Acc {r}b{{{v}}}; {r}b.next({v}).add(«{v}»); unsigned {r} = {r}b.v;",
        "{r} = {v}\n{v} = ({v} + 10) & M\n{r} = ({r} + «{v}») & M",
    ),
    "own_chain": (
        "Acc {r}b{{{v}}}; {r}b.add({c}).add(«{r}b.v»); unsigned {r} = {r}b.v;",
        "{r} = ({v} + {c}) & M\n{r} = ({r} + «{r}») & M",
    ),
    "stream": (
        "Acc {r}b{{{v}}}; {r}b << ({v} += {c}) << «{v}» << {v}++; unsigned {r} = {r}b.v;",
        (
            "{r} = {v}\n{v} = ({v} + {c}) & M\n{r} = {r} * 3 + {v}\n{r} = {r} * 3 + «{v}»\n"
            "{r} = ({r} * 3 + {v}) & M\n{v} = ({v} + 1) & M"
        ),
    ),
    "own_stream": (
        "Acc {r}b{{{v}}}; {r}b << 3u << «{r}b.v»; unsigned {r} = {r}b.v;",
        "{r} = ({v} * 3 + 3) & M\n{r} = ({r} * 3 + «{r}») & M",
    ),
    "comma_operator": (
        "Acc {r}b{{{v}}}; {r}b, {v} += {c}, «{v}»; unsigned {r} = {r}b.v;",
        "{r} = {v}\n{v} = ({v} + {c}) & M\n{r} = {r} * 5 + {v}\n{r} = ({r} * 5 + «{v}») & M",
    ),
    "arrow": (
        "Acc {r}b{{{v}}}; {r}b->add(«{r}b.v»); unsigned {r} = {r}b.v;",
        "{r} = ({v} + 1) & M\n{r} = ({r} + «{r}») & M",
    ),
    "subscript_chain": (
        "Acc {r}b{{{v}}}; {r}b[{v}++][«{v}»]({v}); unsigned {r} = {r}b.v;",
        "{r} = 0\n{v} = ({v} + 1) & M\n{r} = «{v}»\n{r} = ({r} * 7 + {v}) & M",
    ),
    "compound_operator": (
        "Acc {r}b{{{v}}}; ({v} += {c}, {r}b) += «{v}»; unsigned {r} = {r}b.v;",
        "{r} = {v}\nt = «{v}»\n{v} = ({v} + {c}) & M\n{r} = ({r} * 11 + t) & M",
    ),
    "subscript": (
        "unsigned {r}b[4] = {{5, 6, 7, {v}}}; unsigned {r} = ({v} += {c}, {r}b)[«{v}» & 3u];",
        "{r} = {v}\n{v} = ({v} + {c}) & M\n{r} = (5, 6, 7, {r})[«{v}» & 3]",
    ),
    "nested": ("unsigned {r} = ««{v}» + {c}»;", "{r} = «(«{v}» + {c}) & M»"),
    "condition": (
        "unsigned {r} = 0; if (({v} = «{v}») & 1u) {r} = {v} * {c}; else {r} = {v}++;",
        "{v} = «{v}»\n{r} = {v} * {c} & M if {v} & 1 else {v}\nif not {v} & 1: {v} = ({v} + 1) & M",
    ),
    "if_init": (
        "unsigned {r} = {v}; if (unsigned {r}b = «{v}»; {r}b & 4u) {r} += {r}b;",
        "{r} = {v}\nt = «{v}»\nif t & 4: {r} = ({r} + t) & M",
    ),
    "for_head": (
        (
            "unsigned {r} = {v}; "
            "for (unsigned {r}i = 0, {r}q = «{v}»; {r}i < 3u; ++{r}i, {r}q = «{r}q + {r}») "
            "{r} += {r}q;"
        ),
        (
            "{r} = {v}\nt = «{v}»\nfor i in range(3):\n"
            "    {r} = ({r} + t) & M\n    t = «(t + {r}) & M»"
        ),
    ),
    "while_any": (
        (
            "unsigned {r} = {v} & 3u; while (__any_sync(~0u, {r} > 1u)) {r} -= {r} > 1u; "
            "{r} += {v} >> 4;"
        ),
        (
            "{r} = {v} & 3\nwhile (yield ('any', 32, int({r} > 1))): {r} -= {r} > 1\n"
            "{r} = ({r} + ({v} >> 4)) & M"
        ),
    ),
    "do_while": (
        "unsigned {r} = 0; do {{ {v} += {c}; {r}++; }} while (__all_sync(~0u, {r} < 2u));",
        (
            "{r} = 0\nwhile True:\n    {v} = ({v} + {c}) & M\n    {r} += 1\n"
            "    if not (yield ('all', 32, int({r} < 2))): break"
        ),
    ),
    "short_circuit": (
        "unsigned {r} = lane < 16u and __any_sync(0xffff, {v} & 1u);",
        "{r} = int(tid % 32 < 16 and (yield ('any', ('mask', 0xffff), {v} & 1)))",
    ),
    "short_circuit_or": (
        "unsigned {r} = lane < 16u or __shfl_xor_sync(0xffff0000u, {v}, 1) > {c};",
        "{r} = int(tid % 32 < 16 or (yield ('shfl_xor', ('mask', 0xffff0000), {v}, 1)) > {c})",
    ),
    "ternary": (
        "unsigned {r} = lane >= 16u ? {v}++ : __shfl_xor_sync(0xffff, {v}, 2);",
        (
            "{r} = {v}\nif tid % 32 < 16: {r} = yield ('shfl_xor', ('mask', 0xffff), {v}, 2)\n"
            "else: {v} = ({v} + 1) & M"
        ),
    ),
    "ternary_condition": (
        "unsigned {r} = («({v} += {c})» & 1u) ? {v} : {c};",
        "{v} = ({v} + {c}) & M\n{r} = {v} if «{v}» & 1 else {c}",
    ),
    "unevaluated": (
        (
            "unsigned {r} = 1; if (threadIdx.x < {c}) "
            "{r} = sizeof(«{v}++») + (noexcept(«{v}») ? 0 : 0) + sizeof(decltype(«{v}»));"
        ),
        "{r} = 8 if x < {c} else 1",
    ),
    "pack": (
        "unsigned {r} = {v}; [&](auto... {r}k) {{ (({r} += {r}k + «{r}»), ...); }}(1u, {c});",
        "{r} = {v}\nt = «{r}»\n{r} = ({r} + 1 + t) & M\nt = «{r}»\n{r} = ({r} + {c} + t) & M",
    ),
    "function_object": (
        "Acc {r}b{{{v}}}; ({v} += {c}, {r}b)(«{v}»); unsigned {r} = {r}b.v;",
        "{r} = {v}\n{v} = ({v} + {c}) & M\n{r} = ({r} * 7 + «{v}») & M",
    ),
    "made_functor": (
        "unsigned {r} = Trivial()({v}, «{v}») ^ Trivial{{}}({c}, «{v}»);",
        "{r} = ({v} * 3 + «{v}») & M\n{r} ^= ({c} * 3 + «{v}») & M",
    ),
    "shared_address": (
        (
            "__shared__ unsigned {r}b[{t}]; unsigned *{r}p = {r}b + tid, *{r}q = {r}p; "
            "*{r}p = {v}; "
            "unsigned {r} = «*{r}q + {c}»; *{r}q ^= {r}; {r} += «{r}» + {r}b[tid] + *{r}p;"
        ),
        "{r} = «({v} + {c}) & M»\nt = {v} ^ {r}\n{r} = ({r} + «{r}» + 2 * t) & M",
    ),
    "switch": (
        (
            "unsigned {r} = {v}; switch (unsigned {r}q = «{v}»; {r}q & 3u) {{ case 0: {r} += {r}q; "
            "case 1: {r} ^= 5u; break; case 2: {r}++; break; default: {r} = {r}q; }}"
        ),
        (
            "{r} = {v}\nt = «{v}»\n"
            "if t & 3 < 2: {r} = (({r} + t) & M if t & 3 == 0 else {r}) ^ 5\n"
            "else: {r} = ({r} + 1) & M if t & 3 == 2 else t"
        ),
    ),
}
_OPERATION = re.compile("«([^«»]*)»")


def _write_sequence(g: Builder, kind: str) -> Iterator[None]:
    for needed in (_ACCUMULATOR, _PAIR, _TRIPLE, _TRIVIAL):
        g.need(needed)
    cxx, python = _STATEMENTS[kind]
    v = g.variable() if g.chance(0.5) else g.declare(g.value())
    r, c, k = g.name("r"), g.constant(40) + 1, g.pick("1", "2", "4")
    cxx = cxx.format(v=v.cxx, r=r, c=f"{c}u", t=g.threads)
    python = python.format(v=v.python, r=r, c=c)
    form = g.pick(
        *("__shfl_xor_sync(~0u, {}, {})", "__shfl_xor_sync(~0u, {}, {})", "SHFL_XOR({}, {})"),
        *("lib::swap_lanes({}, {})", "unsigned(__shfl_xor_sync(FULL, {}, {}))"),
    )
    while _OPERATION.search(cxx):
        cxx = _OPERATION.sub(lambda found: form.format(found[1], k), cxx)
    while _OPERATION.search(python):
        python = _OPERATION.sub(rf"(yield ('shfl_xor', 32, \1, {k}))", python)
    g.write(cxx, python)
    yield
    g.alias(r, r)
    g.mix(Text(r, r))


FEATURES = tuple((kind, partial(_write_sequence, kind=kind)) for kind in _STATEMENTS)
