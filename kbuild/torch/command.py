"""The ``build_ext`` command of setuptools that builds PyTorch extensions with kbuild."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from setuptools.errors import CompileError
from torch.utils import cpp_extension

from kbuild.errors import ConfigurationError, KbuildError
from kbuild.process import select_environment
from kbuild.project.directory import BuildDirectory
from kbuild.stages.paths import normalize
from kbuild.torch.build import build_project
from kbuild.torch.extension import TorchSettings, TorchTarget, describe_extension
from kbuild.torch.generate import TorchProject

# torch's variable for another nvcc than that of its toolkit.
_NVCC: Final = "PYTORCH_NVCC"
_DIRECTORY: Final = "kbuild"
# Where ``setup.py`` and its environment set the keys of a target.
_ARGUMENTS: Final = {
    "architectures": "TORCH_CUDA_ARCH_LIST",
    "compile_options": "extra_compile_args",
    "definitions": "define_macros",
    "device_standard": "extra_compile_args",
    "host_compiler": "extra_compile_args",
    "host_options": "extra_compile_args",
    "include_directories": "include_dirs",
    "link_libraries": "extra_link_args",
    "sources": "sources",
}


class BuildExtension(cpp_extension.BuildExtension):  # type: ignore[misc] # torch has no types here
    """A replacement for ``torch.utils.cpp_extension.BuildExtension``.

    All extensions of a ``setup.py`` are built in one run of ninja, and every kernel source is
    compiled for each architecture in its own edge. The options that torch, setuptools, and
    ``setup.py`` set are the same. ``use_ninja`` has no effect.

    ``with_options`` accepts one more option. With ``verify=False``, the build does not verify the
    extensions.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.verify_extensions = options.get("verify", True)

    def build_extensions(self) -> None:
        """Build all extensions, and copy them to where setuptools expects them."""
        try:
            self._build()
        except KbuildError as error:
            raise CompileError(f"kbuild: {_name_setting(error)}{error}") from error

    def _build(self) -> None:
        if cpp_extension.IS_HIP_EXTENSION:
            raise ConfigurationError(
                "this torch is built for ROCm, whose extensions kbuild does not build; use "
                "torch.utils.cpp_extension"
            )
        self.check_extensions_list(self.extensions)
        has_kernels = any(str(s).endswith(".cu") for e in self.extensions for s in e.sources)
        compiler, version = self._check_abi()
        if has_kernels:
            cpp_extension._check_cuda_version(compiler, version)  # noqa: SLF001 - torch has no public name
        targets = tuple(self._describe(extension) for extension in self.extensions)
        project = TorchProject(
            root=normalize(Path.cwd()),
            targets=targets,
            nvcc=_find_nvcc() if has_kernels else None,
            verify=self.verify_extensions,
        )
        artifacts = build_project(project, self._locate_build())
        for extension, artifact in zip(self.extensions, artifacts, strict=True):
            destination = Path(self.get_ext_fullpath(extension.name))
            self.mkpath(str(destination.parent))
            self.copy_file(str(artifact), str(destination))

    def _locate_build(self) -> BuildDirectory:
        # Editable installations get a new temporary directory every time.
        is_editable = getattr(self, "editable_mode", False)
        base = Path("build", f"temp.{self.plat_name}-editable") if is_editable else self.build_temp
        return BuildDirectory(root=normalize(Path(base).absolute() / _DIRECTORY))

    def _describe(self, extension: Any) -> TorchTarget:
        self._add_flags(extension)
        sources = self.swig_sources(list(map(str, extension.sources)), extension)
        file_name = Path(self.get_ext_fullpath(extension.name)).name
        return describe_extension(extension, sources, file_name, self._read_settings(extension))

    def _add_flags(self, extension: Any) -> None:
        """Add the flags that torch adds when it builds an extension."""
        arguments = extension.extra_compile_args
        if isinstance(arguments, dict):
            extension.extra_compile_args = {"cxx": [], "nvcc": [], **arguments}
        self._add_compile_flag(extension, "-DTORCH_API_INCLUDE_EXTENSION_H")
        if extension.py_limited_api and hasattr(cpp_extension, "min_supported_cpython"):
            version = cpp_extension.min_supported_cpython
            self._add_compile_flag(extension, f"-DPy_LIMITED_API={version}")
        self._define_torch_extension_name(extension)
        if hasattr(self, "_add_gnu_cpp_abi_flag"):  # before torch 2.7
            self._add_gnu_cpp_abi_flag(extension)

    def _read_settings(self, extension: Any) -> TorchSettings:
        compiler = self.compiler
        arguments = extension.extra_compile_args
        nvcc = arguments["nvcc"] if isinstance(arguments, dict) else arguments
        has_kernels = any(str(source).endswith(".cu") for source in extension.sources)
        linker = getattr(compiler, "linker_so_cxx", None) or compiler.linker_so
        debug = ("-g",) if self.debug else ()
        return TorchSettings(
            nvcc_options=(
                *debug,
                *cpp_extension.COMMON_NVCC_FLAGS,
                *("--compiler-options", "-fPIC"),
            ),
            architectures=_list_architectures(nvcc) if has_kernels else (),
            compiler_options=(*compiler.compiler_so[1:], *debug),
            linker_options=(*(word for word in linker[1:] if word != "-shared"), *debug),
            definitions=tuple(compiler.macros),
            include_directories=tuple(map(str, compiler.include_dirs)),
        )


def _name_setting(error: KbuildError) -> str:
    """Return where the user wrote the setting that is wrong: an extension, and its argument."""
    extension = f"extension '{error.target}': " if error.target else ""
    argument = _ARGUMENTS.get(error.setting or "")
    return f"{extension}{argument}: " if argument else extension


def _list_architectures(nvcc: list[str]) -> tuple[str, ...]:
    """Return nvcc's options for ``TORCH_CUDA_ARCH_LIST``, or for the devices of this machine."""
    try:
        return tuple(cpp_extension._get_cuda_arch_flags(list(map(str, nvcc))))  # noqa: SLF001
    except IndexError as error:
        raise ConfigurationError(
            "there is no GPU that selects the architecture; set TORCH_CUDA_ARCH_LIST, for example "
            "to '8.0;9.0+PTX'"
        ) from error
    except ValueError as error:
        raise ConfigurationError(str(error), setting="architectures") from error


def _find_nvcc() -> Path:
    chosen = select_environment((_NVCC,)).get(_NVCC)
    if chosen:
        return Path(chosen)
    if cpp_extension.CUDA_HOME is None:
        raise ConfigurationError(
            "torch finds no CUDA toolkit; set CUDA_HOME to the directory of one"
        )
    return Path(cpp_extension.CUDA_HOME) / "bin" / "nvcc"
