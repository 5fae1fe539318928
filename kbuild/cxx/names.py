"""The names of kernels: where they are visible, and which launches and declarations use them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.callees import Name, declares, is_shadowed, read_name
from kbuild.cxx.model import KernelDeclaration, Launch
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.tokens import Token, list_tokens, match_brackets, split_at_commas
from kbuild.values import dataclass

_WORD_BEFORE: Final = re.compile(r"(?:(\w+)\s+|([>*&])\s*)\Z")
_CALL: Final = re.compile(r"\s*\(")
_MOST_LOOKED_BACK: Final = 100
_BEFORE_CALLS: Final = ("return", "else", "do", "case", "and", "or", "not")


@dataclass(frozen=True, slots=True)
class Using:
    """A using-declaration that names kernels, and the position after its ``;``."""

    start: int
    end: int
    names: tuple[Name, ...]


class KernelNames:
    """The namespaces in which each kernel can be named."""

    def __init__(self, text: str, kernels: Iterable[KernelDeclaration]) -> None:
        """Find the namespaces of the kernels, and of using-declarations for them."""
        self._text = text
        self._kernels = [kernel for kernel in kernels if kernel.form == "declaration"]
        usings = list(_find_usings(text, {kernel.name for kernel in self._kernels}))
        self.scopes = find_scopes(text)
        self.kernels = [kernel for kernel in self._kernels if self._is_reachable(kernel)]
        self._variables: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self._namespaces: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for kernel in self.kernels:
            self._namespaces[kernel.name].add(self.scopes.name_namespace(kernel.start))
        self.usings = list(self._select_usings(usings))

    def _is_reachable(self, kernel: KernelDeclaration) -> bool:
        """Return whether the kernel is declared where a sibling can be declared, too."""
        kinds = {scope.kind for scope in self.scopes.around(kernel.start)}
        return "block" not in kinds and (kernel.is_friend or "class" not in kinds)

    def _select_usings(self, usings: list[Using]) -> Iterator[Using]:
        """Yield the using-declarations that name kernels of the text, in its order."""
        for using in usings:
            names = tuple(name for name in using.names if self._is_kernel(name))
            for name in names:
                self._namespaces[name.token.text].add(self.scopes.name_namespace(using.start))
            if names:
                yield Using(using.start, using.end, names)

    def find_kernel(self, launch: Launch) -> Token | None:
        """Return the name of a kernel in the callee; None if the callee is something else."""
        name = read_name(list(list_tokens(self._text, *launch.callee)))
        if name is None or name.token.text not in self._namespaces:
            return None
        if name.qualifiers or name.qualifiers is None or name.is_global:
            return name.token if self._is_kernel(name) else None
        around = self.scopes.around(launch.start)
        if is_shadowed(self._text, launch.start, name.token.text, around):
            return None
        return None if self._is_variable(name.token.text, launch.start) else name.token

    def _is_kernel(self, name: Name) -> bool:
        """Return whether a qualified name is that of a kernel."""
        if name.qualifiers is None:
            return False
        namespaces = self._namespaces.get(name.token.text, set())
        if not name.qualifiers:
            return any(not any(namespace) for namespace in namespaces)
        last = name.qualifiers[-1]
        return any(
            known in namespace
            for namespace in namespaces
            for known in (last, *self._list_aliased(last))
        )

    def _list_aliased(self, alias: str) -> Iterator[str]:
        """Yield the last components of the namespaces that a name is an alias of."""
        for found in re.finditer(rf"namespace\s+{re.escape(alias)}\s*=([\w\s:]*);", self._text):
            yield re.split(r"[\s:]+", found[1].strip())[-1]

    def _is_variable(self, name: str, position: int) -> bool:
        """Return whether the unqualified name of a kernel is that of a variable in a namespace.

        The variable must be in a namespace further inside than that of the kernel.
        """
        around = _drop_unnamed(self.scopes.name_namespace(position))
        kernels = [_drop_unnamed(namespace) for namespace in self._namespaces[name]]
        depths = [len(kernel) for kernel in kernels if kernel == around[: len(kernel)]]
        depth = max(depths, default=-1)
        if depth == len(around):
            return False
        if name not in self._variables:
            self._variables[name] = self._find_variables(name)
        return any(
            start < position and len(namespace) > depth and namespace == around[: len(namespace)]
            for start, namespace in self._variables[name]
        )

    def _find_variables(self, name: str) -> list[tuple[int, tuple[str, ...]]]:
        """Return the positions and namespaces of the variables with a name in namespaces."""
        pattern = re.compile(rf"{re.escape(name)}\b(?=\s*[=;{{\[)])")
        found = [hit.start() for hit in pattern.finditer(self._text)]
        scopes = self.scopes
        return [
            (hit, _drop_unnamed(scopes.name_namespace(hit)))
            for hit in found
            if all(scope.kind in ("namespace", "language") for scope in scopes.around(hit))
            and self._declares_variable(hit)
        ]

    def _declares_variable(self, position: int) -> bool:
        start = list_head(self._text, self._text.rfind("\n", 0, position) + 1)
        first = start[0].start if start else self._text.rfind("\n", 0, position) + 1
        end = self._text.find("\n", position)
        tokens = list(list_tokens(self._text, first, len(self._text) if end < 0 else end))
        partners = match_brackets(tokens)
        index = next((i for i, token in enumerate(tokens) if token.start == position), None)
        if index is None or not declares(tokens, partners, index):
            return False
        # The parameters of a function declaration are not variables of the namespace.
        return not any(
            tokens[opening].text == "("
            and opening < index < closing
            and tokens[opening + 1].text not in ("*", "&")
            for opening, closing in partners.items()
        )

    def is_overloaded(self, name: str) -> bool:
        """Return whether a function that is not a kernel might have the kernel's name."""
        spans = [(kernel.start, kernel.end) for kernel in self._kernels if kernel.name == name]
        position = -1
        while (position := self._text.find(name, position + 1)) >= 0:
            if _CALL.match(self._text, position + len(name)) is None:
                continue
            start = max(position - _MOST_LOOKED_BACK, 0)
            before = _WORD_BEFORE.search(self._text, start, position)
            is_kernel = any(first <= position < end for first, end in spans)
            if before and not is_kernel and before[1] not in _BEFORE_CALLS:
                return True
        return False


def _drop_unnamed(namespace: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in namespace if name)


def _find_usings(text: str, names: set[str]) -> Iterator[Using]:
    """Yield the using-declarations that contain one of the names."""
    if not names:
        return
    words = "|".join(map(re.escape, sorted(names)))
    pattern = re.compile(rf"using\s+(?!namespace\b)([\w\s:,]*\b(?:{words})\b[\w\s:,]*);")
    for found in pattern.finditer(text):
        tokens = list(list_tokens(text, *found.span(1)))
        read = (read_name(part) for part in split_at_commas(tokens))
        named = tuple(name for name in read if name is not None and name.token.text in names)
        if named:
            yield Using(found.start(), found.end(), named)
