"""Case files: find the functions that are cases, and call one.

A case is a function whose name starts with ``test_`` or ``case_``.  It takes the loaded module or
nothing, and fails by raising an exception.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kbuild.errors import ConfigurationError

if TYPE_CHECKING:
    from kbuild.runtime.loading.loaded_library import LoadedLibrary

Case: TypeAlias = Callable[..., Any]

_PREFIXES: Final = ("test_", "case_")
_MODULE_NAME: Final = "kbuild_smoke_cases"


def read_cases(path: Path) -> dict[str, Case]:
    """Return the cases in ``path`` by name, in the order of the file.

    Exceptions that the file raises during its import are not caught.

    Raises:
        ConfigurationError: The file has no case, or one that cannot be called.
    """
    cases: dict[str, Case] = {
        name: value
        for name, value in vars(_import(path)).items()
        if name.startswith(_PREFIXES) and isinstance(value, FunctionType)
    }
    if not cases:
        raise ConfigurationError(
            f"{path}: no cases; the name of a case function must start with test_ or case_"
        )
    for name, case in cases.items():
        _require_callable(f"{path}: {name}", case)
    return cases


def call_case(case: Case, module: LoadedLibrary) -> None:
    """Call the case, with the module if it takes an argument."""
    if inspect.signature(case).parameters:
        case(module)
    else:
        case()


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As for a script, modules in the same directory can be imported, and dataclasses find
    # their module.
    sys.path.insert(0, str(path.absolute().parent))
    sys.modules[_MODULE_NAME] = module
    spec.loader.exec_module(module)
    return module


def _require_callable(where: str, case: Case) -> None:
    # A call of these would do nothing, so that the case would pass.
    if inspect.iscoroutinefunction(case) or inspect.isgeneratorfunction(case):
        raise ConfigurationError(
            f"{where} is a coroutine or generator; a case must be a plain function"
        )
    signature = inspect.signature(case)
    try:
        signature.bind(*[None] * min(len(signature.parameters), 1))
    except TypeError:
        raise ConfigurationError(
            f"{where}{signature} cannot be called with the module as its only argument; a case "
            "takes the module or nothing"
        ) from None
