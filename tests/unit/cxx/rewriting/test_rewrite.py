"""Tests for the rewriter. tests/tools/cxx compiles what it writes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText, Launch
from kbuild.cxx.rewriting.rewrite import list_launches, rewrite
from kbuild.cxx.unit import Unit

KERNEL = "__kbuild_global__ void k(int n);\n"
TEMPLATE = "template <class T> __kbuild_global__ void k(T n);\n"
HIDING = (
    "void f(void (*k)(int)) { k<<<1, 2>>>(3); }",
    "template <void (*k)(int)> void f() { k<<<1, 2>>>(3); }",
    "template <class T> void f(T k) { k<<<1, 2>>>(3); }",
    "template <class... T> void f(T... k) { g(k<<<1, 2>>>(3)); }",
    "void f() { auto k = g(); { k<<<1, 2>>>(3); } }",
    "void f() { void (*k)(int) = g; k<<<1, 2>>>(3); }",
    "void f() { void (*a)(int), (*k)(int); k = a; k<<<1, 2>>>(3); }",
    "void f() { std::function<void(int)> k(g); k<<<1, 2>>>(3); }",
    "void f() { K* k; (k)<<<1, 2>>>(3); }",
    "void f() { auto [a, k] = g(); k<<<1, 2>>>(3); }",
    "void f() { for (auto&& k : list) k<<<1, 2>>>(3); }",
    "void f() { T a(x), &k(a); k<<<1, 2>>>(3); }",
    "void f() { T (k) = g; k<<<1, 2>>>(3); }",
    "void f(decltype(g) k) { k<<<1, 2>>>(3); }",
    "template <class F> void f(F&& k) { k<<<1, 2>>>(3); }",
    "void f(T* k) { if (c) { } else k<<<1, 2>>>(3); }",
    "void f() { auto l = [&k(g)] { k<<<1, 2>>>(3); }; }",
    "void f() { using n::k; k<<<1, 2>>>(3); }",
    "__kbuild_global__ void q(void (*k)(int)) { k<<<1, 2>>>(3); }",
    "template <void (*k)(int)> __kbuild_global__ void q() { k<<<1, 2>>>(3); }",
    "void f() { __kbuild_global__ void k(int); k<<<1, 2>>>(3); }",
    "void f() { for (auto k : list) k<<<1, 2>>>(3); }",
    "void f() { if (auto k = g()) { k<<<1, 2>>>(3); } }",
    "void f() { auto l = [k = g()] { k<<<1, 2>>>(3); }; }",
    "void f() { auto l = [](auto k) { k<<<1, 2>>>(3); }; }",
    "struct S { void f() { k<<<1, 2>>>(3); } void (*k)(int); };",
    "void f() { T::k<<<1, 2>>>(3); }",
    "void f() { Traits<int>::k<<<1, 2>>>(3); }",
    "void f() { s.k<<<1, 2>>>(3); }",
    "void f() { k(2)<<<1, 2>>>(3); }",
    "void f() { k[2]<<<1, 2>>>(3); }",
    "void f() { (c ? k : k)<<<1, 2>>>(3); }",
    "void f() { (*k)<<<1, 2>>>(3); }",
)


def rewrite_text(text: str, edits: Iterable[Edit] = ()) -> str:
    code = Unit(text)
    found = HostText(kernels=find_kernels(code), launches=find_launches(code), edits=tuple(edits))
    return rewrite(code, found, "m").text


def rewrite_launch(launch: str, before: str = KERNEL) -> str:
    """Return the rewritten text of a launch after some declarations."""
    text = f"{before}\nvoid MARK() {{ {launch}"
    return rewrite_text(text).partition("void MARK() { ")[2]


def list_siblings(text: str) -> list[str]:
    """Return the inserted lines, shortened."""
    lines = re.findall(r'\n# 1 "<kbuild>" 3\n(.*)\n', rewrite_text(text))
    shortened = [
        line.replace("inline __attribute__((always_inline, artificial, unused)) void ", "")
        .replace("const ::kbuild::chevron::configuration& kbuild_c", "C")
        .replace("(void*)__builtin_addressof", "&")
        for line in lines
    ]
    return [line.replace("__kbuild_global__", "GLOBAL") for line in shortened]


def test_a_launch_becomes_a_call_of_the_sibling() -> None:
    assert rewrite_launch("k<<<1, 2>>>(3);") == (
        "__extension__({ auto kbuild_c0 = ::kbuild::chevron::configuration(1, 2);"
        " k__kbuild_m(kbuild_c0, 3); });"
    )


def test_a_line_marker_after_the_name_does_not_end_the_call() -> None:
    rewritten = rewrite_launch('k\n# 3 "a.cu"\n<<<1, 2>>>(3);')

    assert re.search(r"k__kbuild_m\(kbuild_c0, \n# 3 \"a\.cu\"\n +3\);", rewritten)


def test_launches_are_listed_once_per_kernel_without_those_of_system_headers() -> None:
    text = (
        '# 1 "a b.cu"\n__kbuild_global__ void k(int n);\n__kbuild_global__ void in_header(int n);\n'
        "void f() {\n k<<<1, 2>>>(3); k<<<1, 2>>>(4); pointer<<<1, 2>>>(5); }\n"
        '# 1 "/usr/header" 3\nvoid g() { in_header<<<1, 2>>>(3); }\n'
    )
    code = Unit(text)
    found = HostText(kernels=find_kernels(code), launches=find_launches(code))

    launched = rewrite(code, found, "m").launched

    assert list(list_launches(text, launched)) == ["k a b.cu:4\n"]


def test_a_launch_without_arguments_passes_the_configuration_only() -> None:
    assert rewrite_launch("k<<<1, 2>>>( );").endswith("k__kbuild_m(kbuild_c0 ); });")


def test_another_callee_is_bound() -> None:
    assert rewrite_launch("table[3]<<<1, 2>>>(4);") == (
        "__extension__({ auto kbuild_c0 = ::kbuild::chevron::configuration(1, 2);"
        " ::kbuild::chevron::bind((table[3]), kbuild_c0)(4); });"
    )


def test_a_launch_of_an_unknown_name_remains_a_call() -> None:
    """Compilers accept it in a template that is not instantiated."""
    text = "template <class T> void f(T t) { unknown<<<1, 2>>>(t); }\n"

    assert "(void)kbuild_c0, unknown(t); })" in rewrite_text(KERNEL + text)
    assert "bind((unknown)" in rewrite_text(f"{KERNEL}extern void (*unknown)(int);\n{text}")


@pytest.mark.parametrize(
    ("callee", "sibling"),
    [
        ("k", "k__kbuild_m"),
        ("::k", "::k__kbuild_m"),
        ("(k)", "(k__kbuild_m)"),
        ("ns::q", "ns::q__kbuild_m"),
        ("::outer::ns::q<int, 3>", "::outer::ns::q__kbuild_m<int, 3>"),
        ("alias::q<T>", "alias::q__kbuild_m<T>"),
        ("ns::template q<T>", "ns::template q__kbuild_m<T>"),
        ("user::q", "user::q__kbuild_m"),
        ("in", "in__kbuild_m"),
    ],
)
def test_names_of_kernels_are_replaced(callee: str, sibling: str) -> None:
    before = (
        f"{KERNEL}namespace outer {{ namespace ns {{"
        " template <class T, int N = 1> __kbuild_global__ void q(T); } }\n"
        "namespace alias = outer::ns; namespace user { using outer::ns::q; }\n"
        "inline namespace v1 { __kbuild_global__ void in(); }\n"
    )
    assert f" {sibling}(kbuild_c0, 3)" in rewrite_launch(f"{callee}<<<1, 2>>>(3);", before)


@pytest.mark.parametrize("text", HIDING)
@pytest.mark.parametrize("kernel", [KERNEL, TEMPLATE])
def test_what_is_not_the_kernel_itself_is_bound(text: str, kernel: str) -> None:
    assert "::kbuild::chevron::bind((" in rewrite_text(kernel + text)


@pytest.mark.parametrize(
    "text",
    [
        "struct S { void f(); void (*k)(int); }; void S::f() { k<<<1, 2>>>(3); }",
        "T1 struct S { void f(); K k; }; T1 void S<T>::f() { k<<<1, 2>>>(3); }",
        "struct B { K k; }; struct S : B { void f() { k<<<1, 2>>>(3); } };",
        "namespace a { void (*k)(int); void f() { k<<<1, 2>>>(3); } }",
        "void f() { { int k = 3; } k<<<1, 2>>>(3); }",
    ],
)
def test_an_address_serves_a_kernel_and_a_variable(text: str) -> None:
    text = text.replace("T1", "template <class T>")
    assert "::kbuild::chevron::bind((k)" in rewrite_text(KERNEL + text)


def test_a_launch_of_a_template_is_checked_if_something_else_has_the_name() -> None:
    text = f"{TEMPLATE}struct B {{ K k; }}; struct S : B {{ void f() {{ k<<<1, 2>>>(3); }} }}"
    tag = "::kbuild::chevron::launched"

    assert rewrite_text(text).endswith(" k__kbuild_m(kbuild_c0, 3).template is<k>(); }); } }")
    (sibling,) = list_siblings(text)
    assert sibling.partition("auto ")[2] == (
        f"k__kbuild_m(C, T kbuild_0) -> {tag}<void (*)(T), k<T>>"
        " { void* kbuild_a[] = {&(kbuild_0)};"
        " ::kbuild::chevron::launch_address(k<T>, kbuild_c, kbuild_a); return {}; }"
    )


@pytest.mark.parametrize(
    "text",
    [
        "int v = (k<<<1, 2>>>(3), 1);",
        "struct S { int v = (k<<<1, 2>>>(3), 1); };",
        "int f(int v = (k<<<1, 2>>>(3), 1));",
        "template <class T> auto f(T x) -> decltype(k<<<1, 2>>>(3));",
    ],
)
def test_launches_outside_of_functions_are_no_statements(text: str) -> None:
    call = "k__kbuild_m(::kbuild::chevron::configuration(1, 2), 3)"

    assert call in rewrite_text(KERNEL + text)
    assert "__extension__" not in rewrite_text(KERNEL + text)


@pytest.mark.parametrize(
    "text",
    [
        "void f() { { int k = 3; } k<<<1, 2>>>(3); }",
        "void f() { for (int k = 0; k < 3; ++k) { } k<<<1, 2>>>(3); }",
        "void f() { auto l = [](int k) { return k; }; k<<<1, 2>>>(l(3)); }",
        "void f(int k); void g() { k<<<1, 2>>>(3); }",
        "template <int k> void f() { } void g() { k<<<1, 2>>>(3); }",
        "struct S { int k; }; void g() { k<<<1, 2>>>(3); }",
        "void f() { g(&k); h(k); s.k = 3; k<<<1, 2>>>(3); }",
        "void f() { k<<<1, 2>>>(3); int k = 3; }",
        "void f() { if (c) k<<<1, 2>>>(3); else k<<<1, 2>>>(3); }",
        "namespace a { int k; } void f() { k<<<1, 2>>>(3); }",
        "void f() { x = b ? 1 : 2; k<<<k == 0, 2>>>(3); }",
        "void f() { auto l = [k(g)] { k(3); }; k<<<1, 2>>>(3); }",
    ],
)
def test_declarations_elsewhere_do_not_hide_the_kernel(text: str) -> None:
    assert "::kbuild::chevron::bind((" not in rewrite_text(TEMPLATE + text)


def test_a_kernel_gets_a_sibling() -> None:
    (sibling,) = list_siblings("__kbuild_global__ void k(int* p, float x = 3) { }")
    assert sibling == (
        "k__kbuild_m(C, int* kbuild_0, float kbuild_1 = 3)"
        " { void* kbuild_a[] = {&(kbuild_0), &(kbuild_1)};"
        " ::kbuild::chevron::launch(k, kbuild_c, kbuild_a); }"
    )


def test_a_template_gets_a_template() -> None:
    text = "template <class T, int, class... U> __kbuild_global__ void k(T t, U... u);"
    (sibling,) = list_siblings(text)
    assert sibling == (
        "template <class T, int kbuild_t1, class... U> k__kbuild_m(C, T kbuild_0, U... kbuild_1)"
        " { void* kbuild_a[] = {&(kbuild_0), &(kbuild_1)...};"
        " ::kbuild::chevron::launch_address(k<T, kbuild_t1, U...>, kbuild_c, kbuild_a); }"
    )


def test_a_kernel_of_another_source_is_launched_by_its_address() -> None:
    """nvcc can have compiled it. Then its symbol is a function, and not a handle."""
    (declared,) = list_siblings("__kbuild_global__ void k();")
    *_, defined = list_siblings("__kbuild_global__ void k(); __kbuild_global__ void k() { }")
    assert "::kbuild::chevron::launch_address(k," in declared
    assert "::kbuild::chevron::launch(k," in defined


def test_a_list_of_addresses_is_never_empty() -> None:
    assert "kbuild_a[] = {nullptr};" in list_siblings("__kbuild_global__ void k();")[0]
    (sibling,) = list_siblings("template <class... T> __kbuild_global__ void k(T... t);")
    assert "kbuild_a[] = {&(kbuild_0)..., nullptr};" in sibling


def test_a_kernel_that_launches_itself_has_its_sibling_before_it() -> None:
    text = (
        "template <class T, int N = 2> __kbuild_global__ void k(T t, int d = 0) { k<<<1, N>>>(t); }"
    )
    early, sibling = list_siblings(text)
    assert early == "template <class T, int N = 2> k__kbuild_m(C, T kbuild_0, int kbuild_1 = 0);"
    assert sibling.startswith(
        "template <class T, int N> k__kbuild_m(C, T kbuild_0, int kbuild_1) {"
    )
    rewritten = rewrite_text(text)
    assert rewritten.index(early.split("(")[0].split()[-1]) < rewritten.index("__kbuild_global__")


def test_a_kernel_that_another_one_launches_has_one_sibling() -> None:
    text = "G void k(int n = 1) { } G void j() { k<<<1, 1>>>(); }".replace("G", "__kbuild_global__")
    assert len(list_siblings(text)) == 2
    declared = "G void k(int n = 1); G void k(int n) { k<<<1, 1>>>(); }"
    siblings = list_siblings(declared.replace("G", "__kbuild_global__"))
    assert [sibling.endswith(";") for sibling in siblings] == [True, False]


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("G void k(int n = 3); G void k(int m) { }", [False, True]),
        ("G void k(int); G void k(int); G void k(int);", [False, False, True]),
        ("typedef unsigned u; G void k(u); G void k(unsigned) { }", [False, True]),
        ("struct S { friend G void k(S s); }; G void k(S s) { }", [False, True]),
        ("G void k(S s) { } struct S { friend G void k(S s); };", [True, False]),
        ("struct S { friend G void k(S s); };", [True]),
        ("namespace a { G void k(int); } G void a::k(int) { }", [True]),
        ("T1 G void k(T); T1 G void k(T) { }", [False, True]),
        ("T1 G void k(T); template <> G void k<int>(int) { }", [True]),
        ("T1 G void k(T) { } template G void k<int>(int);", [True]),
        ("G void k(int); G void k(float);", [True, True]),
        ("G void k(int); namespace a { G void k(int); }", [True, True]),
        ("namespace a { G void k(int); } namespace a { G void k(int) { } }", [False, True]),
        ('extern "C" { G void k(int); } extern "C" G void k(int) { }', [False, True]),
    ],
)
def test_every_overload_has_one_definition(text: str, bodies: list[bool]) -> None:
    text = text.replace("G ", "__kbuild_global__ ").replace("T1", "template <class T>")
    siblings = list_siblings(text)
    assert [sibling.endswith("}") for sibling in siblings] == bodies


def test_only_overloaded_kernels_are_cast() -> None:
    overloads = list_siblings("__kbuild_global__ void k(int* p); __kbuild_global__ void k();")
    assert "launch_address(static_cast<void (*)(int*)>(k)," in overloads[0]
    assert "launch_address(static_cast<void (*)()>(k)," in overloads[1]
    beside_host = "void k(float); __kbuild_global__ void k(int (*f)(int), int a[4]);"
    assert (
        "launch_address(static_cast<void (*)(int (* )(int), int [4])>(k),"
        in list_siblings(beside_host)[1]
    )


def test_types_tell_the_arguments_of_a_pack_that_is_not_last() -> None:
    text = "template <class... T, class U> __kbuild_global__ void k(U u, T... t);"
    assert "launch_address(static_cast<void (*)(U, T...)>(k)," in list_siblings(text)[0]


def test_deduced_parameters_are_cast_to_their_types() -> None:
    text = "__kbuild_global__ void k(int n, Number auto x, auto*... p);"
    cast = "static_cast<void (*)(int, decltype(kbuild_1), decltype(kbuild_2)...)>(k)"
    assert f"launch_address({cast}," in list_siblings(text)[0]


def test_using_declarations_are_repeated() -> None:
    text = (
        "namespace a { __kbuild_global__ void k(); int x; } using a::k; using std::k; using a::x;"
    )
    assert list_siblings(text)[1:] == ["using a::k__kbuild_m;"]


def test_siblings_belong_to_no_file_of_the_user() -> None:
    text = '# 1 "a.h" 1 3 4\nint x;\n# 7 "a.cu" 2\n\n__kbuild_global__ void k(); int y;\n'
    rewritten = rewrite_text(text)
    position = rewritten.index("k__kbuild_m")
    assert str(locate(rewritten, position)) == "<kbuild>:1"
    assert locate(rewritten, position).flags == " 3"
    assert locate(rewritten, rewritten.index(" int y;")).marker == '# 8 "a.cu"'


def test_lines_in_system_headers_stay_in_system_headers() -> None:
    text = '# 5 "a.h" 1 3 4\n__kbuild_global__ void k();\nint y;\n'
    rewritten = rewrite_text(text)
    assert locate(rewritten, rewritten.index("int y;")).marker == '# 6 "a.h" 3 4'


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<1,\n 2\n>>>\n(3,\n 4);",
        "ns::\nk<int,\nA>\n<<<1, 2>>>(3);",
        "k\n\n<<<\n\n1, 2>>>(3\n);",
        'k<int,\n# 60 "b.h"\nA>\n<<<1, 2>>>(3);',
        'k<<<1,\n# 60 "b.h"\n2>>>(3);',
        'k<<<1, 2>>>\n# 60 "b.h"\n(3);',
    ],
)
def test_lines_after_a_launch_do_not_change(launch: str) -> None:
    text = f'# 20 "a.cu"\nvoid f() {{ {launch} int after; }}\n'
    rewritten = rewrite_text(text)
    position = rewritten.index("int after")
    assert str(locate(rewritten, position)) == str(locate(text, text.index("int after")))


def test_edits_apply_inside_of_launches() -> None:
    text = f"{KERNEL}void f() {{ k<<<A, 2>>>(A, [] {{ k<<<A, 3>>>(A); }}); }}"
    edits = [Edit(start=m.start(), end=m.end(), text="B") for m in re.finditer("A", text)]
    rewritten = rewrite_text(text, edits)
    assert "A" not in rewritten.partition("void f()")[2]
    assert "configuration(B, 2)" in rewritten
    assert "configuration(B, 3)" in rewritten


def test_launches_in_removed_text_vanish() -> None:
    text = f"{KERNEL}void f() {{ k<<<1, 2>>>(3); }} void g() {{ k<<<4, 5>>>(6); }}"
    start = text.index("{ k<<<1")
    edit = Edit(start=start, end=text.index("}", start) + 1, text="{ }")
    rewritten = rewrite_text(text, [edit])
    assert "void f() { } void g() { __extension__" in rewritten
    assert "configuration(1, 2)" not in rewritten


def test_a_sibling_follows_the_end_of_a_removed_body() -> None:
    text = "__kbuild_global__ void k() { f(); } int x;"
    edit = Edit(start=text.index("{"), end=text.index("}") + 1, text=";")
    rewritten = rewrite_text(text, [edit])
    assert rewritten.startswith('__kbuild_global__ void k() ;\n# 1 "<kbuild>" 3\n')
    assert rewritten.endswith("\n# 1\n int x;")


def test_the_pattern_of_another_front_end_is_rewritten() -> None:
    text = "void k(int);\nvoid f() { (push(1, 2)) ? (void)0 : k(3); }"
    start, callee = text.index("(push"), text.index("k(3)")
    launch = Launch(
        start=start,
        end=text.index(";", callee),
        callee=(callee, callee + 1),
        configuration=(text.index("1, 2"), text.index("1, 2") + 4),
        arguments=(callee + 2, callee + 3),
    )
    rewritten = rewrite(Unit(text), HostText(kernels=(), launches=(launch,)), "m").text
    assert rewritten.endswith(
        "void f() { __extension__({ auto kbuild_c0 = ::kbuild::chevron::configuration(1, 2);"
        " ::kbuild::chevron::bind((k), kbuild_c0)(3); }); }"
    )


def test_configuration_and_arguments_keep_their_columns() -> None:
    line = "void f() { k<<<one, 2>>>(three); }"

    rewritten = rewrite_text(f'# 1 "a.cu"\n{KERNEL}\n# 7 "a.cu"\n{line}\n')

    for name in ("one", "three", "k__kbuild_m"):
        position = rewritten.rindex(name)
        assert str(locate(rewritten, position)) == "a.cu:7"
        column = position - rewritten.rindex("\n", 0, position) - 1
        assert column == line.index(name[:3].rstrip("_"))
