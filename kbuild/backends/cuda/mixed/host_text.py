"""Find kernels and launches in the output of ``cudafe++``.

``cudafe++`` writes C++ with these patterns, each of which is unique in it:

* A launch is ``(__cudaPushCallConfiguration(...)) ? (void)0 : kernel(...)``.
* The body of a kernel is disabled: ``void kernel(int *p) ;``, and then ``#if 0``.
* The body of a kernel template calls a ``__wrapper__device_stub_kernel``.
* A managed variable is a pointer in the section ``__nv_managed_data__``, and each use of it first
  calls ``__nv_init_managed_rt()``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText, KernelDeclaration, Launch
from kbuild.cxx.scopes import Scopes, list_head
from kbuild.cxx.tokens import Token, find_close, list_tokens, match_angle, match_brackets
from kbuild.errors import SourceError

_PUSH: Final = "__cudaPushCallConfiguration("
_BETWEEN: Final = (")", "?", "(", "void", ")", "0", ":")
_WRAPPER: Final = "__wrapper__device_stub_"
_IN_BODY: Final = re.compile(r"\{(?:::)?(?:\w+::)*\Z")
_CONDITION: Final = re.compile(r"\n#[ ]?(?:(if)|endif)")
_DISABLED_BODY: Final = re.compile(r";\n#if 0\n#(?: |line )\d+[^\n]*\n\{")
_LITERAL: Final = re.compile(r'"(?:\\.|[^"\\\n])*"')
_HIDDEN: Final = '__attribute__((visibility("hidden")))'
# What a kernel cannot have if another object defines it.
_DROPPED: Final = frozenset(("static", "inline", "__inline__", "__inline"))
_SPECIFIERS: Final = _DROPPED | {"void", "auto", "friend", "extern", "__attribute__", "["}
_NEVER_EMITTED: Final = "extern inline __attribute__((gnu_inline)) "
_PUSH_DIAGNOSTICS: Final = (
    '\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored "-Wunused-parameter"\n'
)
_POP_DIAGNOSTICS: Final = "#pragma GCC diagnostic pop\n"
_NOT_NAMES: Final = frozenset(("__attribute__", "noexcept", "decltype", "requires", "alignas"))
_MANAGED: Final = '__attribute__((section("__nv_managed_data__")))'
_END: Final = re.compile(r'\n#(?: |line )1 "[^"\n]*"\n#define _NV_ANON_NAMESPACE (\w+)\n')
# See templates/handles.h.j2, which defines the function.
_NEW_END: Final = (
    "\n#define _NV_ANON_NAMESPACE {}\n"
    "static inline void kbuild_prepare_variables(void);\n"
    "static char __nv_init_managed_rt_with_module(void **) "
    "{{ kbuild_prepare_variables(); return 1; }}\n"
)
_MOST_LOOKED_BACK: Final = 400


def read_text(text: str, source: str, *, is_gnu: bool) -> HostText:
    """Find the kernels and launches in a text.

    Args:
        text: The output of ``cudafe++``.
        source: The name of the source in messages.
        is_gnu: Whether gcc compiles the text.

    Raises:
        SourceError: The text contains a construct that is not as expected.
    """
    active = _ActiveText(text)
    launches = tuple(_find_launches(active, source))
    edits = [*_replace_end(text, source), *_change_managed(active, source)]
    kernels = _Kernels(active, is_gnu=is_gnu)
    return HostText(
        kernels=tuple(kernel for _, kernel in sorted(kernels.found.items())),
        launches=launches,
        edits=tuple(sorted([*edits, *kernels.edits], key=lambda edit: (edit.start, edit.end))),
    )


class _ActiveText:
    """A text, and which parts of it ``#if 0`` disables."""

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        depth = 0
        for found in _CONDITION.finditer(text):
            depth += 1 if found[1] else -1
            if found[1] and depth == 1:
                self._starts.append(found.start())
            elif not found[1] and depth == 0:
                self._ends.append(found.end())

    def is_active(self, position: int) -> bool:
        """Return whether the compiler reads the text at a position, and not as a literal."""
        index = bisect_right(self._starts, position) - 1
        if index >= 0 and (index >= len(self._ends) or position < self._ends[index]):
            return False
        line = self.text.rfind("\n", 0, position) + 1
        literals = _LITERAL.finditer(self.text, line, self.text.find("\n", position))
        return not any(found.start() < position < found.end() for found in literals)

    def find(self, word: str) -> Iterator[int]:
        """Yield the positions of a word in the text that the compiler reads."""
        position = self.text.find(word)
        while position >= 0:
            if self.is_active(position):
                yield position
            position = self.text.find(word, position + len(word))


