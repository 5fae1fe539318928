"""kbuild divides command lines as nvcc does: the same ones are valid, with the same values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.options import SECTIONS, Option
from kbuild.nvcc.command_line.read import read_invocation
from kbuild.nvcc.command_line.words import divide
from support.tools.nvcc_steps import join_values, run_dry, run_plain, subtract
from support.tools.nvidia_compiler import needs_nvcc

pytestmark = needs_nvcc

# nvcc's messages for a line that it cannot divide.
_INDIVISIBLE: Final = (
    "Unknown option",
    "argument expected after",
    "Stray '\"' character",
    "Could not open options file",
    "Don't know what to do with",
)
_OPTIONS: Final = [
    option
    for heading, section in SECTIONS.items()
    for option in section
    if heading != "kbuild's own" and option.name != "--options-file"
]
# Values that are valid where nvcc checks them at once.
_VALUES: Final = {"number": "1", "boolean": "true", "optional": "0", "one": "x", "list": "x"}


def spell(option: Option) -> Iterator[tuple[str, ...]]:
    """Yield ways to write an option, valid and invalid ones."""
    value = option.choices[0] if option.choices else _VALUES.get(option.kind, "")
    for name in option.names:
        yield (name,)
        yield (f"{name}={value}",)
        yield (name, value) if value else (name, "c.cpp")
        yield (f"{name}{value or 'x'}",)
        yield (f"-{name}",)
        yield (name.removeprefix("-"),)


# With one test process, this takes half a minute.
@pytest.mark.slow
@pytest.mark.parametrize("option", _OPTIONS, ids=lambda option: option.name)
def test_every_spelling_of_every_option(option: Option, tmp_path: Path) -> None:
    for spelling in dict.fromkeys(spell(option)):
        words = ("-E", "c.cpp", *spelling)
        message = run_dry(words, tmp_path).error
        is_divided = not any(text in message for text in _INDIVISIBLE)
        try:
            line = divide(words, {})
        except ConfigurationError:
            assert not is_divided, spelling
        else:
            assert is_divided == (set(line.inputs) == {"c.cpp"}), (spelling, message)


def compare(
    words: Sequence[str], directory: Path, variables: Mapping[str, str] | None = None
) -> None:
    """Compare what nvcc passes to g++ when it preprocesses with what kbuild reads."""
    line = ("-E", "c.cpp", *words)
    theirs = run_dry(line, directory, variables)
    if theirs.error:
        with pytest.raises(ConfigurationError):
            read_invocation(line, variables or {})
        return
    ours = read_invocation(line, variables or {})
    plain = join_values(run_plain("-E", "c.cpp").find("-E"))
    given = subtract(join_values(theirs.find("-E")), plain)
    read = [
        *(*ours.preprocessor, *ours.host_options),
        *([f"-O{ours.optimization}"] if ours.optimization else []),
        *([f"-std=c++{ours.standard}"] if ours.standard else []),
        *(["-g"] if ours.has_debug else []),
    ]
    assert given == subtract(read, ())


LISTS: Final = (
    "A,B",
    "A=1,2",
    'A="1,2"',
    "A='1,2'",
    r"A=1\,2",
    r"A=\"x\"",
    'A="x"',
    "A='\"x\"'",
    "A=x y",
    "F(x)=x",
    r"A=a\\\\b",
    r"A=a\\,b",
    "A=",
    "",
    ",",
    "a,,b",
    " a , b ",
    ",a,",
    '"a b"',
    '"a,b"c',
    'a"b',
    '"a',
    "[a,b]",
    "-c",
)


@pytest.mark.parametrize("name", ["-D", "-U"])
@pytest.mark.parametrize("value", LISTS)
def test_macros(name: str, value: str, tmp_path: Path) -> None:
    compare((name, value), tmp_path)


# nvcc puts a backslash before single quotes, which g++ then takes for a part of the name.
@pytest.mark.parametrize("name", ["-I", "-isystem", "-include"])
@pytest.mark.parametrize("value", [value for value in LISTS if not set("'\\") & set(value)])
def test_files(name: str, value: str, tmp_path: Path) -> None:
    compare((name, value), tmp_path)


@pytest.mark.parametrize(
    "value", ["-a,-b", "-a -b", "'-a b'", '"-a,b"', r"-a\,b", r"-D=\"x\"", "", "-a,'-b", '"-a']
)
def test_options_for_the_host_compiler(value: str, tmp_path: Path) -> None:
    compare(("-Xcompiler", value, f"--compiler-options={value}"), tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "-DX -UX -DX=2 -I a -Ib -isystem c",
        "-D=X -I=a -include=b --define-macro=Y --include-path c",
        "-O3 -w -noeh -pg -g",
        "-O0x2",
        "-O08",
        "-Ofast",
        "-O 1",
        "-O=1 -O2",
        "-t -1",
        "-g=1",
        "-G=true",
        "-rdc true",
        "-rdc=yes",
        "-Werror all-warnings",
        "-Werror=reorder,conversion -Wreorder -Wconversion",
        "-Werror foo",
        "-std=gnu++17",
        "-std c++20",
        "-default-stream=per-thread",
        "-default-stream legacy",
        "-frandom-seed=x",
        "-Wno-deprecated-declarations",
        "-foo",
        "-Wall -forward-unknown-to-host-compiler -fPIC",
        "-forward-unknown-to-host-compiler -a=b,c -Xcompiler -d -e",
        "-forward-unknown-to-host-compiler -foo bar",
        "-forward-unknown-to-host-compiler -foo -bar",
        "-forward-unknown-to-host-compiler -Xpreprocessor -foo",
        "-forward-unknown-to-host-compiler -Werror",
        "-forward-unknown-to-host-compiler -std=c++26",
        "-forward-unknown-to-host-linker -a",
        "-forward-unknown-opts -a -b",
        "-ox",
        "-xcu",
        "-MQ x",
        "-MF x",
        "-",
        "--",
        "@file",
        "-E=x",
        "-Xcompiler",
    ],
)
def test_lines(line: str, tmp_path: Path) -> None:
    compare(line.split(), tmp_path)


TEXTS: Final = (
    "-DA -DB",
    "-DA\t-DB\n-DC",
    "-DA # -DB",
    "-DA='x'",
    r"-DA=\\x",
    r"-DA=\"x\"",
    '"-DA=1 2"',
    '-DA="1 2"',
    '-DA=""',
    '""',
    '-I"a,b"',
    r"-I\"a,b\"",
    r"-DA=1\,2",
    r"-DA=1\\,2",
    r'-DA="1\"2"',
    r'-DA="1\\2"',
    r'-DA="1\ 2"',
    "-DA=1\\ 2",
    "-DA=a#b",
    '"-DA=x',
    '-D"A"B -DC="x"y"z"',
    "-Xcompiler -a -Xcompiler=-b,-c",
    "",
    " ",
)


@pytest.mark.parametrize("text", [*TEXTS, "-Xcompiler"])
def test_files_of_options(text: str, tmp_path: Path) -> None:
    file = tmp_path / "options.txt"
    file.write_text(text)
    compare(("-DFIRST", "-optf", str(file), "-DLAST"), tmp_path)
    outer = tmp_path / "outer.txt"
    outer.write_text(f"-DOUTER --options-file={file}")
    compare(("-optf", f"{outer},{file}"), tmp_path)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"])
def test_words_of_the_environment(name: str, text: str, tmp_path: Path) -> None:
    if "\n" not in text:  # `run_dry` reads lines
        compare(("-DMIDDLE",), tmp_path, {name: text})
