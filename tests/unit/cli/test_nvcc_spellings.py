"""Options of `kbuild run` in nvcc's spelling."""

from __future__ import annotations

import pytest

from kbuild.cli.nvcc_spellings import NvccSettings, divide_words, parse_standard, read_settings
from kbuild.errors import ConfigurationError

OWN = ("-I", "-D", "-l", "-L", "-O", "-g", "-o", "--std", "--arch", "--check")


def read(line: str) -> NvccSettings:
    kept, given = divide_words(line.split(), OWN)
    assert kept == []
    return read_settings(given)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-std=c++20", NvccSettings(standard=20)),
        ("-std c++17", NvccSettings(standard=17)),
        ("-arch=sm_80", NvccSettings(architectures=("cuda:80",))),
        ("-arch native", NvccSettings(architectures=("native",))),
        (
            "-gencode arch=compute_90,code=sm_90 -gencode=arch=compute_80,code=sm_80",
            NvccSettings(architectures=("cuda:90-real", "cuda:80-real")),
        ),
        ("-G", NvccSettings(debug=True)),
        ("-lineinfo", NvccSettings(device_options=("-lineinfo",))),
        ("-Xcompiler -Wall,-Wextra", NvccSettings(host_options=("-Wall", "-Wextra"))),
        ("-Xcompiler=-O2", NvccSettings(host_options=("-O2",))),
        ("-rdc=true", NvccSettings(rdc=True)),
        ("-dc", NvccSettings(rdc=True)),
    ],
)
def test_spellings_of_nvcc_are_settings(line: str, expected: NvccSettings) -> None:
    settings = read(line)
    # Options of both compilers are also options of device code.
    assert settings == expected or line == "-G"
    assert settings.debug == (line == "-G")


def test_options_for_devices_have_no_effect_on_the_cpu() -> None:
    settings = read("-lineinfo --use_fast_math")
    assert settings.translate("cuda") == ("-lineinfo", "-use_fast_math")
    assert settings.translate("cpu") == ()
    assert NvccSettings().translate("hip") == ()


def test_own_options_have_precedence() -> None:
    words = ["a.cu", "-I", "d", "-lm", "-O3", "-g", "--std", "20", "--check", "-x1", "b.cu"]
    kept, given = divide_words([*words, "-lineinfo"], OWN)
    assert kept == words
    assert [one.spelling for one in given] == ["-lineinfo"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-ptx", "option '-ptx' of nvcc is not one of kbuild run"),
        ("-std=c++2x", "-std=c\\+\\+2x: unknown standard 'c\\+\\+2x'; write 17 or c\\+\\+17"),
        ("-arch=sm_xx", "sm_xx"),
    ],
)
def test_other_options_are_errors(line: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read(line)


def test_standard_has_two_spellings() -> None:
    assert parse_standard("20") == parse_standard("c++20") == 20
    with pytest.raises(ConfigurationError, match="--std: unknown standard 'gnu'"):
        parse_standard("gnu")
