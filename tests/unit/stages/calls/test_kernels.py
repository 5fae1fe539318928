"""Tests for checking calls of ``kbuild_add_kernels`` and ``kbuild_target_sources``."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.calls.kernels import read_kernel_call
from kbuild.stages.calls.specs import make_spec
from support.calls import add_kernels, add_sources, make_record

Facts = dict[str, str | tuple[str, ...]]


def test_omitted_keywords_have_defaults(tmp_path: Path) -> None:
    settings = add_kernels(tmp_path, "SOURCES", "a.cu").settings

    assert settings.sources == (f"{tmp_path}/a.cu",)
    assert (settings.kind, settings.backend, settings.runtime) == ("static", "cpu", "shared")
    assert (settings.device_standard, settings.compression) == (17, "balance")
    assert settings.verify


@pytest.mark.parametrize(
    ("words", "facts", "expected"),
    [
        (("RDC", "ON", "VERIFY", "0"), {}, {"rdc": True, "verify": False}),
        (("DEBUG_STUBS", "SYMBOLS"), {}, {"debug_stubs": "symbols"}),
        (("DEBUG_STUBS", "ON"), {}, {"debug_stubs": True}),
        (("DEVICE_STANDARD", "20"), {}, {"device_standard": 20}),
        ((), {"KBUILD_BACKEND": "cuda"}, {"backend": "cuda"}),
        (("BACKEND", "hip"), {"KBUILD_BACKEND": "cuda"}, {"backend": "hip"}),
        ((), {"BUILD_SHARED_LIBS": "ON"}, {"kind": "shared"}),
        (("OBJECT",), {"BUILD_SHARED_LIBS": "ON"}, {"kind": "object"}),
        (("COMPRESSION", "none"), {}, {"compression": "none"}),
        (("DEFINITIONS", "A=1", "$<1:B;C>"), {}, {"definitions": ("A=1", "$<1:B;C>")}),
        (("DEFINITIONS", "A;B=1\\;2"), {}, {"definitions": ("A", "B=1;2")}),
        (("ARCHITECTURES", "80;90", ";"), {}, {"architectures": ("80", "90")}),
        (("INCLUDE_DIRECTORIES", "/a;/b"), {}, {"include_directories": ("/a", "/b")}),
    ],
)
def test_keywords_and_variables_become_settings(
    tmp_path: Path, words: tuple[str, ...], facts: Facts, expected: dict[str, object]
) -> None:
    settings = add_kernels(tmp_path, "SOURCES", "a.cu", *words, **facts).settings

    assert {name: getattr(settings, name) for name in expected} == expected


def test_relative_paths_start_from_the_directory_of_the_call(tmp_path: Path) -> None:
    (tmp_path / "p.toml").touch()
    words = ("INCLUDE_DIRECTORIES", "inc", "$<1:x>", "/abs", "POLICY", "../x/p.toml")
    (tmp_path.parent / "x").symlink_to(tmp_path)

    settings = add_kernels(tmp_path, "SOURCES", "a.cu", *words).settings

    assert settings.include_directories == (f"{tmp_path}/inc", "$<1:x>", "/abs")
    assert settings.policy == f"{tmp_path.parent}/x/p.toml"


def test_mixed_call_describes_the_target(tmp_path: Path) -> None:
    words = ("PRIVATE", "a.cu", "DEVICE_OPTIONS", "-O1", "WEAK_INSTANCES", "ON")
    facts: Facts = {"standard": "23", "target__TYPE": "MODULE_LIBRARY", "target__NAME": "real"}

    call = add_sources(tmp_path, *words, **facts)

    assert (call.target, call.is_mixed) == ("real", True)
    assert call.settings.kind == "module"
    assert call.settings.device_standard == 23
    assert call.settings.compile_options == ("-O1",)
    assert call.keywords == ("PRIVATE", "DEVICE_OPTIONS", "WEAK_INSTANCES")
    assert make_spec(call, "").has_weak_instances


def test_generated_sources_and_headers_need_not_exist(tmp_path: Path) -> None:
    words = ("SOURCES", "made.cu", "HEADERS", "made.hpp")

    call = add_kernels(tmp_path, *words, generated=("2", "4"))

    assert call.sources == (tmp_path / "made.cu",)
    assert call.headers == (tmp_path / "made.hpp",)
    assert call.generated == {tmp_path / "made.cu", tmp_path / "made.hpp"}


def test_sources_have_their_own_definitions(tmp_path: Path) -> None:
    call = add_kernels(tmp_path, "SOURCES", "a.cu", "b.cu", definition__3=("A=1", "-DB"))

    assert call.definitions == ((tmp_path / "b.cu", ("A=1", "-DB")),)


@pytest.mark.parametrize(
    ("words", "facts", "setting", "expected"),
    [
        ((), {}, None, "SOURCES is missing; name at least one kernel source"),
        (("SOURCES", "no.cu"), {}, "SOURCES", "SOURCES: {0}/no.cu: no such file"),
        (("HEADERS", "no.h", "SOURCES", "a.cu"), {}, "HEADERS", "HEADERS: {0}/no.h: no such file"),
        (("SOURCES", "a.cu", "x/../a.cu"), {}, None, "{0}/a.cu is named twice; name it once"),
        (("SOURCES", "a.cu", "a;b.cu"), {}, "SOURCES", "SOURCES: {0}/a;b.cu: build tools"),
        (("SOURCES", "a.cu", "POLICY", "p"), {}, "POLICY", "POLICY: {0}/p: no such file"),
        (
            ("SOURCES", "a.cu", "VISIBILITY", "public"),
            {},
            "VISIBILITY",
            "VISIBILITY: unsupported value 'public'; expected one of 'default', 'hidden'",
        ),
        (
            ("SOURCES", "a.cu", "RDC", "MAYBE"),
            {},
            "RDC",
            "RDC: unsupported value 'MAYBE'; expected one of ON, OFF",
        ),
        (
            ("SOURCES", "a.cu", "DEBUG_STUBS", "1x"),
            {},
            "DEBUG_STUBS",
            "DEBUG_STUBS: unsupported value '1x'; expected one of ON, SYMBOLS, OFF",
        ),
        (
            ("SOURCES", "a.cu", "DEVICE_STANDARD", "98"),
            {},
            "DEVICE_STANDARD",
            "DEVICE_STANDARD: unsupported standard 98; expected one of 17, 20, 23, 26",
        ),
        (
            ("SOURCES", "a.cu", "DEVICE_STANDARD", "c++17"),
            {},
            "DEVICE_STANDARD",
            "DEVICE_STANDARD: expected an integer, found 'c++17'",
        ),
        (
            ("SOURCES", "a.cu", "COMPILE_OPTIONS", "-a\n -b"),
            {},
            "COMPILE_OPTIONS",
            "COMPILE_OPTIONS: '-a\\n-b': a value cannot contain a line break",
        ),
        (
            ("STATIC", "OBJECT", "SOURCES", "a.cu"),
            {},
            None,
            "STATIC and OBJECT cannot be combined; choose one library type",
        ),
        (("SOURCES", "a.cu"), {"known": "t"}, None, "a target with this name already exists"),
        (
            ("SOURCES", "a.cu"),
            {"CMAKE_CXX_COMPILER_LOADED": ()},
            None,
            "the project enables neither C nor CXX",
        ),
        (
            ("SOURCES", "a.cu"),
            {"definition__2": "$<1:A>"},
            None,
            "unsupported generator expression in COMPILE_DEFINITIONS of {0}/a.cu: $<1:A>; use",
        ),
    ],
)
def test_wrong_kernel_call_is_rejected(
    tmp_path: Path, words: tuple[str, ...], facts: Facts, setting: str | None, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        add_kernels(tmp_path, *words, **facts)

    assert str(caught.value).startswith(expected.format(tmp_path))
    assert caught.value.setting == setting


@pytest.mark.parametrize(
    ("words", "facts", "expected"),
    [
        (("a.cu",), {}, "expected PRIVATE instead of a.cu; write kbuild_target_sources(t PRIVATE"),
        (("PUBLIC", "a.cu"), {}, "expected PRIVATE instead of PUBLIC; write"),
        ((), {}, "PRIVATE is missing"),
        (("PRIVATE", "a.cpp"), {}, "{0}/a.cpp is not a .cu or .hip file; add C++ sources with"),
        (("PRIVATE", "a.cu"), {"standard": "29"}, "DEVICE_STANDARD: unsupported standard 29"),
        (("PRIVATE", "a.cu"), {"known": ()}, "target t does not exist; create it first"),
        (("PRIVATE", "a.cu"), {"target__IMPORTED": "TRUE"}, "another project built t; expected"),
        (
            ("PRIVATE", "a.cu"),
            {"target__TYPE": "INTERFACE_LIBRARY"},
            "a target of type INTERFACE has no objects; expected an executable or a library",
        ),
        (
            ("PRIVATE", "a.cu"),
            {"CMAKE_CXX_COMPILER_LOADED": (), "CMAKE_C_COMPILER_LOADED": "ON"},
            "mixed sources need a C++ compiler; add CXX to the project's LANGUAGES",
        ),
    ],
)
def test_wrong_mixed_call_is_rejected(
    tmp_path: Path, words: tuple[str, ...], facts: Facts, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        add_sources(tmp_path, *words, **facts)

    assert str(caught.value).startswith(expected.format(tmp_path))


def test_name_of_the_target_is_checked(tmp_path: Path) -> None:
    for name, expected in (
        ("SOURCES", "the first argument is the keyword SOURCES; expected the name of the target"),
        ("a/../b", "CMake does not allow a target of that name; choose another name"),
    ):
        record = make_record(tmp_path, "kbuild_add_kernels", name, "SOURCES", "a.cu")
        with pytest.raises(ConfigurationError) as caught:
            read_kernel_call(record)
        assert str(caught.value) == expected
