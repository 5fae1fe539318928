"""Tests of the passes of mixed CUDA sources.

The texts have the patterns of nvcc's host front end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.backends.cuda import build, mixed
from kbuild.backends.cuda.mixed.entries import read_stub
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, HostUnit, KernelEntry
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.model import HostText, Span
from kbuild.cxx.unit import Unit
from kbuild.errors import ConfigurationError, SourceError, ToolError

TC = Toolchain(
    backend="cuda", compiler=Path("/cuda/bin/nvcc"), compiler_id="nvcc", version="13.0.88"
)
UNIT = HostUnit(
    source=Path("/src/a.cu"),
    display_source="sub/a.cu",
    output=Path("/out/a"),
    stamp=Path("/out/a.host"),
    depfile=Path("/out/a.host.d"),
    compiler=Path("/usr/bin/g++"),
    compiler_id="GNU",
    include_directories=("/inc,x",),
    definitions=("N=3",),
    options=("-O2", "-Wall", "-Werror", "-fopenmp", "-g"),
    device_options=("--extended-lambda",),
    architectures=("80-real", "90"),
)
END = """
# 1 "a.cudafe1.stub.c"
#define _NV_ANON_NAMESPACE _GLOBAL__N__1
#ifdef _NV_ANON_NAMESPACE
#endif
# 1 "a.cudafe1.stub.c"
#include "a.cudafe1.stub.c"
# 1 "a.cudafe1.stub.c"
#undef _NV_ANON_NAMESPACE
"""
PLAIN = """
# 5 "a.cu"
{declaration} ;
#if 0
# 5
{{ (*p) = 1; }}
#endif
"""
TEMPLATE = """
# 3 "a.cu"
template< class T, int N = (3 > 2)> static void __wrapper__device_stub_k(T *&p) {{ ::launch(0);}}
#if 0
# 3
{{ (p[0]) = N; }}
#endif
# 3 "a.cu"
template< class T, int N = (3 > 2)>
{specifiers}void k(T *p) {{::ns::__wrapper__device_stub_k<T,N>(p);return;}}
#if 0
# 3
{{ (p[0]) = N; }}
#endif
"""


def read(text: str, compiler_id: str = "GNU") -> HostText:
    return mixed.read_host_text(Unit(text + END), replace(UNIT, compiler_id=compiler_id))


def edit(text: str, compiler_id: str = "GNU") -> str:
    """Return the text with the replacements, and without its end."""
    for change in reversed(read(text, compiler_id).edits):
        text = text[: change.start] + change.text + text[change.end :]
    return text.partition("\n#define _NV_ANON_NAMESPACE")[0]


def launch(callee: str, arguments: str = "p") -> str:
    push = "(__cudaPushCallConfiguration(1, g(2), 3)) ? (void)0"
    return f"void f() {{ {push} : {callee}({arguments}); }}"


@pytest.mark.parametrize(
    "callee",
    [
        "k",
        "ns::k< float, (3 > 2)> ",
        "::k< int (*)(int), &f> ",
        "(t.f)",
        "(*((tp->pp)[0]))",
        "get()",
        "((n) ? a : b)",
        "this->template go< 2> ",
    ],
)
def test_launch(callee: str) -> None:
    text = launch(callee, "p, {1, 2}, [=](int i) { return i; }")
    (found,) = read(text).launches

    def at(span: Span) -> str:
        return text[span[0] : span[1]]

    assert at(found.callee) == callee.rstrip()
    assert at(found.configuration) == "1, g(2), 3"
    assert at(found.arguments) == "p, {1, 2}, [=](int i) { return i; }"
    assert text[found.start] == "("
    assert text[found.end] == ";"


def test_launch_inside_the_arguments_of_a_launch() -> None:
    inner = "(__cudaPushCallConfiguration(1, 1)) ? (void)0 : k(p)"
    assert len(read(launch("k", f"[=] {{ {inner}; }}")).launches) == 2


def test_launch_with_line_markers_and_disabled_text() -> None:
    arguments = (
        "wrap() \n#if 0\n[=](int\n# 31\ni) \n{ }\n#if 0\n{ return )\n; }\n#endif\n#endif\n, p"
    )
    text = launch("k", arguments)
    (found,) = read(text).launches

    assert text[slice(*found.arguments)] == arguments


def test_launches_that_the_compiler_does_not_read() -> None:
    call = "(__cudaPushCallConfiguration(1, 1)) ? (void)0 : k(p)"
    text = f'const char *s = ("\\"{call}"); \n#if 0\n{{ {call}; }}\n#endif\n'
    assert not read(text).launches


@pytest.mark.parametrize(
    "statement",
    [
        "(__cudaPushCallConfiguration(1, 1)) ? (void)0 : k;",
        "(__cudaPushCallConfiguration(1, 1)) ? 1 : k(p);",
        "int e = __cudaPushCallConfiguration(1, 1);",
    ],
)
def test_configuration_without_a_launch_is_an_error(statement: str) -> None:
    with pytest.raises(SourceError, match=r"sub/a\.cu: cannot rewrite the launch '__cudaPush"):
        read(f'# 3 "a.cu"\nvoid f() {{ {statement} }}')


def test_system_headers_can_push_a_configuration() -> None:
    text = '# 3 "system.h" 3\nvoid f() { if ((__cudaPushCallConfiguration(1, 1)) != 0) return; }'
    assert not read(text).launches


@pytest.mark.parametrize(
    ("declaration", "form"),
    [
        ("void k(int *p)", "declaration"),
        ('extern "C" void k(int *p)', "declaration"),
        ("void ns::k(int *p)", "qualified"),
        ("auto k(int *p)->void", "declaration"),
        ("__attribute__((cold)) void \n# 6\nk(int *p)", "declaration"),
    ],
)
def test_kernel(declaration: str, form: str) -> None:
    text = PLAIN.format(declaration=declaration)
    (found,) = read(text).kernels

    assert (found.name, found.parameters, found.template) == ("k", "int *p", "")
    assert found.form == form
    assert text[: found.end].endswith(f"{declaration} ;")


@pytest.mark.parametrize(
    ("declaration", "changed"),
    [
        ("static void k(int *p)", " void k(int *p)"),
        ("inline void k(int *p)", " void k(int *p)"),
        ('__attribute__((visibility("hidden"))) void k(int *p)', " void k(int *p)"),
        ("inline  __attribute((noinline)) void k(int *p)", "   void k(int *p)"),
    ],
)
def test_kernel_becomes_an_undefined_function(declaration: str, changed: str) -> None:
    text = edit(PLAIN.format(declaration=declaration), "Clang")
    assert text == PLAIN.format(declaration=changed)


def test_gcc_warns_of_calls() -> None:
    text = edit(PLAIN.format(declaration="static void k(int *p)"))
    assert '\n __attribute__((warning("a kernel is called like a function' in text
    assert '"))) void k(int *p)' in text


def test_device_functions_are_no_kernels() -> None:
    body = "{int volatile ___ = 1;(void)p;::exit(___);}\n#if 0\n# 5\n{ (*p) = 1; } \n#endif\n"
    text = f"float helper(int *p) {body}int other(int) ;\n#if 0\n# 5\n{{ }}\n#endif\n"
    assert not read(text).kernels


def test_kernel_template() -> None:
    text = f"namespace ns {{{TEMPLATE.format(specifiers='static ')}}}"
    (found,) = read(text).kernels

    assert found.template == "template< class T, int N = (3 > 2)>"
    assert (found.name, found.parameters, found.form) == ("k", "T *p", "declaration")
    assert "__wrapper__" not in edit(text)
    assert "static" not in edit(text)


def test_kernel_template_for_gcc_has_a_body_that_is_not_emitted() -> None:
    changed = edit(TEMPLATE.format(specifiers=""))
    body = '{ __builtin_apply_args(); __asm__ volatile("" : : : "memory"); }'
    kernel = f"extern inline __attribute__((gnu_inline)) void k(T *p) {body}"
    assert f"{kernel}\n#pragma GCC" in changed


def test_kernel_template_for_clang_is_declared_in_a_system_header() -> None:
    changed = edit(TEMPLATE.format(specifiers=""), "Clang")
    declaration = "template< class T, int N = (3 > 2)>\nvoid k(T *p) ;"
    assert f'# 3 "a.cu" 3\n{declaration}\n# 4 "a.cu"\n' in changed


def test_other_declarations_of_a_kernel() -> None:
    others = (
        "void k(int * p); struct A { friend void k(int * p); void k(int); }; namespace other { "
        "void k(int * p); } void use() { void k(int * p); } template void k< 3> (float);"
    )
    text = f"{others}{PLAIN.format(declaration='void k(int *p)')}"
    found = read(text).kernels

    assert [(text[k.start : k.end], k.form, k.is_friend) for k in found] == [
        ("void k(int * p);", "declaration", False),
        ("friend void k(int * p);", "declaration", True),
        ("template void k< 3> (float);", "instantiation", False),
        ("void k(int *p) ;", "declaration", False),
    ]
    assert "extern template void k< 3> (float);" in edit(text)


def test_launched_kernel_of_another_source() -> None:
    hidden = '__attribute__((visibility("hidden")))'
    declarations = f"{hidden} void k(int *, int = 3); {hidden} void other(int); void h(int);"
    text = f"namespace ns {{ {declarations} }}"
    found = read(f"{text} {launch('ns::k')} {launch('ns::h')}")

    (kernel,) = found.kernels
    assert (kernel.name, kernel.parameters, kernel.form) == ("k", "int *, int = 3", "declaration")
    assert hidden not in edit(f"{text} {launch('k')}").partition("void k")[0]


def test_specialization() -> None:
    text = (
        f"{TEMPLATE.format(specifiers='')}template<> __specialization_static void "
        "__wrapper__device_stub_k< float> (float *&p) ;\n#if 0\n# 9\n{ }\n#endif\ntemplate<> "
        "void k< float> (float *p) {__wrapper__device_stub_k<float>(p);return;}\n"
    )
    assert [kernel.form for kernel in read(text).kernels] == ["declaration", "specialization"]
    assert "template<> void k< float> (float *p) ;" in edit(text)


SECTION = '__attribute__((section("__nv_managed_data__")))'
HIDDEN = '__attribute__((visibility("hidden")))'


@pytest.mark.parametrize(
    ("definition", "changed"),
    [
        (" static int *mm = 0", ' int *mm __asm__("kbuild_managed_0")'),
        (" static int (*mm)[4] = 0", ' int (*mm)[4] __asm__("kbuild_managed_0")'),
        (
            " static struct S { int a; } *s = 0, *t = 0",
            ' struct S { int a; } *s __asm__("kbuild_managed_0"), *t __asm__("kbuild_managed_1")',
        ),
        (" int *mm = 0", " int *mm"),
        (" extern int *mm", " int *mm"),
    ],
)
def test_managed_variable(definition: str, changed: str) -> None:
    assert edit(f"{SECTION}{definition};") == f"extern {HIDDEN}{changed};"


def test_declaration_can_be_in_a_header_of_the_user() -> None:
    declaration = 'extern "C" unsigned __cudaPushCallConfiguration(int grid);'
    text = f'# 3 "crt/device_functions.h"\n{declaration}'
    assert not read(text).launches


def test_text_without_a_stub_file_is_an_error() -> None:
    with pytest.raises(SourceError, match="does not end with its stub file"):
        mixed.read_host_text(Unit("int x;"), UNIT)


def test_listing_names_all_architectures_and_the_projects_compiler() -> None:
    command = mixed.listing_command(replace(UNIT, relocatable=True), TC)

    assert command is not None
    assert "-gencode=arch=compute_80,code=compute_80" in command.argv
    assert "-gencode=arch=compute_90,code=compute_90" in command.argv
    assert command.argv[command.argv.index("-ccbin") + 1] == "/usr/bin/g++"
    assert {"--dryrun", "-rdc=true", "--extended-lambda", "-DKBUILD_MIXED=1"} <= set(command.argv)


def test_both_passes_have_the_macros_of_the_project() -> None:
    unit = CompileUnit(
        source=UNIT.source,
        display_source=UNIT.display_source,
        arch="80-real",
        output=UNIT.output,
        stamp=UNIT.stamp,
        depfile=UNIT.depfile,
        include_directories=UNIT.include_directories,
        definitions=UNIT.definitions,
        build_options=("-O2", "-DNDEBUG"),
        host_options=UNIT.options,
        architectures=("100f", "75-real", "90-virtual", "90-real"),
        is_mixed=True,
    )
    expected = " ".join(
        ("-DN=3", '-I"/inc,x"', *("-Xcompiler", "-O2"), *("-Xcompiler", "-fopenmp"))
    )

    assert expected in " ".join(mixed.listing_command(UNIT, TC).argv)
    compiled = " ".join(build.compile_command(unit, TC).argv)
    assert expected in compiled
    assert "-DNDEBUG" not in compiled  # CMake passes it among the options of the host
    assert "-Xcompiler -D__CUDA_ARCH_LIST__=750\\,900\\,1000" in compiled


def test_option_that_changes_only_host_types_is_an_error() -> None:
    unit = replace(UNIT, options=("-fshort-enums",))

    with pytest.raises(ConfigurationError, match="-fshort-enums: host code would have other types"):
        mixed.listing_command(unit, TC)


RUNTIME = '-include "cuda_runtime.h"'
NAME = "--orig_src_path_name"
LISTING = f"""#$ _HERE_=/cuda/bin
#$ PATH=/cuda/bin
#$ g++ -E -x c++ -D__CUDACC__ "-I/cuda/bin/../include" -I/own {RUNTIME} "/src/a.cu" -o "/out/a.ii"
#$ cudafe++ --static-host-stub {NAME} "/src/a.cu" --gen_c_file_name "x.cpp" "/out/a.ii"
#$ g++ -D__CUDA_ARCH__=800 -E -x c++ {RUNTIME} "/src/a.cu" -o "/out/a.cpp1.ii"
#$ "/cuda/nvvm/bin/cicc" "/out/a.cpp1.ii" -o "/out/a.ptx"
"""


def test_host_pass() -> None:
    front_end = mixed.describe_host_pass(UNIT, TC, LISTING)
    preprocess, convert = (command.argv for command in front_end.commands)

    assert preprocess == (
        *("g++", "-E", "-x", "c++", "-D__CUDACC__", "-isystem/cuda/bin/../include", "-I/own"),
        *("-include", "cuda_runtime.h", "-include", "kbuild/chevron.hpp"),
        *("-MMD", "-MF", "/out/a.host.d", "-MQ", "/out/a.host"),
        *("/src/a.cu", "-o", "/out/a.host.ii"),
    )
    assert convert == (
        *("cudafe++", "--orig_src_path_name", "sub/a.cu"),
        *("--gen_c_file_name", str(front_end.text), "/out/a.host.ii"),
    )
    assert front_end.temporary == (front_end.text.parent,)


def test_listing_without_the_front_end_is_an_error() -> None:
    with pytest.raises(ToolError, match="lists no 'cudafe\\+\\+' step"):
        mixed.describe_host_pass(UNIT, TC, "")


def test_device_pass_reads_host_code() -> None:
    unit = CompileUnit(
        source=Path("/src/a.cu"),
        display_source="a.cu",
        arch="80",
        output=Path("/out/a.80"),
        stamp=Path("/out/a.80.json"),
        depfile=Path("/out/a.80.d"),
        is_mixed=True,
    )
    assert mixed.describe_device_pass is None
    options = build.language_options(unit, TC)
    assert "-DKBUILD_MIXED=1" in options
    assert "-DKBUILD_DEVICE_CODE=1" not in options


STUB = """
typedef __nv_dl_wrapper_t<__nv_dl_tag<int (*)(),(&     ::main), 1> > _ZZ4mainEUliE_;
typedef ns::A _ZN2ns1AE;
static void __device_stub__Z2stPi(int *);
extern __attribute__((visibility("hidden"))) void __device_stub__Z2ccPi(int *);
extern __inline__ void __device_stub__ZN2ns2exEPNS_1AE( _ZN2ns1AE *);
static void __device_stub__Z1kIfEvPT_(float *);
static void __nv_cudaEntityRegisterCallback(void **);
static void __nv_cudaEntityRegisterCallback( void **__T4) {  __nv_dummy_param_ref(__T4);
__cudaRegisterEntry(__T4, ((void ( *)(int *))st), _Z2stPi, (-1));
__cudaRegisterEntry(__T4, ((void ( *)(int *))cc), cc, 256);
__cudaRegisterEntry(__T4, ((void ( *)( _ZN2ns1AE *))ns::ex), _ZN2ns2exEPNS_1AE, (-1));
__cudaRegisterEntry(__T4, ((void ( *)(float *))k<float, (int)3> ), _Z1kIfLi3EEvPT_, (-1));
__cudaRegisterEntry(__T4, ((void ( *)( _ZZ4mainEUliE_))
fk< ::__nv_dl_wrapper_t<__nv_dl_tag<int (*)(),(&     ::main), 1> >> ),
_Z2fkIZ4mainEUliE_EvT_, (-1));
__cudaRegisterEntry(__T4, ((void ( *)(int *))_NV_ANON_NAMESPACE::an),
_ZN12_GLOBAL__N__1_2anEPi, (-1));
VARIABLES }
"""


def read_entries(
    tmp_path: Path, variables: str = "", text: str = "", *, is_relocatable: bool = False
) -> Entries:
    preprocessed = tmp_path / "a.cpp1.ii"
    preprocessed.write_text(text)
    return read_stub(
        STUB.replace("VARIABLES", variables), preprocessed, is_relocatable=is_relocatable
    )


def test_entries_of_kernels(tmp_path: Path) -> None:
    entries = read_entries(tmp_path)

    assert {kernel.device_name: kernel.linkage for kernel in entries.kernels} == {
        "_Z2stPi": "internal",
        "cc": "external",
        "_ZN2ns2exEPNS_1AE": "external",
        "_Z1kIfLi3EEvPT_": "weak",
        "_Z2fkIZ4mainEUliE_EvT_": "internal",
        "_ZN12_GLOBAL__N__1_2anEPi": "internal",
    }
    assert (
        KernelEntry(
            device_name="_Z1kIfLi3EEvPT_",
            expression="((void ( *)(float *))k<float, (int)3> )",
            linkage="weak",
        )
        in entries.kernels
    )
    assert "typedef ns::A _ZN2ns1AE;" in entries.declarations


@pytest.mark.parametrize(
    ("declaration", "linkage"),
    [
        ("__attribute__((device)) float w[16];", "external"),
        ("extern __attribute__((device)) const float w[16];", "external"),
        ("__attribute__((device)) const float *w;", "external"),
        ("__attribute__((device)) float *const w = 0;", "internal"),
        ("__attribute__((constant)) const float w[16] = {1};", "internal"),
        ("static __attribute__((device)) float w[16];", "internal"),
        ("__attribute__((device)) int f(int w); __attribute__((device)) float w[16];", "external"),
        ("__attribute__((device)) int v = 3, w = 4;", "external"),
        ("namespace o { int w; } __attribute__((device)) int a = w;", "internal"),
    ],
)
def test_linkage_of_a_variable(tmp_path: Path, declaration: str, linkage: str) -> None:
    registration = "__cudaRegisterVariable(__T4, __shadow_var(w,::w), 0, 64UL, 0, 0);"
    (found,) = read_entries(tmp_path, registration, f'# 1 "a.cu"\n{declaration}').variables

    assert (found.device_name, found.expression, found.kind, found.size) == (
        "w",
        "::w",
        "device",
        64,
    )
    assert found.linkage == linkage


@pytest.mark.parametrize(
    ("shadow", "linkage"),
    [
        ("_ZN2ns1wE,::ns::w", "external"),
        ("_ZN28_INTERNAL_1_4_a_cu_w2ns1wE,::ns::w", "internal"),
        ("_Z2tvIfE,(::tv<float> )", "internal"),
        ("__nv_static_19__1_4_a_cu_w_w,::w", "internal"),
    ],
)
def test_names_that_tell_the_linkage(tmp_path: Path, shadow: str, linkage: str) -> None:
    registration = f"__cudaRegisterVariable(__T4, __shadow_var({shadow}), 0, 4UL, 1, 0);"
    (found,) = read_entries(tmp_path, registration).variables

    assert (found.kind, found.linkage) == ("constant", linkage)


def test_relocatable_variables(tmp_path: Path) -> None:
    registrations = (
        "__cudaRegisterVariable(__T4, __shadow_var(w,::w), 0, 4UL, 0, 0);"
        "__cudaRegisterManagedVariable(__T4, __shadow_var(mm,::mm), 0, 4UL, 0, 0);"
    )
    managed, plain = read_entries(tmp_path, registrations, is_relocatable=True).variables

    assert (managed.kind, managed.linkage) == ("managed", "external")
    assert plain.linkage == "internal"  # the host text defines and exports it


def test_source_without_kernels(tmp_path: Path) -> None:
    assert read_stub("", tmp_path / "a.ii", is_relocatable=False) == Entries()


def test_missing_stub_file_is_an_error(tmp_path: Path) -> None:
    unit = CompileUnit(
        source=Path("/src/a.cu"),
        display_source="a.cu",
        arch="80",
        output=tmp_path / "a.80",
        stamp=tmp_path / "a.80.json",
        depfile=tmp_path / "a.80.d",
        is_mixed=True,
    )
    with pytest.raises(ToolError, match=r"did not keep 'a\.cudafe1\.stub\.c' for a\.cu"):
        mixed.read_entries(unit, TC)


def test_ptx_of_a_mixed_source_comes_with_a_stub_file() -> None:
    unit = CompileUnit(
        source=Path("/src/a.cu"),
        display_source="a.cu",
        arch="80-virtual",
        output=Path("/out/a.80"),
        stamp=Path("/out/a.80.json"),
        depfile=Path("/out/a.80.d"),
        is_mixed=True,
    )
    command = build.compile_command(unit, TC)
    completion = build.complete(unit, b"", "", TC)

    assert "-ptx" not in command.argv
    assert command.outputs == (Path("/out/a.80.keep/image.fatbin"),)
    assert completion.moves == ((Path("/out/a.80.keep/a.ptx"), Path("/out/a.80.ptx")),)
