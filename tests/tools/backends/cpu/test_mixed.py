"""Programs of mixed sources on the CPU."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.errors import SourceError, ToolError
from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import NEWER_CLANG, needs_programs

STRICT = ("-O0", "-Wall", "-Wextra", "-Werror")
COMPILERS = (
    "g++",
    pytest.param("clang++", marks=[pytest.mark.slow, needs_programs("clang++")]),
    pytest.param(NEWER_CLANG, marks=[pytest.mark.slow, needs_programs(NEWER_CLANG)]),
)


@pytest.mark.parametrize(
    ("host", "device"),
    [
        pytest.param("g++", "g++"),
        pytest.param("clang++", "clang++", marks=[pytest.mark.slow, needs_programs("clang++")]),
        pytest.param(
            NEWER_CLANG, NEWER_CLANG, marks=[pytest.mark.slow, needs_programs(NEWER_CLANG)]
        ),
    ],
)
def test_a_program_with_all_kinds_of_code(tmp_path: Path, host: str, device: str) -> None:
    sources = (PROJECT / "program.cu", PROJECT / "second.cu")
    program = build_program(tmp_path, sources, compilers=(host, device), options=STRICT)
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    # Each constructor ran once: not in the images.
    assert sorted(done.stdout.splitlines()) == [
        "constructed a member of a template",
        "constructed a variable",
        "constructed an inline variable",
        "thrown",
    ]


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        ("g++", STRICT),
        pytest.param("g++", ("-O3",), marks=pytest.mark.slow),
        pytest.param("clang++", STRICT, marks=[pytest.mark.slow, needs_programs("clang++")]),
    ],
)
def test_shared_memory_is_never_copied(
    tmp_path: Path, compiler: str, options: tuple[str, ...]
) -> None:
    source = PROJECT / "shared_memory.cu"
    program = build_program(tmp_path, (source,), compilers=(compiler, compiler), options=options)
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "option", [pytest.param("-O0", marks=pytest.mark.slow), "-D_FORTIFY_SOURCE=2"]
)
def test_kernels_count_what_they_print(tmp_path: Path, compiler: str, option: str) -> None:
    source = PROJECT / "printed.cu"
    options = (option,) if option == "-O0" else ("-O1", option)
    program = build_program(tmp_path, (source,), compilers=(compiler, compiler), options=options)
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "text 3 1.5 c 1099511627776\ntext\n100%\n   1 2.50      3.50 4 5\n" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_result_types_of_device_functions(tmp_path: Path, compiler: str) -> None:
    sources = (PROJECT / "result_types.cu", PROJECT / "result_types_second.cu")
    program = build_program(tmp_path, sources, compilers=(compiler, compiler), options=STRICT)

    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("host", "device"),
    [
        pytest.param("g++", "g++"),
        pytest.param("clang++", "g++", marks=[pytest.mark.slow, needs_programs("clang++")]),
        pytest.param("g++", "clang++", marks=[pytest.mark.slow, needs_programs("clang++")]),
    ],
)
def test_a_device_link(tmp_path: Path, host: str, device: str) -> None:
    sources = (PROJECT / "linked.cu", PROJECT / "linked_second.cu")
    program = build_program(
        tmp_path, sources, compilers=(host, device), options=STRICT, is_relocatable=True
    )
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "constructed\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            (
                "#include <cooperative_groups.h>\n"
                "namespace cg = cooperative_groups;\n"
                "template <class T> __global__ void unused() { cg::this_multi_grid(); }\n"
                "__global__ void k() { cg::this_multi_grid(); }\n"
            ),
            r"a\.cu:4:.*does not support multi_grid_group",
        ),
        ("int f();\n__device__ int x = f();\n", r"a\.cu:2:"),
        (
            (
                "inline __device__ int unused() {\n"
                '    int sm; asm("mov.u32 %0, %%smid;" : "=r"(sm)); return sm;\n'
                "}\n"
                "__global__ void k(float *p) {\n"
                '    asm("ex2.approx.f32 %0, %1;"\n        : "=f"(*p) : "f"(p[1]));\n'
                "}\n"
            ),
            r"a\.cu:[56]:.*does not support inline PTX: 'ex2\.approx\.f32 %0, %1;'",
        ),
    ],
)
def test_unsupported_device_code_names_its_line(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text(text)

    with pytest.raises(ToolError, match=message):
        build_program(tmp_path / "out", (source,), options=("-O0",))


def test_device_code_cannot_use_host_variables(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "namespace n { static int count = 1; }\nint unused_by_device = 2; const int constant = 3;\n"
        "__global__ void k(int* p) { static int calls; *p = n::count + constant + ++calls; }\n"
        "int main() { return ++n::count + unused_by_device; }\n"
    )

    with pytest.raises(SourceError, match=r"device code uses the host variable 'n::count'"):
        build_program(tmp_path / "out", (source,), options=("-O0",))


def test_images_can_contain_parts_of_static_libraries(tmp_path: Path) -> None:
    find = ["g++", "-print-file-name=libstdc++.a"]
    library = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(library).is_absolute():
        pytest.skip("there is no libstdc++.a (Fedora: libstdc++-static)")
    compiler = tmp_path / "g++"
    compiler.write_text('#!/bin/sh\nexec g++ -static-libstdc++ "$@"\n')
    compiler.chmod(0o755)
    source = tmp_path / "a.cu"
    source.write_text(
        "__global__ void k(int* p) { *p = 1; }\n"
        "int main() { try { throw 1; } catch (int code) { return code - 1; } }\n"
    )

    program = build_program(
        tmp_path / "out", (source,), compilers=("g++", str(compiler)), options=("-O0",)
    )
    subprocess.run([program], check=True)
