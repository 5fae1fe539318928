"""Write a linked ELF file again with other bytes in some places, without linking.

No address of the file changes. Bytes that nobody needs leave the file: their segment is divided,
and the pages between its parts are no longer mapped. Bytes that the file did not have go to a new
segment behind all others. As in other tools that do this (patchelf, rocm-kpack), the program
headers move to a place with room.
"""

from kbuild.formats.elf.rewriting.edit import Addition, Edit, Patch
from kbuild.formats.elf.rewriting.rewrite import (
    ALIGNMENT,
    find_free_address,
    find_obstacle,
    rewrite,
)

__all__ = [
    "ALIGNMENT",
    "Addition",
    "Edit",
    "Patch",
    "find_free_address",
    "find_obstacle",
    "rewrite",
]
