"""Launches whose names or places a front end can mistake for others.

nvcc 13 compiles all these sources. If two entities have the name of a launch, their parameters
differ, so that only the launch of the right one compiles.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kbuild.backends import find_builder, find_mixed
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit
from kbuild.stages.mixed.preprocessors import list_host_steps
from kbuild.stages.mixed.texts import make_text
from kbuild.values import dataclass
from support.mixed_programs import build_program
from support.tools.toolchains import find_compiler, needs_backend

BACKENDS = ("cpu", "cuda")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A source, on which backends, and what is special about it."""

    source: str
    special: str
    backends: tuple[str, ...] = BACKENDS


FORMS = {
    "spaced": Form(
        source="__global__ void spaced(int*) {}\nvoid f1(int* p) { spaced << < 1, 1 >> > (p); }\n",
        special="a launch with spaces in its brackets, as clang-format writes it",
        backends=("cpu",),
    ),
    "inlined": Form(
        source=(
            "template <class T> __inline__ __device__ T inlined(T x) { return x; }\n"
            "template <> __inline__ __device__ int inlined<int>(int) { return 1; }\n"
        ),
        special="a device template and its specialization agree in gnu_inline",
        backends=("cpu",),
    ),
    "alias": Form(
        source=(
            "__global__ void alias(int) {}\nstruct Base { void (*alias)(const char*); };\n"
            'using B = Base;\nstruct Derived : B { void f() { alias<<<1, 1>>>(""); } };\n'
        ),
        special="a member of a base class that has an alias",
    ),
    "aligned": Form(
        source=(
            "__global__ void aligned(int) {}\n"
            "struct alignas(16) Aligned { void f(); void (*aligned)(const char*); };\n"
            'void Aligned::f() { aligned<<<1, 1>>>(""); }\n'
        ),
        special="a member of a class whose head has parentheses",
    ),
    "scoped": Form(
        source=(
            "namespace x { namespace impl { __global__ void scoped(int) {} } }\n"
            "namespace y { namespace impl { void (*scoped)(int); } }\n"
            "void f3() { y::impl::scoped<<<1, 1>>>(1); }\n"
        ),
        special="two namespaces with the same last name",
    ),
    "parameter": Form(
        source=(
            "__global__ void parameter(int) {}\n"
            'void f4(void parameter(const char*)) { parameter<<<1, 1>>>(""); }\n'
        ),
        special="a parameter that is spelled as a function",
    ),
    "used": Form(
        source=(
            "__global__ void used(int) {}\nnamespace n { extern void (*used)(const char*); }\n"
            'void f5() { using n::used; used<<<1, 1>>>(""); }\n'
        ),
        special="a using-declaration of a variable with the name of a kernel",
    ),
    "directive": Form(
        source=(
            "__global__ void directive(int) {}\n"
            "namespace n { namespace m { extern void (*directive)(const char*); }\n"
            'using namespace m; void f6() { directive<<<1, 1>>>(""); } }\n'
        ),
        special="a using-directive that makes a variable visible",
    ),
    "result": Form(
        source=(
            "template <class T> __global__ void result(T) {}\n"
            "template <class T> auto f7(T x) -> decltype(result<<<1, 1>>>(x))\n"
            "{ result<<<1, 1>>>(x); }\nvoid g7() { f7(1); }\n"
        ),
        special="a launch in the type of a function",
    ),
    "called": Form(
        source=(
            "__global__ void called(int) {}\nvoid f8() { [] { return called; }()<<<1, 1>>>(1); }\n"
        ),
        special="a call of a lambda that returns the kernel",
        backends=("cpu",),
    ),
}
CORRECT = "__global__ void correct(int) {}\nvoid f() { correct<<<1, 1>>>(1); }\n"
# g++ and clang reject statement expressions here.
INITIALIZERS = {
    "of a variable": "int v = (k<<<1, 1>>>(1), 1);",
    "of a member": "struct S { int v = (k<<<1, 1>>>(1), 1); } s;",
    "of a parameter": "int f(int v = (k<<<1, 1>>>(1), 1));",
}


