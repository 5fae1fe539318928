"""How a host text and the definitions of its handles talk to each other, and to the assembler."""

from __future__ import annotations

from typing import Final

# How asm statements receive a symbol, even one that other files can interpose.
OPERAND_MACROS: Final = """\
#if defined(KBUILD_OPERAND)
#elif !defined(__x86_64__)
#define KBUILD_OPERAND "S"
#define KBUILD_SYMBOL "%c0"
#elif defined(__clang__)
#define KBUILD_OPERAND "s"
#define KBUILD_SYMBOL "%c0"
#else
#define KBUILD_OPERAND "X"
#define KBUILD_SYMBOL "%p0"
#endif
"""
# How the names of the symbols start that only the assembler sees.
MARK: Final = ".Lkbuild_explicit."
# The function that the definitions of the handles call first.
FUNCTION: Final = "kbuild_mark_instances"
