"""Write the C and C++ of the functions in the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mathlibs.table import Instance, Parameter, Row, Variant

_ENUMERATIONS: Final = {
    "op": "cublasOperation_t",
    "fill": "cublasFillMode_t",
    "side": "cublasSideMode_t",
    "diag": "cublasDiagType_t",
}
_LIBRARY_FUNCTION: Final = re.compile(r"(?:BLAS|LAPACK)\([^()]*\)")
# NVIDIA's functions for 32-bit and 64-bit numbers: the end of the name, and the type.
_WIDTHS: Final = (("", "int"), ("_64", "int64_t"))


def write_declarations(rows: tuple[Row, ...]) -> str:
    """Return the declarations of all functions, in C."""
    lines = [
        f"cublasStatus_t {name}({', '.join(_declare(row, instance, variant, width))});"
        for row, instance, variant, name, width in _list_functions(rows)
    ]
    return "\n".join(lines) + "\n"


def write_names(rows: tuple[Row, ...]) -> str:
    """Return the macros that give functions the names that programs use."""
    names = [name for *_, name, _ in _list_functions(rows) if "_v2" in name]
    return "".join(f"#define {name.replace('_v2', '')} {name}\n" for name in names)


def write_templates(rows: tuple[Row, ...]) -> str:
    """Return one function template in C++ for each row and variant."""
    return "\n".join(_write_template(row, variant) for row in rows for variant in row.variants)


def write_functions(rows: tuple[Row, ...]) -> str:
    """Return the definitions of NVIDIA's functions in C++, which call the templates."""
    return "\n".join(_write_functions(rows)) + "\n"


def _list_functions(
    rows: tuple[Row, ...],
) -> Iterator[tuple[Row, Instance, Variant, str, str]]:
    for row in rows:
        for variant in row.variants:
            for instance in row.instances:
                for suffix, width in _WIDTHS if row.has_wide else _WIDTHS[:1]:
                    yield row, instance, variant, row.name(instance, variant) + suffix, width


def _declare(row: Row, instance: Instance, variant: Variant, width: str) -> Iterator[str]:
    types = {"T": instance.element, "R": instance.real, "Index": width}
    yield "cublasHandle_t handle"
    yield from _list_parameters(row, variant, types, width)


def _list_parameters(
    row: Row, variant: Variant, types: dict[str, str], width: str
) -> Iterator[str]:
    for parameter in row.parameters:
        yield from _spell(parameter, variant, types, width)
    if variant != "one":
        yield f"{width} batchCount"


def _spell(
    parameter: Parameter, variant: Variant, types: dict[str, str], width: str
) -> Iterator[str]:
    """Yield a parameter as it is declared, and its layout."""
    kind, name = parameter.kind, parameter.name
    if kind in _ENUMERATIONS:
        yield f"{_ENUMERATIONS[kind]} {name}"
        return
    if kind == "dim":
        yield f"{width} {name}"
        return
    element = types["R" if kind == "real" else parameter.type]
    constant = "const " if kind in {"scalar", "real"} or parameter.access == "in" else ""
    if parameter.is_array and variant == "pointers":
        yield f"{constant}{element}* const {name}[]"
    else:
        yield f"{constant}{element}* {name}"
    if parameter.is_array:
        yield f"{width} {parameter.layout}"
        if variant == "strided":
            yield f"long long int stride{name}"


def _write_template(row: Row, variant: Variant) -> str:
    types = {"T": "T", "R": "R", "Index": "Index"}
    functions = tuple(dict.fromkeys(_LIBRARY_FUNCTION.findall(row.call)))
    values = "".join(f", auto function{i}" for i in range(len(functions)))
    signature = ", ".join(_list_parameters(row, variant, types, "blasint"))
    body = "\n".join(f"    {line}" for line in _write_body(row, variant, functions))
    return (
        f"template <class T, class R, class Index{values}>\n"
        f"cublasStatus_t {_name_template(row, variant)}(const char* name, cublasHandle_t handle, "
        f"{signature}) {{\n{body}\n}}\n"
    )


def _name_template(row: Row, variant: Variant) -> str:
    return f"run_{row.key}" + ("" if variant == "one" else f"_{variant}")


def _write_body(row: Row, variant: Variant, functions: tuple[str, ...]) -> Iterator[str]:
    yield "Call call(name, handle);"
    yield from (f"call.require({check});" for check in _list_checks(row, variant))
    yield "if (!call.is_accepted()) return call.status();"
    if _is_of_vectors(row):
        names = (p.name for p in row.parameters if p.kind == "dim")
        yield from (f"{name} = std::max<blasint>({name}, 0);" for name in names)
    scalars = [p for p in row.parameters if p.kind in {"scalar", "real", "values"}]
    captures = "".join(
        f", {p.name}_scalar = Scalar<{_scalar_type(p)}>(call, {p.name})" for p in scalars
    )
    results = ("object", "result", "results")
    waits = any(p.kind in results for p in row.parameters)
    yield "const char* const checked = call.checked_name();"
    yield f"return call.submit({'true' if waits else 'false'}, [={captures}] {{"
    yield from (f"    {line}" for line in _write_operation(row, variant, functions))
    yield "});"


