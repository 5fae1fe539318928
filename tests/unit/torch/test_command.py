"""The command of setuptools, with stand-ins for torch and setuptools."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import kbuild.torch
from kbuild.errors import ToolchainError
from kbuild.project.directory import BuildDirectory
from kbuild.torch.generate import TorchProject


class CompileError(Exception):
    pass


class TorchCommand:
    """What kbuild.torch uses of torch's command, and of the command of setuptools below it."""

    editable_mode = False
    debug = False
    plat_name = "linux-x86_64"
    build_temp = "build/temp"
    extensions: tuple[Any, ...] = ()
    compiler = SimpleNamespace(
        compiler_so=["gcc", "-DNDEBUG"],
        linker_so=["gcc", "-shared", "-pthread"],
        macros=[],
        include_dirs=["/python"],
    )

    def __init__(self, *_: object, **options: object) -> None:
        self.copied: list[tuple[str, str]] = []
        vars(self).update(options)

    def check_extensions_list(self, extensions: object) -> None:
        assert extensions is self.extensions

    def _check_abi(self) -> tuple[str, str]:
        return "c++", "12.2"

    def _add_compile_flag(self, extension: Any, flag: str) -> None:
        for words in extension.extra_compile_args.values():
            words.append(flag)

    def _define_torch_extension_name(self, extension: Any) -> None:
        self._add_compile_flag(extension, f"-DTORCH_EXTENSION_NAME={extension.name}")

    def swig_sources(self, sources: list[str], _: object) -> list[str]:
        return sources

    def get_ext_fullpath(self, name: str) -> str:
        return f"/lib/{name}.so"

    def mkpath(self, path: str) -> None:
        assert path == "/lib"

    def copy_file(self, source: str, destination: str) -> None:
        self.copied.append((source, destination))


