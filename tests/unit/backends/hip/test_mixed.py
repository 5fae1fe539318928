"""Tests for the passes of mixed HIP sources; they run no compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.hip import mixed
from kbuild.backends.hip.mixed.assembly import adapt_assembly
from kbuild.backends.hip.mixed.host_text import read_text
from kbuild.backends.hip.mixed.names import name_label
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

TOOLCHAIN = Toolchain(backend="hip", compiler=Path("/clang++"), compiler_id="clang", version="19")
KERNEL = """\
\t.section\t.kbuild_unused,"ax",@progbits
\t.p2align\t4, 0x90                         # -- Begin function _Z1kIZ4mainEUlvE_EvT_
_Z1kIZ4mainEUlvE_EvT_:                    # @_Z1kIZ4mainEUlvE_EvT_
\t#APP
\t#NO_APP
                                        # -- End function
"""
MAIN = """\
\t.text
\t.globl\tmain                            # -- Begin function main
main:                                   # @main
\tretq
                                        # -- End function
"""


def make_unit(source: str = "a.hip", *options: str) -> HostUnit:
    return HostUnit(
        source=Path("/s") / source,
        display_source=source,
        output=Path("/b") / source,
        stamp=Path(f"/b/{source}.host"),
        depfile=Path(f"/b/{source}.host.d"),
        compiler=Path("/usr/bin/c++"),
        compiler_id="GNU",
        options=options,
    )


def write_host_text(text: str, *, is_relocatable: bool = False) -> str:
    """Return the rewritten text on one line, without the definitions of the qualifiers."""
    code = Unit(text)
    rewritten = rewrite(code, read_text(code, is_relocatable=is_relocatable), "m").text
    lines = (
        rewritten.rpartition('# 1 "<kbuild>" 3\n')[2]
        if "__kbuild_global__" not in text
        else rewritten
    )
    return " ".join(lines.split())


def test_text_is_preprocessed_and_compiled_as_hip_for_the_host() -> None:
    unit = make_unit("a.hip", "-O1")

    (preprocess,) = mixed.describe_host_pass(unit, TOOLCHAIN, "").commands
    (compile_text,) = mixed.compile_host_text(unit, TOOLCHAIN).commands

    for command in (preprocess, compile_text):
        assert {"-x", "hip", "--cuda-host-only", "-O1"} <= set(command.argv)
    assert "--include=hip/hip_runtime.h" in preprocess.argv
    assert compile_text.inputs == (Path("/b/a.hip.host.hip"),)
    # An option of the project comes after the default.
    assert compile_text.argv.index("-fPIC") < compile_text.argv.index("-O1")


def test_sources_in_cuda_spelling_include_cudas_names() -> None:
    (command,) = mixed.describe_host_pass(make_unit("a.cu"), TOOLCHAIN, "").commands

    assert "--include=cuda_runtime.h" in command.argv
    assert "--include=hip/hip_runtime.h" not in command.argv


def test_kernels_are_functions_without_attributes_of_kernels() -> None:
    text = write_host_text(
        "__kbuild_global__ static __attribute__((amdgpu_flat_work_group_size(1, (32)))) "
        "void k(int* p) { *p = 1; }\n"
    )

    assert "amdgpu" not in text
    assert "__kbuild_kernel__" in text
    assert "*p = 1" not in text


def test_device_functions_stay_as_they_are() -> None:
    function = "__kbuild_device__ int f(int x) { return __builtin_amdgcn_workitem_id_x() + x; }"

    assert function in write_host_text(f"{function}\n")


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        (
            "__kbuild_device__ int x;",
            'static __kbuild_shadow__ int x __asm__("kbuild_variable.x");',
        ),
        (
            "namespace ns { __kbuild_constant__ float t[2] = {1, 2}; }",
            (
                "namespace ns { static __kbuild_shadow__ float t[2] "
                '__asm__("kbuild_variable.ns.t")= {1, 2}; }'
            ),
        ),
        (
            "__kbuild_device__ int (*t[1])() = {f};",
            'static __kbuild_shadow__ int (*t[1])() __asm__("kbuild_variable.t")= {f};',
        ),
        ("static __kbuild_device__ int x = 3;", "static __kbuild_shadow__ int x = 3;"),
        ("extern __kbuild_device__ int x;", "extern int x;"),
        (
            "__kbuild_managed__ int x = 3;",
            'extern int &x __asm__("kbuild_variable.x") __attribute__((visibility("hidden")));',
        ),
    ],
)
def test_variables_are_shadows(declaration: str, expected: str) -> None:
    text = write_host_text(f"{declaration}\n")

    assert text.replace(" ", "").endswith(expected.replace(" ", ""))


def test_shadows_for_a_device_link_have_the_linkage_of_the_variables() -> None:
    text = write_host_text("__kbuild_device__ int x;\n", is_relocatable=True)

    assert text.endswith("__kbuild_shadow__ int x;")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '# 7 "a.hip"\ntexture<float, 2> tex;\n',
            (
                "a.hip:7: the texture reference 'tex' cannot be registered; use a texture object "
                "(hipTextureObject_t)"
            ),
        ),
        (
            '# 4 "a.hip"\nstruct S { static __kbuild_device__ int x; };\n',
            (
                "a.hip:4: the device variable is a member of a class, which kbuild cannot "
                "register; make it a variable of a namespace"
            ),
        ),
    ],
)
def test_variables_that_cannot_be_registered_are_rejected(text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_text(Unit(text))

    assert str(caught.value) == message


def test_kernels_that_clang_emits_are_removed_from_the_assembly() -> None:
    assert adapt_assembly(MAIN + KERNEL + KERNEL[KERNEL.index("\n") + 1 :] + MAIN, "a.hip") == (
        MAIN + KERNEL[: KERNEL.index("\n") + 1] + MAIN + "\t.text\n"
    )


def test_id_of_the_source_is_local() -> None:
    assembly = "\t.globl\t__hip_cuid_\n__hip_cuid_:\n\t.byte\t0\n"

    assert adapt_assembly(assembly, "a.hip") == "__hip_cuid_:\n\t.byte\t0\n\t.text\n"


def test_registration_by_clang_is_rejected() -> None:
    with pytest.raises(SourceError, match="cannot register a texture reference"):
        adapt_assembly("\tcallq\t__hipRegisterTexture\n\t.quad\t__hip_fatbin\n", "a.hip")


def test_labels_do_not_contain_unnamed_namespaces() -> None:
    assert name_label(("ns", ""), "x") == name_label(("ns", "(anonymous namespace)"), "x")
    assert name_label(("ns",), "x") == "kbuild_variable.ns.x"
