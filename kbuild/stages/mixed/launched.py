"""Names of the kernels that an object launches, for messages about links.

The object contains them in a section that linkers leave out of programs and libraries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SECTION: Final = ".kbuild.launched"


def render_launched(names: Iterable[str]) -> str:
    """Return the C++ statement that adds the section with names to an object."""
    lines = "".join(f'.ascii \\"{name}\\\\n\\"\\n' for name in names)
    return f'__asm__(".pushsection {SECTION},\\"e\\"\\n{lines}.popsection");\n' if lines else ""
