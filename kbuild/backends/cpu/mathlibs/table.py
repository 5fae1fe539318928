"""Read the table of cuBLAS's functions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from kbuild import resources
from kbuild.values import dataclass

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Kind = Literal[
    "op",
    "fill",
    "side",
    "diag",
    "dim",
    "scalar",
    "real",
    "matrix",
    "vector",
    "packed",
    "values",
    "object",
    "result",
    "results",
]
Access = Literal["in", "out", "inout"]
Variant = Literal["one", "pointers", "strided"]

_ELEMENTS: Final = {"S": "float", "D": "double", "C": "cuComplex", "Z": "cuDoubleComplex"}
# The pairs of BLAS have the type of their elements in another place.
_PAIRS: Final = {"Cs": "C", "Zd": "Z", "Sc": "C", "Dz": "Z"}
_REALS: Final = {"S": "float", "D": "double", "C": "float", "Z": "double"}
_MEMORY: Final = re.compile(
    r"(?P<access>in|out|inout) (?P<name>\w+)"
    r"(?:\((?P<matrix>.*)\)|\[(?P<vector>.*)\](?P<nonzero>!?)|\{(?P<packed>.*)\})"
)
_TYPED: Final = re.compile(r"(?P<kind>values|object|results?) (?P<name>\w+): (?P<type>\w+)")
_PLAIN: Final = re.compile(
    r"(?P<kind>op|fill|side|diag|dim|scalar|real) (?P<name>\w+)(?:=(?P<allowed>\w+))?"
)
_COMMA: Final = re.compile(r",\s*(?![^(\[{]*[)\]}])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of NVIDIA's function, with the one that describes its layout.

    Attributes:
        kind: What it is.
        name: Its name.
        access: How the function uses the memory.
        sizes: Expressions of C++: the rows and columns, or the number of elements.
        is_nonzero: Whether the increment of a vector cannot be 0.
        type: The type of an object, as the table names it.
        allowed: The operations that are allowed for complex types.
    """

    kind: Kind
    name: str
    access: Access = "in"
    sizes: tuple[str, ...] = ()
    is_nonzero: bool = False
    type: str = "T"
    allowed: str = "NTC"

    @property
    def is_array(self) -> bool:
        """Whether it is a matrix or a vector, which has a layout."""
        return self.kind in {"matrix", "vector"}

    @property
    def layout(self) -> str:
        """The name of its leading dimension or increment."""
        return f"ld{self.name.lower()}" if self.kind == "matrix" else f"inc{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A row for one type.

    Attributes:
        prefix: The prefix of the types, such as ``Cs``.
        element: The type of elements in C.
        real: The real type of the same precision.
    """

    prefix: str
    element: str
    real: str

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self.element != self.real

    def fill(self, pattern: str) -> str:
        """Return a pattern of the table with the prefix."""
        return pattern.replace("{P}", self.prefix).replace("{p}", self.prefix.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table.

    Attributes:
        key: Its name in the table.
        names: The pattern of the names.
        instances: Its types.
        parameters: Its parameters.
        call: The pattern of the call.
        library: The pattern of what implements it.
        variants: Which variants exist.
        has_wide: Whether functions for 64-bit numbers exist.
    """

    key: str
    names: str
    instances: tuple[Instance, ...]
    parameters: tuple[Parameter, ...]
    call: str
    library: str
    variants: tuple[Variant, ...]
    has_wide: bool

    def name(self, instance: Instance, variant: Variant) -> str:
        """Return the name of NVIDIA's function."""
        name = instance.fill(self.names)
        suffix = {"one": "", "pointers": "Batched", "strided": "StridedBatched"}[variant]
        return name.removesuffix("_v2") + suffix if suffix else name


def read_table() -> tuple[Row, ...]:
    """Read the table of functions."""
    path = find_sources() / "cublas" / "functions.toml"
    return tuple(_read_row(key, row) for key, row in tomllib.loads(path.read_text("utf-8")).items())


def find_sources() -> Path:
    """Return the directory with the sources of the libraries."""
    return resources.native_directory() / "mathlibs"


def _read_row(key: str, row: Mapping[str, Any]) -> Row:
    parameters = tuple(map(_read_parameter, _COMMA.split(row["parameters"])))
    words = row.get("batched", "").split()
    call = row.get("call") or f"BLAS({{p}}{key})({', '.join(_list_arguments(parameters))})"
    return Row(
        key=key,
        names=row.get("names", f"cublas{{P}}{key}_v2"),
        instances=tuple(map(_read_instance, row["types"].split())),
        parameters=parameters,
        call=call,
        library=row.get("library", f"cblas_{{p}}{key}"),
        variants=(
            *(() if "only" in words else ("one",)),
            *(("pointers",) if "pointers" in words else ()),
            *(("strided",) if "strided" in words else ()),
        ),
        has_wide="widths" not in row,
    )


def _read_instance(prefix: str) -> Instance:
    letter = _PAIRS.get(prefix, prefix)
    return Instance(prefix=prefix, element=_ELEMENTS[letter], real=_REALS[letter])


def _read_parameter(text: str) -> Parameter:
    if found := _PLAIN.fullmatch(text):
        allowed = found["allowed"] or "NTC"
        return Parameter(kind=found["kind"], name=found["name"], allowed=allowed)  # type: ignore[arg-type]
    if found := _TYPED.fullmatch(text):
        access: Access = {"values": "in", "object": "inout"}.get(found["kind"], "out")  # type: ignore[assignment]
        return Parameter(
            kind=found["kind"],  # type: ignore[arg-type]
            name=found["name"],
            access=access,
            type=found["type"],
        )
    found = _MEMORY.fullmatch(text)
    if found is None:
        raise ValueError(f"cannot read the parameter {text!r} of the table of functions")
    kind: Kind = "matrix" if found["matrix"] else "vector" if found["vector"] else "packed"
    return Parameter(
        kind=kind,
        name=found["name"],
        access=found["access"],  # type: ignore[arg-type]
        sizes=tuple(_COMMA.split(found[kind])),
        is_nonzero=bool(found["nonzero"]),
    )


def _list_arguments(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    """Yield the arguments of a function of CBLAS that has the same parameters."""
    if any(p.kind in {"op", "fill", "side", "matrix", "packed"} for p in parameters):
        yield "CblasColMajor"
    for parameter in parameters:
        if parameter.kind in {"op", "fill", "side", "diag"}:
            yield f"to_blas({parameter.name})"
        elif parameter.kind in {"scalar", "real"}:
            yield f"pass({parameter.name})"
        else:
            yield parameter.name
            if parameter.is_array:
                yield parameter.layout
