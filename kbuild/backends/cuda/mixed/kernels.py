"""Find the kernels in the output of ``cudafe++``, and make them declarations without linkage.

The body of a kernel is disabled: ``void kernel(int *p) ;``, and then ``#if 0``. The body of a
kernel template calls a ``__wrapper__device_stub_kernel``.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.cxx.declarations import Declaration, list_qualifiers, read_declaration
from kbuild.cxx.heads import find_name, find_template_end
from kbuild.cxx.kernels import describe_kernel
from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, KernelDeclaration
from kbuild.cxx.places import find_first
from kbuild.cxx.rewriting.signatures import Key, expand_aliases, read_signature
from kbuild.cxx.scopes import Scopes, find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import replace

_WRAPPER: Final = "__wrapper__device_stub_"
_DISABLED_BODY: Final = re.compile(r"#if 0\n#(?: |line )\d+[^\n]*\n\{")
_HIDDEN: Final = '__attribute__((visibility("hidden")))'
_NOT_INLINE: Final = "__attribute((noinline))"  # with debug information of device code
# What a kernel cannot have if another object defines it.
_DROPPED: Final = frozenset(("static", "inline", "__inline__", "__inline"))
_NEVER_EMITTED: Final = "extern inline __attribute__((gnu_inline)) "
# gcc cannot inline this, so that a call of the kernel does not vanish, but is reported.
_BODY: Final = '{ __builtin_apply_args(); __asm__ volatile("" : : : "memory"); }\n'
# For calls through pointers that the compiler resolves. The front end rejects others.
_WARNING: Final = (
    '__attribute__((warning("a kernel is called like a function, which ends the program; '
    'launch it: kernel<<<grid, block>>>(arguments), or kbuild::launch"))) '
)
_PUSH_DIAGNOSTICS: Final = (
    '\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored "-Wunused-parameter"\n'
)
_POP_DIAGNOSTICS: Final = "#pragma GCC diagnostic pop\n"


class Kernels:
    """The declarations of kernels by position, and the edits that make them declarations only."""

    def __init__(self, code: Unit, launched: frozenset[str], *, is_gnu: bool) -> None:
        """Find the declarations.

        Args:
            code: The text.
            launched: The unqualified names of what is launched.
            is_gnu: Whether gcc compiles the text.
        """
        self._code: Final = code
        self._is_gnu: Final = is_gnu
        self._text: Final = code.text
        self._read: Final[dict[int, Declaration]] = {}
        self.found: Final[dict[int, KernelDeclaration]] = {}
        self.edits: Final[list[Edit]] = []
        for index in code.find({word for word in code.vocabulary if word.startswith(_WRAPPER)}):
            self._read_wrapper(index)
        for directive in code.other_directives:
            if not _DISABLED_BODY.match(directive.text):
                continue
            semicolon = code.find_index(directive.start) - 1
            if code.get(semicolon) == ";":
                body = (directive.start, directive.end)
                found = replace(self._read_declaration(semicolon), body=body)
                self._warn_of_calls(found)
                self._add(found)
        self._find_others(launched)

    def _read_declaration(self, index: int) -> Declaration:
        """Read the declaration whose body or ``;`` is at an index."""
        return read_declaration(self._code, self._code.starts[self._code.find_head(index)])

    def _read_wrapper(self, index: int) -> None:
        """Remove a wrapper, or the body of the kernel template that calls it."""
        code = self._code
        before = find_first(code, index) - 1
        if code.get(before) == "{":
            template = self._read_declaration(before)
            if template.body is not None:
                self._empty(template, *template.body)
                self._add(template)
            return
        last = (code.find_declaration_end(index) or index + 1) - 1
        self._edit(
            code.starts[code.find_head(index)],
            code.get_end(code.partners.get(last, last)),
            "",
        )

    def _warn_of_calls(self, found: Declaration) -> None:
        """Make gcc warn where it can tell that a pointer to the kernel is called.

        Clang rejects the attribute unless the first declaration has it.
        """
        head = list(found.head)
        name = self._code.find_index(head[find_name(head) or 0].start)
        first = self._code.starts[find_first(self._code, name)]
        before = [token for token in self._list_specifiers(found) if token.start < first]
        if self._is_gnu and before:
            place = before[-1].start
            self.edits.append(Edit(start=place, end=place, text=_WARNING))

    def _empty(self, found: Declaration, body: int, end: int) -> None:
        """Replace the body of a kernel template with one that is never emitted, or with none.

        If the arguments of an instance are local to the source, gcc always warns without a body.
        Clang emits the instance with a body. Without one, it is silent in system headers.
        """
        start = found.start
        here, back = locate(self._text, start), locate(self._text, end).marker
        if self._is_gnu and describe_kernel(self._code, found).form == "declaration":
            place = self._list_specifiers(found)[-1].start
            before, after = f"{_PUSH_DIAGNOSTICS}{here.marker}\n", f"{_BODY}{_POP_DIAGNOSTICS}"
            self.edits.append(Edit(start=place, end=place, text=_NEVER_EMITTED))
        else:
            before, after = f"\n{replace(here, flags=' 3').marker}\n", ";\n"
        self.edits.append(Edit(start=start, end=start, text=before))
        self.edits.append(Edit(start=body, end=end, text=f"{after}{back}\n"))

    def _find_others(self, launched: frozenset[str]) -> None:
        """Find the other declarations of the same kernels, and of launched ones without a body."""
        names = {kernel.name for kernel in self.found.values()} | launched
        places = self._code.find(names) if names else []
        ends = [end for end in map(self._find_end, places) if end and end not in self.found]
        if not ends:
            return
        scopes = find_scopes(self._code)
        kernels: dict[tuple[str, ...], list[Declaration]] = {}
        for each in self._read.values():
            kernels.setdefault(self._name(each, scopes), []).append(each)
        for end in ends:
            found = self._read_declaration(self._code.find_index(end) - 1)
            kinds = {scope.kind for scope in scopes.around(end)}
            is_friend = any(token.text == "friend" for token in found.head)
            if found.kind != "function" or "block" in kinds or ("class" in kinds and not is_friend):
                continue
            same = kernels.get(self._name(found, scopes), [])
            if self._is_hidden(found) or self._redeclares(found, same):
                self._add(found)

    def _redeclares(self, found: Declaration, same: list[Declaration]) -> bool:
        """Return whether a function is a kernel, and not a function with the name of kernels.

        CUDA 13 hides all kernels that are not static. Of an explicit instance, only the number of
        parameters is compared.
        """
        if found.is_instantiation:
            count = self._count_parameters(found)
            return any(self._count_parameters(kernel) == count for kernel in same)
        is_static = any(token.text == "static" for token in self._list_specifiers(found))
        if not is_static and any(map(self._is_hidden, same)):
            return False
        key = self._read_key(found)
        return any(self._read_key(kernel) == key for kernel in same)

    def _count_parameters(self, found: Declaration) -> int:
        _, _, parameters = self._read_key(found)
        return len(parameters)

    def _read_key(self, found: Declaration) -> Key:
        """Return what is equal for redeclarations of one function."""
        parameters = self._text[slice(*found.parameters)]
        return expand_aliases(self._code, read_signature(found.template, parameters).key)

    def _list_specifiers(self, found: Declaration) -> list[Token]:
        """Return what is before the name, without the template header."""
        head = list(found.head)
        name = head[find_name(head) or 0].start
        tokens = self._code.list_tokens(found.start, name)
        return tokens[find_template_end(tokens) :]

    def _is_hidden(self, found: Declaration) -> bool:
        """Return whether a function is hidden, as ``cudafe++`` writes kernels."""
        specifiers = self._list_specifiers(found)
        return any(self._text.startswith(_HIDDEN, token.start) for token in specifiers)

    def _name(self, found: Declaration, scopes: Scopes) -> tuple[str, ...]:
        """Return the qualified name of a kernel."""
        return (*scopes.name_namespace(found.end), *list_qualifiers(found), found.name)

    def _find_end(self, name: int) -> int | None:
        """Return the position after the declaration without a body of the function at an index."""
        code = self._code
        if code.get(find_first(code, name) - 1) != "void" or code.get(name + 1) not in ("<", "("):
            return None
        end = code.find_declaration_end(name)
        return None if end is None or code.get(end - 1) == "{" else code.get_end(end - 1)

    def _add(self, found: Declaration) -> None:
        words = {token.text for token in found.head}
        if found.name.startswith(_WRAPPER) or not {"void", "auto"} & words:
            return
        self._change_linkage(found)
        kernel = describe_kernel(self._code, found)
        if kernel.form == "instantiation" and "extern" not in words:
            self.edits.append(Edit(start=found.start, end=found.start, text="extern "))
        self._read[found.end] = found
        self.found[found.end] = kernel

    def _change_linkage(self, found: Declaration) -> None:
        """Make a kernel an undefined function, with the linkage that its handle has."""
        specifiers = self._list_specifiers(found)
        is_local = any(token.text == "static" for token in specifiers)
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
