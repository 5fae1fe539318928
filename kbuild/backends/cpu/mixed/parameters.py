"""Let the names of a kernel's parameters refer to the objects that its threads have.

The definitions of the words are in ``native/device/cpu/mixed/kernel_text.h``.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.declarators import GRID_CONSTANT
from kbuild.cxx.rewriting.signatures import Parameter, read_signature
from kbuild.values import dataclass

NUMBERS: Final = ("bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double")
# A type that is not an alias of a reference, and not a template parameter.
_BUILT_IN: Final = re.compile(rf".*\*|(?:(?:const|volatile|{'|'.join(NUMBERS)})\b\s*)+")


@dataclass(frozen=True, slots=True)
class Objects:
    """The text that makes names refer to their objects.

    Attributes:
        before: The declarations before the body.
        inside: What is at the start of the body.
        after: What is at its end.
    """

    before: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def rebind_objects(
    text: str, kernel: Declaration, number: int, *, have_functions: bool, are_captured: bool = False
) -> Objects:
    """Return the text that makes the names of parameters refer to their objects.

    Those are the objects of reference parameters, the launch's own object for a parameter that all
    threads of the grid share, and each thread's copy of the bytes of an object with functions of
    its own, which run in the host's stub only.

    Args:
        text: The preprocessed text.
        kernel: The kernel.
        number: The number of its definition.
        have_functions: Whether a parameter has a copy constructor or a destructor of its own.
        are_captured: Whether the body captures references. Otherwise, it is a function that copies
            what it uses, and would copy these objects.
    """
    objects = Objects()
    values: list[str] = []
    place = "0"
    signature = read_signature("", text[slice(*kernel.parameters)])
    for index, parameter in enumerate(signature.parameters):
        name = parameter.old_name
        here, pointer = place, f"__kbuild_object_{index}__"
        place += f" + sizeof...({name})" if parameter.is_pack else " + 1"
        if not name:
            continue
        before = parameter.text.partition(f" {parameter.name}")[0].rstrip(" .")
        is_reference = before.endswith("&")
        is_shared = GRID_CONSTANT in before.split() and not parameter.is_pack
        if is_shared or (is_reference and not are_captured and not parameter.is_pack):
            of_launch = f"::kbuild_cpu::find_argument<decltype({name})>({here})"
            found = of_launch if is_shared else f"__builtin_addressof({name})"
            objects.before.append(f"const auto {pointer} = {found};")
            objects.inside.append(f" [[maybe_unused]] auto& {name} = *{pointer};")
        elif is_reference:
            objects.before.extend([f"__kbuild_no_pack__({name})"] * (not are_captured))
        elif not _BUILT_IN.fullmatch(before):
            is_value = not (are_captured or parameter.is_pack)
            objects.before.extend([f"__kbuild_value__({name})"] * is_value)
            values.append(f"decltype({name}){'...' * parameter.is_pack}")
            if have_functions:
                _copy_bytes(objects, parameter, pointer)
    if values and not have_functions:
        objects.before.append(f"__kbuild_parameters__({number}, {', '.join(values)})")
    return objects


def _copy_bytes(objects: Objects, parameter: Parameter, copy: str) -> None:
    """Give each thread a copy of the bytes of a parameter, or of the objects of a pack.

    Only a function can give a name to the objects of a pack: the body becomes one.
    """
    name = parameter.old_name
    if parameter.is_pack:
        kind, places = f"packed_bytes<decltype({name})...>", f"{name}..."
        named = f"[[maybe_unused]] decltype({name})&... {name}"
        objects.inside.append(f" {copy}.__call([&]({named}) {{")
        objects.after.append("; });")
    else:
        kind, places = f"object_bytes<decltype({name})>", name
        objects.inside.append(f" [[maybe_unused]] auto& {name} = {copy}.object();")
    objects.before.append(f"::kbuild_cpu::{kind} {copy}({places});")
