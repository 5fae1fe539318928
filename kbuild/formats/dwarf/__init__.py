"""Function signatures from DWARF: names, types, and layouts of parameters.

Source: DWARF 5 standard, sections 3.3 (subroutines), 4.1 (parameters), and 5 (types).
"""

from __future__ import annotations

from kbuild.formats.dwarf.model import Member, Parameter, Signature, TypeKind, ValueType
from kbuild.formats.dwarf.signatures import read_signatures

__all__ = ["Member", "Parameter", "Signature", "TypeKind", "ValueType", "read_signatures"]
