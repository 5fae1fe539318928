"""Type stubs for the mapping that `kbuild.load` returns."""

from __future__ import annotations

import json
import keyword
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from kbuild.demangle.names import split_function
from kbuild.facts.parameter_types import ArithmeticType, PointerType
from kbuild.stages.bindings.model import Bindings, BoundKernel, BoundParameter
from kbuild.stages.bindings.names import make_unique
from kbuild.stages.render import render

_RESERVED: Final = frozenset((*keyword.kwlist, "self"))


def render_python(bindings: Bindings) -> bytes:
    """Generate a ``.pyi`` file with a class ``Kernels``."""
    classes = make_unique(kernel.name for kernel in bindings.kernels)
    short = Counter(split_function(kernel.display)[0] for kernel in bindings.kernels)
    kernels = [
        {
            "name": name,
            "display": kernel.display,
            "keys": ", ".join(json.dumps(key) for key in _list_keys(kernel, short)),
            "parameters": _describe_parameters(kernel.parameters),
        }
        for name, kernel in zip(classes, bindings.kernels, strict=True)
    ]
    rows = {
        "target": bindings.target,
        "kernels": kernels,
        "omitted": bindings.omitted,
        "is_overloaded": len(kernels) > 0,
    }
    return render("bindings/python.pyi.j2", rows)


def _list_keys(kernel: BoundKernel, short: Counter[str]) -> tuple[str, ...]:
    """Return the names by which `kbuild.load` finds a kernel."""
    qualified, _ = split_function(kernel.display)
    names = (kernel.handle, kernel.display, *((qualified,) if short[qualified] == 1 else ()))
    return tuple(dict.fromkeys(names))


def _describe_parameters(parameters: tuple[BoundParameter, ...]) -> list[Mapping[str, Any]]:
    names = make_unique((parameter.name for parameter in parameters), _RESERVED)
    return [
        {"name": name, "type": _spell(parameter), "note": parameter.note}
        for name, parameter in zip(names, parameters, strict=True)
    ]


def _spell(parameter: BoundParameter) -> str:
    kind = parameter.type
    if isinstance(kind, PointerType):
        elements = _list_elements(kind.pointee)
        return f"_Pointer | NDArray[{elements}]" if elements else "_Pointer | NDArray[Any]"
    if isinstance(kind, ArithmeticType) and kind.code:
        return {"b": "_Bool", "f": "_Float"}.get(kind.kinds, "_Integer")
    return "_Bytes"


def _list_elements(pointee: ArithmeticType | None) -> str | None:
    """Return the NumPy types of the arrays behind a pointer; None if they can be of any type."""
    if pointee is None or pointee.code is None:
        return None
    words = {"b": "bool_", "i": f"int{8 * pointee.size}", "u": f"uint{8 * pointee.size}"}
    words["f"] = f"float{8 * pointee.size}"
    return " | ".join(f"numpy.{words[kind]}" for kind in pointee.kinds)
