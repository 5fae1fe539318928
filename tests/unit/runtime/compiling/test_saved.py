"""Saved modules and files of device code, read without a compiler."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kbuild import CompiledModule
from kbuild.errors import InputError
from kbuild.files import sha256
from kbuild.model import DeviceImage, HighWaterMarks, Kernel, KernelRecord, Param, Resources
from kbuild.runtime.compiling.compiled_module import CompiledFiles
from kbuild.runtime.compiling.model import Compilation, CompileArguments, CompiledImage
from kbuild.runtime.compiling.recompilers import PortableRecompiler
from kbuild.stages.compile import CompiledSource

PTX = b"""\
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z4fillPfi(
    .param .u64 _Z4fillPfi_param_0,
    .param .u32 _Z4fillPfi_param_1
)
.maxntid 128, 1, 1
{
    ret;
}
"""


def make_module() -> CompiledModule:
    params = (Param(index=0, offset=0, size=8, type="float*", name="out"),)
    kernel = Kernel(
        name="_Z4fillPf", display="fill(float*)", params=params, resources=Resources(registers=8)
    )
    image = DeviceImage(
        source="k.cu",
        arch="sm_90",
        kind="elf",
        path=Path("k.cubin"),
        sha256=sha256(b"code"),
        size=4,
        kernels=(kernel,),
    )
    row = KernelRecord(
        handle=kernel.name,
        device_name=kernel.name,
        display=kernel.display,
        linkage="external",
        container=0,
        params=params,
    )
    compilation = Compilation(
        source="k.cu",
        base_name="k",
        backend="cuda",
        arch="90",
        command=("nvcc", "k.cu"),
        compiler="nvcc",
        compiler_version="13.0",
        log="a log\n",
        warnings="",
    )
    assembly = CompiledImage(
        arch="sm_90", kind="ptx", file_name="k.ptx", sha256=sha256(PTX), data=PTX
    )
    return CompiledModule(
        compilation,
        CompiledFiles(
            compiled=CompiledSource(
                source="k.cu", backend="cuda", images=(image,), log="a log\n", warnings=""
            ),
            images=(b"code",),
            text=b"the source",
            arguments=CompileArguments(backend="cuda", arch="90", options=("-O1",), standard="17"),
        ),
        (row,),
        PortableRecompiler(backend="cuda", source="k.cu", arch="sm_90", assembly=assembly),
    )


def test_loaded_module_equals_the_saved_one(tmp_path: Path) -> None:
    module = make_module()
    saved = module.save(tmp_path)
    assert [path.name for path in saved] == ["k.cu", "k.ptx", "k.cubin", "k.kbuild.json"]

    for path in (tmp_path, tmp_path / "k.kbuild.json"):
        loaded = CompiledModule.load(path)
        assert list(loaded) == ["fill(float*)"]
        assert (loaded.text, loaded.arguments) == (b"the source", module.arguments)
        assert (loaded.compilation, loaded.record) == (module.compilation, module.record)
        kernel, former = loaded["fill"], module["fill"]
        assert (kernel.record, kernel.images) == (former.record, former.images)
        assert (kernel.resources, kernel.marks) == (former.resources, former.marks)
        assert (kernel.assembly, loaded.recompiler) == (former.assembly, module.recompiler)
    assert loaded.save(tmp_path / "again")[-1].read_bytes() == saved[-1].read_bytes()


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: (d / "k.cubin").unlink(), r"k\.cubin: this file .* is missing; save it again"),
        (lambda d: (d / "k.cubin").write_bytes(b"CODE"), r"k\.cubin: the content has changed"),
        (lambda d: (d / "k.cu").write_bytes(b""), r"k\.cu: the content has changed"),
        (lambda d: (d / "k.kbuild.json").unlink(), "expected one saved module .* found none"),
        (lambda d: (d / "b.kbuild.json").write_text(""), "found b.kbuild.json, k.kbuild.json"),
        (lambda d: (d / "k.kbuild.json").write_text("{"), r"k\.kbuild\.json: not JSON"),
        (
            lambda d: edit(d / "k.kbuild.json", schema="kbuild.module/9"),
            "not a kbuild.module/1 record .* this version of kbuild",
        ),
        (lambda d: edit(d / "k.kbuild.json", extra=1), "unknown key 'extra'"),
        (lambda d: edit(d / "k.kbuild.json", kernels=3), "kernels: expected a list, found 3"),
        (
            lambda d: edit(d / "k.kbuild.json", source={"file_name": "../k.cu", "sha256": ""}),
            r"invalid file name '\.\./k\.cu'",
        ),
        (
            lambda d: edit(
                d / "k.kbuild.json",
                kernels=[
                    {**json.loads((d / "k.kbuild.json").read_text())["kernels"][0], "container": 7}
                ],
            ),
            "the kernel table does not fit the images",
        ),
    ],
)
def test_damaged_modules_are_errors(
    tmp_path: Path, damage: Callable[[Path], Any], message: str
) -> None:
    make_module().save(tmp_path)
    damage(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        CompiledModule.load(tmp_path)
    assert "\n" not in str(caught.value)


def test_bare_ptx_is_a_module(tmp_path: Path) -> None:
    file = tmp_path / "fill.ptx"
    file.write_bytes(PTX)
    module = CompiledModule.load(file)
    assert list(module) == ["fill(float*, int)"]
    kernel = module["fill"]
    assert [(p.offset, p.size, p.type) for p in kernel.params] == [(0, 8, "float*"), (8, 4, "int")]
    assert (kernel.backend, kernel.images[0].kind) == ("cuda", "ptx")
    assert kernel.images[0].data == kernel.assembly.data == PTX  # type: ignore[union-attr]
    assert kernel.marks == HighWaterMarks(max_threads=128)
    assert module.text is None
    module.save(tmp_path / "saved")
    assert CompiledModule.load(tmp_path / "saved").images == module.images


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no device code; expected a saved module, or the images"),
        (b"int main() {}", "contains no device code"),
        (b"\x7fELF", "f: "),
        (b".version 8.0\n.target sm_80\n.address_size 64\n", "has no kernels"),
    ],
)
def test_other_files_are_errors(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "f"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        CompiledModule.load(file)
    with pytest.raises(InputError, match="No such file"):
        CompiledModule.load(tmp_path / "absent")
