"""Divide C++ source text into the declarations at namespace and class scope."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from kbuild.cxx.source.tokens import SourceTokens
from kbuild.values import dataclass

CLASS_KEYS: Final = frozenset((b"class", b"struct", b"union"))
_ACCESS: Final = frozenset((b"public", b"protected", b"private"))
_BRACKETS: Final = frozenset((b"(", b"[", b"{"))
# What can stand between the parameters and the body of a function.
_SUFFIXES: Final = frozenset(
    (b")", b"const", b"volatile", b"noexcept", b"override", b"final", b"&", b"try", b"mutable")
)

Kind = Literal["directive", "open", "close", "function", "other"]


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, a directive, or the start or end of a scope.

    Attributes:
        kind: ``open`` ends with the brace that opens a namespace, a class that is not a template,
            or a block of linkage. ``close`` starts with the brace that closes it. ``function`` is
            a definition with a body.
        start: The index of the first token.
        stop: The index after the last token.
        body: The index of the brace that opens the body of a ``function``; 0 for other kinds.
        scopes: The scopes around it, the outermost first. A namespace without a name is empty; a
            block of linkage is not a scope.
        in_class: Whether the innermost scope is a class.
        is_whole: False if there are directives between its tokens, except in the body.
    """

    kind: Kind
    start: int
    stop: int
    body: int = 0
    scopes: tuple[bytes, ...] = ()
    in_class: bool = False
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class _Scope:
    names: tuple[bytes, ...]
    is_class: bool = False


def divide_declarations(tokens: SourceTokens) -> tuple[Item, ...]:
    """Return the items in the order of the text. Together, they contain all tokens."""
    words, items, index = tokens.words, [], 0
    stack = [_Scope(())]
    while index < len(words):
        word, scope = words[index], stack[-1]
        if word[:1] == b"#":
            item = Item("directive", index, index + 1)
        elif word == b";":
            item = Item("other", index, index + 1)
        elif word == b"}":
            stack.pop()
            stop = _find_end(tokens, index + 1) if scope.is_class else index + 1
            item = Item("close", index, stop)
        elif scope.is_class and word in _ACCESS and words[index + 1 : index + 2] == [b":"]:
            item = Item("other", index, index + 2)
        else:
            item = _read_declaration(tokens, index)
            if item.kind == "open":
                stack.append(_enter(tokens, item, scope))
        items.append(replace(item, scopes=scope.names, in_class=scope.is_class))
        index = item.stop
    return tuple(items)


def _find_end(tokens: SourceTokens, index: int) -> int:
    """Return the index after the next semicolon, or of the brace that closes the scope."""
    words = tokens.words
    while index < len(words) and words[index] != b"}":
        if words[index] == b";":
            return index + 1
        index = tokens.partners[index] + 1 if words[index] in (b"(", b"[", b"{") else index + 1
    return index


def _enter(tokens: SourceTokens, item: Item, outer: _Scope) -> _Scope:
    words = tokens.words[item.start : item.stop - 1]
    if b"namespace" in words[:2]:
        names = [w for w in words[words.index(b"namespace") + 1 :] if is_name(w)]
        return _Scope((*outer.names, b"::".join(names)))
    if words[0] == b"extern":
        return _Scope(outer.names)
    return _Scope((*outer.names, find_class_name(words)), is_class=True)


def find_class_name(head: list[bytes]) -> bytes:
    """Return the name of the class that a head, such as ``struct A : B``, defines."""
    key = next(i for i, word in enumerate(head) if word in CLASS_KEYS)
    name = b""
    for index in range(key + 1, len(head)):
        if head[index] in (b":", b"<", b"{", b";"):
            break
        if is_name(head[index]) and head[index] != b"final" and head[index + 1 :][:1] != [b"("]:
            name = head[index]
    return name


def is_name(word: bytes) -> bool:
    """Return whether a token is an identifier or a keyword."""
    return word[:1].isalpha() or word[:1] in (b"_", b"$")


@dataclass(slots=True)
class _Progress:
    """What the tokens of a declaration before a position contain, outside of brackets."""

    has_parameters: bool = False
    has_value: bool = False
    has_initializers: bool = False  # a colon after the parameters
    is_whole: bool = True

    def note(self, word: bytes) -> None:
        if word == b"(":
            self.has_parameters = True
        elif word == b"=":
            self.has_value = True
        elif word == b":":
            self.has_initializers = self.has_parameters
        elif word[:1] == b"#":
            self.is_whole = False


def _read_declaration(tokens: SourceTokens, start: int) -> Item:
    """Read one declaration. If its end is not clear, it extends over the following ones."""
    words = tokens.words
    index, seen = start, _Progress()
    while index < len(words) and words[index] != b"}":
        word = words[index]
        if word == b";":
            return Item("other", start, index + 1, is_whole=seen.is_whole)
        if word == b"{" and _opens_scope(words[start:index], seen):
            return Item("open", start, index + 1, is_whole=seen.is_whole)
        if word == b"{" and _opens_body(words[start:index], seen):
            return _read_function(tokens, start, index, is_whole=seen.is_whole)
        seen.note(word)
        if word == b"operator":
            index = _skip_operator(words, index)
        else:
            index = tokens.partners[index] + 1 if word in _BRACKETS else index + 1
    return Item("other", start, index, is_whole=False)


def _skip_operator(words: list[bytes], index: int) -> int:
    """Return the index of the parameters of an operator."""
    index += 1
    while index < len(words) and words[index] not in (b"(", b";", b"{", b"}"):
        index += 1
    return index + 2 if words[index : index + 3] == [b"(", b")", b"("] else index


def _read_function(tokens: SourceTokens, start: int, brace: int, *, is_whole: bool) -> Item:
    words, partners = tokens.words, tokens.partners
    stop = partners[brace] + 1
    while words[stop : stop + 2] == [b"catch", b"("]:  # the body is a try block
        stop, is_whole = partners[partners[stop + 1] + 1] + 1, False
    return Item("function", start, stop, brace, is_whole=is_whole)


def _opens_scope(head: list[bytes], seen: _Progress) -> bool:
    if head[:1] == [b"namespace"] or head[:2] == [b"inline", b"namespace"]:
        return True
    if head[:1] == [b"extern"]:
        return len(head) == 2 and head[1][:1] == b'"'  # noqa: PLR2004 - extern "C"
    return head[:1] != [] and head[0] in CLASS_KEYS and not _opens_body(head, seen)


def _opens_body(head: list[bytes], seen: _Progress) -> bool:
    """Return whether a brace after ``head`` opens the body of a function, and not a value."""
    if seen.has_value or not seen.has_parameters:
        return False
    if seen.has_initializers:
        return head[-1] in (b")", b"}", b"...")
    return head[-1] in _SUFFIXES or b"->" in head