def _find_launches(active: _ActiveText, source: str) -> Iterator[Launch]:
    text = active.text
    for position in active.find(_PUSH):
        launch = _read_launch(text, position)
        if launch is None and " 3" in locate(text, position).flags:
            continue  # the declaration, and calls that system headers write themselves
        if launch is None:
            line = text[position : text.find("\n", position)]
            raise SourceError(
                f"{source}: cannot rewrite the launch '{line[:120]}', so that not every call of "
                "__cudaPushCallConfiguration is rewritten; expected '(configuration) ? (void)0 : "
                "kernel(arguments)' after nvcc's host pass; simplify the launch"
            )
        yield launch


def _read_launch(text: str, position: int) -> Launch | None:
    """Read the launch whose configuration is pushed at a position."""
    opened = position + len(_PUSH) - 1
    closed = find_close(text, opened)
    if closed is None or text[position - 1] != "(":
        return None
    tokens = list(_list_operand(text, closed + 1))
    if tuple(token.text for token in tokens[: len(_BETWEEN)]) != _BETWEEN:
        return None
    call = tokens[len(_BETWEEN) :]
    found = _find_arguments(call)
    if found is None:
        return None
    first, last = found
    return Launch(
        start=position - 1,
        end=call[last].end,
        callee=(call[0].start, call[first - 1].end),
        configuration=(opened + 1, closed),
        arguments=(call[first].end, call[last].start),
    )


def _list_operand(text: str, start: int) -> Iterator[Token]:
    """Yield the tokens up to the end of a conditional expression, or a little more."""
    depth = 1  # the parenthesis in front of the configuration
    for token in list_tokens(text, start):
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        if depth < 0 or (depth == 0 and token.text == ";"):
            return
        yield token


def _find_arguments(call: list[Token]) -> tuple[int, int] | None:
    """Return the indices of the parentheses around the arguments of a call."""
    partners = match_brackets(call)
    index, arguments = 0, None
    while index < len(call):
        token = call[index]
        if token.text in ("(", "["):
            if index not in partners:
                return None
            if token.text == "(" and index:
                arguments = (index, partners[index])
            index = partners[index] + 1
        elif token.text == "<" and index:
            index = (match_angle(call, index) or len(call)) + 1
        elif token.is_word or token.text in ("::", ".", "->"):
            index += 1
        else:
            break
    return arguments if arguments is not None and arguments[1] == index - 1 else None


def _replace_end(text: str, source: str) -> Iterator[Edit]:
    """Replace the inclusion of nvcc's stub file, and the managed runtime that it defines."""
    found = _END.search(text, max(text.rfind("\n#define _NV_ANON_NAMESPACE ") - 4096, 0))
    if found is None:
        raise SourceError(
            f"{source}: the output of nvcc's host pass does not end with its stub file; "
            "use a toolkit that kbuild supports (CUDA 12.0 or newer)"
        )
    yield Edit(start=found.start(), end=len(text), text=_NEW_END.format(found[1]))


def _change_managed(active: _ActiveText, source: str) -> Iterator[Edit]:
    """Turn the definitions of managed variables into declarations; the handles define them.

    A variable that other files cannot name gets a symbol that no other one has.
    """
    text = active.text
    for number, start in enumerate(active.find(_MANAGED)):
        end = text.find(";", start)
        declaration = text[start + len(_MANAGED) : end]
        words = re.sub(r"\n#[^\n]*\n", " ", declaration).split()
        if "template" in words or "<" in text[start - 2 : start]:
            raise SourceError(
                f"{source}: a template of managed variables is not supported "
                f"('{' '.join(words)[:80]}'); declare one variable per type"
            )
        kept = declaration.removesuffix(" = 0").replace("extern ", "", 1)
        if "static" in words:
            kept = f'{kept.replace("static ", "", 1)} __asm__("kbuild_managed_{number}")'
        # A definition without symbols that can be interposed works with every compiler.
        yield Edit(start=start, end=end, text=f"extern {_HIDDEN}{kept}")


