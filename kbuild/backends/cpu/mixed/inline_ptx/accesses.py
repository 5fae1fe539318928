"""Find the C++ expressions for instructions of PTX that access memory, or order accesses.

Source of the forms: PTX ISA, sections of ``ld``, ``st``, ``prefetch``, and ``membar``.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.cpu.mixed.inline_ptx.operands import (
    NAMESPACE,
    NUMBER,
    PLACE,
    VALUE,
    VECTOR,
    name_operand,
)

# Loads and stores. The operands are in any place of the statement.
_ACCESS: Final = re.compile(
    r"(?P<name>ld|st)(?P<words>(?:\.\w+(?:::\w+)*)*)\.(?P<type>[bus](?:8|16|32|64)|f32|f64|b128) ?"
    r"(?P<operands>[^;]*);"
)
_MEMORY: Final = re.compile(
    rf"\[ ?(?P<address>{PLACE})(?: ?\+ ?(?P<offset>-?{NUMBER}|{PLACE}))? ?\]"
)
_REGISTERS: Final = re.compile(rf"{VECTOR}|{NUMBER}")
_PREFETCH: Final = re.compile(
    rf"prefetchu?(?:\.global)?\.L[12](?:::evict_\w+)? ?\[ ?(?P<address>{PLACE})[^;]*\] ?;"
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


def is_ordered(code: str) -> bool:
    """Return whether another thread can wait for what an instruction does."""
    return _ORDERED.match(code) is not None


def express_access(code: str) -> str | None:
    """Return the call for a load, a store, a prefetch, or a fence; None for other instructions."""
    if access := _ACCESS.fullmatch(code):
        return _express_access(access)
    if found := _PREFETCH.fullmatch(code):
        return f"{NAMESPACE}prefetch({name_operand(found['address'])})"
    if found := _FENCE.fullmatch(code):
        scope = _FENCES[found["scope"]]
        return f"::__threadfence{scope and f'_{scope}'}()"
    return None


def _express_access(found: re.Match[str]) -> str | None:
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
        name_operand(word) if word.startswith("%") else f"{kind}{{{word}}}"
        for word in re.findall(VALUE, registers)
    ]
    if len(operands) != (counts or [1])[0]:
        return None
    function = "load" if found["name"] == "ld" else "store"
    is_shared = "true" if set(words) & set(_SHARED) else "false"
    order = (orders or [f"{NAMESPACE}weak"])[0]
    offset = memory["offset"] or "0"
    place = name_operand(offset) if offset.startswith("%") else offset
    arguments = ", ".join((name_operand(memory["address"]), place, *operands))
    return f"{NAMESPACE}{function}<{kind}, {is_shared}, {order}>({arguments})"


def _name_type(name: str) -> str:
    """Return the type of an element in C++, which has the bits of a number."""
    if name == "b128":
        return "unsigned __int128"
    return f"kbuild_{'int' if name[0] == 's' else 'uint'}{name[1:]}"
