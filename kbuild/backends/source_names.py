"""How sources are named in what is made of them: the same wherever they lie."""

from __future__ import annotations

from kbuild.backends.protocol import CompileUnit


def name_files(unit: CompileUnit) -> tuple[str, ...]:
    """The option, of gcc and clang, that has ``__FILE__`` be relative to the source root."""
    return (f"-fmacro-prefix-map={unit.root}/=",) if unit.root else ()