@dataclass(frozen=True, slots=True)
class _Head:
    """The declaration of a function up to its parameters, taken apart."""

    tokens: list[Token]
    header: int  # the number of tokens of the template header
    name: int
    opened: int
    closed: int

    @property
    def form(self) -> Literal["declaration", "qualified", "specialization", "instantiation"]:
        words = [token.text for token in self.tokens]
        if "template" in words[:2] and self.header == 0:
            return "instantiation"
        if words[: self.header] == ["template", "<", ">"] or words[self.name + 1] == "<":
            return "specialization"
        return "qualified" if words[self.name - 1] == "::" else "declaration"

    @property
    def is_friend(self) -> bool:
        return any(token.text == "friend" for token in self.tokens[: self.name])

    @property
    def qualifier(self) -> tuple[str, ...]:
        """The namespaces that the name itself spells."""
        names: list[str] = []
        place = self.name - 1
        while place > 0 and self.tokens[place].text == "::" and self.tokens[place - 1].is_word:
            names.insert(0, self.tokens[place - 1].text)
            place -= 2
        return tuple(names)


def _read_head(tokens: list[Token]) -> _Head | None:
    """Find name and parameters among the tokens of a declaration."""
    partners = match_brackets(tokens)
    header = 0
    if [token.text for token in tokens[:2]] == ["template", "<"]:
        header = (match_angle(tokens, 1) or 0) + 1
        while header < len(tokens) and tokens[header].text not in _SPECIFIERS:
            header += 1  # a constraint
    index = header
    while index < len(tokens):
        word = tokens[index].text
        name = index
        if tokens[index].is_word and word not in _NOT_NAMES:
            if index + 1 < len(tokens) and tokens[index + 1].text == "<":
                index = match_angle(tokens, index + 1) or index
            if index + 1 in partners and tokens[index + 1].text == "(":
                return _Head(tokens, header, name, index + 1, partners[index + 1])
        index = partners.get(index, index) + 1 if word in ("(", "[") else index + 1
    return None


class _Kernels:
    """The declarations of kernels by position, and the edits that make them declarations only."""

    def __init__(self, active: _ActiveText, *, is_gnu: bool) -> None:
        self._active: Final = active
        self._is_gnu: Final = is_gnu
        self._text: Final = active.text
        self._heads: Final[dict[int, _Head]] = {}
        self.found: Final[dict[int, KernelDeclaration]] = {}
        self.edits: Final[list[Edit]] = []
        for position in active.find(_WRAPPER):
            self._read_wrapper(position)
        for disabled in _DISABLED_BODY.finditer(self._text):
            semicolon = disabled.start()
            self._add(_read_head(list_head(self._text, semicolon)), semicolon + 1)
        self._find_others()

    def _read_wrapper(self, position: int) -> None:
        """Remove a wrapper, or the body of the kernel template that calls it."""
        text = self._text
        body = _IN_BODY.search(text, max(position - _MOST_LOOKED_BACK, 0), position)
        if body is not None:
            end = (find_close(text, body.start()) or position) + 1
            template = _read_head(list_head(text, body.start()))
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

    def _empty(self, head: _Head, body: int, end: int) -> None:
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

    def _find_others(self) -> None:
        """Find the other declarations of the same kernels."""
        names = sorted({kernel.name for kernel in self.found.values()})
        if not names:
            return
        pattern = rf"void\s+(?:#[^\n]*\n\s*)*(?:\w+::)*({'|'.join(names)})\s*[<(]"
        places = [found.start(1) for found in re.finditer(pattern, self._text)]
        ends = [end for end in map(self._find_end, places) if end and end not in self.found]
        if not ends:
            return
        scopes = Scopes(self._text, (*self.found, *ends))
        kernels = {self._name(end, head, scopes) for end, head in self._heads.items()}
        for end in ends:
            head = _read_head(list_head(self._text, end - 1))
            kinds = {scope.kind for scope in scopes.around(end)}
            if head is None or "block" in kinds or ("class" in kinds and not head.is_friend):
                continue
            if self._name(end, head, scopes) in kernels:
                self._add(head, end)

    def _name(self, end: int, head: _Head, scopes: Scopes) -> tuple[str, ...]:
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

    def _add(self, head: _Head | None, end: int) -> None:
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

    def _change_linkage(self, head: _Head) -> None:
        """Make a kernel an undefined function, with the linkage that its handle has."""
        specifiers = head.tokens[head.header : head.name]
        is_local = head.tokens[0].text == "template" or any(t.text == "static" for t in specifiers)
        for token in specifiers:
            if token.text in _DROPPED:
                self.edits.append(Edit(start=token.start, end=token.end, text=""))
            elif not is_local and self._text.startswith(_HIDDEN, token.start):
                end = token.start + len(_HIDDEN)
                self.edits.append(Edit(start=token.start, end=end, text=""))

    def _edit(self, start: int, end: int, text: str) -> None:
        """Replace a part of the text, and keep the number of its lines."""
        lines = "\n" * self._text.count("\n", start, end)
        self.edits.append(Edit(start=start, end=end, text=text + lines))
