"""Tests that generated code compiles without warnings."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.interface.mixed import Entries, VariableEntry
from kbuild.demangle.stub_names import name_stub
from kbuild.resources import native_directory
from kbuild.stages.bindings.c import render_c_header
from kbuild.stages.bindings.model import describe_bindings
from kbuild.stages.stubs.handles import render_handles
from kbuild.stages.stubs.unit import render_cpp_header, render_stub_unit
from support.files.generated import (
    GENERATED,
    HOST_HEADER,
    STUB,
    TABLE,
    TYPES,
    adapter,
    debug_stub_unit,
    handles,
    param,
    row,
)
from support.tools.strict_compilers import COMPILERS, compile_strictly, name_compilers
from support.tools.toolchains import needs_programs


def mark_slow(*others: tuple[str, ...]) -> list[Any]:
    """Return parameters for slow tests: other options that compilers accept alike."""
    return [pytest.param(options, marks=pytest.mark.slow) for options in others]


@pytest.mark.parametrize(
    "options", [("-O2", "-fPIC"), *mark_slow(("-O0",), ("-O2",), ("-fno-pic",))]
)
@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_stub_unit_compiles(
    tmp_path: Path, compiler: str, language: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    source = tmp_path / "stub.c"
    source.write_bytes(render_stub_unit(STUB).replace(b"/out/", f"{tmp_path}/".encode()))

    result = compile_strictly(compiler, language, source, *options)

    assert result.returncode == 0, result.stderr
    assert not find_missing_handles(source.with_suffix(".o"))


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_stub_unit_of_mixed_sources_compiles(tmp_path: Path, compiler: str, language: str) -> None:
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    kernels, variables = (range(len(rows)) for rows in (TABLE.kernels, TABLE.variables))
    inputs = replace(
        STUB,
        handles=tuple(f"kbuild_handle_1a2b_{index}" for index in kernels),
        stub_aliases=tuple(f"kbuild_stub_1a2b_{index}" for index in kernels),
        shadows=tuple(f"kbuild_shadow_1a2b_{index}" for index in variables),
        modules=("1a2b",),
    )
    source = tmp_path / "stub.c"
    source.write_bytes(render_stub_unit(inputs).replace(b"/out/", f"{tmp_path}/".encode()))

    result = compile_strictly(compiler, language, source, "-fPIC")

    assert result.returncode == 0, result.stderr
    symbols = subprocess.run(
        ["nm", source.with_suffix(".o")], capture_output=True, text=True, check=True
    ).stdout
    # Without debug stubs, the handles point to address 0, with every linker.
    assert f"{0:016x} A kbuild_stub_1a2b_0\n" in symbols
    assert "U kbuild_shadow_1a2b_0\n" in symbols


def find_missing_handles(compiled: Path) -> set[str]:
    listed = subprocess.run(["nm", "-j", compiled], capture_output=True, text=True, check=True)
    return {kernel.handle for kernel in TABLE.kernels} - set(listed.stdout.split())


@pytest.mark.parametrize("options", [("-O2", "-fPIC"), *mark_slow(("-O0", "-g"))])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_debug_stub_unit_compiles(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    header = tmp_path / "types.hpp"
    header.write_text(TYPES)
    source = tmp_path / "stub.cpp"
    source.write_bytes(debug_stub_unit(header).replace(b"/out/", f"{tmp_path}/".encode()))

    result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)

    assert result.returncode == 0, result.stderr
    assert not find_missing_handles(source.with_suffix(".o"))


@pytest.mark.parametrize("options", [("-O2", "-fPIC"), *mark_slow(("-O0",))])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_adapter_compiles(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    source = tmp_path / "adapter.cpp"
    source.write_bytes(adapter())

    result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("name", "language", "options"),
    [
        ("kernels.hpp", "c++", ("-std=c++17",)),
        ("kernels.hpp", "c++", ("-std=c++20",)),
        ("kernels.h", "c", ("-std=c99",)),
        ("kernels.h", "c++", ("-std=c++17",)),
    ],
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_headers_compile(
    tmp_path: Path, compiler: str, name: str, language: str, options: tuple[str, ...]
) -> None:
    (tmp_path / name).write_bytes(GENERATED[name]())
    source = tmp_path / "host.c"
    source.write_text(f'#include "{name}"\n#include "{name}"\nint main(void) {{ return 0; }}\n')

    result = compile_strictly(compiler, language, source, *options)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_vector_types_do_not_need_a_project_header(tmp_path: Path, compiler: str) -> None:
    parameters = (param(0, 0, 16, "float4", "v"), param(1, 16, 8, "dim3 const*", "n"))
    kernel = row("_Z4move6float4PK4dim3", "move(float4, dim3 const*)", *parameters)
    table = replace(TABLE, kernels=(replace(kernel, stub=name_stub(kernel.device_name)),))
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    header = render_cpp_header(table, (), HOST_HEADER)
    stub = render_stub_unit(replace(STUB, table=table))
    assert b"void move(float4, dim3 const*);" in header
    for name, content in (("host.cpp", header), ("stub.cpp", stub)):
        source = tmp_path / name
        source.write_bytes(content.replace(b"/out/", f"{tmp_path}/".encode()))
        result = compile_strictly(compiler, "c++", source, "-std=c++17")
        assert "pragma once in main" in result.stderr or result.returncode == 0, result.stderr


@pytest.mark.parametrize("includes", ["generated", "generated own", "own generated"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_inline_namespaces_of_the_project_are_inline_in_the_header(
    tmp_path: Path, compiler: str, includes: str
) -> None:
    table = replace(
        TABLE,
        kernels=(row("k", "a::v1::k(int)", param(0, 0, 4, "int", "n")), row("d", "a::v1::b::d()")),
    )
    header = render_cpp_header(table, (), HOST_HEADER, frozenset(("a::v1",)))
    (tmp_path / "generated.hpp").write_bytes(header)
    own = "#pragma once\nnamespace a { inline namespace v1 { struct S; } }\n"
    (tmp_path / "own.hpp").write_text(own)
    source = tmp_path / "host.cpp"
    lines = (f'#include "{name}.hpp"\n' for name in includes.split())
    source.write_text("".join(lines) + "auto *k = &a::k, *same = &a::v1::k;\nauto *d = &a::b::d;\n")

    result = compile_strictly(compiler, "c++", source, "-std=c++17")

    assert result.returncode == 0, result.stderr


def compile_host(tmp_path: Path, suffix: str, text: str, *options: str) -> str:
    """Compile a host file, and return the first error."""
    for backend in ("cpu", "cuda"):
        host_header = f"kbuild/host_{backend}.h"
        for name, content in (
            (f"{backend}.hpp", render_cpp_header(TABLE, (), host_header)),
            (f"{backend}.h", render_c_header(describe_bindings(TABLE), host_header)),
        ):
            (tmp_path / name).write_bytes(content)
    source = tmp_path / f"host.{suffix}"
    source.write_text(text)
    compiler = "gcc" if suffix == "c" else "g++"
    include = f"-I{native_directory() / 'include'}"
    words = [compiler, include, *options, "-fsyntax-only", str(source)]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    return next((line for line in result.stderr.splitlines() if "error: " in line), "")


@pytest.mark.parametrize(("suffix", "header"), [("c", "h"), ("cpp", "hpp")])
def test_generated_header_selects_its_backend(tmp_path: Path, suffix: str, header: str) -> None:
    cuda = compile_host(tmp_path, suffix, f'#include "cuda.{header}"\n', "-nostdinc")
    other = f'#include "cpu.{header}"\n#include <kbuild/kbuild.{header}>\n'

    assert "cuda_runtime_api.h not found" in cuda
    # What another target of the project defines does not matter.
    assert compile_host(tmp_path, suffix, other, "-DKBUILD_BACKEND_CUDA=1") == ""


@pytest.mark.parametrize(("suffix", "header"), [("c", "h"), ("cpp", "hpp")])
@pytest.mark.parametrize("first", ["cpu", "kbuild/kbuild"])
def test_two_backends_in_one_file_are_an_error(
    tmp_path: Path, suffix: str, header: str, first: str
) -> None:
    text = f'#include "{first}.{header}"\n#include "cuda.{header}"\n'

    error = compile_host(tmp_path, suffix, text)

    assert "host API for another backend" in error
    assert "in a separate source file" in error


def test_several_linked_backends_need_a_selection(tmp_path: Path) -> None:
    options = ("-DKBUILD_BACKEND_CUDA=1", "-DKBUILD_BACKEND_CPU=1")

    error = compile_host(tmp_path, "c", "#include <kbuild/kbuild.h>\n", *options)

    assert "libraries for several backends are linked" in error
    assert compile_host(tmp_path, "c", '#include "cpu.h"\n', *options) == ""


MIXED_TEXT = """
namespace ns { void scale(float *); static float w[16]; }
template <class T> void axpy(T);
struct Closure { int value; };
template <class F> void on(F);
static int sv;
extern __attribute__((visibility("hidden"))) int *mm;
void *list[] = {(void *)(void (*)(float))axpy<float>, (void *)ns::scale, (void *)&mm, ns::w};
int main() { kbuild_prepare_variables(); return sv; }
"""
# The host pass writes it. The instances for int and long are explicit ones.
MARKS = """
static inline void kbuild_mark_instances() __attribute__((always_inline, unused));
static inline void kbuild_mark_instances() {
    __asm__ volatile(".set .Lkbuild_explicit._Z4axpyIiEvT_, 1\\n"
                     ".set .Lkbuild_explicit._Z4axpyIlEvT_, 1\\n" : :);
}
"""
# The kind of each symbol, as nm prints it: lower case is local, upper case is global.
SYMBOLS = {
    "_ZN2ns5scaleEPf": "D",
    "_Z4axpyIfEvT_": "t",
    "_Z4axpyIiEvT_": "T",
    "_Z4axpyIlEvT_": "T",
    "_Z4axpyIcEvT_": "t",
    "kbuild_handle_1a2b_5": "D",
    "kbuild_handle_1a2b_7": "D",
    "kbuild_called_1a2b": "U",
    "_Z2onI7ClosureEvT_": "d",
    "_Z2onZ4mainEUliE_": "d",
    "plain": "D",
    "_Z5localv": "d",
    "kbuild_handle_1a2b_0": "D",
    "kbuild_handle_1a2b_4": "D",
    "kbuild_stub_1a2b_0": "w",
    "_ZN2ns1wE": "V",
    "_ZN2nsL1wE": "b",
    "kbuild_shadow_1a2b_0": "D",
    "kbuild_shadow_1a2b_1": "D",
    "kbuild_shadow_1a2b_2": "D",
    "mm": "V",
    "named": "V",
}


@pytest.mark.parametrize("options", [("-O0", "-fPIC"), ("-O2", "-fno-pic"), ("-O2", "-fPIE")])
@pytest.mark.parametrize("compiler", [*COMPILERS, *name_compilers("aarch64-linux-gnu-g++")])
def test_handles_define_symbols(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    (tmp_path / "handles.h").write_bytes(handles())
    source = tmp_path / "text.cpp"
    declaration = "static inline void kbuild_prepare_variables(void);\n"
    source.write_text(f'{declaration}{MIXED_TEXT}{MARKS}#include "handles.h"\n')

    result = compile_strictly(compiler, "c++", source, *options)

    assert result.returncode == 0, result.stderr
    found = list_symbols(source.with_suffix(".o"))
    assert {name: found.get(name) for name in SYMBOLS} == SYMBOLS

    (tmp_path / "handles.h").write_bytes(handles(has_weak_instances=True))
    result = compile_strictly(compiler, "c++", source, *options)

    assert result.returncode == 0, result.stderr
    expected = SYMBOLS | {"_Z4axpyIfEvT_": "V", "_Z4axpyIcEvT_": "V"}
    found = list_symbols(source.with_suffix(".o"))
    assert {name: found.get(name) for name in expected} == expected


def list_symbols(path: Path) -> dict[str, str]:
    listed = subprocess.run(["nm", path], capture_output=True, text=True, check=True)
    return {line.split()[-1]: line.split()[-2] for line in listed.stdout.splitlines()}


LINKERS = ("bfd", "gold", "lld", "mold")
# Linkers keep one object of an inline variable, and with it, one file's other names for it.
INLINE_TEXT = """
struct Tag { constexpr Tag(int v = 3) : value(v) {} int value; };
inline constexpr Tag tag;
namespace ns { inline int number = 4; }
const void *tag_in_NAME() { return &tag; }
const void *number_in_NAME() { return &ns::number; }
"""
INLINE_MAIN = """
extern "C" const void *kbuild_shadow_a_0, *kbuild_shadow_a_1;
extern "C" const void *kbuild_shadow_b_0, *kbuild_shadow_b_1;
extern "C" char kbuild_unit_a, kbuild_unit_b;
char kbuild_unit_a, kbuild_unit_b;
const void *tag_in_a(), *tag_in_b(), *number_in_a(), *number_in_b();
int main() {
    return tag_in_a() != tag_in_b() || number_in_a() != number_in_b() ||
        tag_in_a() != kbuild_shadow_a_0 || tag_in_b() != kbuild_shadow_b_0 ||
        number_in_a() != kbuild_shadow_a_1 || number_in_b() != kbuild_shadow_b_1;
}
"""


def compile_inline(directory: Path, compiler: str, *options: str) -> list[Path]:
    """Compile two texts with the same inline variables, and a program that finds their shadows."""
    tag = VariableEntry(
        device_name="tag", expression="::tag", kind="device", size=4, linkage="internal"
    )
    number = replace(
        tag, device_name="_ZN2ns6numberE", expression="::ns::number", linkage="external"
    )
    entries = Entries(variables=(tag, number))
    texts = {"main": INLINE_MAIN}
    for name in ("a", "b"):
        (directory / f"{name}.h").write_bytes(render_handles(entries, (), name, "default", name))
        texts[name] = f'{INLINE_TEXT.replace("NAME", name)}#include "{name}.h"\n'
    objects = []
    for name, text in texts.items():
        source = directory / f"{name}.cpp"
        source.write_text(text)
        result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)
        assert result.returncode == 0, result.stderr
        objects.append(source.with_suffix(".o"))
    return objects


def succeed_in(directory: Path, *words: str | Path) -> None:
    result = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("options", "link"), [(("-O0", "-fPIE"), "-pie"), (("-O2", "-fno-pic"), "-no-pie")]
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_shadows_of_inline_variables_link(
    tmp_path: Path, compiler: str, options: tuple[str, ...], link: str
) -> None:
    objects = compile_inline(tmp_path, compiler, *options)

    succeed_in(tmp_path, "g++", link, *objects, "-o", "program")
    succeed_in(tmp_path, "./program")


@pytest.mark.parametrize(
    "linker", [pytest.param(x, marks=needs_programs(f"ld.{x}")) for x in LINKERS]
)
def test_linkers_keep_shadows_of_inline_variables(tmp_path: Path, linker: str) -> None:
    main, *texts = compile_inline(tmp_path, "g++", "-fPIC", "-O2", "-fdata-sections")
    link = ("g++", f"-fuse-ld={linker}", "-Wl,--gc-sections")

    succeed_in(tmp_path, *link, main, *texts, "-o", "program")
    succeed_in(tmp_path, "./program")
    succeed_in(tmp_path, f"ld.{linker}", "-r", *texts, "-o", "both.o")
    succeed_in(tmp_path, *link, main, "both.o", "-o", "program")
    succeed_in(tmp_path, "./program")
    succeed_in(tmp_path, *link, "-shared", main, *texts, "-o", "libboth.so")


@pytest.mark.parametrize("compiler", name_compilers("aarch64-linux-gnu-g++"))
def test_shadows_of_inline_variables_link_for_aarch64(tmp_path: Path, compiler: str) -> None:
    objects = compile_inline(tmp_path, compiler, "-O2")

    succeed_in(tmp_path, compiler, *objects, "-o", "program")
