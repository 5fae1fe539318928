"""Find the declarations of kernels in preprocessed text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from kbuild.cxx.model import KernelDeclaration, Span
from kbuild.cxx.scopes import list_head, starts_requirement
from kbuild.cxx.tokens import (
    SKIPPED,
    Token,
    find_close,
    join,
    list_tokens,
    match_angle,
    match_brackets,
)

KERNEL_MARKER: Final = "__kbuild_global__"

# Specifiers with arguments in parentheses. A name that is followed by a parenthesis is the
# kernel's name, unless it is one of these.
_CALLED: Final = re.compile(
    r"__attribute(?:__)?|alignas|decltype|__declspec|noexcept|explicit|asm|__asm(?:__)?"
    r"|__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__|__kbuild_\w+"
)
_END: Final = re.compile(rf"{SKIPPED} | [;{{(\[]", re.VERBOSE | re.DOTALL)


def find_kernels(text: str, marker: str = KERNEL_MARKER) -> tuple[KernelDeclaration, ...]:
    """Find the declarations whose specifiers contain a marker.

    Args:
        text: The preprocessed text.
        marker: The word that marks kernels.
    """
    found: list[KernelDeclaration] = []
    for position in find_words(text, marker):
        if found and position < found[-1].end:
            continue
        kernel = read_kernel(text, position)
        if kernel is not None:
            found.append(kernel)
    return tuple(found)


def find_words(text: str, word: str) -> Iterator[int]:
    """Yield the positions of a word outside of directives."""
    # Without an anchor at its start, the pattern is searched as fast as a plain string.
    for found in re.finditer(rf"{re.escape(word)}\b", text):
        start = found.start()
        line = text.rfind("\n", 0, start) + 1
        is_part = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$")
        if not is_part and not text[line:start].lstrip().startswith("#"):
            yield start


def read_kernel(text: str, position: int) -> KernelDeclaration | None:
    """Read the declaration around a position; None if this is not the declaration of a function.

    Args:
        text: The preprocessed text.
        position: The position of a specifier, or of the declared name.
    """
    head = list_head(text, position)
    start = head[0].start if head else position
    end = find_declaration_end(text, start)
    if end is None:
        return None
    tokens = list(list_tokens(text, start, end))
    partners = match_brackets(tokens)
    header = find_template_end(tokens)
    place = find_name(tokens, header, partners)
    if place is None:
        return None
    name, opening = place
    closing = partners[opening]
    brace = len(tokens) - 1 if tokens[-1].text == "{" else None
    body: Span | None = None
    if brace is not None:
        close = find_close(text, tokens[brace].start)
        if close is None:
            return None
        body = (tokens[brace].start, close + 1)
        end = close + 1
    template = join(tokens[:header])
    trailing = _find_requirement(tokens, closing, brace)
    return KernelDeclaration(
        start=start,
        end=end,
        template=f"{template} {trailing}" if trailing else template,
        is_friend=any(token.text == "friend" for token in tokens[header:name]),
        name=tokens[name].text,
        parameters=text[tokens[opening].end : tokens[closing].start],
        form=_read_form(tokens, header, name),
        body=body,
    )


def find_declaration_end(text: str, start: int, ends: str = "{;") -> int | None:
    """Return the position after the first of the characters that is not in brackets."""
    position = start
    while (found := _END.search(text, position)) is not None:
        position = found.end()
        if found[0] in ends and not (
            found[0] == "{" and starts_requirement(text, start, found.start())
        ):
            return position
        if found[0] in ("(", "[", "{"):
            close = find_close(text, found.start())
            if close is None:
                return None
            position = close + 1
    return None


def find_template_end(tokens: list[Token]) -> int:
    """Return the index after the template headers and their constraints."""
    index = 0
    while index + 1 < len(tokens) and tokens[index].text == "template":
        if tokens[index + 1].text != "<":
            return index
        index = (match_angle(tokens, index + 1) or index + 1) + 1
        if index < len(tokens) and tokens[index].text == "requires":
            index = _find_constraint_end(tokens, index + 1)
    return index


def _find_constraint_end(tokens: list[Token], index: int) -> int:
    """Return the index after a constraint: primary expressions that are joined by operators."""
    partners = match_brackets(tokens)
    while index < len(tokens):
        if tokens[index].text == "requires":  # a requires expression
            index += 1
            if tokens[index].text == "(":
                index = partners.get(index, index) + 1
            index = partners.get(index, index) + 1
        elif tokens[index].text == "(":
            index = partners.get(index, index) + 1
        else:
            index = _find_name_end(tokens, index)
        following = [token.text for token in tokens[index : index + 2]]
        if following not in (["&", "&"], ["|", "|"]):
            return index
        index += 2
    return index


def _find_name_end(tokens: list[Token], index: int) -> int:
    if tokens[index].text == "::":
        index += 1
    while index < len(tokens):
        index += 1
        if index < len(tokens) and tokens[index].text == "<":
            index = (match_angle(tokens, index) or index) + 1
        if index >= len(tokens) or tokens[index].text != "::":
            return index
        index += 1
    return index


def find_name(tokens: list[Token], start: int, partners: dict[int, int]) -> tuple[int, int] | None:
    """Return the indices of a function's name and of the parenthesis after it.

    Returns None if the tokens do not declare a function.
    """
    index = start
    while index < len(tokens):
        word = tokens[index].text
        if word in ("=", ";", "{", "using", "typedef"):
            return None
        if word == "operator":
            return _find_operator(tokens, index, partners)
        if word in ("(", "["):
            index = partners.get(index, index)
        elif tokens[index].is_word and not _CALLED.fullmatch(word):
            after = index + 1
            if after < len(tokens) and tokens[after].text == "<":
                after = (match_angle(tokens, after) or after) + 1
            if after < len(tokens) and tokens[after].text == "(" and after in partners:
                return index, after
            index = after - 1
        index += 1
    return None


def _find_operator(
    tokens: list[Token], index: int, partners: dict[int, int]
) -> tuple[int, int] | None:
    after = index + 1
    if [token.text for token in tokens[after : after + 2]] == ["(", ")"]:
        after += 2
    while after < len(tokens) and tokens[after].text != "(":
        after += 1
    return (index, after) if after in partners else None


def _find_requirement(tokens: list[Token], closing: int, brace: int | None) -> str:
    """Return the ``requires`` clause after the parameters."""
    rest = tokens[closing + 1 : brace]
    words = [token.text for token in rest]
    if "requires" not in words:
        return ""
    return join([token for token in rest[words.index("requires") :] if token.text != ";"])


def _read_form(
    tokens: list[Token], header: int, name: int
) -> Literal["declaration", "qualified", "specialization", "instantiation"]:
    if [token.text for token in tokens[:3]] == ["template", "<", ">"]:
        return "specialization"
    words = [token.text for token in tokens[header : header + 2]]
    if words[:1] == ["template"] or words == ["extern", "template"]:
        return "instantiation"
    return "qualified" if name and tokens[name - 1].text == "::" else "declaration"
