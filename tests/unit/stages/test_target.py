"""Tests for targets, and for reading their flags."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kbuild.stages.target import DeviceFlags, TargetSpec, read_flags

SPEC = TargetSpec(
    name="t",
    kind="shared",
    backend="cpu",
    sources=(Path("/a.cu"), Path("/b.cu")),
    source_root=Path("/"),
    output_directory=Path("/out"),
)


def test_sources_have_their_own_definitions() -> None:
    spec = replace(SPEC, definitions=((Path("/b.cu"), ("A=1 2", "-DC")),))

    assert spec.group_definitions() == {Path("/a.cu"): (), Path("/b.cu"): ("A=1 2", "C")}


def test_flags_are_read(tmp_path: Path) -> None:
    path = tmp_path / "flags"
    path.write_text(
        "option -O3\noption SHELL:-Xa '-Xb c'\noption \n"
        "include_directory /a\ninclude_directory /b\ninclude_directory /a\n"
        'definition -DX=1\ndefinition NAME="a b"\ndefinition \n'
    )

    assert read_flags(path, "cuda") == DeviceFlags(
        include_directories=("/a", "/b"),
        definitions=("X=1", 'NAME="a b"'),
        options=("-O3", "-Xa", "-Xb c"),
    )


def test_flags_of_other_backends_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "flags"
    path.write_text("option cuda:-Xa\noption cuda:SHELL:-Xb -Xc\noption cuda:\noption cpu:-Xd\n")

    assert read_flags(path, "cuda").options == ("-Xa", "-Xb", "-Xc")
    assert read_flags(path, "cpu").options == ("-Xd",)


def test_own_launcher_overrides_the_language() -> None:
    languages = (("CXX", "ccache"), ("CUDA", "sccache"))

    assert SPEC.choose_launcher("CXX") == ()
    assert replace(SPEC, launchers=languages).choose_launcher("CXX") == ("ccache",)
    own = replace(SPEC, launcher=("sccache", "-v"), launchers=languages)
    assert own.choose_launcher("CXX") == ("sccache", "-v")
    assert replace(SPEC, launcher=(), launchers=languages).choose_launcher("CXX") == ()
