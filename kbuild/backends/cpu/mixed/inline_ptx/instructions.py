"""Find the C++ expressions for instructions of PTX.

The functions are in ``kbuild_cpu/ptx.h``. Their parameters are the operands of the instruction, in
its order. An instruction can use an operand of the statement twice, and has numbers as operands.

Source of the forms: PTX ISA, sections of the instructions. The compiler reports shapes with another
number of registers.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.cpu.mixed.inline_ptx.accesses import express_access
from kbuild.backends.cpu.mixed.inline_ptx.operands import (
    NAMESPACE,
    NUMBER,
    PARAMETER,
    PLACE,
    VALUE,
    VECTOR,
)

_ADDRESS: Final = rf"\[ ?{PLACE} ?\]"
_OPERAND: Final = re.compile(rf"(?<![%\w.])(?:%(?P<place>\d+)|(?P<number>{NUMBER}))\b")
_LANES: Final = "laneid|lanemask_(?:eq|lt|le|ge|gt)"
# The shapes of products, and their types of D, A, B, and C.
_MMA_TYPES: Final = (
    r"m16n8k(?:8|16)\.row\.col\.(?:f16\.f16\.f16\.f16|f32\.f16\.f16\.f32|f32\.bf16\.bf16\.f32)"
    r"|m16n8k[48]\.row\.col\.f32\.tf32\.tf32\.f32"
    r"|(?:m8n8k16|m16n8k(?:16|32))\.row\.col(?:\.satfinite)?\.s32\.[us]8\.[us]8\.s32(?:\.satfinite)?"
    r"|m8n8k4\.row\.col\.f64\.f64\.f64\.f64"
)
# The assembler accepts the shape before and after the count.
_LDMATRIX: Final = (
    r"(?P<call>ldmatrix)\.sync\.aligned\.(?=m8n8\.x\d(?!\.m8n8)|x\d\.m8n8)(?:m8n8\.)?x(?P<count>[124])"
    r"(?:\.m8n8)?(?P<transposed>\.trans)?"
)


def _join(*operands: str) -> str:
    return " ?, ?".join(operands)


# Instructions, what their operands look like, and the functions that they become.
_FORMS: Final = tuple(
    (re.compile(rf"{name} ?{operands} ?;"), function)
    for name, operands, function in (
        (rf"mov\.u32 (?P<to>%0) ?, ?%%?(?P<register>{_LANES})", "", r"read_\g<register>("),
        (
            r"mov\.u32 (?P<to>%0) ?, ?%%?(?P<register>n?(?:tid|ctaid))\.(?P<axis>[xyz])",
            "",
            r"read_\g<register>_\g<axis>(",
        ),
        (
            r"mov\.u(?P<to>32|64) %0 ?, ?%%?(?P<register>clock|clock64|globaltimer)",
            "",
            r"read_\g<register>(",
        ),
        (r"(?P<name>trap|brkpt)", "", r"\g<name>("),
        (r"bar(?:rier)?\.sync(?:\.aligned)?(?= 0 ?;)", NUMBER, "synchronize_block("),
        (r"bar\.warp\.sync", VALUE, "synchronize_warp("),
        (r"lop3\.b32", _join(PLACE, VALUE, VALUE, VALUE, VALUE), "look_up("),
        (r"fma\.rn\.f(?:32|64)", _join(PLACE, PLACE, PLACE, PLACE), "multiply_and_round("),
        (r"add\.[us]32", _join(PLACE, VALUE, VALUE), "add_words("),
        (r"sub\.[us]32", _join(PLACE, VALUE, VALUE), "subtract_words("),
        (r"mul\.lo\.[us]32", _join(PLACE, VALUE, VALUE), "multiply("),
        (r"mad\.lo\.[us]32", _join(PLACE, VALUE, VALUE, VALUE), "multiply_and_add("),
        (r"bfind\.u32", _join(PLACE, VALUE), "find_top_bit("),
        (r"bfe\.u32", _join(PLACE, VALUE, VALUE, VALUE), "extract_bits("),
        (r"shl\.b32", _join(PLACE, VALUE, VALUE), "shift_left("),
        (r"shr\.b32", _join(PLACE, VALUE, VALUE), "shift_right("),
        (
            r"vabsdiff4\.u32\.u32\.u32\.add",
            _join(PLACE, VALUE, VALUE, VALUE),
            "add_byte_differences(",
        ),
        (r"cvta\.to\.shared\.u64", _join(PLACE, PLACE), "convert_to_shared("),
        (r"cvta\.shared\.u64", _join(PLACE, PLACE), "convert_from_shared("),
        (r"cvta\.(?:to\.)?global\.u64", _join(PLACE, PLACE), "convert_global("),
        (
            r"cp\.async\.(?:ca|cg)\.shared(?:::cta)?\.global(?:\.L2::(?:64|128|256)B)?",
            _join(_ADDRESS, _ADDRESS, VALUE) + rf"(?: ?, ?{VALUE})?",
            "copy_async(",
        ),
        (r"cp\.async\.commit_group", "", "commit_group("),
        (r"cp\.async\.wait_group", VALUE, "wait_group("),
        (r"cp\.async\.wait_all", "", "wait_all("),
        (
            rf"{_LDMATRIX}\.shared(?:::cta)?\.b16",
            _join(VECTOR, _ADDRESS),
            "load_matrices",
        ),
        (
            rf"(?P<call>mma)\.sync\.aligned\.(?P<shape>{_MMA_TYPES})",
            _join(VECTOR, VECTOR, VECTOR, VECTOR),
            "multiply_add",
        ),
    )
)
# An address of 32 bits, by way of a register with any name.
_NARROW_ADDRESS: Final = re.compile(
    r"\{ ?\.reg \.u64 (?P<name>[a-zA-Z_]\w*) ?; ?"
    r"cvta\.to\.shared\.u64 (?P=name) ?, ?(?P<from>%1) ?; ?"
    r"cvt\.u32\.u64 %0 ?, ?(?P=name) ?; ?\}"
)


def express_instruction(code: str) -> str | None:
    """Return the call for the code of a statement; None if kbuild does not know it.

    Args:
        code: The instruction, with single spaces.

    Returns:
        The call, in which operands have the names that `PARAMETER` describes.
    """
    if access := express_access(code):
        return access
    if _NARROW_ADDRESS.fullmatch(code):
        return f"{NAMESPACE}convert_to_shared({PARAMETER.format(0)}, {PARAMETER.format(1)})"
    for form, function in _FORMS:
        found = form.fullmatch(code)
        if found is not None:
            head, arguments = _start_call(found, function), _list_arguments(found)
            return f"{NAMESPACE}{head}{', '.join(arguments)})"
    return None


def _start_call(found: re.Match[str], function: str) -> str:
    """Return the function with what depends on the name of the instruction, and its parenthesis."""
    groups = found.groupdict()
    if "call" not in groups:
        return found.expand(function)
    call = f'kbuild_cpu_call{{"{groups["call"]}", __builtin_FILE(), __builtin_LINE(), 32}}, '
    return f"{function}<{_list_parameters(groups)}>({call}"


def _list_parameters(groups: dict[str, str | None]) -> str:
    """Return the template parameters of a function for matrices."""
    shape = groups.get("shape")
    if shape is None:
        return f"{groups['count']}, {'true' if groups['transposed'] else 'false'}"
    size, *words = shape.split(".")
    types = [word for word in words if word not in ("row", "col", "satfinite")]
    saturates = "true" if "satfinite" in words else "false"
    numbers = re.findall(r"\d+", size)
    return ", ".join((*numbers, *(f"{NAMESPACE}{name}" for name in types), saturates))


def _list_arguments(found: re.Match[str]) -> list[str]:
    """Return the operands of an instruction, in its order."""
    start = found.string.find(" ") + 1 or len(found.string)
    return [
        PARAMETER.format(operand["place"]) if operand["place"] else operand["number"]
        for operand in _OPERAND.finditer(found.string, start)
    ]