def _scalar_type(parameter: Parameter) -> str:
    if parameter.kind == "values":
        return "std::array<T, 5>"
    return "R" if parameter.kind == "real" else "T"


def _is_of_vectors(row: Row) -> bool:
    """Return whether a function is one of level 1, which take a negative number as 0."""
    return all(p.kind not in {"op", "fill", "side", "matrix", "packed"} for p in row.parameters)


def _list_checks(row: Row, variant: Variant) -> Iterator[str]:
    """Yield the conditions on the arguments, in C++."""
    for parameter in row.parameters:
        name = parameter.name
        match parameter.kind:
            case "op":
                yield f'is_valid<T>({name}, "{parameter.allowed}")'
            case "fill" | "side" | "diag":
                yield f"is_valid({name})"
            case "dim" if _is_of_vectors(row):
                pass
            case "dim":
                yield f"{name} >= 0"
            case "matrix":
                yield f"{parameter.layout} >= std::max<blasint>(1, {parameter.sizes[0]})"
            case "vector" if parameter.is_nonzero:
                yield f"{parameter.layout} != 0"
            case "vector" | "packed":
                pass
            case _:
                yield f"{name} != nullptr"
    if variant != "one":
        yield "batchCount >= 0"


def _write_operation(row: Row, variant: Variant, functions: tuple[str, ...]) -> Iterator[str]:
    """Yield what the stream does."""
    call = row.call
    for i, function in enumerate(functions):
        call = call.replace(function, f"function{i}")
    yield "Memory memory(checked);"
    yield from filter(None, (_check_memory(parameter, variant) for parameter in row.parameters))
    yield "if (!memory.is_valid()) return;"
    for parameter in row.parameters:
        yield from _read_scalar(parameter)
    if variant == "one":
        yield f"{call};"
    else:
        yield from _write_loop(row, variant, call)


def _read_scalar(parameter: Parameter) -> Iterator[str]:
    """Yield the definition of a scalar that the operation reads."""
    name = parameter.name
    if parameter.kind == "values":
        yield f"const auto {name}_values = {name}_scalar.get();"
        yield f"const T* const {name} = {name}_values.data();"
    elif parameter.kind in {"scalar", "real"}:
        yield f"const {_scalar_type(parameter)} {name} = {name}_scalar.get();"


def _write_loop(row: Row, variant: Variant, call: str) -> Iterator[str]:
    """Yield the calls for the matrices of a batch."""
    yield "for (blasint item = 0; item < batchCount; ++item) {"
    for parameter in row.parameters:
        if not parameter.is_array:
            continue
        name = parameter.name
        is_listed = variant == "pointers"
        start = f"{name}[item]" if is_listed else f"{name} + item * stride{name}"
        yield f"    auto* const {name}_item = {start};"
        if is_listed:
            yield f"    {_check_array(parameter, f'{name}_item')}"
        call = re.sub(rf"\b{name}\b", f"{name}_item", call)
    yield "    if (!memory.is_valid()) return;"
    yield f"    {call};"
    yield "}"


def _check_memory(parameter: Parameter, variant: Variant) -> str:
    name = parameter.name
    if parameter.kind in {"scalar", "real", "values"}:
        return f'{name}_scalar.check(memory, "{name}");'
    if parameter.kind == "packed":
        return f'memory.{_verb(parameter)}("{name}", {name}, {parameter.sizes[0]});'
    if not parameter.is_array:
        return ""
    if variant == "pointers":
        return f'memory.reads("{name}", {name}, batchCount);'
    return _check_array(parameter, name, "" if variant == "one" else f"stride{name}")


def _check_array(parameter: Parameter, start: str, stride: str = "") -> str:
    extent = "matrix_extent" if parameter.kind == "matrix" else "vector_extent"
    elements = f"{extent}({', '.join((*parameter.sizes, parameter.layout))})"
    if stride:
        elements = f"batch_extent({elements}, {stride}, batchCount)"
    return f'memory.{_verb(parameter)}("{parameter.name}", {start}, {elements});'


def _verb(parameter: Parameter) -> str:
    return "reads" if parameter.access == "in" else "writes"


def _write_functions(rows: tuple[Row, ...]) -> Iterator[str]:
    for row, instance, variant, name, width in _list_functions(rows):
        functions = dict.fromkeys(_LIBRARY_FUNCTION.findall(instance.fill(row.call)))
        # Functions of both widths share an instance, unless they write numbers of that width.
        has_index = any(parameter.type == "Index" for parameter in row.parameters)
        index = width if has_index else "int"
        arguments = ", ".join((instance.element, instance.real, index, *functions))
        given = ", ".join((f'"{name.replace("_v2", "")}"', "handle", *_list_names(row, variant)))
        yield (
            f"cublasStatus_t {name}({', '.join(_declare(row, instance, variant, width))}) {{\n"
            f"    return run_{row.key}{'' if variant == 'one' else f'_{variant}'}<{arguments}>"
            f"({given});\n}}"
        )


def _list_names(row: Row, variant: Variant) -> Iterator[str]:
    for parameter in row.parameters:
        yield parameter.name
        if parameter.is_array:
            yield parameter.layout
            if variant == "strided":
                yield f"stride{parameter.name}"
    if variant != "one":
        yield "batchCount"
