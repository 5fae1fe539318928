"""Tests for reading CMake's handoff files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, InputError
from kbuild.stages.target import DeviceFlags, read_flags, read_target


def write_target(directory: Path, **changes: str) -> Path:
    (directory / "a.cu").touch()
    values = {
        "name": "t",
        "kind": "shared",
        "backend": "cpu",
        "source": f"{directory}/a.cu",
        "source_root": str(directory),
        "output_directory": f"{directory}/out",
        "visibility": "default",
        "debug_stubs": "OFF",
        "rdc": "OFF",
        "runtime": "shared",
        "standard": "17",
        "host_compiler": "",
        "stub_suffix": ".cpp",
        **changes,
    }
    path = directory / "target.txt"
    path.write_text("".join(f"{key} {value}\n" for key, value in values.items()))
    return path


def test_target_is_read(tmp_path: Path) -> None:
    spec = read_target(write_target(tmp_path, architecture="x86-64-v3", host_compiler="g++ 12"))

    assert spec.sources == (tmp_path / "a.cu",)
    assert spec.architectures == ("x86-64-v3",)
    assert spec.host_compiler == "g++ 12"
    assert spec.stub_suffix == ".cpp"


def test_sources_have_their_own_definitions(tmp_path: Path) -> None:
    path = write_target(tmp_path, **{"definition.1": "A=1 2", "definition.0": "-DB"})
    (tmp_path / "b.cu").touch()
    with path.open("a") as file:
        file.write(f"source {tmp_path}/b.cu\ndefinition.1 C\n")

    groups = read_target(path).group_definitions()

    assert groups == {tmp_path / "a.cu": ("B",), tmp_path / "b.cu": ("A=1 2", "C")}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kind": "dll"}, "type is 'dll'; expected one of object, static"),
        (
            {"visibility": "protected"},
            "VISIBILITY is 'protected'; expected one of default, hidden",
        ),
        ({"debug_stubs": "1"}, "DEBUG_STUBS is '1'"),
        ({"rdc": "yes"}, "RDC is 'yes'; expected one of ON, OFF"),
        ({"compression": "zip"}, "COMPRESSION is 'zip'; expected one of none, speed"),
        ({"source": "/no/such.cu"}, "SOURCES: /no/such.cu: no such file"),
        ({"source": "/no/such.cu", "mixed": "ON"}, "PRIVATE: /no/such.cu: no such file"),
        ({"source": ""}, "SOURCES is empty"),
        ({"header": "/no/such.hpp"}, "/no/such.hpp: no such file"),
    ],
)
def test_invalid_values_are_rejected(tmp_path: Path, change: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_target(write_target(tmp_path, **change))

    assert expected in str(caught.value)


def test_two_spellings_of_one_source_are_rejected(tmp_path: Path) -> None:
    path = write_target(tmp_path)
    path.write_text(f"{path.read_text()}source {tmp_path}/src/../a.cu\n")

    with pytest.raises(ConfigurationError, match=r"/a.cu is named twice"):
        read_target(path)


def test_paths_can_contain_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = write_target(tmp_path)
    name = tmp_path / os.fsdecode(b"\xe9.cu")
    name.touch()
    path.write_bytes(path.read_bytes() + b"source " + os.fsencode(name) + b"\n")

    assert read_target(path).sources[-1] == name


def test_missing_key_or_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("name t\n")

    with pytest.raises(InputError, match="key 'kind' is missing"):
        read_target(tmp_path / "t")
    with pytest.raises(InputError, match="no such file; run CMake again"):
        read_target(tmp_path / "none")


def test_flags_are_read(tmp_path: Path) -> None:
    path = tmp_path / "flags"
    path.write_text(
        "option -O3\noption SHELL:-Xa -Xb\noption \n"
        "include_directory /a\ninclude_directory /b\ninclude_directory /a\n"
        'definition -DX=1\ndefinition NAME="a b"\ndefinition \n'
    )

    assert read_flags(path, "cuda") == DeviceFlags(
        include_directories=("/a", "/b"),
        definitions=("X=1", 'NAME="a b"'),
        options=("-O3", "-Xa", "-Xb"),
    )


def test_flags_of_other_backends_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "flags"
    path.write_text("option cuda:-Xa\noption cuda:SHELL:-Xb -Xc\noption cuda:\noption cpu:-Xd\n")

    assert read_flags(path, "cuda").options == ("-Xa", "-Xb", "-Xc")
    assert read_flags(path, "cpu").options == ("-Xd",)


def test_own_launcher_overrides_the_language(tmp_path: Path) -> None:
    def choose(**lines: str) -> tuple[str, ...]:
        named = {key.replace("_", "."): value for key, value in lines.items()}
        return read_target(write_target(tmp_path, **named)).choose_launcher("CXX")

    assert choose() == ()
    assert choose(launcher_CXX="ccache", launcher_CUDA="sccache") == ("ccache",)
    assert choose(launcher="sccache", launcher_CXX="ccache") == ("sccache",)
    assert choose(launcher="none", launcher_CXX="ccache") == ()
