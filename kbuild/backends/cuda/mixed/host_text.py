"""Find what kbuild rewrites in the output of ``cudafe++``.

``cudafe++`` writes C++ with patterns that are unique in it. `kernels` and `launches` describe two
of them. A managed variable is a pointer in the section ``__nv_managed_data__``, and each use of it
first calls ``__nv_init_managed_rt()``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Final

from kbuild.backends.cuda.mixed.kernels import Kernels
from kbuild.backends.cuda.mixed.launches import find_launches
from kbuild.cxx.model import Edit, HostText
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

# In ``__attribute__((section("__nv_managed_data__")))``
_MANAGED: Final = '"__nv_managed_data__"'
_BEFORE_MANAGED: Final = 5  # tokens
_AFTER_MANAGED: Final = 4
_NO_VALUE: Final = re.compile(r" = 0(?=\s*(?:,|\Z))")
_LABEL: Final = ' __asm__("kbuild_managed_{}")'
_HIDDEN: Final = '__attribute__((visibility("hidden")))'
_END: Final = re.compile(r'\n#(?: |line )1 "[^"\n]*"\n#define _NV_ANON_NAMESPACE (\w+)\n')
# The header declares functions such as `rsqrtf`. The stub file includes the host's versions.
_MATHEMATICS: Final = 'crt/math_functions.h"'
_INCLUDE: Final = '#include "crt/common_functions.h"\n'
# See templates/handles.h.j2, which defines the last function.
_NEW_END: Final = (
    "\n#define _NV_ANON_NAMESPACE {}\n"
    "{}"
    "static inline void kbuild_prepare_variables(void);\n"
    "static char __nv_init_managed_rt_with_module(void **) "
    "{{ kbuild_prepare_variables(); return 1; }}\n"
)


def read_text(code: Unit, source: str, *, is_gnu: bool) -> HostText:
    """Find the kernels and launches in a text.

    Args:
        code: The output of ``cudafe++``.
        source: The name of the source in messages.
        is_gnu: Whether gcc compiles the text.

    Raises:
        SourceError: The text contains a construct that is not as expected.
    """
    launches = tuple(find_launches(code, source))
    edits = [*_replace_end(code.text, source), *_change_managed(code)]
    names = (code.list_tokens(*launch.callee) for launch in launches)
    launched = frozenset(token.text for tokens in names for token in tokens if token.is_word)
    kernels = Kernels(code, launched, is_gnu=is_gnu)
    return HostText(
        kernels=tuple(kernel for _, kernel in sorted(kernels.found.items())),
        launches=launches,
        edits=tuple(sorted([*edits, *kernels.edits], key=lambda edit: (edit.start, edit.end))),
    )


def _replace_end(text: str, source: str) -> Iterator[Edit]:
    """Replace the inclusion of nvcc's stub file, and the managed runtime that it defines."""
    found = _END.search(text, max(text.rfind("\n#define _NV_ANON_NAMESPACE ") - 4096, 0))
    if found is None:
        raise SourceError(
            f"{source}: the output of nvcc's host pass does not end with its stub file; "
            "use a toolkit that kbuild supports (CUDA 12.0 or newer)"
        )
    included = _INCLUDE if _MATHEMATICS in text else ""
    yield Edit(start=found.start(), end=len(text), text=_NEW_END.format(found[1], included))


def _change_managed(code: Unit) -> Iterator[Edit]:
    """Turn the definitions of managed variables into declarations; the handles define them.

    A variable that other files cannot name gets a symbol that no other one has. All are hidden,
    because an ``asm`` statement of a handle needs a symbol that cannot be interposed.
    """
    numbers = count()
    for index in code.find((_MANAGED,)):
        start = code.starts[index - _BEFORE_MANAGED]
        first = index + _AFTER_MANAGED
        last = (code.find_declaration_end(first, ";") or len(code.words)) - 1
        kept = code.text[code.get_end(first - 1) : code.starts[last]]
        is_static = "static" in code.words[first:last]
        kept = re.sub(r"\b(?:static|extern) ", "", kept, count=1)
        if is_static:
            kept = _NO_VALUE.sub(lambda _: _LABEL.format(next(numbers)), kept)
        end = code.starts[last]
        yield Edit(start=start, end=end, text=f"extern {_HIDDEN}{_NO_VALUE.sub('', kept)}")