def list_flags(words: list[str]) -> list[str]:
    if "none" in words:
        raise IndexError
    return ["-gencode=arch=compute_90,code=sm_90"]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, with a torch that has a toolkit in /cuda."""
    torch, setuptools = ModuleType("torch.utils.cpp_extension"), ModuleType("setuptools.errors")
    vars(torch).update(
        BuildExtension=TorchCommand,
        CUDAExtension=object(),
        IS_HIP_EXTENSION=False,
        CUDA_HOME="/cuda",
        COMMON_NVCC_FLAGS=["-D__CUDA_NO_HALF_OPERATORS__"],
        _get_cuda_arch_flags=list_flags,
        _check_cuda_version=lambda compiler, version: None,  # noqa: ARG005
        min_supported_cpython="0x030A0000",
    )
    vars(setuptools).update(CompileError=CompileError)
    parents = {"torch": ModuleType("torch"), "torch.utils": ModuleType("torch.utils")}
    vars(parents["torch.utils"]).update(cpp_extension=torch)
    for module in (*parents.values(), torch, setuptools, ModuleType("setuptools")):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "kbuild.torch.command", raising=False)
    monkeypatch.delattr(kbuild.torch, "command", raising=False)
    return importlib.import_module("kbuild.torch.command")


def make_extension(name: str, *sources: str, **values: Any) -> Any:
    names = (
        *("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries"),
        *("runtime_library_dirs", "extra_objects", "extra_link_args"),
    )
    defaults = {key: [] for key in names} | {"extra_compile_args": {}, "py_limited_api": False}
    return SimpleNamespace(name=name, sources=list(sources), **(defaults | values))


def run(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, *extensions: Any, **options: Any
) -> tuple[Any, TorchProject, BuildDirectory]:
    """Run the command without a build, and return it with what it would build."""
    calls: list[tuple[TorchProject, BuildDirectory]] = []

    def build(project: TorchProject, directory: BuildDirectory) -> tuple[Path, ...]:
        calls.append((project, directory))
        return tuple(Path("/built", target.file_name) for target in project.targets)

    monkeypatch.setattr(module, "build_project", build)
    build_ext = module.BuildExtension(extensions=extensions, **options)
    build_ext.build_extensions()
    ((project, directory),) = calls
    return build_ext, project, directory


def test_names_of_torch_are_available(command: ModuleType) -> None:
    assert kbuild.torch.BuildExtension is command.BuildExtension
    torch = sys.modules["torch.utils.cpp_extension"]
    assert kbuild.torch.CUDAExtension is torch.CUDAExtension
    with pytest.raises(AttributeError):
        _ = kbuild.torch.__wrapped__


def test_torch_and_setuptools_add_their_options(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = make_extension("c", "a.cpp", "b.cu", py_limited_api=True)

    _, project, _ = run(command, monkeypatch, extension)

    (target,) = project.targets
    common = (
        *("-DTORCH_API_INCLUDE_EXTENSION_H", "-DPy_LIMITED_API=0x030A0000"),
        "-DTORCH_EXTENSION_NAME=c",
    )
    assert target.host.table.host_options == ("-DNDEBUG", *common, "-std=c++17")
    assert target.kernels
    table = target.kernels.table
    assert table.compile_options == (
        *("-D__CUDA_NO_HALF_OPERATORS__", "-Xcompiler", "-fPIC", *common),
    )
    assert table.architectures == ("90-real",)
    assert target.host.table.include_directories == ("/python",)
    assert target.link_words == ("-pthread",)
    assert project.nvcc == Path("/cuda/bin/nvcc")


def test_all_extensions_are_built_together_and_copied(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    extensions = (make_extension("a", "a.cpp"), make_extension("b", "b.cpp"))

    build_ext, project, directory = run(command, monkeypatch, *extensions, verify=False)

    assert build_ext.copied == [("/built/a.so", "/lib/a.so"), ("/built/b.so", "/lib/b.so")]
    assert project.nvcc is None
    assert not project.verify
    assert directory.root == Path.cwd() / "build/temp/kbuild"


def test_editable_installations_keep_their_build(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = make_extension("a", "a.cpp")

    _, _, directory = run(command, monkeypatch, extension, editable_mode=True, build_temp="random")

    assert directory.root == Path.cwd() / "build/temp.linux-x86_64-editable/kbuild"


def test_other_nvcc(command: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_NVCC", "/other/nvcc")

    _, project, _ = run(command, monkeypatch, make_extension("a", "a.cu"))

    assert project.nvcc == Path("/other/nvcc")


def test_missing_gpu_is_an_error_with_a_fix(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = make_extension("a", "a.cu", extra_compile_args={"nvcc": ["none"]})

    with pytest.raises(
        CompileError, match="no GPU that selects the architecture; set TORCH_CUDA_ARCH_LIST"
    ):
        run(command, monkeypatch, extension)


def test_errors_name_the_extension_and_its_argument(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = make_extension("a", "a.cpp", define_macros=[("A", "1;2")])

    with pytest.raises(CompileError, match="kbuild: extension 'a': define_macros: 'A=1;2': CMake"):
        run(command, monkeypatch, extension)


def test_missing_toolkit_is_an_error_with_a_fix(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command.cpp_extension, "CUDA_HOME", None)

    with pytest.raises(CompileError, match="torch finds no CUDA toolkit; set CUDA_HOME"):
        run(command, monkeypatch, make_extension("a", "a.cu"))


def test_rocm_is_an_error(command: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command.cpp_extension, "IS_HIP_EXTENSION", True)

    with pytest.raises(CompileError, match=r"built for ROCm, .*use torch\.utils\.cpp_extension"):
        run(command, monkeypatch, make_extension("a", "a.cu"))


def test_errors_of_kbuild_end_setuptools(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ToolchainError("ninja not found")

    monkeypatch.setattr(command, "build_project", fail)
    build_ext = command.BuildExtension(extensions=(make_extension("a", "a.cpp"),))

    with pytest.raises(CompileError, match="kbuild: ninja not found"):
        build_ext.build_extensions()
