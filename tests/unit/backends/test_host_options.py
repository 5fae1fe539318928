"""Tests for selecting the flags of a build type that apply to device code."""

from __future__ import annotations

import pytest

from kbuild.backends.host_options import (
    find_layout_option,
    find_standard,
    select_build_options,
    select_dialect_options,
    select_machine_options,
    select_preprocessor_options,
    select_text_options,
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("-O3", "-DNDEBUG", "-g", "-ffast-math"), ("-O3", "-DNDEBUG", "-g", "-ffast-math")),
        (("-O2", "-march=native", "-mtune=generic", "-mavx2", "-m64"), ("-O2",)),
        (("-flto=auto", "-fsanitize=address", "--coverage", "-fprofile-generate"), ()),
        (("-mllvm", "-unroll-count=4"), ("-mllvm", "-unroll-count=4")),
    ],
)
def test_options_for_device_code_are_selected(
    options: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert select_build_options(options) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-DA=1 -UA -Iinc -isystem sys -include config.h", "same"),
        ("-D A -I inc -U B", "same"),
        ("-fopenmp -pthread -mavx2 -ffast-math -O2 -funsigned-char", "same"),
        ("-Wp,-DFORTIFY=2 -Xpreprocessor -DB", "same"),
        ("-Wall -Werror -w -g -g3 -ggdb3 -pipe -flto=auto -save-temps=obj", ""),
        ("-Wl,-z,now -Wa,--noexecstack -Xlinker -DA -mllvm -DB --param max-inline-insns=4", ""),
        ("-MD -MF -DA -MT -DB -MMD -MP -MFfile -Wp,-MD,a.d -DC", "-DC"),
        ("-std=c++20 -ansi -DA", "-DA"),
    ],
)
def test_options_that_a_preprocessor_reads_are_selected(text: str, expected: str) -> None:
    options = tuple(text.split())

    assert " ".join(select_preprocessor_options(options)) == (
        text if expected == "same" else expected
    )


def test_warnings_of_the_preprocessor_are_for_the_host() -> None:
    options = ("-Wundef", "-Wl,-z,now", "-w", "-DA")

    assert select_preprocessor_options(options, has_warnings=True) == ("-Wundef", "-w", "-DA")


def test_text_of_a_host_pass_has_only_the_macros_of_included_headers() -> None:
    options = ("-DA", "-include", "config.h", "-I", "inc", "-Wundef", "-O2", "-pipe")

    selected = " ".join(select_text_options(options))

    assert selected == "-DA -imacros config.h -I inc -Wundef -O2"


def test_dialects_and_layouts_reach_the_device_compiler() -> None:
    options = (
        "-fshort-enums",
        "-fpack-struct=2",
        "-fms-extensions",
        "-fcoroutines",
        "-O2",
        "-Wall",
    )

    assert select_dialect_options(options) == options[:4]
    assert select_dialect_options(("-ffast-math", "-fPIC", "-fopenmp", "-fvisibility=hidden")) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-fshort-enums", "-fshort-enums"),
        ("-O2 -fpack-struct=4", "-fpack-struct=4"),
        ("-funsigned-char -fsigned-char", None),
        ("-fshort-enums -fno-short-enums", None),
        ("-mlong-double-64", "-mlong-double-64"),
        ("-mlong-double-64 -mlong-double-80", None),
        ("-m96bit-long-double -m128bit-long-double", None),
        ("-fopenmp -mavx2", None),
    ],
)
def test_option_that_changes_layouts_is_found(text: str, expected: str | None) -> None:
    assert find_layout_option(tuple(text.split())) == expected


def test_instructions_of_the_host_are_selected() -> None:
    options = ("-march=native", "-mavx2", "-mno-avx", "-mtune=native", "-mms-bitfields", "-O2")

    assert select_machine_options(options) == ("-march=native", "-mavx2")


@pytest.mark.parametrize(
    ("option", "year"),
    [("-std=c++98", 3), ("-std=gnu++0x", 11), ("-std=c++17", 17), ("-std=gnu++2b", 23)],
)
def test_standard_is_found(option: str, year: int) -> None:
    assert find_standard(("-std=c++11", option)) == (option, year)
    assert find_standard(("-O2", "-std=c17")) is None
