"""Case files: which functions are cases, and calling one.

A case is a function whose name starts with ``test_`` or ``case_``.  It takes the loaded
module, or nothing, and fails by raising.
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
    from kbuild.runtime.loading.loaded_module import LoadedModule

Case: TypeAlias = Callable[..., Any]

_PREFIXES: Final = ("test_", "case_")
_MODULE_NAME: Final = "kbuild_smoke_cases"


def read_cases(path: Path) -> dict[str, Case]:
    """The cases in ``path``, by name, in the order of the file.

    What the file raises while it is imported passes through; ConfigurationError says that
    it holds no case, or one that cannot be called.
    """
    cases: dict[str, Case] = {
        name: value
        for name, value in vars(_import(path)).items()
        if name.startswith(_PREFIXES) and isinstance(value, FunctionType)
    }
    if not cases:
        raise ConfigurationError(f"{path}: no function whose name starts with test_ or case_")
    for name, case in cases.items():
        _require_callable(f"{path}: {name}", case)
    return cases


def call_case(case: Case, module: LoadedModule) -> None:
    """Call the case, with the module if it takes one."""
    if inspect.signature(case).parameters:
        case(module)
    else:
        case()


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As for a script: its neighbours can be imported, and dataclasses find their module.
    sys.path.insert(0, str(path.absolute().parent))
    sys.modules[_MODULE_NAME] = module
    spec.loader.exec_module(module)
    return module


def _require_callable(where: str, case: Case) -> None:
    # Called, these would do nothing, and pass.
    if inspect.iscoroutinefunction(case) or inspect.isgeneratorfunction(case):
        raise ConfigurationError(f"{where} is a coroutine or generator; a case is a plain function")
    signature = inspect.signature(case)
    try:
        signature.bind(*[None] * min(len(signature.parameters), 1))
    except TypeError:
        raise ConfigurationError(
            f"{where}{signature} cannot be called with the module alone; a case takes that or "
            "nothing"
        ) from None
