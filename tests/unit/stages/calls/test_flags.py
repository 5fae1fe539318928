"""Tests for the files with flags that CMake generates."""

from __future__ import annotations

from pathlib import Path

from kbuild.stages.calls.flags import (
    describe_device_flags,
    describe_host_flags,
    describe_libraries,
    make_c_identifier,
)
from support.calls import add_kernels, add_sources


def test_device_flags_are_those_of_the_keywords_and_the_target(tmp_path: Path) -> None:
    call = add_kernels(
        tmp_path,
        *("SOURCES", "a.cu", "COMPILE_OPTIONS", "-O3", "cuda:-Xa", "DEFINITIONS", "A=1,2"),
        *("INCLUDE_DIRECTORIES", "inc", "$<1:x;y>"),
        CMAKE_BUILD_TYPE="Release",
        CMAKE_CXX_FLAGS_RELEASE=("-O2", "-DNDEBUG"),
        CMAKE_CXX_FLAGS="-host",
        KBUILD_DEVICE_FLAGS=("-Q=a b",),
    )

    assert describe_device_flags(call) == (
        "$<$<CONFIG:Release>:build_option -O2\n>"
        "$<$<CONFIG:Release>:build_option -DNDEBUG\n>"
        "$<$<CONFIG:>:build_option -O2\n>"
        "option -O3\noption cuda:-Xa\noption -Q=a b\n"
        f"include_directory {tmp_path}/inc\n"
        "include_directory $<JOIN:$<1:x;y>,\ninclude_directory >\n"
        "include_directory $<JOIN:$<TARGET_PROPERTY:t,INCLUDE_DIRECTORIES>,\n"
        "include_directory >\n"
        "definition A=1,2\n"
        "definition $<JOIN:$<TARGET_PROPERTY:t,COMPILE_DEFINITIONS>,\ndefinition >\n"
    )


def test_host_flags_also_have_the_options_of_the_project(tmp_path: Path) -> None:
    call = add_sources(
        tmp_path,
        *("PRIVATE", "a.cu"),
        CMAKE_CONFIGURATION_TYPES="Debug",
        CMAKE_CXX_FLAGS_DEBUG="-g",
        CMAKE_CXX_FLAGS=("-Wall",),
    )

    own = describe_host_flags(call).removeprefix(describe_device_flags(call))

    assert own.startswith(
        "$<$<CONFIG:Debug>:host_option -g\n>host_option -Wall\n"
        "host_option $<JOIN:$<TARGET_PROPERTY:t,COMPILE_OPTIONS>,\nhost_option >\n"
    )
    assert "host_option -fvisibility=$<TARGET_PROPERTY:t,CXX_VISIBILITY_PRESET>\n" in own


def test_mixed_sources_have_the_macro_of_exported_symbols(tmp_path: Path) -> None:
    text = describe_device_flags(add_sources(tmp_path, "PRIVATE", "a.cu"))

    symbol = "$<TARGET_PROPERTY:t,DEFINE_SYMBOL>"
    assert f":definition $<IF:$<BOOL:{symbol}>,{symbol},t_EXPORTS>\n>" in text


def test_plans_of_libraries_are_expanded_late(tmp_path: Path) -> None:
    assert describe_libraries(add_sources(tmp_path, "PRIVATE", "a.cu")).startswith(
        "plan $<JOIN:$<TARGET_GENEX_EVAL:t,$<TARGET_PROPERTY:t,_KBUILD_LINKED_PLANS>>,\nplan >\n"
        "file $<JOIN:"
    )


def test_names_become_identifiers_as_in_cmake() -> None:
    assert make_c_identifier("a-b.c+1_é") == "a_b_c_1__"
    assert make_c_identifier("1a") == "_1a"
