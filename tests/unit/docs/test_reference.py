"""The reference names everything that users can use, and its generators follow the source."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

import kbuild
from kbuild import errors
from kbuild.nvcc.command_line.options import OPTIONS

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page for page in sorted(DOCS.rglob("*.md"))}

reference: Any = importlib.import_module("kbuild_reference")
commands: Any = importlib.import_module("kbuild_reference.commands")
cmake: Any = importlib.import_module("kbuild_reference.cmake")
headers: Any = importlib.import_module("kbuild_reference.headers")
nvcc_options: Any = importlib.import_module("kbuild_reference.nvcc_options")
fields: Any = importlib.import_module("kbuild_reference.fields")

# Steps of a launch that `kbuild::launch` and debug stubs call; not for users.
INTERNAL_FUNCTIONS = {
    "kbuild_launch_extended",
    "kbuild_launch_prepared",
    "kbuild_launch_unprepared",
    "kbuild_push_configuration",
    "kbuild_take_stub_result",
}
# What a build passes on to its own steps.
INTERNAL_VARIABLES = {
    *("KBUILD_EXECUTABLE", "KBUILD_EXIT_CODE_FILE", "KBUILD_EVENTS_FILE"),
    *("KBUILD_PKG_CONFIG_DIRECTORY", "KBUILD_SOURCE_ROOT"),
}
GENERATED = re.compile(
    r"(?<=-->)\n\n(?:(?!<!-- generate: ).)*?\n<!-- end of generated text -->", re.DOTALL
)
MACROS = {"KBUILD_KERNEL"}  # of C++ sources, which Python reads


def read(name: str) -> str:
    return PAGES[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_placeholders_of_each_page_can_be_expanded(name: str) -> None:
    assert "<!-- generate:" not in reference.expand(read(name))


@pytest.mark.parametrize("name", [name for name in PAGES if "<!-- generate:" in read(name)])
def test_generated_text_is_current(name: str) -> None:
    """Check the text in the page. ``KBUILD_UPDATE_GOLDEN=1`` writes it."""
    text = reference.update(read(name))
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        PAGES[name].write_text(text, encoding="utf-8")
    assert read(name) == text
    assert reference.expand(text) == reference.expand(re.sub(GENERATED, "", text))


def test_every_command_is_in_the_reference() -> None:
    documented = re.findall(r"<!-- generate: command ([\w-]+) -->", read("reference/commands.md"))
    assert sorted(documented) == sorted(commands.find_commands())


def test_every_option_of_nvcc_is_in_the_reference() -> None:
    page = read("reference/nvcc-options.md")
    documented = re.findall(r"<!-- generate: nvcc (.+) -->", page)
    assert documented == list(nvcc_options.SECTIONS)
    text = reference.expand(page)
    assert [name for name in OPTIONS if f"`{name}`" not in text] == []


def test_every_cmake_function_is_in_the_reference() -> None:
    documented = re.findall(r"<!-- generate: cmake (\w+) -->", read("reference/cmake.md"))
    functions = {name for name in cmake.read_blocks() if name.startswith("kbuild_")}
    assert set(documented) == functions


@pytest.mark.parametrize(
    ("header", "page"),
    [
        ("kbuild.hpp", "reference/cpp.md"),
        ("config.hpp", "reference/cpp.md"),
        ("compiled_kernel.hpp", "reference/cpp.md"),
        ("host_cpu.h", "reference/c.md"),
    ],
)
def test_every_public_declaration_is_in_the_reference(header: str, page: str) -> None:
    path = next(path for path in headers.find_headers() if path.name == header)
    names = {
        item.name
        for item in headers.read_header(path)
        if item.name
        not in {*INTERNAL_FUNCTIONS, "kbuild_note_call_site", "kbuild_error_t", "explain"}
    }
    documented = set(re.findall(r"<!-- generate: declaration (\w+) -->", read(page)))
    assert len(names) > 3
    assert names <= documented


def test_every_public_python_name_is_in_the_reference() -> None:
    page = read("reference/python.md")
    assert [name for name in kbuild.__all__ if f"kbuild.{name}" not in page] == []


def test_every_documented_python_name_exists() -> None:
    names = re.findall(r"auto(?:class|function):: ([\w.]+)", read("reference/python.md"))
    assert len(names) > 5
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_every_error_class_is_in_the_reference() -> None:
    page = read("reference/exit-codes.md")
    for error in vars(errors).values():
        if isinstance(error, type) and issubclass(error, errors.KbuildError):
            row = re.search(rf"^\| `{error.__name__}` \| (.*?) \|", page, re.MULTILINE)
            assert row or error is errors.KbuildError, error.__name__
            if row and row[1].isdigit():
                assert int(row[1]) == error.exit_code


def test_every_environment_variable_of_kbuild_is_in_the_reference() -> None:
    patterns = (r'getenv\("(KBUILD_\w+)"', r'"(KBUILD_\w+)"', r"ENV\{(KBUILD_\w+)\}")
    read_by_kbuild = set()
    for root, suffix in (("kbuild", ".py"), ("kbuild/native", ""), ("cmake", ".cmake")):
        for path in (ROOT / root).rglob(f"*{suffix}"):
            if path.is_file() and path.suffix not in (".pyc", ".so", ".a", ".1"):
                text = path.read_text(encoding="utf-8", errors="replace")
                found = {name for pattern in patterns for name in re.findall(pattern, text)}
                read_by_kbuild |= found
    documented = set(re.findall(r"`(KBUILD_\w+)`", read("reference/environment.md")))
    assert "KBUILD_TRACE" in read_by_kbuild
    assert read_by_kbuild - INTERNAL_VARIABLES - MACROS <= documented


def test_fields_without_a_meaning_are_rejected() -> None:
    with pytest.raises(ValueError, match="say what 'reason' means"):
        fields.render("kbuild.verify.report.RuleNote", "rule: The rule.")


def test_fields_that_do_not_exist_are_rejected() -> None:
    with pytest.raises(ValueError, match="no field 'id'"):
        fields.render("kbuild.verify.report.RuleNote", "rule: r\nreason: r\nid: i")


def test_unknown_generators_are_rejected() -> None:
    with pytest.raises(ValueError, match="unknown generator 'x'"):
        reference.expand("<!-- generate: x -->")


def test_declarations_are_shown_without_bodies_and_reserved_names() -> None:
    text = headers.render("kbuild_malloc", "")
    assert "kbuild_error_t kbuild_malloc(void **pointer, size_t bytes);" in text


def test_members_that_are_function_pointers_are_shown() -> None:
    text = headers.render("kbuild_runtime", "")
    assert "int (*resolve)(const void *handle);" in text
    assert "const char *(*error_message)(int code);" in text
