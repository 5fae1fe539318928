"""Properties of records that DWARF does not state: their alignment, and how they are passed."""

from __future__ import annotations

from typing import Final

from elftools.dwarf.die import DIE

from kbuild.formats.dwarf.entries import read_number, read_text
from kbuild.formats.dwarf.model import Member

# DW_AT_calling_convention of a record (clang), DW_AT_defaulted of a function (gcc).
_PASSED_BY_REFERENCE: Final = 4
_PASSED_BY_VALUE: Final = 5
_DEFAULTED_IN_CLASS: Final = 1
_DESCRIBES_DEFAULTED: Final = 5  # the version of DWARF; gcc also does it before, as an extension


def derive_alignment(size: int, declared: int, members: tuple[Member, ...]) -> int:
    """Return the alignment of a record in bytes, which follows from its members.

    Debug information does not mark packed records, either. A record is packed if the offset of a
    member or the size of the record is not a multiple of the required alignment.

    Args:
        size: The size of the record in bytes.
        declared: The alignment in the debug information, or 1.
        members: The members of the record.
    """
    natural = max([m.type.alignment for m in members] + [m.alignment for m in members], default=1)
    is_packed = size % natural or any(
        m.bit_size is None and m.offset % m.type.alignment for m in members
    )
    if not is_packed:
        return max(declared, natural)
    # For a packed record, clang repeats the requested alignment of members, without effect.
    asked = [m.alignment for m in members if m.offset % m.alignment == 0 == size % m.alignment]
    return max([declared, *asked])


def find_obstacle(die: DIE, members: tuple[Member, ...]) -> str | None:
    """Return why a record cannot be passed by value; None if it can."""
    if any("DW_AT_virtuality" in child.attributes for child in die.iter_children()):
        return "has virtual functions or bases"
    if _omits_defaulted(die) and _is_copied_by_functions(die):
        return "has a copy constructor or destructor that -gstrict-dwarf does not describe"
    for member in members:
        if member.count == 0:
            return "contains an array without elements"
        inner = member.type
        if inner.obstacle is not None:
            own = inner.kind in ("record", "union") and inner.name == "(unnamed)"
            return inner.obstacle if own else f"contains '{inner.name}', which {inner.obstacle}"
    return None


def _omits_defaulted(die: DIE) -> bool:
    """Return whether functions that a class defaults look like others."""
    is_old = die.cu["version"] < _DESCRIBES_DEFAULTED
    return is_old and "-gstrict-dwarf" in (read_text(die.cu.get_top_DIE(), "DW_AT_producer") or "")


def is_by_reference(die: DIE, members: tuple[Member, ...]) -> bool:
    """Return whether a call passes the address of a record (Itanium ABI 3.1.2.3).

    clang writes this to the debug information. For gcc, it follows from the functions that the
    class declares, and from its members.
    """
    convention = read_number(die, "DW_AT_calling_convention")
    if convention in (_PASSED_BY_VALUE, _PASSED_BY_REFERENCE):
        return convention == _PASSED_BY_REFERENCE
    return any(member.type.is_by_reference for member in members) or _is_copied_by_functions(die)


def _is_copied_by_functions(die: DIE) -> bool:
    name = read_text(die, "DW_AT_name") or ""
    bare = name.partition("<")[0]
    functions = [child for child in die.iter_children() if child.tag == "DW_TAG_subprogram"]
    copies = [f for f in functions if read_text(f, "DW_AT_name") == bare and _copies(f, die)]
    destructors = [f for f in functions if read_text(f, "DW_AT_name") == f"~{bare}"]
    is_user_provided = any(not _is_left_to_compiler(f) for f in (*copies, *destructors))
    is_immovable = bool(copies) and all("DW_AT_deleted" in f.attributes for f in copies)
    return is_user_provided or is_immovable


def _is_left_to_compiler(function: DIE) -> bool:
    # For local classes, gcc also lists the functions that the class does not declare.
    is_implicit = {"DW_AT_deleted", "DW_AT_artificial"} & set(function.attributes)
    return bool(is_implicit) or read_number(function, "DW_AT_defaulted") == _DEFAULTED_IN_CLASS


def _copies(constructor: DIE, record: DIE) -> bool:
    """Return whether a constructor is a copy or move constructor of ``record``."""
    explicit = [
        die
        for die in constructor.iter_children()
        if die.tag == "DW_TAG_formal_parameter" and "DW_AT_artificial" not in die.attributes
    ]
    if len(explicit) != 1:
        return False
    target = explicit[0].get_DIE_from_attribute("DW_AT_type")
    if target.tag not in ("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"):
        return False
    return bool(_final_type(target).offset == record.offset)


def _final_type(die: DIE) -> DIE:
    """Return the type at the end of a chain of pointers, references, and qualifiers."""
    if "DW_AT_type" not in die.attributes:
        return die
    return _final_type(die.get_DIE_from_attribute("DW_AT_type"))
