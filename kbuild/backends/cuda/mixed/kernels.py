"""Find the kernels in the output of ``cudafe++``, and make them declarations without linkage.

The body of a kernel is disabled: ``void kernel(int *p) ;``, and then ``#if 0``. The body of a
kernel template calls a ``__wrapper__device_stub_kernel``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from kbuild.backends.cuda.mixed.active_text import ActiveText
from kbuild.backends.cuda.mixed.heads import Head, read_head
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, KernelDeclaration
from kbuild.cxx.scopes import Scopes, find_scopes, list_head
from kbuild.cxx.tokens import find_close, list_tokens

_WRAPPER: Final = "__wrapper__device_stub_"
_IN_BODY: Final = re.compile(r"\{(?:::)?(?:\w+::)*\Z")
_DISABLED_BODY: Final = re.compile(r";\n#if 0\n#(?: |line )\d+[^\n]*\n\{")
_HIDDEN: Final = '__attribute__((visibility("hidden")))'
_NOT_INLINE: Final = "__attribute((noinline))"  # with debug information of device code
# What a kernel cannot have if another object defines it.
_DROPPED: Final = frozenset(("static", "inline", "__inline__", "__inline"))
_NEVER_EMITTED: Final = "extern inline __attribute__((gnu_inline)) "
_PUSH_DIAGNOSTICS: Final = (
    '\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored "-Wunused-parameter"\n'
)
_POP_DIAGNOSTICS: Final = "#pragma GCC diagnostic pop\n"
_MOST_LOOKED_BACK: Final = 400


class Kernels:
    """The declarations of kernels by position, and the edits that make them declarations only."""

    def __init__(self, active: ActiveText, launched: frozenset[str], *, is_gnu: bool) -> None:
        """Find the declarations.

        Args:
            active: The text.
            launched: The unqualified names of what is launched.
            is_gnu: Whether gcc compiles the text.
        """
        self._active: Final = active
        self._is_gnu: Final = is_gnu
        self._text: Final = active.text
        self._heads: Final[dict[int, Head]] = {}
        self.found: Final[dict[int, KernelDeclaration]] = {}
        self.edits: Final[list[Edit]] = []
        for position in active.find(_WRAPPER):
            self._read_wrapper(position)
        for disabled in _DISABLED_BODY.finditer(self._text):
            semicolon = disabled.start()
            self._add(read_head(list_head(self._text, semicolon)), semicolon + 1)
        self._find_others(launched)

    def _read_wrapper(self, position: int) -> None:
        """Remove a wrapper, or the body of the kernel template that calls it."""
        text = self._text
        body = _IN_BODY.search(text, max(position - _MOST_LOOKED_BACK, 0), position)
        if body is not None:
            end = (find_close(text, body.start()) or position) + 1
            template = read_head(list_head(text, body.start()))
            if template is not None:
                self._empty(template, body.start(), end)
                self._add(template, end)
            return
        head = list_head(text, position)
        opened = text.find("(", position)
        for token in list_tokens(text, (find_close(text, opened) or opened) + 1):
            if token.text in ("{", ";"):
                last = token.start if token.text == ";" else find_close(text, token.start)
                self._edit(head[0].start, (last or token.start) + 1, "")
                return

    def _empty(self, head: Head, body: int, end: int) -> None:
        """Replace the body of a kernel template with one that is never emitted, or with none.

        If the arguments of an instance are local to the source, gcc always warns without a body.
        Clang emits the instance with a body. Without one, it is silent in system headers.
        """
        start = head.tokens[0].start
        here, back = locate(self._text, start), locate(self._text, end).marker
        if self._is_gnu and head.form == "declaration":
            place = head.tokens[head.name - 1].start
            before, after = f"{_PUSH_DIAGNOSTICS}{here.marker}\n", f"{{ }}\n{_POP_DIAGNOSTICS}"
            self.edits.append(Edit(start=place, end=place, text=_NEVER_EMITTED))
        else:
            before, after = f"\n{replace(here, flags=' 3').marker}\n", ";\n"
        self.edits.append(Edit(start=start, end=start, text=before))
        self.edits.append(Edit(start=body, end=end, text=f"{after}{back}\n"))

    def _find_others(self, launched: frozenset[str]) -> None:
        """Find the other declarations of the same kernels, and of launched ones without a body."""
        names = sorted({kernel.name for kernel in self.found.values()} | launched)
        if not names:
            return
        pattern = rf"void\s+(?:#[^\n]*\n\s*)*(?:\w+::)*({'|'.join(names)})\s*[<(]"
        places = [found.start(1) for found in re.finditer(pattern, self._text)]
        ends = [end for end in map(self._find_end, places) if end and end not in self.found]
        if not ends:
            return
        scopes = find_scopes(self._text)
        kernels = {self._name(end, head, scopes) for end, head in self._heads.items()}
        for end in ends:
            head = read_head(list_head(self._text, end - 1))
            kinds = {scope.kind for scope in scopes.around(end)}
            if head is None or "block" in kinds or ("class" in kinds and not head.is_friend):
                continue
            if self._name(end, head, scopes) in kernels or self._is_hidden(head):
                self._add(head, end)

    def _is_hidden(self, head: Head) -> bool:
        """Return whether a function is hidden, as ``cudafe++`` writes kernels."""
        specifiers = head.tokens[head.header : head.name]
        return any(self._text.startswith(_HIDDEN, token.start) for token in specifiers)

    def _name(self, end: int, head: Head, scopes: Scopes) -> tuple[str, ...]:
        """Return the qualified name of the kernel whose declaration ends at a position."""
        return (*scopes.name_namespace(end), *head.qualifier, head.tokens[head.name].text)

    def _find_end(self, name: int) -> int | None:
        """Return the position after the declaration that has its name at a position."""
        if not self._active.is_active(name):
            return None
        for token in list_tokens(self._text, name):
            if token.text in ("{", ";"):
                return token.end if token.text == ";" else None
        return None

    def _add(self, head: Head | None, end: int) -> None:
        if head is None or head.tokens[head.name].text.startswith(_WRAPPER):
            return
        tokens = head.tokens
        words = {token.text for token in tokens[head.header : head.name]}
        if not {"void", "auto"} & words:
            return
        self._change_linkage(head)
        if head.form == "instantiation" and "extern" not in words:
            self.edits.append(Edit(start=tokens[0].start, end=tokens[0].start, text="extern "))
        header = self._text[tokens[0].start : tokens[max(head.header, 1) - 1].end]
        self._heads[end] = head
        self.found[end] = KernelDeclaration(
            start=tokens[0].start,
            end=end,
            template=header if head.header else "",
            is_friend=head.is_friend,
            name=tokens[head.name].text,
            parameters=self._text[tokens[head.opened].end : tokens[head.closed].start],
            form=head.form,
        )

    def _change_linkage(self, head: Head) -> None:
        """Make a kernel an undefined function, with the linkage that its handle has."""
        specifiers = head.tokens[head.header : head.name]
        is_local = head.tokens[0].text == "template" or any(t.text == "static" for t in specifiers)
        attributes = (_NOT_INLINE,) if is_local else (_NOT_INLINE, _HIDDEN)
        for token in specifiers:
            dropped = [a for a in attributes if self._text.startswith(a, token.start)]
            if dropped or token.text in _DROPPED:
                end = token.start + len(dropped[0] if dropped else token.text)
                self.edits.append(Edit(start=token.start, end=end, text=""))

    def _edit(self, start: int, end: int, text: str) -> None:
        """Replace a part of the text, and keep the number of its lines."""
        lines = "\n" * self._text.count("\n", start, end)
        self.edits.append(Edit(start=start, end=end, text=text + lines))
