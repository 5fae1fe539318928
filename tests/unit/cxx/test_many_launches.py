"""The time for launches grows with the text, not with its square."""

from __future__ import annotations

import pytest

from kbuild.cxx import callees
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
