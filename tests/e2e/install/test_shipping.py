"""Kernel libraries outside of their build tree: installed, exported, bundled, and in wheels."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.commands import PROJECTS, build, configure, run, succeed

SHIPPING = PROJECTS / "shipping"

# Takes a kind and a runtime.
Install = Callable[[str, str], Path]


def install_to(directory: Path, *settings: str) -> Path:
    """Install the library, remove its build tree, and return the prefix."""
    built, prefix = directory / "built", directory / "prefix"
    succeed(configure(SHIPPING / "library", built, *settings))
    succeed(build(built))
    succeed(run("cmake", "--install", built, "--prefix", prefix))
    shutil.rmtree(built)
    return prefix


def build_consumer(directory: Path, prefix: Path) -> Path:
    succeed(configure(SHIPPING / "consumer", directory, f"CMAKE_PREFIX_PATH={prefix}"))
    succeed(build(directory))
    return directory / "consumer"


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Return a function that installs a library of a kind with a runtime, once for all tests."""
    return cache(
        lambda kind, runtime: install_to(
            tmp_path_factory.mktemp("installed"),
            f"KIND={kind}",
            f"RUNTIME={runtime}",
            f"MIXED={runtime != 'bundle'}",
        )
    )


@pytest.fixture(scope="module")
def consume(install: Install, tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Return a function that builds a program with an installed library, once for all tests."""
    return cache(
        lambda kind, runtime: build_consumer(
            tmp_path_factory.mktemp("consumer"), install(kind, runtime)
        )
    )


def read_dynamic(path: Path) -> str:
    return succeed(run("readelf", "--dynamic", "--wide", path))


@pytest.mark.parametrize(
    ("kind", "runtime"),
    [
        ("SHARED", "shared"),
        pytest.param("SHARED", "bundle", marks=pytest.mark.slow),
        # The others have each value.
        pytest.param("STATIC", "shared", marks=pytest.mark.slow),
        pytest.param("STATIC", "static", marks=pytest.mark.slow),
        pytest.param("STATIC", "bundle", marks=pytest.mark.slow),
    ],
)
def test_another_project_links_the_installed_kernels(
    consume: Install, kind: str, runtime: str
) -> None:
    consumer = consume(kind, runtime)

    succeed(run(consumer))
    needs_runtime = "libkbuild_cpu.so.1" in read_dynamic(consumer)
    assert needs_runtime == (runtime != "static")


@pytest.mark.parametrize(
    ("kind", "runtime"),
    [
        ("SHARED", "shared"),
        pytest.param("STATIC", "shared", marks=pytest.mark.slow),
        pytest.param("STATIC", "static", marks=pytest.mark.slow),
    ],
)
def test_plain_program_of_another_project_calls_the_host_api(
    consume: Install, kind: str, runtime: str
) -> None:
    succeed(run(consume(kind, runtime).with_name("plain")))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["SHARED", "STATIC"])
def test_plain_program_calls_the_host_api_of_a_bundled_runtime(tmp_path: Path, kind: str) -> None:
    prefix = install_to(tmp_path, f"KIND={kind}", "RUNTIME=bundle", "MIXED=ON")

    consumer = build_consumer(tmp_path / "consumer", prefix)

    succeed(run(consumer.with_name("plain")))
    assert list(prefix.rglob("libkbuild_cpu.so.1"))


def test_package_below_the_root_of_a_toolchain_file_finds_kbuild(
    install: Install, tmp_path: Path
) -> None:
    prefix = install("SHARED", "shared")
    lines = ["set(CMAKE_CXX_COMPILER g++)", f"set(CMAKE_FIND_ROOT_PATH {prefix})"]
    lines += [f"set(CMAKE_FIND_ROOT_PATH_MODE_{k} ONLY)" for k in ("PACKAGE", "INCLUDE", "LIBRARY")]
    (tmp_path / "toolchain.cmake").write_text("\n".join(lines))
    words = ("cmake", "-S", SHIPPING / "consumer", "-G", "Ninja")
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={tmp_path / 'toolchain.cmake'}"

    succeed(run(*words, "-B", tmp_path / "built", toolchain))

    # Elsewhere, the record of the package's author does not replace another kbuild.
    hidden = ("env", "-u", "VIRTUAL_ENV", f"PATH={os.defpath}", shutil.which("cmake"), *words[1:])
    result = run(*hidden, "-B", tmp_path / "other", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert result.returncode != 0
    assert "unused, because CMAKE_FIND_ROOT_PATH_MODE_PACKAGE is not ONLY" in result.stderr


def test_installed_headers_do_not_contain_build_paths(install: Install) -> None:
    prefix = install("SHARED", "shared")

    header = (prefix / "include" / "vector_kernels_kernels.hpp").read_text()

    assert '#include "vector.hpp"' in header
    assert str(prefix.parent) not in header
    assert (prefix / "include" / "vector.hpp").is_file()


@pytest.mark.parametrize(
    ("destinations", "headers"),
    [
        pytest.param("LIBRARY;DESTINATION;lib", None, marks=pytest.mark.slow),
        ("PUBLIC_HEADER;DESTINATION;headers;INCLUDES;DESTINATION;headers", "headers"),
    ],
)
def test_project_chooses_the_destinations(
    tmp_path: Path, destinations: str, headers: str | None
) -> None:
    settings = ("KIND=SHARED", "RUNTIME=shared", f"DESTINATIONS={destinations}")
    prefix = install_to(tmp_path, *settings)
    built = tmp_path / "consumer"

    # The imported target always has its include directory, even if it contains no headers.
    succeed(configure(SHIPPING / "consumer", built, f"CMAKE_PREFIX_PATH={prefix}"))
    assert [path.parent.name for path in prefix.rglob("vector.hpp")] == (
        [headers] if headers else []
    )
    if headers:
        succeed(build(built))


@pytest.mark.slow
def test_configurations_are_installed_separately(tmp_path: Path) -> None:
    built, prefix = tmp_path / "built", tmp_path / "prefix"
    settings = ("KIND=SHARED", "RUNTIME=shared")
    succeed(configure(SHIPPING / "library", built, *settings, generator="Ninja Multi-Config"))
    for configuration in ("Debug", "Release"):
        succeed(run("cmake", "--build", built, "--config", configuration))
        words = ("--install", built, "--config", configuration, "--prefix", prefix / configuration)
        succeed(run("cmake", *words))

    names = {path.name for path in (prefix / "Release" / "include").iterdir()}
    assert names == {"vector.hpp", "vector_kernels_kernels.h", "vector_kernels_kernels.hpp"}
    succeed(build(build_consumer(tmp_path / "consumer", prefix / "Debug").parent))


def test_bundle_is_complete(install: Install, tmp_path: Path) -> None:
    prefix = install("SHARED", "bundle")
    library = next(prefix.rglob("libvector_kernels.so"))

    assert (library.parent / "libkbuild_cpu.so.1").is_file()
    assert "$ORIGIN" in read_dynamic(library)
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    library = next(moved.rglob("libvector_kernels.so"))
    resolved = succeed(run("ldd", library))
    assert f"{library.parent}/libkbuild_cpu.so.1" in resolved.replace("/./", "/")


def test_static_runtime_is_hidden(consume: Install) -> None:
    consumer = consume("STATIC", "static")

    assert "kbuild_cpu" not in succeed(run("nm", "--dynamic", "--defined-only", consumer))


def test_static_runtime_of_a_shared_library_is_rejected(tmp_path: Path) -> None:
    result = configure(SHIPPING / "library", tmp_path, "KIND=SHARED", "RUNTIME=static")

    assert result.returncode != 0
    assert "RUNTIME static: a program that links a shared kernel library" in " ".join(
        result.stderr.split()
    )


def test_environment_is_not_needed(consume: Install, tmp_path: Path) -> None:
    consumer = consume("STATIC", "static")

    environment = {"HOME": str(tmp_path / "home"), "PATH": os.defpath}
    words = [f"{name}={value}" for name, value in environment.items()]
    succeed(run("env", "-i", *words, consumer))
    assert list((tmp_path / "home").rglob("*.so"))
