"""The operations: build, pack, verify --write-baseline, and two ways to install."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from fuzz.kills.operation import FailedRunError, Operation, find_files, run_command

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.commands import KBUILD, configure  # noqa: E402
from support.standalone import ARTIFACTS, StandaloneProject  # noqa: E402

_VALUES: Final = (1, 2)
_INSTALLED: Final = """\
cmake_minimum_required(VERSION 3.22...4.0)
project(installed LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES src/one.cu src/two.cu ARCHITECTURES x86-64)
include(GNUInstallDirs)
install(TARGETS kernels EXPORT kernels FILE_SET HEADERS)
install(EXPORT kernels DESTINATION lib/cmake/kernels)
"""


class Build(Operation):
    """``kbuild build``: every second time with an empty build directory."""

    name = "build"
    is_group_killed = False

    def __init__(self, root: Path) -> None:
        self._project = StandaloneProject(root=root / "build")
        self._project.write()

    def prepare(self, number: int) -> None:
        if number % 4 < 2:
            shutil.rmtree(self._project.output, ignore_errors=True)
        self._project.set_value(_VALUES[number % 2])

    @property
    def command(self) -> Sequence[str]:
        return (str(KBUILD), "build")

    @property
    def directory(self) -> Path:
        return self._project.root

    def list_outputs(self) -> Mapping[str, Path]:
        # Nothing else is beside the artifacts.
        directories = {Path(name).parts[0] for name in ARTIFACTS}
        return {
            f"{name}/{file}": path
            for name in sorted(directories)
            for file, path in find_files(self._project.output / name).items()
        }


class Pack(Operation):
    """The edge of a build that writes the fat binary, the kernel table, and the sources."""

    name = "pack"

    def __init__(self, root: Path) -> None:
        project = StandaloneProject(root=root / "pack")
        project.write()
        self._edge = project.output / "cmake" / "kbuild" / "shared_kernels"
        self._states: list[dict[str, bytes]] = []
        for value in _VALUES:
            project.set_value(value)
            run_command((str(KBUILD), "build"), project.root)
            self._states.append({n: p.read_bytes() for n, p in find_files(self._edge).items()})

    def prepare(self, number: int) -> None:
        """Restore the inputs of one value, and the outputs of the other one."""
        inputs, outputs = self._states[number % 2], self._states[1 - number % 2]
        for name in inputs:
            state = outputs if _is_pack_output(name) else inputs
            (self._edge / name).write_bytes(state[name])

    @property
    def command(self) -> Sequence[str]:
        return (str(KBUILD), "pack", "shared_kernels.pack")

    @property
    def directory(self) -> Path:
        return self._edge

    def list_outputs(self) -> Mapping[str, Path]:
        files = find_files(self._edge)
        return {name: path for name, path in files.items() if _is_pack_output(name)}


def _is_pack_output(name: str) -> bool:
    return name.endswith((".fatbin", ".record.json", "_stub.cpp", ".h", ".hpp"))


class WriteBaseline(Operation):
    """``kbuild verify --write-baseline`` over an older baseline, or without a baseline."""

    name = "verify --write-baseline"

    def __init__(self, root: Path) -> None:
        self._root = root / "baseline"
        self._root.mkdir()
        corpus = ROOT / "fuzz" / "corpus" / "artifact"
        self._sources = (corpus / "image.nvcc.cubin", corpus / "image.amdgpu-v5.hsaco")

    def prepare(self, number: int) -> None:
        if number % 4 < 2:
            (self._root / "kbuild.baseline").unlink(missing_ok=True)
        shutil.copy(self._sources[number % 2], self._root / "kernels.bin")

    @property
    def command(self) -> Sequence[str]:
        return (str(KBUILD), "verify", "--write-baseline", "kbuild.baseline", "kernels.bin")

    @property
    def directory(self) -> Path:
        return self._root

    def list_outputs(self) -> Mapping[str, Path]:
        path = self._root / "kbuild.baseline"
        return {path.name: path} if path.is_file() else {}


class CMakeInstall(Operation):
    """``cmake --install`` of a target, its headers, and its exported package."""

    name = "cmake --install"
    has_atomic_outputs = False

    def __init__(self, root: Path) -> None:
        self._project = StandaloneProject(root=root / "cmake")
        self._project.write()
        (self.directory / "CMakeLists.txt").write_text(_INSTALLED)
        self._builds = tuple(self.directory / f"build{value}" for value in _VALUES)
        self._prefix = self.directory / "prefix"
        self._selected = self._builds[0]
        for value, build in zip(_VALUES, self._builds, strict=True):
            self._project.set_value(value)
            configured = configure(self.directory, build, f"CMAKE_INSTALL_PREFIX={self._prefix}")
            if configured.returncode:
                raise FailedRunError(configured.stdout + configured.stderr)
            run_command(("cmake", "--build", str(build)), self.directory)

    def prepare(self, number: int) -> None:
        if number % 4 < 2:
            shutil.rmtree(self._prefix, ignore_errors=True)
        self._selected = self._builds[number % 2]

    @property
    def command(self) -> Sequence[str]:
        return ("cmake", "--install", str(self._selected))

    @property
    def directory(self) -> Path:
        return self._project.root

    def list_outputs(self) -> Mapping[str, Path]:
        return find_files(self._prefix) if self._prefix.is_dir() else {}


class PipInstall(Operation):
    """``pip install`` of a Python extension that scikit-build-core builds."""

    name = "pip install"
    has_atomic_outputs = False

    def __init__(self, root: Path) -> None:
        self._root = root / "pip"
        shutil.copytree(ROOT / "examples" / "python_ext", self._root)
        self._prefix = self._root / "prefix"
        self._source = (self._root / "saxpy.cu").read_text()

    def prepare(self, number: int) -> None:
        if number % 4 < 2:
            shutil.rmtree(self._root / "build", ignore_errors=True)
            shutil.rmtree(self._prefix, ignore_errors=True)
        added = f"\n__global__ void added{number % 2}(int* p) {{ *p = 1; }}\n"
        (self._root / "saxpy.cu").write_text(self._source + added)

    @property
    def command(self) -> Sequence[str]:
        return (
            *(sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps"),
            *("--no-compile", "--ignore-installed", "--disable-pip-version-check", "--no-index"),
            *("--prefix", str(self._prefix), "."),
        )

    @property
    def directory(self) -> Path:
        return self._root

    def list_outputs(self) -> Mapping[str, Path]:
        return find_files(self._prefix) if self._prefix.is_dir() else {}


# Each entry has a quarter of the kills. The two ways to install share theirs.
OPERATIONS: Final[Mapping[str, tuple[Callable[[Path], Operation], ...]]] = {
    "build": (Build,),
    "pack": (Pack,),
    "baseline": (WriteBaseline,),
    "install": (CMakeInstall, PipInstall),
}
