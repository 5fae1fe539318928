"""The declarations of functions up to their parameters, taken apart."""

from __future__ import annotations

from typing import Final, Literal

from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import match_angle, match_brackets
from kbuild.values import dataclass

_SPECIFIERS: Final = frozenset(
    (
        *("static", "extern", "inline", "__inline__", "__inline", "friend"),
        *("void", "auto", "__attribute__", "__attribute", "["),
    )
)
_NOT_NAMES: Final = frozenset(
    ("__attribute__", "__attribute", "noexcept", "decltype", "requires", "alignas")
)


@dataclass(frozen=True, slots=True)
class Head:
    """The declaration of a function up to its parameters, taken apart.

    Attributes:
        tokens: The tokens of the declaration.
        header: The number of tokens of the template header.
        name: The index of the unqualified name.
        opened: The index of the parenthesis before the parameters.
        closed: The index of the parenthesis after them.
    """

    tokens: list[Token]
    header: int
    name: int
    opened: int
    closed: int

    @property
    def form(self) -> Literal["declaration", "qualified", "specialization", "instantiation"]:
        """What is declared; see `KernelDeclaration`."""
        words = [token.text for token in self.tokens]
        if "template" in words[:2] and self.header == 0:
            return "instantiation"
        if words[: self.header] == ["template", "<", ">"] or words[self.name + 1] == "<":
            return "specialization"
        return "qualified" if words[self.name - 1] == "::" else "declaration"

    @property
    def is_friend(self) -> bool:
        """Whether it is a friend declaration."""
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


def read_head(tokens: list[Token]) -> Head | None:
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
                return Head(tokens, header, name, index + 1, partners[index + 1])
        index = partners.get(index, index) + 1 if word in ("(", "[") else index + 1
    return None
