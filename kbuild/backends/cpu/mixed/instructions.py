"""Find the C++ expressions for instructions of PTX.

The functions are in ``kbuild_cpu/ptx.h``. Their parameters are the operands of the instruction, in
its order. An instruction can use an operand of the statement twice, and has numbers as operands.

Source of the forms: PTX ISA, sections of the instructions. The compiler reports shapes with another
number of registers.
"""

from __future__ import annotations

import re
from typing import Final

_NAMESPACE: Final = "::kbuild_cpu::ptx::"
PARAMETER: Final = "__operand_{}"
_PLACE: Final = r"%\d+"
_VALUE: Final = rf"(?:{_PLACE}|\d+)"
_ADDRESS: Final = rf"\[ ?{_PLACE} ?\]"
_VECTOR: Final = rf"(?:{_PLACE}|\{{ ?{_PLACE}(?: ?, ?{_PLACE})* ?\}})"
_OPERAND: Final = re.compile(r"(?<![%\w.])(?:%(?P<place>\d+)|(?P<number>\d+))\b")
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


# Loads and stores. The operands are in any place of the statement.
_ACCESS: Final = re.compile(
    r"(?P<name>ld|st)(?P<words>(?:\.\w+(?:::\w+)*)*)\.(?P<type>[bus](?:8|16|32|64)|f32|f64|b128) ?"
    r"(?P<operands>[^;]*);"
)
_MEMORY: Final = re.compile(
    rf"\[ ?(?P<address>{_PLACE})(?: ?\+ ?(?P<offset>-?(?:0x[\da-fA-F]+|\d+)|{_PLACE}))? ?\]"
)
_REGISTERS: Final = re.compile(rf"{_VECTOR}|\d+")
_PREFETCH: Final = re.compile(
    rf"prefetchu?(?:\.global)?\.L[12](?:::evict_\w+)? ?\[ ?(?P<address>{_PLACE})[^;]*\] ?;"
)
_FENCES: Final = {"cta": "block", "cluster": "block", "gl": "", "gpu": "", "sys": "system"}
_FENCE: Final = re.compile(
    rf"(?:membar|fence(?:\.sc|\.acq_rel)?)\.(?P<scope>{'|'.join(_FENCES)}) ?;"
)
# The orders of accesses. Programs also poll memory by volatile accesses, and past the first cache.
_ORDERS: Final = {
    **dict.fromkeys(("volatile", "mmio", "relaxed", "cv", "cg"), "__ATOMIC_RELAXED"),
    "acquire": "__ATOMIC_ACQUIRE",
    "release": "__ATOMIC_RELEASE",
}
_SHARED: Final = ("shared", "shared::cta")
_COUNTS: Final = {"v2": 2, "v4": 4, "v8": 8}
# Words that change nothing: scopes, memory that has one address space with all other, and hints.
_HINT: Final = re.compile(
    r"weak|cta|cluster|gpu|sys|global|c[as]|lu|nc|w[bt]"
    r"|L1::(?:no_allocate|evict_\w+)|L2::(?:evict_\w+|64B|128B|256B)"
)
_ORDERED: Final = re.compile(rf"(?:ld|st)\S*\.(?:{'|'.join(_ORDERS)})\b|(?:membar|fence)\.")


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
        (r"add\.[us]32", _join(_PLACE, _VALUE, _VALUE), "add_words("),
        (r"sub\.[us]32", _join(_PLACE, _VALUE, _VALUE), "subtract_words("),
        (r"mul\.lo\.[us]32", _join(_PLACE, _VALUE, _VALUE), "multiply("),
        (r"mad\.lo\.[us]32", _join(_PLACE, _VALUE, _VALUE, _VALUE), "multiply_and_add("),
        (r"bfind\.u32", _join(_PLACE, _VALUE), "find_top_bit("),
        (r"bfe\.u32", _join(_PLACE, _VALUE, _VALUE, _VALUE), "extract_bits("),
        (r"shl\.b32", _join(_PLACE, _VALUE, _VALUE), "shift_left("),
        (r"shr\.b32", _join(_PLACE, _VALUE, _VALUE), "shift_right("),
        (
            r"vabsdiff4\.u32\.u32\.u32\.add",
            _join(_PLACE, _VALUE, _VALUE, _VALUE),
            "add_byte_differences(",
        ),
        (r"cvta\.to\.shared\.u64", _join(_PLACE, _PLACE), "convert_to_shared("),
        (r"cvta\.shared\.u64", _join(_PLACE, _PLACE), "convert_from_shared("),
        (r"cvta\.(?:to\.)?global\.u64", _join(_PLACE, _PLACE), "convert_global("),
        (
            r"cp\.async\.(?:ca|cg)\.shared(?:::cta)?\.global(?:\.L2::(?:64|128|256)B)?",
            _join(_ADDRESS, _ADDRESS, _VALUE) + rf"(?: ?, ?{_VALUE})?",
            "copy_async(",
        ),
        (r"cp\.async\.commit_group", "", "commit_group("),
        (r"cp\.async\.wait_group", _VALUE, "wait_group("),
        (r"cp\.async\.wait_all", "", "wait_all("),
        (
            rf"{_LDMATRIX}\.shared(?:::cta)?\.b16",
            _join(_VECTOR, _ADDRESS),
            "load_matrices",
        ),
        (
            rf"(?P<call>mma)\.sync\.aligned\.(?P<shape>{_MMA_TYPES})",
            _join(_VECTOR, _VECTOR, _VECTOR, _VECTOR),
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
    if access := _ACCESS.fullmatch(code):
        return _express_access(access)
    if found := _PREFETCH.fullmatch(code):
        return f"{_NAMESPACE}prefetch({_name_operand(found['address'])})"
    if found := _FENCE.fullmatch(code):
        scope = _FENCES[found["scope"]]
        return f"::__threadfence{scope and f'_{scope}'}()"
    if _NARROW_ADDRESS.fullmatch(code):
        return f"{_NAMESPACE}convert_to_shared({PARAMETER.format(0)}, {PARAMETER.format(1)})"
    for form, function in _FORMS:
        found = form.fullmatch(code)
        if found is not None:
            head, arguments = _start_call(found, function), _list_arguments(found)
            return f"{_NAMESPACE}{head}{', '.join(arguments)})"
    return None


def is_ordered(code: str) -> bool:
    """Return whether another thread can wait for what an instruction does."""
    return _ORDERED.match(code) is not None


def _express_access(found: re.Match[str]) -> str | None:
    """Return the call for a load or a store."""
    words = found["words"].split(".")[1:]
    orders = [_ORDERS[word] for word in words if word in _ORDERS]
    counts = [_COUNTS[word] for word in words if word in _COUNTS]
    known = (*_ORDERS, *_SHARED, *_COUNTS)
    if any(word not in known and not _HINT.fullmatch(word) for word in words):
        return None
    memory = _MEMORY.search(found["operands"])
    if memory is None:
        return None
    before, after = found["operands"][: memory.start()], found["operands"][memory.end() :]
    side, other = (before, after) if found["name"] == "ld" else (after, before)
    registers = side.strip(" ,")
    if other.strip() or not _REGISTERS.fullmatch(registers):
        return None
    kind = _name_type(found["type"])
    operands = [
        _name_operand(word) if word.startswith("%") else f"{kind}{{{word}}}"
        for word in re.findall(rf"{_PLACE}|\d+", registers)
    ]
    if len(operands) != (counts or [1])[0]:
        return None
    function = "load" if found["name"] == "ld" else "store"
    is_shared = "true" if set(words) & set(_SHARED) else "false"
    order = (orders or [f"{_NAMESPACE}weak"])[0]
    offset = memory["offset"] or "0"
    place = _name_operand(offset) if offset.startswith("%") else offset
    arguments = ", ".join((_name_operand(memory["address"]), place, *operands))
    return f"{_NAMESPACE}{function}<{kind}, {is_shared}, {order}>({arguments})"


def _name_type(name: str) -> str:
    """Return the type of an element in C++, which has the bits of a number."""
    if name == "b128":
        return "unsigned __int128"
    return f"kbuild_{'int' if name[0] == 's' else 'uint'}{name[1:]}"


def _name_operand(word: str) -> str:
    return PARAMETER.format(word[1:])


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
    return ", ".join((*numbers, *(f"{_NAMESPACE}{name}" for name in types), saturates))


def _list_arguments(found: re.Match[str]) -> list[str]:
    """Return the operands of an instruction, in its order."""
    start = found.string.find(" ") + 1 or len(found.string)
    return [
        PARAMETER.format(operand["place"]) if operand["place"] else operand["number"]
        for operand in _OPERAND.finditer(found.string, start)
    ]
