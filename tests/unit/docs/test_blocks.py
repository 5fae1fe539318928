"""Code blocks of the documentation without a comment are correct as far as their language tells."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import kbuild
from kbuild.cli.parsers import COMMANDS, make_command_parser
from kbuild.project.manifest.read import read_manifest
from kbuild.stages.calls import arguments
from support.documentation import Block, list_pages, read_blocks

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGES = list_pages()
GUIDES = tuple(name for name in PAGES if name.startswith("docs/how-to/"))
# The languages of blocks that this test, test_code.py in tests/tools/docs, or other tests check.
CHECKED = {"bash", "cmake", "cpp", "make", "python", "toml", "yaml", ""}
SIGNATURES = {
    "kbuild_add_kernels": arguments.ADD_KERNELS,
    "kbuild_target_sources": arguments.TARGET_SOURCES,
}
# A command at the start of a line, after variables, a prompt, a key of YAML, or another program.
_COMMAND = re.compile(r"(?:- run: |compute-sanitizer |\$ )?(?:\w+=\S* )*(kbuild .*)")
_SUBSTITUTION = re.compile(r"\$\((?:\w+=\S* )*(kbuild [^()]*)\)|\$\{\{.*?\}\}")
_OPERATORS = frozenset(("--", "|", "||", "&&", ";", ">", ">>", "2>", "<"))
_CALL = re.compile(r"\b(kbuild_add_kernels|kbuild_target_sources)\(([^()]*)\)")


def list_blocks(*languages: str) -> Iterator[tuple[str, Block]]:
    """Yield the blocks in these languages, with the names of their places."""
    for name, page in PAGES.items():
        for block in read_blocks(page):
            if block.language in languages:
                yield f"{name}:{block.line}", block


def list_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of kbuild in a script, without what belongs to others.

    These are redirections, pipes, and the arguments of a program. A synopsis, with brackets, is not
    a command.
    """
    text = re.sub(r"\\\n\s*", " ", text)
    inner = (match[1] for match in _SUBSTITUTION.finditer(text) if match[1])
    for line in (*inner, *_SUBSTITUTION.sub("X", text).splitlines()):
        match = _COMMAND.fullmatch(line.strip())
        if match and "[" not in match[1]:
            words = shlex.split(match[1], comments=True)
            ends = (number for number, word in enumerate(words) if word in _OPERATORS)
            yield words[1 : next(ends, None)]


def can_be_parsed(command: str, words: list[str]) -> bool:
    """Return whether kbuild has the command with these options."""
    if command not in COMMANDS:
        return command in ("--version", "--cmake-dir", "--help")
    try:
        make_command_parser(command).parse_args(words)
    except SystemExit as end:
        return end.code == 0
    return True


@pytest.mark.parametrize("name", PAGES)
def test_commands_of_kbuild_can_be_parsed(name: str) -> None:
    wrong = [
        f"{name}:{block.line}: kbuild {command} {shlex.join(words)}"
        for block in read_blocks(PAGES[name])
        if block.language in ("", "bash", "yaml") and block.action not in ("output", "unchecked")
        for command, *words in list_commands(block.text)
        if not can_be_parsed(command, words)
    ]
    assert wrong == []


def test_commands_are_found() -> None:
    text = (
        "$ A=1 kbuild run a.cu \\\n  -g | tee log\nkbuild verify x.so  # comment\n"
        "make X=$(kbuild nvcc --toolkit)\nkbuild run a.cu -- --own\nkbuild bench [--only N]\n"
    )

    assert list(list_commands(text)) == [
        ["nvcc", "--toolkit"],
        ["run", "a.cu", "-g"],
        ["verify", "x.so"],
        ["run", "a.cu"],
    ]
    assert not can_be_parsed("run", ["--no-such-option", "a.cu"])
    assert not can_be_parsed("rnu", [])


def test_toml_can_be_read(tmp_path: Path) -> None:
    for place, block in list_blocks("toml"):
        document = tomllib.loads(block.text)
        if "target" in document:
            manifest = tmp_path / place.replace("/", "_") / "kbuild.toml"
            for table in document["target"].values():
                for source in (*table["sources"], *table.get("headers", ())):
                    path = manifest.parent / source.replace("*", "x")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
            manifest.write_text(block.text)
            assert read_manifest(manifest).targets, place


def test_yaml_can_be_read() -> None:
    for place, block in list_blocks("yaml"):
        assert yaml.safe_load(block.text), place


def test_tags_of_kbuild_are_those_of_its_version() -> None:
    texts = [block.text for _, block in list_blocks("yaml") if "kbuild" in block.text.lower()]
    tags = re.findall(r"(?:/kbuild@|rev: )(\S+)", "".join(texts))
    assert tags == [f"v{kbuild.__version__}"] * 2


def test_python_can_be_read() -> None:
    for place, block in list_blocks("python"):
        assert ast.parse(block.text, place).body, place


def test_cmake_functions_have_the_keywords_of_the_documentation() -> None:
    calls = [
        (place, *match.groups())
        for place, block in list_blocks("cmake")
        for match in _CALL.finditer(re.sub(r"#.*", "", block.text))
    ]
    assert len(calls) > 10
    for place, function, text in calls:
        signature = SIGNATURES[function]
        words = shlex.split(text)
        found = arguments.split_arguments(signature, words[1:])
        assert found.others == (), place
        assert signature.required in found.values, place
        # A word that looks like a keyword is one.
        for values in (v for k, v in found.values.items() if k in signature.paths):
            assert not [value for value in values if value.isupper()], place


@pytest.mark.parametrize("name", GUIDES)
def test_every_block_of_a_guide_is_checked_or_says_why(name: str) -> None:
    for block in read_blocks(PAGES[name]):
        checked = block.action or block.language in CHECKED
        assert checked, f"{name}:{block.line}: write '<!-- unchecked: REASON -->' before the block"
        if block.action == "unchecked":
            assert len(block.argument.split()) > 3, f"{name}:{block.line}: give a reason"
