"""Macros that both passes of a mixed source must have in common."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.stages.mixed import macros, preprocessors
from kbuild.stages.mixed.edge import HostEdge
from kbuild.stages.mixed.macros import check_macros
from kbuild.stages.mixed.preprocessors import print_text
from kbuild.stages.target import DeviceFlags

GXX: Final = Path("/usr/bin/g++")
EDGE: Final = HostEdge(
    kbuild_version="1",
    source=Path("/src/a.cu"),
    display_source="a.cu",
    module="1a2b",
    device_standard=17,
    architectures=("x86-64",),
    output=Path("/out/a"),
    toolchain=Toolchain(backend="cpu", compiler=GXX, compiler_id="gcc", version="12"),
    compiler=GXX,
    compiler_id="GNU",
)


class _Passes:
    """A backend that preprocesses with given options."""

    PASS_MACROS = re.compile("__CUDA_ARCH__")
    listing_command = None

    def __init__(self, host: str, device: str) -> None:
        self.options = host.split(), device.split()
        self.asked = 0  # how many commands printed macros

    def describe_preprocessors(self, unit: HostUnit, *_: object) -> tuple[Command, Command]:
        files = (
            "-include",
            "missing.h",
            "-MMD",
            "-MF",
            "a.d",
            "-E",
            str(unit.source),
            "-o",
            "a.ii",
        )
        host, device = (
            Command(argv=(str(GXX), "-x", "c++", *options, *files)) for options in self.options
        )
        return host, device


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def use(monkeypatch: pytest.MonkeyPatch, host: str, device: str) -> _Passes:
    passes = _Passes(host, device)

    def print_and_count(*arguments: Any) -> str:
        passes.asked += 1
        return print_text(*arguments)

    monkeypatch.setattr(macros, "print_text", print_and_count)
    for module in (macros, preprocessors):
        monkeypatch.setattr(module, "find_mixed", lambda _: passes)
    return passes


@pytest.mark.parametrize(
    ("host", "device", "names"),
    [
        ("-DWITH_ID", "", "'WITH_ID' ('1' and not defined)"),
        ("-DN=1", "-DN=2", "'N' ('1' and '2')"),
        ("", "-DF(x)=x", "'F' (not defined and '(x) x')"),
        ("-fopenmp", "", "'_OPENMP' ('201511' and not defined)"),
        ("-pthread", "", "'_REENTRANT' ('1' and not defined)"),
        ("-ffast-math", "-ffast-math -UX -U__FAST_MATH__", "'__FAST_MATH__' ('1' and not defined)"),
        ("-mavx", "", "'__AVX__' ('1' and not defined), '__BIGGEST_ALIGNMENT__' ('32' and '16')"),
        ("-mavx512f", "", " more;"),
    ],
)
def test_macro_of_one_pass_is_an_error(
    monkeypatch: pytest.MonkeyPatch, host: str, device: str, names: str
) -> None:
    use(monkeypatch, host, device)

    with pytest.raises(ConfigurationError, match=re.escape(names)) as error:
        check_macros(EDGE, DeviceFlags())
    assert str(error.value).startswith("a.cu: host code and device code see different macros: ")


def test_compilers_are_asked_once_per_set_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = use(monkeypatch, "-DA -fopenmp", "-DA -fopenmp -D__CUDA_ARCH__=900")
    other = replace(EDGE, source=Path("/src/b.cu"), display_source="b.cu", output=Path("/out/b"))

    for edge in (EDGE, other, EDGE):
        check_macros(edge, DeviceFlags(host_options=("-DA",)))
    assert passes.asked == 2
    check_macros(EDGE, DeviceFlags(host_options=("-DB",)))
    assert passes.asked == 4


def test_content_of_a_file_of_options_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    passes = use(monkeypatch, "", "")
    options = tmp_path / "options"

    for text in ("-DA", "-DB", "-DB"):
        options.write_text(text)
        check_macros(EDGE, DeviceFlags(host_options=(f"@{options}",)))
    assert passes.asked == 4


def test_failed_check_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "-DA", "")
    for _ in range(2):
        with pytest.raises(ConfigurationError):
            check_macros(EDGE, DeviceFlags())


def test_own_macros_of_another_compiler_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = use(monkeypatch, "-DA", "-DA")
    describe = passes.describe_preprocessors

    def with_gcc(unit: HostUnit, *_: object) -> tuple[Command, Command]:
        host, device = describe(unit)
        return host, replace(device, argv=("gcc", "-x", "c", "-std=c11", *device.argv[3:]))

    monkeypatch.setattr(passes, "describe_preprocessors", with_gcc)
    with pytest.raises(ConfigurationError, match="__STDC_VERSION__"):
        check_macros(EDGE, DeviceFlags())


def test_cache_that_cannot_be_written_is_not_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    passes = use(monkeypatch, "-DA", "-DA")
    (tmp_path / "file").touch()

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    for _ in range(2):
        check_macros(EDGE, DeviceFlags())
    assert passes.asked == 4


def test_newer_standard_of_the_host_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "", "")

    check_macros(EDGE, DeviceFlags(host_options=("-std=c++11",)))
    with pytest.raises(ConfigurationError, match=r"-std=gnu\+\+2a is for host code.*STANDARD 20"):
        check_macros(EDGE, DeviceFlags(host_options=("-std=gnu++2a",)))
