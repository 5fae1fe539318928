"""Command lines are divided into options and inputs. `tests/tools/nvcc` compares with nvcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.words import divide


def list_options(*words: str, **environment: str) -> list[tuple[str, str]]:
    """Return the names and values of options."""
    line = divide(words, environment)
    return [(given.option.name, given.value) for given in line.options]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-o", "x"), ("--output-file", "x")),
        (("-o=x",), ("--output-file", "x")),
        (("--output-file=a=b",), ("--output-file", "a=b")),
        (("-o", "-c"), ("--output-file", "-c")),
        (("-DX=1",), ("--define-macro", "X=1")),
        (("-D=X=1",), ("--define-macro", "X=1")),
        (("-O3",), ("--optimize", "3")),
        (("-t4",), ("--threads", "4")),
        (("-lto",), ("--lto", "")),
        (("-ltoo",), ("--library", "too")),
        (("-Ofc",), ("--Ofast-compile", "")),
        (("-Ofc", "max"), ("--Ofast-compile", "max")),
        (("-c",), ("--compile", "")),
    ],
)
def test_spellings(words: tuple[str, ...], expected: tuple[str, str]) -> None:
    assert list_options(*words) == [expected]


def test_inputs_keep_their_order() -> None:
    assert divide(("b.cu", "-c", "a.cu", "-o", "x"), {}).inputs == ("b.cu", "a.cu")


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("-I", 'a,"b,c"d', ("a", "b,cd")),
        ("-I", r"a\,b", ("a\\", "b")),
        ("-D", r'A="1,2",B\,C', ('A="1,2"', "B,C")),
        ("-Xlinker", r'a\"b,"c,d"', None),
        ("-Xlinker", r'a\b,"c,d"', (r"a\b", '"c,d"')),
        ("-Xcompiler", " a , ,b,", ("a", "b")),
    ],
)
def test_lists(option: str, value: str, expected: tuple[str, ...] | None) -> None:
    (given,) = divide((option, value), {}).options
    if expected is None:
        with pytest.raises(ConfigurationError, match="a double quote is not closed"):
            given.split()
    else:
        assert given.split() == expected


def test_long_values_are_split_in_linear_time() -> None:
    (given,) = divide(("-D", "a" * 100_000 + '"'), {}).options
    with pytest.raises(ConfigurationError, match="is not closed"):
        given.split()


def test_files_name_further_files(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text('-DB="x y"\n-I\ta')
    outer.write_text(f"-DA --options-file {inner}")

    assert list_options("-optf", str(outer), "-DC") == [
        ("--define-macro", "A"),
        ("--define-macro", "B=x y"),
        ("--include-path", "a"),
        ("--define-macro", "C"),
    ]


def test_files_that_name_each_other_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text(f"-optf {file}")

    with pytest.raises(ConfigurationError, match="name each other; remove the cycle"):
        divide(("-optf", str(file)), {})


def test_the_environment_surrounds_the_words() -> None:
    options = list_options(
        "-DB", NVCC_PREPEND_FLAGS='-DA="x y" -c', NVCC_APPEND_FLAGS="-DC", CFLAGS="-DD"
    )
    assert options == [
        ("--define-macro", 'A="x y"'),
        ("--compile", ""),
        ("--define-macro", "B"),
        ("--define-macro", "C"),
    ]


@pytest.mark.parametrize(
    ("flag", "to_compiler", "to_linker"),
    [
        ("-forward-unknown-to-host-compiler", True, False),
        ("-forward-unknown-to-host-linker", False, True),
        ("-forward-unknown-opts", True, True),
    ],
)
def test_unknown_options_are_forwarded(flag: str, *, to_compiler: bool, to_linker: bool) -> None:
    line = divide(("-fPIC", "a.cu", flag, "-Wl,-z,now"), {})
    unknown = ("-fPIC", "-Wl,-z,now")
    assert line.to_compiler == (unknown if to_compiler else ())
    assert line.to_linker == (unknown if to_linker else ())
    assert line.inputs == ("a.cu",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-fPIC",), "unknown option '-fPIC'; for the host compiler, write '-Xcompiler -fPIC'"),
        (("-fa,b",), r"for the host compiler, write '-Xcompiler -fa\,b'"),
        (("-Wl,-z,now",), "unknown option '-Wl,-z,now'; for the linker, write '-Xlinker -z,now'"),
        (("--gencode=x",), "unknown option '--gencode=x'; did you mean '-gencode'?"),
        (("-o",), "nvcc option '-o' without a value; add the value"),
        (("-c=x",), "option '-c=x': '-c' takes no value; remove '=x'"),
        (("-optf", "/no/file"), "--options-file /no/file: cannot read the file"),
    ],
)
def test_errors(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        divide(words, {})
    assert message in str(raised.value)