def rewrite_source(backend: str, source: Path) -> list[str]:
    """Write the host text of a source, and return the command that checks its syntax."""
    nvcc = find_compiler("cuda")
    toolchain = (
        Toolchain(backend="cuda", compiler=nvcc, compiler_id="nvcc", version="13.0.88")
        if backend == "cuda"
        else Toolchain(backend="cpu", compiler=Path("g++"), compiler_id="gcc", version="12.2.0")
    )
    unit = HostUnit(
        source=source,
        display_source=source.name,
        output=source.with_suffix(".out"),
        stamp=source.with_suffix(".host"),
        depfile=source.with_suffix(".d"),
        compiler=Path("g++"),
        compiler_id="GNU",
        architectures=("80" if backend == "cuda" else "native",),
    )
    passes = find_mixed(backend)
    listing = list_host_steps(passes, unit, toolchain)
    front_end = passes.describe_host_pass(unit, toolchain, listing)
    text, _ = make_text(front_end, find_builder(backend))
    code = Unit(text)
    host_text = source.with_suffix(".cpp")
    host_text.write_text(rewrite(code, passes.read_host_text(code, unit), "1a2b").text)
    options = passes.list_host_options(unit, toolchain)
    return ["g++", "-std=c++17", "-w", "-fsyntax-only", *options, str(host_text)]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what g++ says about a source that includes the faults, for each backend."""
    said = {}
    for backend in BACKENDS:
        if not find_compiler(backend).name:
            continue
        directory = tmp_path_factory.mktemp(backend)
        for name, form in FORMS.items():
            (directory / f"{name}.cu").write_text(form.source)
        (directory / "correct.cu").write_text(CORRECT)
        source = directory / "all.cu"
        included = [
            "correct",
            *(name for name, form in FORMS.items() if backend in form.backends),
        ]
        source.write_text("".join(f'#include "{name}.cu"\n' for name in included))
        command = rewrite_source(backend, source)
        said[backend] = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return said


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        pytest.param(backend, name, marks=needs_backend(backend))
        for name, form in FORMS.items()
        for backend in form.backends
    ],
)
def test_host_text_compiles(errors: dict[str, str], backend: str, name: str) -> None:
    assert not re.search(rf"{name}\.cu:\d+:\d+: error", errors[backend])


@pytest.mark.parametrize("backend", [pytest.param(b, marks=needs_backend(b)) for b in BACKENDS])
def test_a_correct_source_beside_the_others_compiles(errors: dict[str, str], backend: str) -> None:
    assert "correct.cu" not in errors[backend]


@needs_backend("cuda")
def test_template_arguments_can_contain_a_shift(tmp_path: Path) -> None:
    # cudafe++ writes it without the parentheses.
    source = tmp_path / "a.cu"
    source.write_text(
        "template <class T, int N> __global__ void k(T*) {}\n"
        "void f(int* p) { k<int, (1 << (10-1-1))><<<1,1>>>(p); }\n"
    )

    assert "k__kbuild_1a2b" in Path(rewrite_source("cuda", source)[-1]).read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "initializer"),
    [
        pytest.param(backend, initializer, id=f"{backend} {name}", marks=needs_backend(backend))
        for backend in BACKENDS
        for name, initializer in INITIALIZERS.items()
    ],
)
def test_launches_in_initializers_compile(tmp_path: Path, backend: str, initializer: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text(f"__global__ void k(int) {{}}\n{initializer}\n")

    done = subprocess.run(
        rewrite_source(backend, source), capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_a_member_of_a_base_class_is_launched_through_an_alias(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void k(int* p) { *p = 1; }\n"
        "__global__ void other(int* p) { *p = 2; }\n"
        "struct Base { void (*k)(int*); };\n"
        "using B = Base;\n"
        "struct D : B { void f(int* p) { k<<<1, 1>>>(p); } };\n"
        "int main() {\n"
        "    D d;\n    d.k = other;\n    int* p;\n    cudaMallocManaged(&p, sizeof(int));\n"
        "    d.f(p);\n    cudaDeviceSynchronize();\n    return *p;\n}\n"
    )
    program = build_program(tmp_path / "out", (source,), options=("-O0",))

    assert subprocess.run([program], check=False).returncode == 2
