"""Files by nvcc that do not fit together, but that one process loads."""

from __future__ import annotations

from typing import Final

from kbuild.inspect import inspect_path
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.tools import Tool, find_shared_runtime
from support.accuracy.vendors.nvcc_files import (
    SM_90,
    compile_cuda,
    link_device_code,
    link_launcher,
    link_library,
    load_cuda_library,
    load_exporting_library,
    load_exporting_object,
    load_object,
)
from support.files.mutations import rename_in

_NEEDS: Final[tuple[Tool, ...]] = ("nvcc", "cudart")
_COUNTER: Final = """\
__device__ int counter;
__global__ void count() { ++counter; }
"""
_COPIER: Final = """\
extern "C" int cudaMemcpyToSymbol(const void*, const void*, unsigned long, unsigned long, int);
extern int counter;
int main() { int zero = 0; return cudaMemcpyToSymbol(&counter, &zero, sizeof zero, 0, 1); }
"""


def _beside_runtime(*more: str) -> Build:
    """Return a library and its runtime. The library also calls ``more`` of the runtime."""

    def build(build_env: BuildEnv) -> Case:
        calls = "".join(f'extern "C" void {n}(); void use_{n}() {{ {n}(); }}\n' for n in more)
        source = build_env.text(f"nvcc/calls{len(more)}.cpp", calls)
        words = ("-fPIC", load_object(build_env), source)
        library = link_library(build_env, f"libcalls{len(more)}", *words)
        return Case(paths=(library, find_shared_runtime()))

    return build


def _beside_older_runtime(build_env: BuildEnv) -> Case:
    """Return a runtime with the same name that has one function."""
    library = load_cuda_library(build_env)
    soname = next(r.soname for r in inspect_path(library)[0].runtimes)
    source = build_env.text("nvcc/old.c", "void __cudaRegisterFunction(void) {}\n")
    words = ("gcc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", source, "-o")
    return Case(paths=(library, build_env.call(f"nvcc/old/{soname}", *words)))


def _beside_renamed_runtime(build_env: BuildEnv) -> Case:
    edit = rename_in(b"__cudaRegisterFunction\0", b"__cudaRegisterFunctioX\0", ".dynstr")
    runtime = build_env.edit("runtime", find_shared_runtime(), edit)
    return Case(paths=(load_cuda_library(build_env), runtime))


def _launching(name: str, *, program: bool, library: bool) -> Build:
    """Return a program, and the library whose kernel it launches, with separate runtimes."""

    def build(build_env: BuildEnv) -> Case:
        kernels = load_exporting_library(build_env, is_static=library)
        return Case(paths=(link_launcher(build_env, name, kernels, is_static=program), kernels))

    return build


def _two_libraries(name: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        second = link_library(build_env, name, load_exporting_object(build_env), *options)
        return Case(paths=(load_exporting_library(build_env), second))

    return build


def _hidden_by_script(build_env: BuildEnv) -> Case:
    script = build_env.text("nvcc/hidden.map", "{ local: *; };\n")
    return _two_libraries("libhidden", f"-Wl,--version-script={script}")(build_env)


def _exporting_program(name: str, *options: str) -> Build:
    """Return a program and a library that both contain the kernels."""

    def build(build_env: BuildEnv) -> Case:
        words = (load_exporting_object(build_env), *options)
        program = link_launcher(build_env, name, *words)
        return Case(paths=(program, load_exporting_library(build_env)))

    return build


def _naming_variable(name: str, *options: str) -> Build:
    """Return a program with default options that names a device variable, and its library."""

    def build(build_env: BuildEnv) -> Case:
        visible = "--device-entity-has-hidden-visibility=false"
        relocatable = compile_cuda(
            *(build_env, "counter.o", "-c", "-rdc=true", SM_90, visible),
            source="counter",
            text=_COUNTER,
        )
        linked = link_device_code(build_env, "counter-linked", SM_90, relocatable)
        library = link_library(build_env, f"lib{name}", relocatable, linked, *options)
        source = build_env.text("nvcc/copier.cpp", _COPIER)
        words = ("g++", "-fPIE", "-pie", source, library, find_shared_runtime(), "-o")
        return Case(paths=(build_env.call(f"nvcc/copies-{name}", *words), library))

    return build


def _moved(build_env: BuildEnv) -> Case:
    """Return the program compiled so that it finds the variable at run time."""
    program, library = _naming_variable("counter")(build_env).paths
    source = program.with_name("copier.cpp")
    words = ("g++", "-fPIC", "-pie", source, library, find_shared_runtime(), "-o")
    return Case(paths=(build_env.call("nvcc/finds-counter", *words), library))


_SHARED_LAUNCH: Final = _launching("launches-shared", program=False, library=False)
_TWO_RUNTIMES: Final = (
    ("static runtime in the program", "launches-static", True, False),
    ("static runtime in the library", "launches-by-shared", False, True),
    ("static runtime in both", "launches-by-static", True, True),
)

MUTATIONS: Final = (
    Mutation(
        rule="KB501",
        way="nvcc -rdc=true: program of default options and a -Bsymbolic library with a variable",
        needs=_NEEDS,
        broken=_naming_variable("symbolic-counter", "-Wl,-Bsymbolic"),
        sound=_moved,
        beside=frozenset({("KB502", "info")}),
    ),
    Mutation(
        rule="KB501",
        way="nvcc -rdc=true: program of default options and a library with a variable",
        severity="warning",
        needs=_NEEDS,
        broken=_naming_variable("counter"),
        sound=_moved,
    ),
    Mutation(
        rule="KB403",
        way="nvcc: older runtime of the same name",
        needs=_NEEDS,
        broken=_beside_older_runtime,
        sound=_beside_runtime(),
    ),
    Mutation(
        rule="KB403",
        way="nvcc: function renamed in the runtime",
        needs=_NEEDS,
        broken=_beside_renamed_runtime,
        sound=_beside_runtime(),
    ),
    Mutation(
        rule="KB403",
        way="nvcc: call of a function that no runtime has",
        needs=_NEEDS,
        broken=_beside_runtime("cudaLaunchBetterKernel"),
        sound=_beside_runtime(),
    ),
    *(
        Mutation(
            rule="KB404",
            way=f"nvcc: {way}",
            needs=_NEEDS,
            broken=_launching(name, program=program, library=library),
            sound=_SHARED_LAUNCH,
        )
        for way, name, program, library in _TWO_RUNTIMES
    ),
    Mutation(
        rule="KB405",
        way="nvcc: two libraries of one object",
        needs=_NEEDS,
        broken=_two_libraries("libsecond"),
        sound=_hidden_by_script,
    ),
    Mutation(
        rule="KB405",
        way="nvcc: program linked with -rdynamic, and a library",
        needs=_NEEDS,
        broken=_exporting_program("exports", "-rdynamic"),
        sound=_exporting_program("hides", "-Wl,--no-export-dynamic"),
    ),
)
