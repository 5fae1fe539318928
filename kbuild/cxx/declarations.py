"""Edits that leave kernels declared, but not defined, so that the linker can find their handles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.kernels import find_words
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, KernelDeclaration
from kbuild.cxx.tokens import list_tokens

# A function with internal linkage must have a definition, or compilers warn.
_LINKAGE: Final = ("static", "inline")


def declare_kernels(text: str, kernels: Iterable[KernelDeclaration]) -> Iterator[Edit]:
    """Yield the edits that remove the bodies of kernels, and ``static`` and ``inline``.

    An explicit instantiation becomes ``extern template``.
    """
    for kernel in kernels:
        if kernel.body is not None:
            start, end = kernel.body
            lines = "\n" * text.count("\n", start, end)
            if text.find("\n#", start, end) >= 0:
                lines = f"\n{locate(text, end).marker}\n"
            yield Edit(start=start, end=end, text=f";{lines}")
        if kernel.form == "instantiation" and not text.startswith("extern", kernel.start):
            yield Edit(start=kernel.start, end=kernel.start, text="extern ")
        yield from drop_linkage(text, kernel)


def drop_linkage(text: str, kernel: KernelDeclaration) -> Iterator[Edit]:
    """Yield the edits that give a kernel external linkage."""
    for token in list_tokens(text, kernel.start, kernel.end):
        if token.text == "(" or (kernel.body is not None and token.start >= kernel.body[0]):
            break
        if token.text in _LINKAGE:
            yield Edit(start=token.start, end=token.end, text="")


def name_namespaces(text: str, name: str) -> Iterator[Edit]:
    """Yield the edits that give unnamed namespaces a name.

    What is in them gets external linkage, so the name must be unique to the source. All unnamed
    namespaces in a scope are one namespace, and stay one.
    """
    for position in find_words(text, "namespace"):
        end = position + len("namespace")
        following = re.compile(r"(?:\s|__attribute__\s*\(\(.*?\)\)(?=\s*[{_]))*\{").match(text, end)
        if following is not None:
            yield Edit(start=position, end=end, text=f"inline namespace {name}")
