"""The time for launches grows with the text, not with its square."""

from __future__ import annotations

import pytest

from kbuild.cxx import callees, tokens
from kbuild.cxx.scopes import Scope
from kbuild.cxx.tokens import Token, list_tokens

LAUNCH = "if (n == 1) { scale< float > (input, output); }\n"
HEAD = "struct Tensor { int size; };\nvoid Tensor::run() {\n"


def ask(text: str) -> bool:
    function = Scope(HEAD.index("{", HEAD.index("run")), HEAD.index("void"), "block")
    return callees.is_shadowed(text, text.rindex("scale"), "scale", [function])


def test_launches_of_templates_do_not_read_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []

    def count(text: str, start: int = 0, end: int | None = None) -> list[Token]:
        lengths.append((len(text) if end is None else end) - start)
        return list(list_tokens(text, start, end))

    monkeypatch.setattr(callees, "list_tokens", count)

    assert not ask(HEAD + LAUNCH * 500)
    assert sum(lengths) < len(LAUNCH) * 5


@pytest.mark.parametrize(
    "declaration",
    ["int scale = 1;", "Kernel *scale;", "auto & scale = kernels[0];", "int scale, other;"],
)
def test_declarations_between_launches_are_found(declaration: str) -> None:
    assert ask(HEAD + LAUNCH + declaration + LAUNCH)


@pytest.mark.parametrize("use", ["x = scale< int > (1);", "x = other::scale;", "t.scale();"])
def test_uses_between_launches_are_not_declarations(use: str) -> None:
    assert not ask(HEAD + LAUNCH + use + LAUNCH)


def test_tokens_of_a_long_line_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "f ( 1 ) ; " * 1000
    text = f"int a;\n{line}\nint b;"
    expected = [token.text for token in list_tokens(text, 0, 9007)][::-1]

    for _ in range(2):
        found = [token.text for token in tokens.list_tokens_before(text, 9007)]
        assert found == expected
    monkeypatch.setattr(tokens, "list_tokens", lambda *_: [])
    assert next(tokens.list_tokens_before(text, 9007)).text == expected[0]
