"""In which loops a thread can wait for memory, and how they are marked."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.inline_ptx.statements import replace_assembly
from kbuild.backends.cpu.mixed.waits.loops import mark_loops
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

MARK = "::kbuild_cpu::mark_loop()"
WAIT = "::kbuild_cpu::wait_in_loop()"
HEAD = '# 1 "a.cu"\n__kbuild_device__ void f(int i, int n, int m, int stride, int first, A a) { '


def mark(body: str, *, before: str = "", is_divided: bool = False) -> str:
    """Return the body of a device function with marked loops; `meet` is a barrier."""
    unit = Unit(f"{HEAD}{body} }}{before}")
    names = frozenset(("atomicCAS", "cas", "fence"))
    meets = frozenset(unit.find(("meet",)))
    marks = mark_loops(unit, q.find_declarations(unit), names, meets).values()
    edits = tuple(e for loop in marks for e in (loop.shared if is_divided else loop.edits))
    text = apply_edits(unit.text, edits, (0, len(unit.text)))
    return text.removeprefix(HEAD).removesuffix(f" }}{before}")


@pytest.mark.parametrize(
    ("loop", "marked"),
    [
        ("while (cas(p, 1)) {}", f"while (cas(p, 1)) {{ {MARK};}}"),
        ("while (!x) x = cas(p, 1);", f"while (!x) if ({MARK}) {{}} else x = cas(p, 1);"),
        ("do { fence(); } while (*x);", f"do {{ {MARK}; fence(); }} while (*x);"),
        ("for (;;) if (cas(p, 1)) break;", f"for (;;) if ({MARK}) {{}} else if (cas(p, 1)) break;"),
        ("again: if (cas(p, 1)) goto again;", f"again: {MARK}; if (cas(p, 1)) goto again;"),
        (
            "while (flag == *(volatile int*)p) ;",
            f"while (flag == *(volatile int*)p) if ({WAIT}) {{}} else ;",
        ),
        ("g([&] { while (!cas(p, 1)) {} });", f"g([&] {{ while (!cas(p, 1)) {{ {MARK};}} }});"),
    ],
)
def test_loops_that_can_wait(loop: str, marked: str) -> None:
    assert mark(loop) == marked


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < *n; ++i) cas(p, 1);",  # the limit is memory
        "for (int i = 0; i < n; ++i) i = cas(p, 1);",
        "for (int i = 0; i < n; i = (i + 1) % 4) x += cas(p, 1);",
        "for (int i = 0; j < n; ++i) old = cas(p, 1);",
        "for (int i = 0; i < n && old; ++i) old = cas(p, 1);",
        "for (unsigned i = 0; i < 4000000000; ++i) if (cas(p, 1)) break;",
        "for (auto x : flags(cas(p, 1))) if (x) return;",
        "while (i < n) old = cas(p, 1);",
        "while (try_lock()) {} cas(p, 1);",  # in another function
        "for (int i = 0; i < (*n); ++i) cas(p, 1);",
        "for (int i = 0; i < m + *n; ++i) cas(p, 1);",
        "for (int i = 0; i < n; ++i) switch (cas(p, 1)) { case 0: return; }",
        "for (int i = 0; i < n; ++i) { while (m) {} if (cas(p, 1)) break; }",
        "for (int i = 0; i < (n)(p); ++i) cas(p, 1);",
        "for (int i = 0; i < m * (n)(p); ++i) cas(p, 1);",
        "for (int i = 0; i < (m) * (n); ++i) cas(p, 1);",  # what n leads to, if m is a type
        "for (int i = 0; i < (m + 1) * (*n); ++i) cas(p, 1);",
        "do { fence(); } while (0 * *x);",
        "for (int i = 0; i < n; ++i, n = cas(p, 1)) ;",
        "for (int i = 0; i < n; n += cas(p, 1), ++i) ;",
        "for (int i = 0; i < n, cas(p, 1); ++i) ;",
        "do { old = atomicCAS(p, old, 1); } while (old);",
        "do { seen = old; old = atomicCAS(p++, seen, 1); } while (seen != old);",
        "do { seen = old; old = atomicCAS(next(), seen, 1); } while (seen != old);",
        "do { seen = old; old = atomicCAS(p + seen, seen, 1); } while (seen != old);",
        "do { seen = old; old = atomicCAS(p, seen, 1) + *q; } while (seen != old);",
        "do { seen = old; old = atomicCAS(p, seen, 1); } while (seen == old);",
        "for (int i = 0; i < n; ++i) old = cas(p, again(i));",
        "for (int i = 0; i < n; ++i) old = cas(p, lib::__again(i));",
        "while (int n = i) { cas(p, 1); i--; }",
        # something else can change the counter, or the limit
        "for (int i = 0, *q = &i; i < n; ++i) if (!cas(p, 1)) *q = 0;",
        "int j = 0; int& r = j; for (; j < n; ++j) if (!cas(p, 1)) r = 0;",
        "int j = 0; auto back = [&] { j = 0; }; for (; j < n; ++j) if (!cas(p, 1)) back();",
        "int k = n; R r{k}; for (int i = 0; i < k; ++i) if (!cas(p, 1)) r.more();",
        "for (pos = 0; pos < n; ++pos) again(p); cas(p, 1);",
        "for (int i = 0; i < size; ++i) again(p); cas(p, 1);",
        "union { int j; int k; }; for (j = 0; j < n; ++j) if (!cas(p, 1)) k = 0;",
        "for (int i = 0; i < n;) if (cas(p, 1)) ++i;",
        "while (i < n) { if (cas(p, 1)) continue; ++i; }",
        "for (int i = 0; i < n; i += step) step = cas(p, 1);",
        "for (int i = 0; i < n; ++i) if (cas(p, 1)) ++n;",
        "for (int i = 0; i < n; ++i) if (cas(p, 1)) --i;",
        "for (int i = 0; i < n; ++i) { auto [a, b] = cas(p, 1); a << i; }",
        "for (int i = 0; i < n; ++i) { Stream s(cas(p, 1)); s >> i; }",
        "for (int i = 0; i < n; ++i) { Stream(s); s >> i; cas(p, 1); }",
        "for (auto x : x.list) cas(p, x);",
        "for (auto x : list([] {})) cas(p, x);",
    ],
)
def test_loops_that_do_not_surely_end(loop: str) -> None:
    assert MARK in mark(loop)


@pytest.mark.parametrize("condition", ["0", "false"])
def test_one_turn_is_no_loop(condition: str) -> None:
    loop = f"do {{ if (cas(p, 1)) break; }} while ({condition});"
    assert mark(loop) == loop


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < n; ++i) old = cas(p, x[i]);",
        "for (int i = n; i > 0; i /= 2) sum += cas(p, i + 1);",
        "while (i < n) { cas(p, x[i]); i += stride; }",
        "do { cas(p, 1); --i; } while (i > 0);",
        "for (int i = 0; i < (n) - (1); i += (m)) cas(p, 1);",
        "for (int i = 0; i < n * m; i += gridDim.x * blockDim.x) cas(p, 1);",
        "for (int i = 0; i < (n - 2) * (m + 1); i += gridDim.x * (int)blockDim.x) cas(p, 1);",
        "for (int i = 0; i < n; i += gridDim.x * (size_t)blockDim.x) cas(p, 1);",
        "for (int i = 0; i < n; ++i) { (x[i]) = cas(p, 1); }",
        "for (int i = 0; i < n; ++i) { switch (m) { case 0: break; } cas(p, 1); }",
        "for (int i = 0, k = first; i < n; ++i, k += m) cas(p, x[k]);",
        "for (int i = 0; i < n; ++i) old = cas(p, __brev(i));",
        "do { seen = old; old = atomicCAS((int*)p, seen, g(seen)); } while (seen != old);",
    ],
)
def test_loops_that_end_if_the_compiler_agrees(loop: str) -> None:
    assert "mark_loop<::kbuild_cpu::are_scalars<decltype(" in mark(loop)


@pytest.mark.parametrize(
    ("loop", "marked"),
    [
        (
            "for (int i = 0; i < a.n - 1; ++i) cas(p, 1);",
            "mark_loop<::kbuild_cpu::are_scalars<decltype((i)), decltype((a.n))>>()",
        ),
        (
            "for (int i = 0; i < 9; ++i) { x[(m++) * 2 + i] = i; cas(p, 1); }",
            "are_scalars<decltype((i)), decltype(((m++))), decltype((x[(m++) * 2 + i]))>>()",
        ),
        (
            "for (int i = 0; i < 9; ++i) { int k = 2; y[2][i] = s >> i; k += i; cas(p, 1); }",
            "are_scalars<decltype((i)), decltype((y[2])), decltype((s))>>()",
        ),
        ("for (auto x : y) cas(p, x);", "mark_loop<::kbuild_cpu::has_pointers<decltype((y))>>()"),
        (
            "do { seen = old; old = atomicCAS(p, seen, 1); } while (seen != old);",
            (
                "mark_loop<::kbuild_cpu::are_scalars<decltype((seen)), decltype((old))>, "
                "decltype(seen)>([](auto* __a, auto __b, auto __c) "
                "-> decltype(atomicCAS(__a, __b, __b, __c)) { return {}; })"
            ),
        ),
    ],
)
def test_the_compiler_sees_the_types_and_functions_of_a_loop(loop: str, marked: str) -> None:
    assert marked in mark(loop)


@pytest.mark.parametrize(
    "loop", ["for (auto x : {y, 2}) cas(p, x);", "while (*p) { cas(p, 1); meet(); }"]
)
def test_loops_that_surely_end(loop: str) -> None:
    assert mark(loop) == loop


def test_generic_lambdas_can_call_themselves() -> None:
    called = "auto g = [](auto self, int* q) -> void { if (!cas(q, 1)) self(self, q); }; g(g, p);"
    other = "auto g = [](auto x) { return cas(x, 1); }; g(p);"

    assert mark(called) == called.replace("void {", f"void {{ {MARK};")
    assert mark(other) == other


@pytest.mark.parametrize(
    "declaration",
    [
        "int __next(int& i);",
        "struct A { int& __next(int& i); };",
        "template <int> T<1> __next(int&);",
    ],
)
def test_functions_of_the_user_can_change_counters(declaration: str) -> None:
    loop = "for (int i = 0; i < n; ++i) cas(p, __next(i));"

    assert MARK in mark(loop, before=f" {declaration}")


def test_loops_of_a_source_without_atomic_functions_are_not_marked() -> None:
    assert mark("while (*p) {}") == "while (*p) {}"


def test_volatile_ptx_is_no_memory() -> None:
    text = f'{HEAD}asm volatile("mov.u32 %0, %%laneid;" : "=r"(n)); while (*p) {{}} cas(p, 1); }}'
    unit = Unit(text)
    names = frozenset(("cas",))
    declarations = q.find_declarations(unit)
    ((edit,),) = (
        loop.edits
        for loop in mark_loops(
            unit, declarations, names, frozenset(), tuple(replace_assembly(unit))
        ).values()
    )

    assert edit.text == f" {MARK};"


def test_volatile_memory_of_another_function_counts() -> None:
    other = " __kbuild_device__ volatile int flag;"

    assert mark("while (*p) {}", before=other) == f"while (*p) {{ {WAIT};}}"


@pytest.mark.parametrize(
    ("loop", "marked"),
    [
        (
            "for (int i = 9; i > n; i /= 2) { v[t] += v[t + i]; g(i); cas(p, 1); }",
            "for (int i = 9; {}, i > n; i /= 2) {{ v[t] += v[t + i]; g(i); cas(p, 1); }}",
        ),
        (
            "do { v[t] += v[t + i]; cas(p, 1); i /= 2; } while (i > n);",
            "do {{ v[t] += v[t + i]; cas(p, 1); i /= 2; }} while ({}, i > n);",
        ),
    ],
)
def test_heads_of_divided_loops_name_their_own_variables(loop: str, marked: str) -> None:
    proof = "::kbuild_cpu::mark_loop<::kbuild_cpu::are_scalars<decltype((i)), decltype((n))>>()"

    assert mark(loop, is_divided=True) == marked.format(proof)


@pytest.mark.parametrize("change", ["i = 9;", "--n;", "n += 2;", "g(&i);", "std::cin >> n;"])
def test_bodies_of_divided_loops_can_assign(change: str) -> None:
    marked = mark(f"for (int i = 9; i > n; --i) {{ cas(p, 1); {change} }}", is_divided=True)

    assert MARK in marked


def test_a_loop_with_the_barrier_of_a_group_ends_if_the_group_is_the_block() -> None:
    proof = "mark_loop<::kbuild_cpu::is_block<decltype((b))>>();"
    for sync in ("b.sync();", "cg::sync(b);"):
        loop = f"while (!cas(p, 1)) {{ {sync} }}"
        assert proof in mark(f"const thread_block& b = *q; {loop}")
        assert proof in mark(f"auto b = cg::this_thread_block(); {loop}")
        assert proof not in mark(f"auto b = cg::tiled_partition<8>(a); {loop}")
        assert proof not in mark(f"thread_block b = q; while (!cas(p, 1)) {{ auto b = t; {sync} }}")
    assert proof not in mark("cas(p, 1); while (x) b.sync();", before=" void g(thread_block b);")
