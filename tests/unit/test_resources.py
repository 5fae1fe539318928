"""Test where kbuild finds its own files."""

from __future__ import annotations

import importlib.resources
from importlib.metadata import entry_points

from kbuild import __version__, resources


def test_directories_contain_their_files() -> None:
    assert (resources.cmake_directory() / "kbuild-config.cmake").is_file()
    assert (resources.templates_directory() / "stub_unit.c.j2").is_file()
    assert (resources.examples_directory() / "saxpy" / "saxpy.cu").is_file()
    assert (resources.native_directory() / "include" / "kbuild" / "kbuild.hpp").is_file()
    assert (resources.native_directory() / "device" / "cpu" / "cuda_runtime.h").is_file()


def test_dependencies_include_what_compilers_read() -> None:
    found = resources.list_dependencies()

    for path in ("device/cpu/kbuild_cpu/clock.h", "include/kbuild/module.h"):
        assert resources.native_directory() / path in found


def test_cmake_root_entry_point_is_the_cmake_directory() -> None:
    (entry,) = entry_points(group="cmake.root", name="kbuild")

    assert str(importlib.resources.files(entry.load())) == str(resources.cmake_directory())


def test_runtime_is_installed() -> None:
    assert resources.find_runtime("libkbuild_cpu.so.1").is_file()


def test_missing_runtime_is_expected_in_the_cache() -> None:
    path = resources.find_runtime("libnone.so.1")

    assert path == resources.find_runtime_cache() / "lib" / "libnone.so.1"
    assert resources.identify_installation() in str(path)


def test_version_is_the_same_everywhere() -> None:
    text = (resources.cmake_directory() / "kbuild-version.txt").read_text().strip()

    assert text == __version__
