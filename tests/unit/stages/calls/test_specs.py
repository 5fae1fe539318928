"""Tests for the targets that calls describe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.stages.calls.specs import list_configurations, make_spec
from support.calls import add_kernels, add_sources, make_record


def test_call_becomes_a_target(tmp_path: Path) -> None:
    call = add_kernels(
        tmp_path,
        *("SOURCES", "a.cu", "ARCHITECTURES", "x86-64", "cuda:80", "RDC", "ON"),
        *("DEBUG_STUBS", "SYMBOLS", "DEVICE_STANDARD", "20", "HOST_COMPILER", "g++ 12"),
        backend_languages=("CXX", "CUDA"),
        CMAKE_CUDA_ARCHITECTURES=("80", "90"),
    )

    spec = make_spec(call, "")

    assert (spec.name, spec.kind, spec.rdc, spec.debug_stubs) == ("t", "static", "ON", "SYMBOLS")
    assert spec.sources == (tmp_path / "a.cu",)
    assert spec.source_root == tmp_path
    assert spec.output_directory == tmp_path / "build/kbuild/t"
    assert spec.architectures == ("x86-64", "cuda:80")
    assert spec.host_compiler == "g++ 12"
    assert spec.device_standard == 20
    assert spec.compilers == (("CXX", "/usr/bin/c++"),)
    assert spec.default_architectures == (("CUDA", "80"), ("CUDA", "90"))
    assert spec.stub_suffix == ".cpp"
    assert spec.launcher is None


@pytest.mark.parametrize(
    ("kind", "visibility"),
    [("STATIC", "hidden"), ("OBJECT", "hidden"), ("SHARED", "default"), ("MODULE", "default")],
)
def test_kind_determines_the_visibility(tmp_path: Path, kind: str, visibility: str) -> None:
    plain = add_kernels(tmp_path, kind, "SOURCES", "a.cu")
    own = add_kernels(tmp_path, kind, "SOURCES", "a.cu", "VISIBILITY", "hidden")

    assert make_spec(plain, "").visibility == visibility
    assert make_spec(own, "").visibility == "hidden"


def test_each_configuration_has_its_own_outputs(tmp_path: Path) -> None:
    record = make_record(
        tmp_path,
        "kbuild_add_kernels",
        *("t", "SOURCES", "a.cu"),
        GENERATOR_IS_MULTI_CONFIG="ON",
        CMAKE_CONFIGURATION_TYPES=("Debug", "Release"),
    )
    call = replace(add_kernels(tmp_path, "SOURCES", "a.cu"), record=record)

    found = [make_spec(call, name).output_directory.name for name in list_configurations(record)]

    assert found == ["Debug", "Release"]
    assert list_configurations(make_record(tmp_path, "kbuild_verify")) == ("",)


def test_host_sources_of_the_target_are_found(tmp_path: Path) -> None:
    (tmp_path / "main.cpp").touch()
    (tmp_path / "x").mkdir()
    sources = ("main.cpp", "x/../main.cpp", "no.cpp", "a.cu", "$<1:main.cpp>")

    spec = make_spec(add_sources(tmp_path, "PRIVATE", "a.cu", target__SOURCES=sources), "")

    assert spec.host_sources == (tmp_path / "main.cpp", tmp_path / "main.cpp")
    assert spec.is_mixed


def test_launcher_of_the_call_wins_over_the_remembered_one(tmp_path: Path) -> None:
    def launcher(**facts: str | tuple[str, ...]) -> tuple[str, ...] | None:
        return make_spec(add_kernels(tmp_path, "SOURCES", "a.cu", **facts), "").launcher

    assert launcher(_KBUILD_COMPILER_LAUNCHER="old") == ("old",)
    assert launcher(KBUILD_COMPILER_LAUNCHER=("a", "-b"), _KBUILD_COMPILER_LAUNCHER="old") == (
        "a",
        "-b",
    )
    assert launcher(KBUILD_COMPILER_LAUNCHER="", _KBUILD_COMPILER_LAUNCHER="old") == ()
