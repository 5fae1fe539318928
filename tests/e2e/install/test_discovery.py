"""How a project finds the kbuild package, and the command that belongs to it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from kbuild import resources
from support.checkout import build_pure_wheel
from support.commands import ROOT, pip, run, succeed
from support.compiler_detection import find_detection

SOURCES = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        "project(discovery LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
        "kbuild_add_kernels(kernels SHARED SOURCES work.cu ARCHITECTURES x86-64)\n"
        "add_executable(host host.cpp)\n"
        "target_link_libraries(host PRIVATE kernels)\n"
    ),
    "work.cu": "__global__ void work(int* to) { *to = 3; }\n",
    "host.cpp": (
        '#include "kernels_kernels.hpp"\n'
        "int main() {\n"
        "    int value = 0;\n"
        "    return kbuild::launch(work, {1, 1}, &value) || value != 3;\n"
        "}\n"
    ),
}


class Environment:
    """A virtual environment with kbuild."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        (self.site_packages,) = directory.glob("lib/python*/site-packages")

    def install(self, wheel: Path) -> None:
        """Install kbuild, with the compiled parts of the kbuild that the tests import."""
        python = self.directory / "bin" / "python"
        # Python compiles what is imported, which is little of it.
        words = ("--python", python, "install", "--no-index", "--no-deps", "--no-compile", wheel)
        pip(sys.executable, *words)
        libraries = resources.find_runtime("libkbuild_cpu.so.1").parent
        shutil.copytree(libraries, self.site_packages / "kbuild" / "lib")
        # The dependencies of kbuild are already installed.
        others = sysconfig.get_path("purelib")
        (self.site_packages / "dependencies.pth").write_text(f"{others}\n")

    def copy(self, directory: Path) -> Environment:
        """Return a copy of the environment, without the time of another installation."""
        shutil.copytree(self.directory, directory, symlinks=True)
        copied = Environment(directory)
        script = copied.command.read_text()
        copied.command.write_text(script.replace(str(self.directory), str(directory)))
        return copied

    @property
    def cmake_directory(self) -> Path:
        return self.site_packages / "kbuild" / "cmake"

    @property
    def command(self) -> Path:
        return self.directory / "bin" / "kbuild"

    def become(self, version: str) -> None:
        """Change the version of the installed kbuild."""
        (self.cmake_directory / "kbuild-version.txt").write_text(f"{version}\n")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("own") / "venv"
    venv.create(directory)
    environment = Environment(directory)
    environment.install(build_pure_wheel(tmp_path_factory.mktemp("wheel")))
    return environment


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, own: Environment) -> Environment:
    """Return another environment, with a newer kbuild."""
    environment = own.copy(tmp_path_factory.mktemp("other") / "venv")
    environment.become("0.2.0")
    return environment


