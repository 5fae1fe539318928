"""Describe the extensions of a ``setup.py`` as targets of a CMake project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from kbuild.errors import ConfigurationError, about
from kbuild.project.manifest.tables import DEFAULT_STANDARD, ManifestTarget, TargetTable
from kbuild.stages.settings import check_standard, check_words
from kbuild.torch.nvcc_options import read_nvcc_options

_KERNEL_SUFFIX: Final = ".cu"
_HOST_SUFFIXES: Final = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
_BACKEND: Final = "cuda"
# torch.utils.cpp_extension passes these to the device link of every extension with dlink=True.
_DLINK_DEFAULTS: Final = ("-dlink", "-dlto")


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchSettings:
    """The settings that torch and setuptools apply to all extensions.

    Attributes:
        nvcc_options: The options of torch for every kernel source.
        architectures: The options of nvcc that ``TORCH_CUDA_ARCH_LIST`` selects, or none if the
            extension names architectures itself.
        compiler_options: The options of the C++ compiler, which setuptools knows.
        linker_options: The options of the linker, which setuptools knows.
        definitions: The definitions of setuptools, as `distutils` spells them.
        include_directories: The include directories of setuptools.
    """

    nvcc_options: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    compiler_options: tuple[str, ...] = ()
    linker_options: tuple[str, ...] = ()
    definitions: tuple[tuple[str | None, ...], ...] = ()
    include_directories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchTarget:
    """An extension as CMake targets. All paths are absolute.

    ``host`` is the target with the C and C++ sources. ``kernels`` is the target with the kernel
    sources, or None if there are none. ``link_words`` follow the objects on the linker's command
    line.
    """

    name: str
    file_name: str
    host: ManifestTarget
    kernels: ManifestTarget | None
    link_objects: tuple[str, ...]
    link_words: tuple[str, ...]


def describe_extension(
    extension: Any, sources: Sequence[str], file_name: str, settings: TorchSettings
) -> TorchTarget:
    """Describe an extension, after torch has added its own options.

    Args:
        extension: The extension, which has the attributes of ``setuptools.Extension``.
        sources: Its sources.
        file_name: The name of the shared object.
        settings: The settings of torch and setuptools.

    Raises:
        ConfigurationError: kbuild cannot build the extension, which is the target of the error.
    """
    with about(target=extension.name):
        target = _describe(extension, sources, file_name, settings)
        _check_options(target)
    return target


def _describe(
    extension: Any, sources: Sequence[str], file_name: str, settings: TorchSettings
) -> TorchTarget:
    name = re.sub(r"[^\w.+-]", "_", extension.name, flags=re.ASCII)
    cxx, nvcc, dlink = _split_arguments(extension.extra_compile_args)
    _check_device_link(dlink)
    paths = tuple(Path(source).absolute() for source in sources)
    kernels = tuple(path for path in paths if path.suffix == _KERNEL_SUFFIX)
    macros = (*extension.define_macros, *settings.definitions)
    undefined = tuple(f"-U{macro}" for macro in (*extension.undef_macros, *_list_undefined(macros)))
    nvcc_words = (*undefined, *settings.nvcc_options, *nvcc, *settings.architectures)
    includes = (*extension.include_dirs, *settings.include_directories)
    table = TargetTable(
        sources=(),
        kind="object",
        backend=_BACKEND,
        include_directories=tuple(str(Path(directory).absolute()) for directory in includes),
        definitions=tuple(_list_definitions(macros)),
        host_options=(*settings.compiler_options, *undefined, *_add_standard(cxx)),
        verify=False,  # the extension is verified, after its link
    )
    host = _make_target(f"{name}.host", table, tuple(_select_host_sources(paths)))
    nvcc_table = read_nvcc_options(table, nvcc_words if kernels else ())
    return TorchTarget(
        name=name,
        file_name=file_name,
        host=host,
        kernels=_make_target(f"{name}.kernels", nvcc_table, kernels) if kernels else None,
        link_objects=tuple(str(Path(path).absolute()) for path in extension.extra_objects),
        link_words=(
            *settings.linker_options,
            # kbuild links the runtime itself, by its path. NVIDIA's wheels have no libcudart.so.
            *(word for word in _list_link_words(extension) if not kernels or word != "-lcudart"),
        ),
    )


def _make_target(name: str, table: TargetTable, sources: tuple[Path, ...]) -> ManifestTarget:
    named = replace(table, sources=tuple(map(str, sources)))
    return ManifestTarget(name=name, table=named, sources=sources, has_host_code=True)


def _split_arguments(
    arguments: Any,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the options of the C++ compiler, of nvcc, and of nvcc's device link."""
    if not isinstance(arguments, dict):
        words = tuple(map(str, arguments or ()))
        return words, words, ()
    for key, value in arguments.items():
        if key not in ("cxx", "nvcc", "nvcc_dlink", "sycl"):
            raise ConfigurationError(
                f"unknown compiler '{key}'; expected cxx or nvcc", setting="compile_options"
            )
        if isinstance(value, str):
            raise ConfigurationError(
                f"the value of '{key}' is the text '{value}'; expected a list",
                setting="compile_options",
            )
    cxx, nvcc, dlink = (
        tuple(map(str, arguments.get(key, ()))) for key in ("cxx", "nvcc", "nvcc_dlink")
    )
    return cxx, nvcc, dlink


def _check_device_link(words: Iterable[str]) -> None:
    for word in words:
        if word not in _DLINK_DEFAULTS and not word.startswith("-L"):
            raise ConfigurationError(
                f"option '{word}' of the device link: kbuild links only the device code of the "
                "extension; build it with torch.utils.cpp_extension"
            )


def _select_host_sources(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.suffix in _HOST_SUFFIXES:
            yield path
        elif path.suffix != _KERNEL_SUFFIX:
            raise ConfigurationError(
                f"'{path}' is not a source; expected a .cu, .c, .cc, .cpp, or .cxx file",
                setting="sources",
            )


def _add_standard(options: tuple[str, ...]) -> tuple[str, ...]:
    has_standard = any(option.startswith("-std=") for option in options)
    return options if has_standard else (*options, f"-std=c++{DEFAULT_STANDARD}")


def _list_definitions(macros: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield the definitions among macros in the form of `distutils`."""
    for macro in macros:
        if len(macro) > 1:
            name, value = macro
            yield name if value is None else f"{name}={value}"


def _list_undefined(macros: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield the names that `distutils` writes as a tuple of one item."""
    return (macro[0] for macro in macros if len(macro) == 1)


def _list_link_words(extension: Any) -> Iterator[str]:
    """Yield the linker's words in the order of setuptools."""
    yield from (f"-L{directory}" for directory in extension.library_dirs)
    for directory in extension.runtime_library_dirs:
        yield f"-Wl,--enable-new-dtags,-rpath,{directory}"
    yield from (f"-l{library}" for library in extension.libraries)
    yield from map(str, extension.extra_link_args)


def _check_options(target: TorchTarget) -> None:
    with about(setting="link_libraries"):
        check_words(target.link_words)
    for part in filter(None, (target.host, target.kernels)):
        for setting in ("definitions", "compile_options", "host_options"):
            with about(setting=setting):
                check_words(getattr(part.table, setting))
        with about(setting="device_standard"):
            check_standard(part.table.device_standard)
