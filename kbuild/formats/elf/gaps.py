"""Put unused bytes behind each variable of an object, so that an access past its end is seen.

The object has a section for each variable (``-fdata-sections``). Relocations and symbols refer to
offsets in sections, so a section can grow at its end.

Source: System V ABI (gABI 4.1), "Sections".
"""

from __future__ import annotations

import struct
from typing import Final

from kbuild.errors import InputError

_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
# The offset and the size in it.
_PLACE: Final = struct.Struct("<QQ")
_PLACE_OFFSET: Final = 24
_ELF64_LITTLE: Final = b"\x7fELF\x02\x01"
_NO_BITS: Final = 8
_PROGRAM_BITS: Final = 1
_WRITE, _ALLOC, _TLS = 1, 2, 0x400
_LEAST_GAP: Final = 256
_MOST_GAP: Final = 1 << 20
_PREFIXES: Final = (b".data.", b".bss.")
_READ_ONLY: Final = b".data.rel.ro"


def add_gaps(data: bytes) -> bytes:
    """Return an object whose writable variables have gaps behind them.

    A gap has a quarter of the bytes of its variable, and 256 bytes to 1 MiB.

    Raises:
        InputError: The bytes are not a little-endian ELF object of 64 bits.
    """
    if not data.startswith(_ELF64_LITTLE) or len(data) < _HEADER.size:
        raise InputError("not a little-endian ELF object of 64 bits")
    header = _HEADER.unpack_from(data)
    start, entry_bytes, count, names = header[6], header[11], header[12], header[13]
    rows = [_SECTION.unpack_from(data, start + entry_bytes * i) for i in range(count)]
    names_start, names_bytes = rows[names][4], rows[names][5]
    all_names = data[names_start : names_start + names_bytes]
    grown = bytearray(data)
    for index, row in enumerate(rows):
        name, kind, flags, _, offset, size, _, _, alignment, _ = row
        if not _is_variable(all_names[name : all_names.index(b"\0", name)], kind, flags):
            continue
        gap = min(max(size // 4, _LEAST_GAP), _MOST_GAP)
        if kind == _PROGRAM_BITS:
            grown += bytes(-len(grown) % max(alignment, 1))
            place = len(grown)
            grown += data[offset : offset + size] + bytes(gap)
        else:
            place = offset
        _PLACE.pack_into(grown, start + entry_bytes * index + _PLACE_OFFSET, place, size + gap)
    return bytes(grown)


def _is_variable(name: bytes, kind: int, flags: int) -> bool:
    return (
        kind in (_PROGRAM_BITS, _NO_BITS)
        and flags & (_WRITE | _ALLOC | _TLS) == _WRITE | _ALLOC
        and name.startswith(_PREFIXES)
        and not name.startswith(_READ_ONLY)
    )
