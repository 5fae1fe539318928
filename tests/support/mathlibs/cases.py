"""Calls of all functions in the table of cuBLAS, with sizes and layouts that tests use.

`python -m support.mathlibs.cases` prints a program that makes the calls, and prints what they
write. It builds with NVIDIA's library and with kbuild's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from kbuild.backends.cpu.mathlibs.table import Instance, Parameter, Row, Variant, read_table
from kbuild.values import dataclass

SIZES = {"m": 5, "n": 7, "k": 3, "kl": 1, "ku": 2}
ITEMS = 3
_CHOICES = {
    "op": ("CUBLAS_OP_N", "CUBLAS_OP_T", "CUBLAS_OP_C"),
    "fill": ("CUBLAS_FILL_MODE_LOWER", "CUBLAS_FILL_MODE_UPPER"),
    "side": ("CUBLAS_SIDE_LEFT", "CUBLAS_SIDE_RIGHT"),
    "diag": ("CUBLAS_DIAG_NON_UNIT", "CUBLAS_DIAG_UNIT"),
}
_PLACES = {"op": "NTC", "fill": "LU", "side": "LR", "diag": "NU"}
_PADDING = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call.

    Attributes:
        row: The row of the table.
        instance: Its types.
        variant: One call, or one for many matrices.
        choices: The enumerations, as letters by name.
        is_wide: Whether it is the function for 64-bit numbers.
        has_device_scalars: Whether scalars are in memory of the device.
        number: Its number.
    """

    row: Row
    instance: Instance
    variant: Variant
    choices: dict[str, str]
    is_wide: bool
    has_device_scalars: bool
    number: int

    @property
    def name(self) -> str:
        """The name of NVIDIA's function."""
        return self.row.name(self.instance, self.variant) + ("_64" if self.is_wide else "")

    def evaluate(self, expression: str) -> int:
        """Return the value of a size in the table."""
        kinds = {p.name: p.kind for p in self.row.parameters}
        chosen = {name: _PLACES[kinds[name]].index(v) for name, v in self.choices.items()}
        names = {**SIZES, **chosen}
        text = re.sub(r"(\w+) \? (\w+) : (\w+)", r"(\2 if \1 else \3)", expression)
        return int(eval(text.replace("/", "//"), {}, names))  # noqa: S307 - of the table

    def extents(self, parameter: Parameter) -> tuple[int, int]:
        """Return the layout (leading dimension or increment) and the elements of memory."""
        sizes = [self.evaluate(size) for size in parameter.sizes]
        if parameter.kind == "matrix":
            leading = sizes[0] + _PADDING
            return leading, leading * sizes[1]
        if parameter.kind == "vector":
            increment = self.increment(parameter)
            return increment, sizes[0] * abs(increment)
        return 1, sizes[0]

    def increment(self, parameter: Parameter) -> int:
        """Return the increment of a vector: negative for some of those of level 2."""
        if not parameter.is_nonzero:
            return 2 if parameter.name == "x" else 1
        return 2 if (self.number + (parameter.name == "x")) % 3 else -1


def list_cases() -> list[Case]:
    """Return all cases."""
    cases: list[Case] = []
    for row in read_table():
        names = [p.name for p in row.parameters if p.kind in _CHOICES]
        for variant, instance in product(row.variants, row.instances):
            for letters in product(*_list_letters(row, instance)):
                number = len(cases)
                cases.append(
                    Case(
                        row=row,
                        instance=instance,
                        variant=variant,
                        choices=dict(zip(names, letters, strict=True)),
                        is_wide=row.has_wide and number % 2 == 1,
                        has_device_scalars=number % 3 == 1,
                        number=number,
                    )
                )
    return cases


def _list_letters(row: Row, instance: Instance) -> Iterator[str]:
    for parameter in row.parameters:
        if parameter.kind in _CHOICES:
            allowed = parameter.allowed if instance.is_complex else "NTC"
            yield "".join(
                letter
                for letter in _PLACES[parameter.kind]
                if parameter.kind != "op" or letter in allowed
            )


def find_value(seed: int, index: int) -> float:
    """Return a number from 0.5 to 1.5, as the program computes it."""
    return 0.5 + ((seed * 7919 + index * 104729) % 997) / 997.0


def write_program() -> str:
    """Return the program."""
    blocks = "\n".join(_write_case(case) for case in list_cases())
    template = Path(__file__).with_name("blas.cpp.in").read_text("utf-8")
    return template.replace("@CASES@", blocks)


def _write_case(case: Case) -> str:
    lines = [f'{{ Case run("{case.name}", {case.number}, {int(case.has_device_scalars)});']
    arguments: list[str] = []
    outputs: list[str] = []
    for position, parameter in enumerate(case.row.parameters):
        lines += _write_parameter(case, parameter, position, arguments, outputs)
    if case.variant != "one":
        arguments.append(str(ITEMS))
    lines.append(f"run.check({case.name}(run.handle, {', '.join(arguments)}));")
    lines += outputs
    return "  " + " ".join(lines) + " }"


def _write_parameter(
    case: Case, parameter: Parameter, position: int, arguments: list[str], outputs: list[str]
) -> Iterator[str]:
    kind, name = parameter.kind, parameter.name
    types = {"T": case.instance.element, "R": case.instance.real, "Index": "int"}
    if case.is_wide:
        types["Index"] = "int64_t"
    if kind in _CHOICES:
        letter = case.choices[name]
        arguments.append(_CHOICES[kind][_PLACES[kind].index(letter)])
    elif kind == "dim":
        arguments.append(str(SIZES[name]))
    elif parameter.is_array or kind == "packed":
        layout, elements = case.extents(parameter)
        items = 1 if case.variant == "one" else ITEMS
        yield f"auto* {name} = run.array<{types['T']}>({position}, {elements * items});"
        if parameter.is_array and case.variant == "pointers":
            yield f"auto* {name}_list = run.list({name}, {elements}, {ITEMS});"
            arguments.append(f"{name}_list")
        else:
            arguments.append(name)
        if parameter.is_array:
            arguments.append(str(layout))
            if case.variant == "strided":
                arguments.append(str(elements))
        if parameter.access != "in":
            outputs.append(f'run.print("{name}", {name}, {elements * items});')
    else:
        count = 5 if kind in {"values", "results"} else 1
        element = types["R" if kind == "real" else parameter.type]
        values = "run.parameters" if kind == "values" else "run.scalar"
        yield f"auto* {name} = {values}<{element}>({position}, {count});"
        arguments.append(name)
        if kind in {"object", "result", "results"}:
            outputs.append(f'run.print_scalar("{name}", {name}, {count});')


if __name__ == "__main__":
    print(write_program())  # noqa: T201 - a command
