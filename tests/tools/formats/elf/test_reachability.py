"""Reads objects of gcc and clang, whose source says what each kernel reaches."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from kbuild.formats.elf.reachability import Reachability
from support.tools.toolchains import NEWER_CLANG, require_programs

SOURCE: Final = """
#define KERNEL extern "C" __attribute__((noinline)) void
#define OUTLINED __attribute__((noinline))
extern "C" void wait(int = 0);
extern "C" void use(int);
void throws(int);
struct index { int x, y; };
extern __thread __attribute__((tls_model("MODEL"))) index thread;
inline int read_thread() { return thread.x; }
template <class T> OUTLINED T waits_for(T value) { wait(value); return value; }
static OUTLINED void waits() { wait(1); }
static OUTLINED int waits_much(int *data, int count, int) {
    for (int i = 0; i < count; ++i) wait(data[i]);
    return data[0];
}

KERNEL nothing(int *out) { *out = 1; use(2); }
KERNEL calls() { wait(); use(1); }
KERNEL tail_calls() { wait(); }
KERNEL reads_thread(int *out) { *out = read_thread(); }
KERNEL calls_template() { use(waits_for(3)); }
KERNEL calls_static() { waits(); use(1); }
KERNEL calls_clone(int *data) { use(waits_much(data, 4, 5)); }
KERNEL is_cold_where_it_waits(int x) {
    if (__builtin_expect(x > 3, 0)) { use(x); use(x + 1); wait(); __builtin_trap(); }
    use(x);
}
KERNEL waits_when_caught(int x) { try { throws(x); } catch (int) { wait(); } }
KERNEL waits_in_one_case(int x) {
    switch (x) {
    case 0: use(10); break;
    case 1: use(x * 3); use(2); break;
    case 2: use(x - 77); break;
    case 3: use(x ^ 5); use(4); break;
    case 4: wait(4); break;
    case 5: use(x << 3); break;
    case 6: use(x / 3); use(x); break;
    }
}
KERNEL has_cases(int x) {
    switch (x) {
    case 0: use(10); break;
    case 1: use(x * 3); use(2); break;
    case 2: use(x - 77); break;
    case 3: use(x ^ 5); use(4); break;
    case 4: use(x + 4); use(7); break;
    case 5: use(x << 3); break;
    case 6: use(x / 3); use(x); break;
    }
}
struct guard { OUTLINED ~guard() { wait(2); } };
KERNEL destroys(int x) { guard found; throws(x); }
struct base { virtual int get() = 0; };
OUTLINED int get(base &of) { return of.get(); }
KERNEL calls_virtually(int x) {
    struct derived : base { int x; int get() override { wait(x); return x; } } found;
    found.x = x;
    use(get(found));
}
OUTLINED void apply(void (*function)(int), int x) { function(x); use(1); }
KERNEL passes_lambda(int x) { apply([](int x) { wait(x); use(x); }, x); }
KERNEL passes_function(int x) { apply(wait, x); }
namespace { void first(int x) { use(x); } void second(int x) { wait(x); use(x); } }
void (*const table[])(int) = {first, second};
KERNEL calls_table(int x) { table[x & 1](x); }
OUTLINED int recurse(int x) {
    if (x > 1) use(recurse(x - 1) + recurse(x - 2));
    else wait();
    return x;
}
KERNEL calls_recursive(int x) { use(recurse(x)); }
"""
WAITING: Final = (
    *("calls", "tail_calls", "calls_template", "calls_static", "calls_clone"),
    *("is_cold_where_it_waits", "waits_when_caught", "waits_in_one_case", "destroys"),
    *("calls_virtually", "passes_lambda", "passes_function", "calls_table", "calls_recursive"),
)
NOT_WAITING: Final = ("nothing", "reads_thread", "has_cases")
INDIRECT: Final = ("calls_virtually", "passes_lambda", "passes_function", "calls_table")
NAMES: Final = frozenset(("wait", "thread"))
LEVELS: Final = ("-O0", "-O1", "-O2", "-O3")
COMPILERS: Final = (
    "g++",
    pytest.param("clang++-14", marks=pytest.mark.slow),
    NEWER_CLANG,
    pytest.param("aarch64-linux-gnu-g++", marks=pytest.mark.slow),
    pytest.param(f"{NEWER_CLANG} --target=aarch64-linux-gnu", marks=pytest.mark.slow),
)
SECTIONS: Final = ("-ffunction-sections", "-fdata-sections")


def compile_source(command: str, text: str, directory: Path, *options: str) -> Reachability:
    compiler, *own = command.split()
    require_programs(compiler)
    (directory / "a.cpp").write_text(text)
    output = directory / "a.o"
    files = ("-c", str(directory / "a.cpp"), "-o", str(output))
    subprocess.run([compiler, *own, "-w", "-fPIC", *options, *files], check=True)
    return Reachability(output.read_bytes(), NAMES)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("model", ["global-dynamic", "local-exec"])
def test_kernels_reach_what_their_source_says(
    compiler: str, level: str, model: str, tmp_path: Path
) -> None:
    visibility = "hidden" if model == "local-exec" else "default"
    options = (level, f"-fvisibility={visibility}", *SECTIONS)
    found = compile_source(compiler, SOURCE.replace("MODEL", model), tmp_path, *options)
    reaches = {name: found.find_reach(name) for name in (*WAITING, *NOT_WAITING)}
    assert {name for name, reach in reaches.items() if "wait" in reach.symbols} == set(WAITING)
    readers = [name for name, reach in reaches.items() if "thread" in reach.symbols]
    assert readers == ["reads_thread"]
    if level == "-O0":
        assert all(reaches[name].has_indirect_call for name in INDIRECT)
    for name in ("nothing", "calls", "reads_thread", "calls_static", "calls_recursive"):
        assert not reaches[name].has_indirect_call
    assert found.find_addressed() == {"wait"}


DIRECT: Final = """
#define KERNEL extern "C" __attribute__((noinline)) void
#define OUTLINED __attribute__((noinline))
extern "C" void wait(int = 0);
extern "C" void use(int);
extern "C" void keep(void (*)(int));
void throws(int);
KERNEL calls(int x) { wait(x); use(x); }
KERNEL waits_in_one_case(int x) {
    switch (x) {
    case 0: use(10); break;
    case 1: use(x * 3); use(2); break;
    case 2: use(x - 77); break;
    case 3: use(x ^ 5); use(4); break;
    case 4: wait(4); break;
    case 5: use(x << 3); break;
    case 6: use(x / 3); use(x); break;
    }
}
KERNEL waits_when_caught(int x) { try { throws(x); } catch (int) { wait(); } }
static OUTLINED int recurse(int x) {
    if (x > 1) use(recurse(x - 1) + recurse(x - 2));
    else wait();
    return x;
}
KERNEL calls_recursive(int x) { use(recurse(x)); }
struct starts { OUTLINED starts() { wait(); } } started;
KERNEL indirect(void (*function)(int)) { function(1); use(2); }
"""
ADDRESSES: Final = {
    "nothing": "",
    "lambda": "KERNEL passes(int x) { keep([](int x) { wait(x); }); }",
    "function": "KERNEL passes(int x) { keep(wait); }",
    "table": "extern void (*const table[])(int) = {use, wait};",
    "local table": "static void local(int x) { wait(x); }\nvoid (*table[])(int) = {use, local};",
    "virtual": "struct base { virtual void get() { wait(); } }; base *make() { return new base; }",
    "member": "struct value { void get() { wait(); } }; auto member = &value::get;",
    "itself": (
        "static OUTLINED void own(int x) { if (x > 3) keep(own); wait(x); use(x); }\n"
        "KERNEL calls_own(int x) { own(x); }"
    ),
}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("options", [SECTIONS, ()], ids=["sections", "text"])
def test_only_functions_with_an_address_can_be_called_through_a_pointer(
    compiler: str, address: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    text = DIRECT + ADDRESSES[address]
    found = compile_source(compiler, text, tmp_path, "-O2", *options)
    expected = set() if address == "nothing" else {"wait"}
    assert found.find_addressed() == expected


@pytest.mark.parametrize("compiler", COMPILERS)
def test_long_chain_is_followed(compiler: str, tmp_path: Path) -> None:
    chain = "".join(
        f"__attribute__((noinline)) void f{n}(int x) {{ f{n - 1}(x + 1); use(x); }}\n"
        for n in range(1, 1000)
    )
    text = 'extern "C" void wait(); void use(int); void f0(int) { wait(); }\n' + chain
    found = compile_source(compiler, text, tmp_path, "-O0", *SECTIONS)
    assert found.find_reach("_Z4f999i").symbols == {"wait"}


LANDING: Final = """
    .section .text.kernel, "ax", %progbits
    .globl kernel
    .type kernel, %function
kernel:
    .cfi_startproc
    .cfi_lsda 0x1b, .Ltable
    nop
    .cfi_endproc
    .section .text.landing, "ax", %progbits
    .quad wait
    .section .gcc_except_table.kernel, "a", %progbits
.Ltable:
    .quad .text.landing
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_landing_pad_in_another_section_is_reached(compiler: str, tmp_path: Path) -> None:
    text = f'__asm__(R"({LANDING})");'
    found = compile_source(compiler, text, tmp_path)
    assert found.find_reach("kernel").symbols == {"wait"}


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++-14", NEWER_CLANG])
@pytest.mark.parametrize("model", ["large", "small"])
@pytest.mark.parametrize("options", [(), ("-fno-plt",), ("-fno-pic",)])
def test_other_code_models_are_read(
    compiler: str, model: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    words = ("-O2", f"-mcmodel={model}", *SECTIONS, *options)
    found = compile_source(compiler, SOURCE.replace("MODEL", "initial-exec"), tmp_path, *words)
    assert all("wait" in found.find_reach(name).symbols for name in WAITING)
    assert not any("wait" in found.find_reach(name).symbols for name in NOT_WAITING)
