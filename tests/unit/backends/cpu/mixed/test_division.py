"""Which kernels are divided together with the functions that they call, and why others are not."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import KernelEdits, Split, edit_kernels
from kbuild.cxx.lines import locate
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

# As in the headers of the device language.
HEADER = """\
inline void __kbuild_block_barrier__ __syncthreads();
template <class T> T __kbuild_warp_operation__ __shfl_xor_sync(unsigned mask, T value, int bits);
"""
DEVICE = "__kbuild_device__ "
REDUCE = f"{DEVICE}int reduce(int x) {{ return x + __shfl_xor_sync(~0u, x, 1); }}\n"


def write_kernel(body: str) -> str:
    return f"__kbuild_global__ void k(int* p, int n)\n{{ {body} }}\n"


LATE = f"""\
{DEVICE}int f(int);
{write_kernel("p[0] = f(n);")}
{DEVICE}int f(int x) {{ __syncthreads(); return x; }}
"""


def divide(text: str, *failures: str) -> tuple[Unit, KernelEdits]:
    code = Unit(f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n{text}')
    declarations = q.find_declarations(code)
    return code, edit_kernels(code, declarations, split=Split(failures=failures))


def divide_checked(body: str) -> tuple[str, KernelEdits]:
    code = Unit(f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n{REDUCE}{write_kernel(body)}')
    found = edit_kernels(code, q.find_declarations(code), split=Split(), is_checked=True)
    return apply_edits(code.text, found.edits, (0, len(code.text))), found


def test_a_checked_kernel_keeps_copies_of_its_variables() -> None:
    text, found = divide_checked(
        "int sum = p[0]; __syncthreads(); sum += n; __syncthreads(); p[1] = sum;"
    )

    assert not found.obstacles
    copies = (
        "(, __kbuild_u1__ = __kbuild_u1__), (, auto __kbuild_v2__), (, __kbuild_s2__[__kbuild_t__])"
    )
    assert f"__kbuild_checked_threads__({copies})" in text
    assert "[[maybe_unused]] auto sum = __kbuild_v2__;" in text
    kept = "::kbuild_cpu::regions::keep_copy(__kbuild_s2__[__kbuild_t__], sum);"
    assert text.count(f"{kept} __kbuild_region_end__") == 2


def test_the_accesses_of_a_checked_thread_keep_their_order() -> None:
    text, found = divide_checked(
        "p[threadIdx.x] = n; if (threadIdx.x < 9) p[0] = 1; __syncthreads();"
    )

    assert not found.obstacles
    assert "__kbuild_guarded__" not in text
    assert "__kbuild_index__" not in text


@pytest.mark.parametrize(
    "body",
    [
        "p[0] = n;",
        "p[0] = __shfl_xor_sync(~0u, n, 1);",
        "p[0] = reduce(n); __syncthreads();",
        "if (p[0]) __syncthreads();",
        "int a[4]; a[n] = 1; __syncthreads(); p[0] = a[0];",
        "int x = n; p = &x; __syncthreads(); *p = x;",
        "int& x = p[n]; __syncthreads(); x = 1;",
        "float x = n; __syncthreads(); p[0] = largest(x, n);",
        "for (int i = 0, k = p[0]; i < n; ++i, k += 2) { __syncthreads(); p[i] = k; }",
    ],
)
def test_a_checked_kernel_has_fibers_if_regions_have_other_accesses(body: str) -> None:
    _, found = divide_checked(body)

    assert [*found.obstacles.values()] == ["instrumented for checks"]


def test_a_checked_kernel_passes_values_to_functions_of_the_c_library() -> None:
    _, found = divide_checked(
        "float x = n; __syncthreads(); x = fmaxf(x, p[0]); __syncthreads(); p[0] = sqrtf(x);"
    )

    assert not found.obstacles


def find_obstacle(text: str, *failures: str) -> str:
    _, found = divide(text, *failures)
    return next(iter(found.obstacles.values()), "")


def test_a_kernel_calls_its_function_for_all_threads() -> None:
    code, found = divide(REDUCE + write_kernel("p[threadIdx.x] = reduce(n);"))
    text = apply_edits(code.text, found.edits, (0, len(code.text)))

    assert not found.obstacles
    assert "thread_number{__kbuild_t__}, n); __kbuild_region_end__" in text
    assert "::__callee::__run(__kbuild_live__, __kbuild_live__, __kbuild_c0__);" in text
    assert "(p[threadIdx.x] = __kbuild_c0__.get(__kbuild_t__));" in text
    assert "[[maybe_unused]] auto& __kbuild_s0__ = __kbuild_frame__.x__kbuild_p;" in text
    assert "__kbuild_frame__.put(__kbuild_t__, ( x + ::kbuild_cpu::regions::__shfl_xor_sync" in text


def test_the_body_of_a_function_keeps_its_lines() -> None:
    function = f"{DEVICE}int reduce(int x)\n{{\n    __syncthreads();\n    return x;\n}}\n"
    code, found = divide(function + write_kernel("p[0] = reduce(n);"))
    text = apply_edits(code.text, found.edits, (0, len(code.text)))

    copy = text[text.index("static void __run(") :]
    assert copy.partition("\n")[2].startswith('# 2 "a.cu"\n{__kbuild_divided_function__')
    assert '\n# 5 "a.cu"' in copy  # behind the function


def test_functions_that_no_divided_kernel_calls_are_not_repeated() -> None:
    _, found = divide(REDUCE + write_kernel("p[0] = n;"))

    assert not any("__kbuild_split" in edit.text for edit in found.edits)


@pytest.mark.parametrize(
    ("function", "call", "obstacle"),
    [
        ("int f(int& x) { __syncthreads(); return x; }", "f(n)", ""),
        ("int f(int& x) { __syncthreads(); return *&x; }", "f(n)", ""),
        ("int f(int&& x) { __syncthreads(); return x; }", "f(3)", "reference to temporary objects"),
        ("int f(int x) { __syncthreads(); return f(x); }", "f(n)", "it calls itself"),
        ("int f(int x) { if (x) return 1; __syncthreads(); return x; }", "f(n)", "return before"),
        ("int f(int x) { __syncthreads(); return __func__[x]; }", "f(n)", "it asks for its name"),
        ("int f(int x) { goto e; e: __syncthreads(); return x; }", "f(n)", "goto"),
        ("int f(int x) { switch (x) { case 1: __syncthreads(); } return x; }", "f(n)", "'switch'"),
        ("void f(int x) { __syncthreads(); }", "n ? f(n), 1 : 2", "in a conditional expression"),
        ("int f(int x) { if (x) __syncthreads(); return x; }", "f(n)", ""),
        ("int f(const int& x) { __syncthreads(); return x; }", "f(n)", ""),
        ("int f(const int& x) { __syncthreads(); return x; }", "f(p[n])", ""),
        ("int f() { static int x; __syncthreads(); return ++x; }", "f()", "a static variable"),
        ("int f() { static constexpr int x = 1; __syncthreads(); return x + 1; }", "f()", ""),
        (
            "int f(int i) { static constexpr int x[] = {1}; __syncthreads(); return -x[i]; }",
            "f(0)",
            "",
        ),
        (
            "int* f() { static constexpr int x = 1; __syncthreads(); return &x; }",
            "f()",
            "the address",
        ),
        (
            "int f() { static constexpr int x = 1, y = 2; __syncthreads(); return -x; }",
            "f()",
            "static",
        ),
        ("int f(int x, int = 3) { __syncthreads(); return x; }", "::f(n)", ""),
    ],
)
def test_forms_of_functions(function: str, call: str, obstacle: str) -> None:
    found = find_obstacle(f"{DEVICE}{function}\n{write_kernel(f'p[0] = {call};')}")

    assert obstacle in found
    assert bool(found) == bool(obstacle)


@pytest.mark.parametrize(
    "text",
    [
        f"struct S {{ {DEVICE}int f() {{ __syncthreads(); return 1; }} }};\n"
        + write_kernel("S s; p[0] = s.f();"),
        REDUCE + write_kernel("int (*f)(int) = reduce; p[0] = f(n);"),
    ],
)
def test_calls_without_a_name_are_left_to_the_object(text: str) -> None:
    _, found = divide(text)

    assert (found.divided, found.obstacles) == (frozenset(), {})


def test_functions_are_not_divided_before_their_definitions() -> None:
    assert find_obstacle(LATE) == "it calls 'f': it is defined later"


@pytest.mark.parametrize(
    ("message", "obstacle"),
    [
        (
            "a.cu:1:5: error: no",
            "it calls 'reduce': its regions do not compile: line 1: no",
        ),
        ("a.cu:3:5: error: no", "its regions do not compile: line 3: no"),
    ],
)
def test_a_text_that_does_not_compile_twice_keeps_fibers(message: str, obstacle: str) -> None:
    text = REDUCE + write_kernel("p[0] = reduce(n);")

    assert find_obstacle(text) == find_obstacle(text, message) == ""
    assert find_obstacle(text, message, message) == obstacle


HERE = "h.h:1:1: error: no"
CONTEXT = "In file included from a.cu:1:\nh.h: In instantiation of 'f':\n"


@pytest.mark.parametrize(
    ("messages", "failed"),
    [
        (["a.cu:2:1: error: no"] * 2, {2: "line 2: no"}),
        (["a.cu:2:1: error: no\na.cu:4: error: of 4"] * 2, {2: "line 2: no", 4: "line 4: of 4"}),
        # The innermost function; where templates are is in front of an error, or behind it.
        (
            [f"{CONTEXT}a.cu:4:1:   required from 'g'\na.cu:2:1:   required from here\n{HERE}"] * 2,
            {4: "line 4: no"},
        ),
        (["h.h:1:1: error: no\na.cu:6:1: note: here\na.cu:2:1: note: here"] * 2, {6: "line 6: no"}),
        # What no divided function can have caused is a mistake of the user.
        (["<kbuild>:1:2: error: x"], dict.fromkeys((2, 4, 6), "line 1: x")),
        (
            ["a.cu:4:1: error: no"] * 3,
            {2: "line 4: no", 4: "line 4: no", 6: "line 4: no"},
        ),
        (
            ["a.cu:2:1: error: a", "a.cu:4:1: error: b"] * 2 + ["a.cu:6:1: error: c"],
            {2: "line 2: a", 4: "line 4: b"},
        ),
    ],
)
def test_an_error_costs_the_function_that_it_is_about(
    messages: list[str], failed: dict[int, str]
) -> None:
    kernel = write_kernel("__syncthreads();")
    code, found = divide("".join(kernel.replace(" k(", f" k{i}(") for i in "246"), *messages)
    obstacles = {
        locate(code.text, start).line + 1: reason.removeprefix("its regions do not compile: ")
        for start, reason in found.obstacles.items()
    }

    assert obstacles == failed


@pytest.mark.parametrize(
    "declarations",
    [
        "const int t = threadIdx.x, x = t + 1; int* own = s + t, *other = own + x;",
        "const I t = threadIdx.x; P own = s + t; I x = t; P other = own + x;",
    ],
)
def test_values_that_are_computed_again(declarations: str) -> None:
    body = f"__kbuild_shared__ int s[64]; {declarations} *own = x; __syncthreads(); *other = *s;"
    text = f"using I = int; using P = int*; {write_kernel(body)}"
    code, found = divide(text)

    assert not found.obstacles
    assert "__kbuild_s" not in apply_edits(code.text, found.edits, (0, len(code.text))).replace(
        "__kbuild_shared__", ""
    )


def test_what_is_asserted_about_a_variable_is_behind_its_name() -> None:
    body = "I x = p[n]; __syncthreads(); x = __shfl_xor_sync(~0u, n, 1); p[0] = x;"
    code, found = divide(f"using I = int; {write_kernel(body)}")
    text = apply_edits(code.text, found.edits, (0, len(code.text)))

    assert text.index("auto& x = ") < text.index("is_built_in<decltype(x)>")


def test_pragmas_of_other_compilers_are_in_front_of_loops() -> None:
    loop = "#pragma unroll 2\nfor (int i = p[0]; i < n; ++i) __syncthreads();"
    code = Unit(f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n{write_kernel(chr(10) + loop)}')
    others = tuple(q.translate_pragmas(code))

    found = edit_kernels(code, q.find_declarations(code), split=Split(others))

    assert not found.obstacles
    edits = (*others, *found.edits)
    assert "\n//#pragma GCC unroll 2\n" in apply_edits(code.text, edits, (0, len(code.text)))


def test_threads_keep_all_variables_after_a_failure() -> None:
    text = write_kernel("const int t = threadIdx.x, m = n; __syncthreads(); p[t] = m;")
    places = [
        apply_edits(code.text, found.edits, (0, len(code.text))).count("::can_keep<")
        for code, found in (divide(text), divide(text, "a.cu:2:1: error: no"))
    ]

    assert places == [0, 4]


@pytest.mark.parametrize(
    ("head", "obstacle"),
    [
        ("int i : range(n)", ""),
        ("auto& i : values", ""),
        ("const int& i : other::values[n]", ""),
        ("int i : range(__shfl_xor_sync(~0u, n, 1))", ""),
        ("int n : range(n)", "unknown form"),
        ("auto [i, j] : range(n)", "unknown form"),
        ("int i : {1, 2}", "unknown form"),
        ("int k = n; int i : range(k)", "a barrier is in 'for'"),
    ],
)
def test_loops_over_ranges(head: str, obstacle: str) -> None:
    found = find_obstacle(write_kernel(f"for ({head}) __syncthreads();"))

    assert obstacle in found
    assert bool(found) == bool(obstacle)


@pytest.mark.parametrize(
    ("head", "is_divided"),
    [
        ("int i = n, k = t; i > 0; --i, k = t + i", True),
        ("int i = t; i > 0; --i", False),
        ("int i = n; i > 0; i -= t", False),
        ("int i = n; i > t; --i", False),
    ],
)
def test_what_decides_a_loop_is_its_condition(head: str, is_divided: bool) -> None:
    body = f"const int t = threadIdx.x; for ({head}) __syncthreads();"

    assert (find_obstacle(write_kernel(body)) == "") == is_divided


@pytest.mark.parametrize("condition", ["t < n", "t < n && n > t", "(t < n) && n > t"])
def test_a_comparison_of_names_is_no_declaration(condition: str) -> None:
    body = f"const int t = threadIdx.x; if ({condition}) p[t] = __shfl_xor_sync(~0u, n, 1);"

    assert find_obstacle(write_kernel(body)) == ""


def test_a_condition_can_declare_a_variable() -> None:
    body = "if (int t = threadIdx.x) p[t] = __shfl_xor_sync(~0u, n, 1);"

    assert find_obstacle(write_kernel(body)) == (
        "the condition around a barrier declares a variable"
    )


def test_enumerators_without_their_names_hide_variables() -> None:
    body = "int red = threadIdx.x; { using enum Color; __syncthreads(); p[0] = int(red); }"

    assert find_obstacle(write_kernel(body)) == (
        "a declaration hides names that it does not mention"
    )


def test_specialized_functions_are_not_divided() -> None:
    template = f"template <class T> {DEVICE}T f(T x) {{ __syncthreads(); return x; }}\n"
    special = f"template <> {DEVICE}int f<int>(int x) {{ __syncthreads(); return x + 1; }}\n"
    _, found = divide(template + special + write_kernel("p[0] = f(n);"))

    assert not found.divided  # the object says that the kernel waits


def test_messages_about_a_divided_function_name_its_lines() -> None:
    code, found = divide(f"\n\n{REDUCE}{write_kernel('p[0] = reduce(n);')}")
    text = apply_edits(code.text, found.edits, (0, len(code.text)))

    before = text[: text.index("struct __kbuild_split_")]
    assert before.rpartition("# ")[2].splitlines()[0] == '3 "a.cu" 3'
