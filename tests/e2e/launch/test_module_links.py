"""Link relocatable modules in a running program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from kbuild.errors import ConfigurationError, InputError, KbuildError, ToolError
from support.tools.toolchains import needs_programs

_KERNEL = """
__device__ int twice(int x);
extern __device__ int offset;
__global__ void k(int *p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = twice(p[i]) + offset;
}
"""
_FUNCTION = """
__device__ int offset = 5;
__device__ int twice(int x) { return 2 * x; }
"""


def compile_parts(backend: str, arch: str | None = None) -> tuple[kbuild.KernelCompiler, Any, Any]:
    """Return a compiler, and modules that need each other."""
    compiler = kbuild.KernelCompiler(backend, arch, relocatable=True)
    return (
        compiler,
        compiler.compile(_KERNEL, name="kernel.cu"),
        compiler.compile(_FUNCTION, name="function.cu"),
    )


def test_linked_kernels_run(tmp_path: Path) -> None:
    compiler, kernel, function = compile_parts("cpu")

    (file,) = [path for path in function.save(tmp_path) if path.suffix == ".o"]
    module = compiler.link([kernel, file])
    assert list(module) == ["k(int*, int)"]
    values = np.arange(6, dtype=np.int32)
    module["k"][2, 4](values, 6)
    assert values.tolist() == [5, 7, 9, 11, 13, 15]

    with pytest.raises(
        ToolError, match=r"(?s)kernel\.cu.*undefined reference to `twice.*add an input"
    ):
        compiler.link([kernel])
    with pytest.raises(ConfigurationError, match="nothing to link; pass"):
        compiler.link([])
    with pytest.raises(ConfigurationError, match=r"linked\.so is finished device code; compile it"):
        compiler.link([module, function])
    text = tmp_path / "notes.txt"
    text.write_text("text")
    with pytest.raises(InputError, match=r"notes\.txt: not device code of backend cpu; expected"):
        compiler.link([kernel, text])


@pytest.mark.slow
@needs_programs("nvcc")
def test_nvjitlink_links_modules() -> None:
    pytest.importorskip("cuda.core", reason="no cuda-core here")
    compiler, kernel, function = compile_parts("cuda", "90")
    try:
        module = compiler.link([kernel, function])
    except KbuildError as error:
        if "nvjitlink is not available" in str(error):
            pytest.skip(f"nvJitLink is missing: {error}")
        raise
    assert list(module) == ["k(int*, int)"]
    assert [image.arch for image in module.images] == ["sm_90"]

    with pytest.raises(ToolError, match="Undefined reference to"):
        compiler.link([kernel])
    with pytest.raises(ToolError, match=r"function\.cu and function\.cu both define"):
        compiler.link([kernel, function, function])
    other = kbuild.KernelCompiler("cuda", "80", relocatable=True).compile(_FUNCTION)
    with pytest.raises(InputError, match="no code for sm_90, but for sm_80, compute_80; compile"):
        compiler.link([kernel, other])


@pytest.mark.slow
@needs_programs("nvcc")
def test_nvjitlink_generates_code_for_all_parts_together() -> None:
    """With ``-dlto``, a call between modules is inlined, with the settings of the compiler."""
    pytest.importorskip("cuda.bindings.nvjitlink", reason="no nvJitLink here")
    kernel = "__device__ float f(float); __global__ void k(float *p) { *p = f(*p); }"
    function = "__device__ float f(float x) { return x / (x + 3); }"

    def link(*options: str, late: tuple[str, ...] = ("-dlto",)) -> str:
        compiler = kbuild.KernelCompiler(
            "cuda", "90", options=("-dlto", *options), relocatable=True
        )
        other = kbuild.KernelCompiler("cuda", "90", options=(*late, *options), relocatable=True)
        parts = compiler.compile(kernel, name="kernel.cu"), other.compile(function, name="f.cu")
        return compiler.link(parts)["k"].disassemble()

    assert "CALL.ABS" not in link("-use_fast_math")
    assert "CALL" in link("-prec-div=true")  # the slow path of a division
    assert "`(_Z1ff)" in link("-use_fast_math", late=())
    precise = kbuild.KernelCompiler("cuda", "90", options=("-dlto",), relocatable=True)
    fast = kbuild.KernelCompiler(
        "cuda", "90", options=("-dlto", "-use_fast_math"), relocatable=True
    )
    with pytest.raises(ConfigurationError, match=r"f\.cu was compiled with other options \(fma, "):
        precise.link([precise.compile(kernel), fast.compile(function, name="f.cu")])
    with pytest.raises(ToolError, match="Unresolved extern function '_Z1ff'"):
        precise.link([precise.compile(kernel)])
