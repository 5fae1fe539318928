"""Compile and run programs that use the vendor's host API on the CPU runtime."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import ROOT, find_kbuild
from support.tools.toolchains import require_programs

HERE = Path(__file__).parent
NATIVE = ROOT / "kbuild" / "native"
INCLUDES = (f"-I{NATIVE / 'include'}", f"-I{NATIVE / 'device' / 'cpu'}")
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
_SLOW = ("graphs", "references", "mistakes", "streams", "launches")
MISTAKES = ROOT / "tests" / "gpu" / "host_api"

# Names that the vendor's own runtime defines. A program that defines or needs one of them would
# interfere with it.
VENDOR = ("cuda", "hip", "__cuda", "__hip")

# The compiler reports a structure earlier than calls, so that they are in separate sources.
UNSUPPORTED = {
    "functions": (
        ("cudaArray_t a = 0; cudaArrayGetPlane(&a, a, 0);", "cudaArrayGetPlane"),
        ("cudaGetTextureObjectResourceViewDesc(0, 0);", "cudaGetTextureObjectResourceViewDesc"),
        ("void *f; cudaGetDriverEntryPoint(0, &f, 0, 0);", "cudaGetDriverEntryPoint"),
    ),
    "types": (
        ("struct cudaResourceViewDesc d; (void)d;", "cudaResourceViewDesc"),
        ("struct cudaMemcpyAttributes a; (void)a;", "cudaMemcpyAttributes"),
    ),
}


def run(*argv: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in argv], capture_output=True, text=True, check=False, cwd=cwd
    )


def compile_program(directory: Path, compiler: str, *arguments: object) -> Path:
    require_programs(compiler)
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    program = directory / "program"
    done = run(
        *(compiler, *STRICT, *INCLUDES, *arguments),
        *("-x", "none", runtime, f"-Wl,-rpath,{runtime.parent}", "-o", program),
    )
    assert done.returncode == 0, done.stderr
    return program


def exported_names(binary: Path) -> set[str]:
    """Return the names of global, weak, and undefined symbols."""
    lines = run("nm", "--format=posix", binary).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {name for name, kind, *_ in fields if kind.isupper() or kind in "vw"}


@pytest.mark.parametrize(
    ("compiler", "language", "standard"),
    [
        ("gcc", "c", "c99"),
        ("g++", "c++", "c++11"),
        *(
            pytest.param(*words, marks=pytest.mark.slow)
            for words in (
                *(("clang", "c", "c17"), ("g++", "c++", "c++20")),
                *(("clang++", "c++", "c++20"), ("clang++", "c++", "c++11")),
            )
        ),
    ],
)
def test_programs_run_and_have_no_symbols_of_the_vendor(
    tmp_path: Path, compiler: str, language: str, standard: str
) -> None:
    program = compile_program(
        tmp_path, compiler, f"-std={standard}", "-O0", "-x", language, HERE / "vendor_api.c"
    )

    done = run(program)

    assert done.returncode == 0, done.stderr
    names = exported_names(program)
    assert {name for name in names if name.startswith("kbuild_cpu_")}
    assert not {name for name in names if name.removeprefix("_Z").startswith(VENDOR)}


def test_runtime_exports_only_its_own_names() -> None:
    output = run("nm", "-D", "--defined-only", resources.find_runtime("libkbuild_cpu.so.1")).stdout
    names = [line.split()[-1] for line in output.splitlines()]
    assert names
    assert [name for name in names if not name.startswith("kbuild_cpu_")] == []


def test_static_runtime_hides_its_names() -> None:
    lines = run("readelf", "-sW", resources.find_runtime("libkbuild_cpu.a")).stdout.splitlines()
    rows = [line.split() for line in lines if " kbuild_cpu_" in line and " GLOBAL " in line]
    assert len(rows) > 100
    assert {row[5] for row in rows} == {"HIDDEN"}


def test_mistakes_have_the_errors_of_the_vendor(tmp_path: Path) -> None:
    program = compile_program(
        tmp_path, "g++", "-std=c++17", "-DNO_KERNELS", "-x", "c++", MISTAKES / "mistakes.cu"
    )
    expected = (MISTAKES / "mistakes.txt").read_text().split("with kernels\n")[0]

    done = run(program)

    assert done.returncode == 0
    assert done.stdout == expected


@pytest.mark.parametrize(
    "name",
    ["symbols", *(pytest.param(n, marks=pytest.mark.slow) for n in _SLOW)],
)
def test_mixed_sources_behave_as_with_the_vendor(tmp_path: Path, name: str) -> None:
    source = MISTAKES / f"{name}.cu"

    done = run(find_kbuild(), "run", "--backend", "cpu", source, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout == (MISTAKES / f"{name}.txt").read_text()
    assert ("Assertion `null != nullptr` failed." in done.stderr) == (name == "mistakes")


@pytest.mark.parametrize("kind", UNSUPPORTED)
@pytest.mark.parametrize("compiler", ["gcc", "g++", "clang", "clang++"])
def test_unsupported_names_are_compile_errors(tmp_path: Path, compiler: str, kind: str) -> None:
    require_programs(compiler)
    language = "c++" if compiler.endswith("++") else "c"
    uses = UNSUPPORTED[kind]
    bodies = "".join(f"void f{i}(void) {{ {use} }}\n" for i, (use, _) in enumerate(uses))
    (tmp_path / "a.c").write_text("#include <cuda_runtime.h>\n" + bodies)

    done = run(compiler, "-x", language, *INCLUDES, "-c", tmp_path / "a.c", "-o", tmp_path / "a.o")

    assert done.returncode != 0
    messages = [f"kbuild: the cpu backend does not support {name}" for _, name in uses]
    assert [message for message in messages if message not in done.stderr] == []


def test_macros_of_other_libraries_do_no_harm(tmp_path: Path) -> None:
    """Xlib defines Success, None, and Status."""
    (tmp_path / "a.cpp").write_text(
        "#define Success 0\n#define None 0L\n#define Status int\n#define Always 2\n"
        "#include <cuda_runtime.h>\n"
        "int main() { return cudaSuccess; }\n"
    )
    compile_program(tmp_path, "g++", tmp_path / "a.cpp")
