"""Attributes and names of debugging information entries (DIEs)."""

from __future__ import annotations

from typing import Any, Final

from elftools.dwarf.die import DIE

QUALIFIERS: Final = {
    "DW_TAG_const_type": " const",
    "DW_TAG_volatile_type": " volatile",
    "DW_TAG_restrict_type": "",
    "DW_TAG_atomic_type": "",
}
POINTERS: Final = {
    "DW_TAG_pointer_type": "*",
    "DW_TAG_reference_type": "&",
    "DW_TAG_rvalue_reference_type": "&&",
}
RECORDS: Final = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}


def origin_of(die: DIE) -> DIE | None:
    """Return the entry that ``die`` completes: its declaration or abstract instance."""
    for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if attribute in die.attributes:
            return die.get_DIE_from_attribute(attribute)
    return None


def find_holder(die: DIE, attribute: str) -> DIE | None:
    """Return the first entry with ``attribute`` in the chain of origins, starting at ``die``."""
    # In forged files, chains can be circular. Recursion has an end where a loop has none.
    if attribute in die.attributes:
        return die
    origin = origin_of(die)
    return None if origin is None else find_holder(origin, attribute)


def read_text(die: DIE, attribute: str) -> str | None:
    """Return the text of an attribute; None if it does not exist."""
    holder = find_holder(die, attribute)
    return holder.attributes[attribute].value.decode() if holder is not None else None


def read_number(die: DIE, attribute: str) -> int | None:
    """Return the value of an attribute; None if it does not exist or is not a constant."""
    holder = find_holder(die, attribute)
    if holder is None:
        return None
    value: Any = holder.attributes[attribute].value
    return value if isinstance(value, int) else None


def type_name(die: DIE) -> str:
    """Return the name of a type as a demangler spells it: ``float const*``, ``ns::P``."""
    if die.tag in POINTERS or die.tag in QUALIFIERS:
        if "DW_AT_type" not in die.attributes:
            inner = "void"
        else:
            inner = type_name(die.get_DIE_from_attribute("DW_AT_type"))
        return inner + (POINTERS.get(die.tag) or QUALIFIERS.get(die.tag, ""))
    if die.tag == "DW_TAG_typedef" and "DW_AT_type" in die.attributes:
        return type_name(die.get_DIE_from_attribute("DW_AT_type"))
    name = read_text(die, "DW_AT_name")
    if name is None:
        return "(unnamed)"
    if die.tag == "DW_TAG_base_type":
        return _base_type_name(name)
    return qualified_name(die)


def qualified_name(die: DIE) -> str:
    """Return the name of an entry with its namespaces and enclosing records."""
    name = read_text(die, "DW_AT_name") or "(unnamed)"
    return "".join(f"{scope}::" for scope in _list_scopes(die)) + name


def _list_scopes(die: DIE) -> tuple[str, ...]:
    """Return the names of the namespaces and records around an entry, the outermost first."""
    parent = die.get_parent()
    if parent is None or parent.tag not in (*RECORDS, "DW_TAG_namespace"):
        return ()
    return *_list_scopes(parent), read_text(parent, "DW_AT_name") or "(anonymous namespace)"


def _base_type_name(name: str) -> str:
    """Convert ``long unsigned int`` to the spelling of C++ demanglers, ``unsigned long``."""
    words = name.split()
    if "unsigned" in words or words.count("long") or "short" in words:
        kept = [w for w in words if w not in ("unsigned", "signed", "int")]
        sign = ["unsigned"] if "unsigned" in words else []
        return " ".join([*sign, *(kept or ["int"])])
    return name