@pytest.fixture
def source(tmp_path: Path) -> Path:
    directory = tmp_path / "source"
    directory.mkdir()
    for name, text in SOURCES.items():
        (directory / name).write_text(text)
    return directory


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Return a project that only finds the package, for tests of how."""
    directory = tmp_path / "source"
    directory.mkdir()
    lines = SOURCES["CMakeLists.txt"].splitlines(keepends=True)[:3]
    (directory / "CMakeLists.txt").write_text("".join(lines))
    return directory


def tool(name: str) -> str:
    path = shutil.which(name)
    assert path, f"{name} is not installed"
    return path


def configure(
    source: Path,
    build: Path,
    *definitions: str,
    variables: dict[str, str] | None = None,
    cmake: Path | str | None = None,
    generator: str = "Ninja",
) -> subprocess.CompletedProcess[str]:
    """Run CMake in an environment without kbuild. ``variables`` can add it."""
    words: list[object] = [cmake or tool("cmake"), "-S", source, "-B", source.parent / build]
    words += ["-G", generator]
    if generator == "Ninja":
        words.append(f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}")
    words += [f"-D{definition}" for definition in definitions]
    # With the cache of the test run, kbuild need not try the compilers again.
    kept = {"PATH": os.defpath, "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
    environment = {"HOME": str(source), **kept, **(variables or {})}
    searched = f"CMAKE_PROGRAM_PATH={environment['PATH']}"  # which compilers CMake finds
    detection = find_detection(f"{generator} of {words[0]}", (*definitions, searched))
    detection.restore(source.parent / build)
    result = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if result.returncode == 0:
        detection.keep(source.parent / build)
    return result


def used_command(build: Path) -> str:
    """Return the kbuild command that the build tree runs."""
    match = re.search(r"exec '(.*)' ", (build / "kbuild" / "run-kbuild").read_text())
    assert match
    return match.group(1)


def build_twice(directory: Path, cmake: Path | str = "cmake") -> str:
    """Build twice, run the program, and return the output of the second build."""
    first = succeed(run(cmake, "--build", directory, "--parallel", "2"))
    assert len(edges_of(first)) >= 6
    succeed(run(directory / "host"))
    return succeed(run(cmake, "--build", directory))


def edges_of(output: str) -> list[str]:
    """Return the edges that a build ran. Both generators print them in the same way."""
    return re.findall(r"(?:Compiling|Packing|Building|Linking|Verifying) .*", output)


def words_of(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode != 0
    return " ".join(result.stderr.split())


def test_search_path_shows_no_kbuild() -> None:
    assert shutil.which("kbuild", path=os.defpath) is None


@pytest.mark.parametrize(
    "variable",
    [
        "kbuild_DIR",
        *(pytest.param(v, marks=pytest.mark.slow) for v in ("kbuild_ROOT", "CMAKE_PREFIX_PATH")),
    ],
)
def test_environment_that_is_not_active(
    tmp_path: Path, bare: Path, own: Environment, variable: str
) -> None:
    place = own.cmake_directory if variable == "kbuild_DIR" else own.site_packages

    succeed(configure(bare, tmp_path / "build", f"{variable}={place}"))

    assert used_command(tmp_path / "build") == str(own.command)


@pytest.mark.parametrize(
    "variable",
    [
        "PATH",
        *(pytest.param(v, marks=pytest.mark.slow) for v in ("kbuild_ROOT", "CMAKE_PREFIX_PATH")),
    ],
)
def test_root_of_an_environment_is_sufficient(
    tmp_path: Path, bare: Path, own: Environment, variable: str
) -> None:
    definitions = [f"{variable}={own.directory}"]
    variables = {}
    if variable == "PATH":  # an active environment
        definitions = []
        variables = {"PATH": f"{own.command.parent}{os.pathsep}{os.defpath}"}

    succeed(configure(bare, tmp_path / "build", *definitions, variables=variables))

    assert used_command(tmp_path / "build") == str(own.command)


def test_environment_without_its_command_is_named(
    tmp_path: Path, bare: Path, own: Environment
) -> None:
    files = "share/cmake/kbuild"
    shutil.copytree(own.directory / files, tmp_path / "env" / files)

    result = configure(bare, tmp_path / "build", f"CMAKE_PREFIX_PATH={tmp_path / 'env'}")

    assert f"{tmp_path / 'env'}/bin/kbuild does not run" in words_of(result)


@pytest.mark.slow  # the next test does the same, and more
def test_environment_that_is_not_active_builds(
    tmp_path: Path, source: Path, own: Environment
) -> None:
    build = tmp_path / "build"
    succeed(configure(source, build, f"kbuild_DIR={own.cmake_directory}"))

    assert not edges_of(build_twice(build))


@pytest.mark.slow  # tests/e2e/build/test_rebuild.py edits headers
def test_change_of_kbuild_compiles_again(tmp_path: Path, source: Path, own: Environment) -> None:
    build = tmp_path / "build"
    succeed(configure(source, build, f"kbuild_DIR={own.cmake_directory}"))
    build_twice(build)
    header = own.cmake_directory.parent / "native" / "device" / "cpu" / "kbuild_cpu" / "clock.h"
    header.write_text(header.read_text() + "// edited\n")

    changed = edges_of(succeed(run("cmake", "--build", build)))

    assert [edge for edge in changed if edge.startswith("Compiling kernels")]
    assert not edges_of(succeed(run("cmake", "--build", build)))


def test_command_belongs_to_the_package(
    tmp_path: Path, bare: Path, own: Environment, other: Environment
) -> None:
    path = f"{other.command.parent}{os.pathsep}{os.defpath}"
    for name, environment in (("own", own), ("other", other)):
        build = tmp_path / name
        result = configure(
            bare,
            build,
            f"kbuild_DIR={environment.cmake_directory}",
            variables={"PATH": path, "VIRTUAL_ENV": str(other.directory)},
        )
        succeed(result)
        assert used_command(build) == str(environment.command)


def test_command_of_another_package_is_rejected(
    tmp_path: Path, bare: Path, own: Environment, other: Environment
) -> None:
    result = configure(
        bare,
        tmp_path / "build",
        f"kbuild_DIR={own.cmake_directory}",
        f"KBUILD_EXECUTABLE={other.command}",
    )

    text = words_of(result)
    assert f"no kbuild command belongs to the package in {own.cmake_directory}" in text
    assert f"{other.command} belongs to the package in {other.cmake_directory}" in text


def test_package_without_a_command_does_not_use_another_one(
    tmp_path: Path, bare: Path, own: Environment, other: Environment
) -> None:
    copied = tmp_path / "copied" / "kbuild"
    shutil.copytree(own.cmake_directory.parent, copied)

    result = configure(
        bare,
        tmp_path / "build",
        f"kbuild_DIR={copied / 'cmake'}",
        variables={"PATH": f"{other.command.parent}{os.pathsep}{os.defpath}"},
    )

    text = words_of(result)
    assert f"no kbuild command belongs to the package in {copied / 'cmake'}" in text
    assert f"{other.command} belongs to the package in {other.cmake_directory}" in text


@pytest.mark.parametrize("kind", ["missing", "broken"])
def test_command_that_does_not_run_is_named(
    tmp_path: Path, bare: Path, own: Environment, kind: str
) -> None:
    command = tmp_path / "kbuild"
    if kind == "broken":
        command.write_text("#!/nowhere/python\n")
        command.chmod(0o755)

    result = configure(
        bare,
        tmp_path / "build",
        f"kbuild_DIR={own.cmake_directory}",
        f"KBUILD_EXECUTABLE={command}",
    )

    assert f"{command} does not run" in words_of(result)


VERSIONS = {
    "": True,
    "0.1": True,
    "0.1.0": True,
    "0.1 EXACT": True,
    "0.1.0 EXACT": True,
    "0.1...<0.2": True,
    "0.0.5...0.1": True,
    "0.1.1": False,
    "0.1.1 EXACT": False,
    "0.2": False,
    "0.0.9": False,
    "1": False,
    "0.0.1...<0.1": False,
    "0.2...1.0": False,
}


def test_versions(tmp_path: Path, bare: Path, own: Environment) -> None:
    lines = ["cmake_minimum_required(VERSION 3.22...4.0)", "project(versions LANGUAGES CXX)"]
    for version in VERSIONS:
        lines += [
            "unset(kbuild_DIR CACHE)",
            f"find_package(kbuild {version} CONFIG QUIET)",
            f'message(STATUS "version [{version}] ${{kbuild_FOUND}}")',
        ]
    (bare / "CMakeLists.txt").write_text("\n".join(lines))

    output = succeed(configure(bare, tmp_path / "build", f"CMAKE_PREFIX_PATH={own.site_packages}"))

    found = dict(re.findall(r"version \[(.*)\] (\w+)", output))
    assert found == {version: str(int(wanted)) for version, wanted in VERSIONS.items()}


def test_error_names_an_unsupported_version(tmp_path: Path, bare: Path, own: Environment) -> None:
    lists = bare / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("kbuild CONFIG", "kbuild 0.2 CONFIG"))

    text = words_of(configure(bare, tmp_path / "build", f"CMAKE_PREFIX_PATH={own.site_packages}"))

    assert "version: 0.1.0" in text


KINDS = ("PROGRAM", "LIBRARY", "INCLUDE", "PACKAGE")
ROOT_ONLY = [
    f"CMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY"
    for kind in ("PROGRAM", "LIBRARY", "INCLUDE", "PACKAGE")
]


@pytest.mark.parametrize(
    "found_by", [pytest.param("kbuild_DIR", marks=pytest.mark.slow), "CMAKE_FIND_ROOT_PATH"]
)
def test_toolchain_file_that_searches_only_its_root(
    tmp_path: Path, source: Path, own: Environment, found_by: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    lines = [f"set({definition.replace('=', ' ')})\n" for definition in ROOT_ONLY]
    lines += [f"set(CMAKE_CXX_COMPILER {tool('g++')})\n"]
    if found_by == "CMAKE_FIND_ROOT_PATH":
        lines += [f"set(CMAKE_FIND_ROOT_PATH {root} {own.directory})\n"]
        definitions = []
    else:
        lines += [f"set(CMAKE_FIND_ROOT_PATH {root})\n"]
        definitions = [f"kbuild_DIR={own.cmake_directory}"]
    (tmp_path / "toolchain.cmake").write_text("".join(lines))
    definitions += [f"CMAKE_TOOLCHAIN_FILE={tmp_path / 'toolchain.cmake'}"]

    succeed(configure(source, tmp_path / "build", *definitions))

    assert used_command(tmp_path / "build") == str(own.command)


def test_unknown_components_are_not_found(tmp_path: Path, bare: Path, own: Environment) -> None:
    (bare / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        "project(components LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG OPTIONAL_COMPONENTS extra)\n"
        'message(STATUS "optional [${kbuild_FOUND}] [${kbuild_extra_FOUND}]")\n'
        "find_package(kbuild CONFIG REQUIRED COMPONENTS runtime)\n"
    )

    result = configure(bare, tmp_path / "build", f"kbuild_DIR={own.cmake_directory}")

    assert "optional [1] [FALSE]" in result.stdout
    assert "unknown component 'runtime'; expected torch" in words_of(result)


def include_checkout(source: Path) -> str:
    """Let the project include this checkout, and return the definition that CMake needs for it."""
    lists = source / "CMakeLists.txt"
    fetched = (
        "include(FetchContent)\n"
        "FetchContent_Declare(kbuild SOURCE_DIR ${CHECKOUT})\n"
        "FetchContent_MakeAvailable(kbuild)\n"
        "find_package(kbuild 0.1 CONFIG REQUIRED)\n"
    )
    lists.write_text(lists.read_text().replace("find_package(kbuild CONFIG REQUIRED)\n", fetched))
    return f"CHECKOUT={ROOT}"


def test_fetched_checkout_names_missing_packages(tmp_path: Path, source: Path) -> None:
    definition = include_checkout(source)
    venv.create(tmp_path / "empty")
    variables = {"VIRTUAL_ENV": str(tmp_path / "empty")}

    text = words_of(configure(source, tmp_path / "build", definition, variables=variables))

    assert f"{tmp_path}/empty/bin/python" in text
    assert "-m pip install 'jinja2>=" in text
    assert "'zstandard>=" in text


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_fetched_checkout_builds(tmp_path: Path, source: Path, generator: str) -> None:
    definition = include_checkout(source)
    venv.create(tmp_path / "venv")
    (site_packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    variables = {"VIRTUAL_ENV": str(tmp_path / "venv")}
    build = tmp_path / "build"

    succeed(configure(source, build, definition, variables=variables, generator=generator))

    assert not edges_of(build_twice(build))
    succeed(run("cmake", build))  # does not build the runtime again
    assert not edges_of(succeed(run("cmake", "--build", build)))
    assert "_deps/kbuild-build" in used_command(build)


# Settings of the consuming project.


@pytest.mark.parametrize(
    ("minimum", "generator"),
    [
        ("3.5", "Ninja"),
        pytest.param("3.5", "Unix Makefiles", marks=pytest.mark.slow),
        pytest.param("3.15", "Ninja", marks=pytest.mark.slow),
    ],
)
def test_project_with_an_old_cmake_minimum_builds(
    tmp_path: Path, source: Path, own: Environment, minimum: str, generator: str
) -> None:
    lists = source / "CMakeLists.txt"
    lists.write_text(
        lists.read_text().replace("3.22...4.0", minimum) + "cmake_policy(GET CMP0083 old)\n"
        "cmake_policy(GET CMP0116 new)\n"
        'message(STATUS "policies [${old}] [${new}]")\n'
    )
    build = tmp_path / "build"

    output = succeed(
        configure(source, build, f"kbuild_DIR={own.cmake_directory}", generator=generator)
    )

    assert "CMP0087" not in output  # a warning about kbuild's own install rules
    # kbuild does not change the project's policies. CMake 3.14 added CMP0083, and 3.20 CMP0116.
    assert f"policies [{'NEW' if minimum == '3.15' else ''}] []" in output
    assert not edges_of(build_twice(build))


@pytest.mark.slow  # installs another CMake, and builds twice with each of two generators
@pytest.mark.parametrize("version", ["3.22.*", pytest.param(">=4", id="newest")])
def test_cmake_from_pypi(tmp_path: Path, source: Path, own: Environment, version: str) -> None:
    specifier = f"cmake{version if version.startswith('>') else f'=={version}'}"
    pip(sys.executable, "install", "--no-deps", "--target", tmp_path / "pypi", specifier)
    cmake = tmp_path / "pypi" / "cmake" / "data" / "bin" / "cmake"
    for generator in ("Ninja", "Unix Makefiles"):
        build = tmp_path / generator
        succeed(
            configure(
                source,
                build,
                f"kbuild_DIR={own.cmake_directory}",
                cmake=cmake,
                generator=generator,
            )
        )
        assert not edges_of(build_twice(build, cmake))
