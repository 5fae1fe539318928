"""KB310, KB405, and KB501 on names that programs and libraries share."""

from __future__ import annotations

import platform
import signal
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.inspect import inspect_path
from kbuild.verify import select_rules, verify
from support.commands import run, succeed
from support.kernel_libraries import BuildKernelLibrary

DEFINITION = "__device__ float weights[4];\n"
FIRST = DEFINITION + "__global__ void first(float* to) { *to = weights[0]; }\n"
SECOND = DEFINITION + "__global__ void second(float* to) { *to = weights[1]; }\n"
RENAMED = SECOND.replace("weights", "others")
# Refers to the variable, like a copy to it, or to nothing.
USER = "extern float weights[4];\nvoid* volatile taken;\nint main(void) { taken = weights; }\n"
STRANGER = "int main(void) { return 0; }\n"


@pytest.fixture(scope="module")
def first(build_kernel_library: BuildKernelLibrary) -> Path:
    return build_kernel_library({"first.cu": FIRST}, target="first", visibility="default")


def found(*paths: Path, rule: str = "KB405") -> list[tuple[str, str | None, str]]:
    files = tuple(facts for path in paths for facts in inspect_path(path))
    report = verify(files, rules=select_rules([rule]))
    assert not report.rules_errored
    return [(f.severity, f.symbol, f.message) for f in report.findings]


def build_host(directory: Path, text: str, *words: object) -> Path:
    (directory / "host.c").write_text(text)
    options = ("-Wl,--unresolved-symbols=ignore-in-shared-libs", "-o", directory / "h")
    succeed(run("gcc", directory / "host.c", "-Wl,--no-as-needed", *words, *options))
    return directory / "h"


@pytest.mark.parametrize("mode", [("-fPIC", "-pie"), ("-fno-pie", "-no-pie")], ids=str)
def test_variable_of_two_libraries(
    tmp_path: Path, first: Path, build_kernel_library: BuildKernelLibrary, mode: tuple[str, str]
) -> None:
    second = build_kernel_library({"second.cu": SECOND}, target="second", visibility="default")
    message = f"{first} also exports the device variable weights"

    user = build_host(tmp_path, USER, *mode, first, second)
    assert found(user, first, second) == [("error", "weights", message)]
    stranger = build_host(tmp_path, STRANGER, *mode, first, second)
    assert found(stranger, first, second) == [("info", "weights", message)]
    assert found(user, first) == []


@pytest.mark.parametrize(
    ("source", "visibility"), [(SECOND, "hidden"), (RENAMED, "default")], ids=["hidden", "renamed"]
)
def test_hidden_and_renamed_variables_do_not_collide(
    tmp_path: Path,
    first: Path,
    build_kernel_library: BuildKernelLibrary,
    source: str,
    visibility: str,
) -> None:
    second = build_kernel_library({"second.cu": source}, target="second", visibility=visibility)
    user = build_host(tmp_path, USER, first, second)
    assert found(user, first, second) == []


# Names the variable like any program that was compiled with the default options.
COPIER = """\
#include <kbuild/kbuild.hpp>
extern float weights[4];
int main()
{
    const float values[4] = {1, 2, 3, 4};
    return kbuild::copy_to_symbol(weights, values) ? 1 : 0;
}
"""


def build_copier(directory: Path, library: Path) -> Path:
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    include = resources.native_directory() / "include"
    (directory / "copier.cpp").write_text(COPIER)
    words = ("-std=c++17", "-DKBUILD_BACKEND_CPU", "-fPIE", "-pie", "-I", include)
    paths = (f"-Wl,-rpath,{directory_of}" for directory_of in (library.parent, runtime.parent))
    program = directory / "copier"
    succeed(run("g++", *words, directory / "copier.cpp", library, runtime, *paths, "-o", program))
    return program


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines copy no variables")
def test_symbolic_library_loses_the_variable_of_a_default_program(
    tmp_path: Path, first: Path, build_kernel_library: BuildKernelLibrary
) -> None:
    sound = build_copier(tmp_path, first)
    assert run(sound).returncode == 0
    message = f"the executable has a copy of the variable weights from {first}, which"
    assert found(sound, first, rule="KB501") == [
        ("warning", "weights", f"{message} must keep using the copy")
    ]

    symbolic = build_kernel_library(
        {"first.cu": FIRST},
        target="first",
        visibility="default",
        link_options=("-Wl,-Bsymbolic",),
    )
    broken = build_copier(tmp_path, symbolic)
    assert run(broken).returncode == 1
    ((severity, symbol, text),) = found(broken, symbolic, rule="KB501")
    assert (severity, symbol) == ("error", "weights")
    assert text.endswith("which registers its own variable instead")


# The C++ library calls `write` for this. The program itself refers to nothing of that name.
PRINTER = """\
#include <fstream>
int main() { return std::ofstream("/dev/null") << "hello" << std::flush ? 0 : 1; }
"""


@pytest.mark.parametrize("visibility", ["default", "hidden"])
def test_kernel_with_the_name_of_a_c_function_breaks_the_process(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, visibility: str
) -> None:
    source = 'extern "C" __global__ void write(int* p) { *p = 1; }\n'
    library = build_kernel_library({"k.cu": source}, target=visibility, visibility=visibility)
    (tmp_path / "printer.cpp").write_text(PRINTER)
    words = ("-Wl,--no-as-needed", library, f"-Wl,-rpath,{library.parent}")
    succeed(run("g++", tmp_path / "printer.cpp", *words, "-o", tmp_path / "printer"))

    status = run(tmp_path / "printer").returncode
    errors = [(severity, symbol) for severity, symbol, _ in found(library, rule="KB310")]
    is_broken = visibility == "default"
    assert (status, errors) == ((-signal.SIGSEGV, [("error", "write")]) if is_broken else (0, []))
