"""The structure of the package, computed from its source: layers, cycles, directory sizes."""

from __future__ import annotations

import ast
import graphlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import kbuild

PACKAGE: Final = Path(kbuild.__file__).parent
# From top to bottom. A package imports from the layers below it, and from its own layer in one
# direction.
LAYERS: Final = (
    ("__main__",),
    ("cli", "torch", "testing"),
    ("report", "project", "bench", "smoke", "check", "nvcc", "sbom"),
    ("stages", "verify", "diff", "runtime", "strip"),
    ("inspect", "toolchain"),
    ("backends",),
    ("formats", "demangle", "cxx"),
    ("facts",),
    ("model", "errors", "files", "records", "process", "parallel", "resources", "values"),
)
LEVELS: Final = {name: -depth for depth, names in enumerate(LAYERS) for name in names}
MOST_MODULES: Final = 18
MOST_TOP_LEVEL_MODULES: Final = 10
MOST_NATIVE_FILES: Final = 24


def list_modules() -> dict[str, Path]:
    """Return the files of all modules by dotted name.

    The native sources, and the examples and the CMake package in an installed package, are not
    modules.
    """
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[1] not in ("native", "examples", "cmake"):
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES: Final = list_modules()


@cache
def list_imports(path: Path) -> tuple[str, ...]:
    """Return the modules of kbuild that a file imports, at any level of nesting."""
    return tuple(_find_imports(path))


def _find_imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("kbuild."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kbuild"):
            assert node.level == 0
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else str(node.module)


def name_package(module: str) -> str | None:
    """Return the package or module below `kbuild`; None for `kbuild` itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def build_graph() -> dict[str, set[str]]:
    """Return the packages that each package imports."""
    graph: dict[str, set[str]] = defaultdict(set)
    for module, path in MODULES.items():
        source = name_package(module)
        if source is None:  # `kbuild` offers its public names lazily
            continue
        targets = {name_package(target) for target in list_imports(path)}
        graph[source] |= {target for target in targets if target not in (None, source)}
    return graph


def test_every_package_has_a_layer() -> None:
    assert {name_package(module) for module in MODULES} - {None} <= set(LEVELS)


def test_imports_go_down_or_stay_in_their_layer() -> None:
    upward = [
        f"{module} imports {target}"
        for module, path in MODULES.items()
        for target in list_imports(path)
        if (source := name_package(module)) and (imported := name_package(target))
        if LEVELS[imported] > LEVELS[source]
    ]
    assert upward == []


def test_packages_do_not_import_each_other_in_a_cycle() -> None:
    try:
        graphlib.TopologicalSorter(build_graph()).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    # `kbuild` itself has the version, and offers the public names lazily.
    graph = {
        module: {name for name in list_imports(path) if name not in (module, "kbuild")}
        for module, path in MODULES.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_rules_import_no_stage() -> None:
    rules = [path for module, path in MODULES.items() if module.startswith("kbuild.verify.rules")]
    imported = {name_package(target) for path in rules for target in list_imports(path)}
    assert rules
    assert "stages" not in imported


def test_no_directory_is_crowded() -> None:
    counts: dict[Path, int] = defaultdict(int)
    for path in MODULES.values():
        counts[path.parent] += 1
    assert counts.pop(PACKAGE) <= MOST_TOP_LEVEL_MODULES
    assert [str(path) for path, count in counts.items() if count > MOST_MODULES] == []


def test_no_native_directory_is_crowded() -> None:
    directories = [path for path in (PACKAGE / "native").rglob("*") if path.is_dir()]
    # The vendor decides how many headers this directory has, and what they are called.
    directories.remove(PACKAGE / "native" / "device" / "cpu")
    counts = {path: sum(1 for file in path.iterdir() if file.is_file()) for path in directories}
    assert directories
    assert [str(path) for path, count in counts.items() if count > MOST_NATIVE_FILES] == []


def test_module_names_do_not_repeat_their_package() -> None:
    repeating = []
    for module in MODULES:
        *packages, name = module.split(".")
        repeating += [module for package in packages[1:] if name.startswith((f"{package}_",))]
    assert repeating == []


def test_only_backends_name_backends() -> None:
    names = {"cpu", "cuda", "hip"}
    compared = [
        f"{module}:{node.lineno}"
        for module, path in MODULES.items()
        if name_package(module) != "backends"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        for operand in (node.left, *node.comparators)
        if isinstance(operand, ast.Constant) and operand.value in names
    ]
    assert compared == []
