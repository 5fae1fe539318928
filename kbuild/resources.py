"""Where cmake/, templates/, headers and runtimes are: in a checkout, else as installed.

In a checkout the folders of the repository are used as they stand, so that an edit takes
effect at once; a wheel carries the same folders inside the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from kbuild import __version__
from kbuild.errors import ToolchainError
from kbuild.files import sha256

_PACKAGE: Final = Path(__file__).resolve().parent
_CHECKOUT: Final = _PACKAGE.parent
_RUNTIME_DIRECTORY: Final = "lib"


def is_checkout() -> bool:
    """Whether kbuild runs from its source tree."""
    return (_CHECKOUT / "pyproject.toml").is_file() and (_CHECKOUT / "cmake").is_dir()


def _folder(name: str) -> Path:
    return (_CHECKOUT if is_checkout() else _PACKAGE) / name


def cmake_directory() -> Path:
    """The folder with ``kbuild-config.cmake``."""
    return _folder("cmake")


def templates_directory() -> Path:
    """The folder with the Jinja2 templates of everything that is generated."""
    return _folder("templates")


def examples_directory() -> Path:
    """The folder with the example projects."""
    return _folder("examples")


def native_directory() -> Path:
    """The folder with shipped headers (``include``) and device headers (``device``)."""
    return _PACKAGE / "native"


def _list_files() -> Iterator[Path]:
    """Of what decides what a build makes: code, templates, headers."""
    for folder, suffixes in (
        (_PACKAGE, (".py",)),
        (native_directory(), ("",)),
        (templates_directory(), ("",)),
        (cmake_directory(), (".cmake",)),
    ):
        for parent, _, names in os.walk(folder):
            if not parent.endswith("__pycache__"):
                yield from (Path(parent, name) for name in names if name.endswith(suffixes))


def find_installation_time() -> int:
    """When the last of kbuild's own files came there, in ns since the epoch; nobody sets it back.

    Quicker than `identify_installation`, and another one where the same was installed again.
    """
    return max(path.stat().st_ctime_ns for path in _list_files())


@cache
def identify_installation() -> str:
    """The version, and what tells this kbuild from another of it: a digest of its own files."""
    contents = (path.read_bytes() for path in sorted(_list_files()))
    return f"{__version__}+{sha256(b''.join(contents))[:16]}"


@cache
def find_runtime(file_name: str) -> Path:
    """The built device runtime ``file_name``; ToolchainError if this kbuild has none.

    An editable install keeps compiled files beside the installed metadata, away from the
    checkout.
    """
    candidates = [_PACKAGE / _RUNTIME_DIRECTORY / file_name]
    if is_checkout():
        from importlib import metadata  # noqa: PLC0415 - slow to import, rarely needed

        try:
            installed = metadata.distribution("kbuild")
        except metadata.PackageNotFoundError:
            pass
        else:
            located = Path(str(installed.locate_file("kbuild")))
            candidates.append(located / _RUNTIME_DIRECTORY / file_name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise ToolchainError(
        f"this kbuild has no {file_name} (looked at {', '.join(map(str, candidates))}); "
        "install kbuild with pip, which compiles it unless SKBUILD_WHEEL_CMAKE says false"
    )


def cmake_package() -> ModuleType:
    """The CMake folder as a package: what the ``cmake.root`` entry point loads.

    scikit-build-core asks ``importlib.resources.files`` of it, which only needs a spec.
    """
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415 - slow

    directory = cmake_directory()
    spec = spec_from_file_location(
        "kbuild.cmake", directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    if spec is None:
        raise ToolchainError(f"{directory} cannot be a package")
    return module_from_spec(spec)


def __getattr__(name: str) -> ModuleType:
    # The entry point names an attribute; making it on demand keeps imports cheap.
    if name == "CMAKE_PACKAGE":
        return cmake_package()
    raise AttributeError(name)
