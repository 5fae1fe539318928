"""Compare the declarations of the host API with those in NVIDIA's headers.

What the CPU accepts and nvcc rejects makes a build without a GPU green that no GPU build is. So
kbuild's functions have no forms that NVIDIA's do not have, its structures have the same members of
the same types, and its enumerators are NVIDIA's.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from support.commands import ROOT
from support.tools.nvidia_compiler import NVCC, needs_nvcc
from support.tools.toolchains import require_programs

NATIVE: Final = ROOT / "kbuild" / "native"
OWN: Final = (f"-I{NATIVE / 'device' / 'cpu'}", f"-I{NATIVE / 'include'}")
# NVIDIA's headers declare more forms of these if nvcc compiles them: for kernels, and an older one.
FORMS_OF_NVCC: Final = frozenset(
    (
        "cudaGraphExecUpdate",
        *("cudaFuncGetAttributes", "cudaFuncGetName", "cudaFuncSetAttribute"),
        *("cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig", "cudaGetKernel"),
    )
)
# Templates that say no more than the type they stand for.
TYPE_NAMES: Final = re.compile(r"\b(?:__T|T|__Function|UnaryFunction)\b")
# A declaration without its tags, and without the place of a type that has no name.
TAGS: Final = re.compile(r"\b(?:struct|enum|union) |\(?(?:unnamed|anonymous)[^()]*\)")

Declarations = Mapping[str, frozenset[str]]


@pytest.fixture(scope="module")
def vendor(tmp_path_factory: pytest.TempPathFactory) -> Declarations:
    require_programs("clang++")
    source = tmp_path_factory.mktemp("vendor") / "empty.cu"
    source.touch()
    argv = [str(NVCC), "-M", str(source)]
    listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    header = next(Path(path) for path in listed if path.endswith("/cuda_runtime.h"))
    return read_declarations(f"-I{header.parent}")


@pytest.fixture(scope="module")
def own() -> Declarations:
    require_programs("clang++")
    return read_declarations(*OWN)


def read_declarations(*options: str) -> Declarations:
    """Return the forms of each function, the members of each type, and the enumerators."""
    argv = ["clang++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-w", *options, "-Xclang"]
    argv += ["-ast-dump=json", "-Xclang", "-ast-dump-filter=cuda", "-"]
    text = "#include <cuda_runtime.h>\n"
    dump = subprocess.run(argv, input=text, capture_output=True, text=True, check=True).stdout
    found: dict[str, set[str]] = defaultdict(set)
    decoder, position = json.JSONDecoder(), 0
    while (position := dump.find("\n{", position)) >= 0:
        node, position = decoder.raw_decode(dump, position + 1)
        for name, declaration in list_declarations(node):
            found[name].add(TAGS.sub("", declaration))
    return {name: frozenset(declarations) for name, declarations in found.items()}


def list_declarations(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a node of clang's tree declares."""
    children = node.get("inner", ())
    match node["kind"]:
        case "FunctionTemplateDecl":
            pattern = next(child for child in children if child["kind"] == "FunctionDecl")
            for name, declaration in list_declarations(pattern):
                yield name, TYPE_NAMES.sub("T", declaration)
        case "FunctionDecl":
            defaults = sum("init" in child for child in children)
            for count in range(defaults + 1):
                yield node["name"], f"{node['type']['qualType']} with {count} defaults"
        case "EnumDecl":
            for child in children:
                if child["kind"] == "EnumConstantDecl":
                    yield f"enum {node.get('name', '')}", child["name"]
        case "CXXRecordDecl" if node.get("completeDefinition"):
            for member in list_members(node):
                yield f"struct {node['name']}", member


def list_members(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the members of a structure, also those of structures in it that have no name."""
    for child in record.get("inner", ()):
        if child["kind"] == "CXXRecordDecl" and "name" not in child:
            yield from list_members(child)
        elif child["kind"] == "FieldDecl" and not child.get("name", "reserved").startswith(
            "reserved"
        ):
            yield f"{child['name']}: {child['type']['qualType']}"


def is_unsupported(declarations: frozenset[str]) -> bool:
    return any("&&..." in form or form == "unsupported: char" for form in declarations)


@needs_nvcc
def test_functions_have_no_forms_that_the_vendor_lacks(
    vendor: Declarations, own: Declarations
) -> None:
    functions = {name for name in own if " " not in name} - FORMS_OF_NVCC
    assert len(functions) > 300
    supported = {name for name in functions if not is_unsupported(own[name])}
    assert len(supported) > 230
    extra = {name: own[name] - vendor.get(name, frozenset()) for name in supported}
    assert {name: forms for name, forms in extra.items() if forms} == {}
    assert any("cudaGraphNode_t *" in form for form in own["cudaGraphExecUpdate"])


@needs_nvcc
def test_types_have_the_members_of_the_vendor(vendor: Declarations, own: Declarations) -> None:
    types = {name for name in own if " " in name and not is_unsupported(own[name])}
    assert len(types) > 70
    extra = {name: own[name] - vendor.get(name, frozenset()) for name in types}
    assert {name: members for name, members in extra.items() if members} == {}
