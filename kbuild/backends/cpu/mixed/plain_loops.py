"""Find the kernels whose thread loop can be vectorized.

Such a kernel gets a plain loop: no thread of it waits, and nothing but its body reads the index of
the thread. All other kernels have regions or fibers. With fibers, each thread stores its index into
``threadIdx``, for device functions that read it and for the runtime. If this module takes a kernel
for one of the first kind by mistake, the kernel computes wrong values. Therefore, it decides by
names alone: every function with a name that is also that of a function in doubt is in doubt.
Variables and members with such a name are told apart by `hiding`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from kbuild import resources
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import INDEX, ThreadWords
from kbuild.backends.cpu.mixed.assembly import list_lane_reads
from kbuild.backends.cpu.mixed.hiding import is_hidden
from kbuild.backends.cpu.mixed.mentions import (
    Place,
    describe_place,
    find_files,
    find_lambda,
    is_called,
    is_called_by_name,
    list_words,
)
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_MOST_NAMES: Final = 200
_MOST_MENTIONS: Final = 5000


def find_thread_uses(
    code: Unit,
    kernels: tuple[Declaration, ...],
    declarations: tuple[Declaration, ...],
    thread_words: ThreadWords,
    foreign: frozenset[str],
) -> ThreadUses | None:
    """Find the words in each kernel for which a thread stores its index, or needs a way to stop.

    A kernel without such words gets a plain loop. The result is None if they are not known.

    Args:
        code: The preprocessed text of a source that contains everything its kernels call.
        kernels: The definitions of kernels.
        declarations: What the user marked.
        thread_words: The annotated names of the text.
        foreign: The names of functions that another source defines; they can do anything.
    """
    thread_words = replace(
        thread_words,
        pattern="|".join((thread_words.pattern, *sorted(foreign))),
        functions=thread_words.functions | foreign,
    )
    bodies = tuple(d.body for d in declarations if d.body and d.words & {q.DEVICE, q.GLOBAL})
    search = _Search(code, kernels, bodies, thread_words)
    if not search.add_mentions(list_lane_reads(code)) or not search.add_all(thread_words.pattern):
        return None
    used = {kernel.start: tuple(search.uses.get(kernel.start, ())) for kernel in kernels}
    if not any(word.text in search.names for words in used.values() for word in words):
        return ThreadUses(used)
    stopping = _Search(code, kernels, bodies, thread_words)
    pattern = thread_words.pattern.removeprefix(f"{INDEX}|")
    is_known = stopping.add_mentions(list_lane_reads(code)) and stopping.add_all(pattern)
    if not is_known:
        return ThreadUses(used)
    functions = {brace: tuple(words) for brace, words in search.functions.items()}
    return ThreadUses(used, search.names - stopping.names, stopping.names, functions)


@dataclass(frozen=True, slots=True)
class ThreadUses:
    """What kernels need a thread for.

    Attributes:
        words: The words in each kernel, by the starts of the kernels.
        readers: The functions among them that read the index of the thread, and never stop it.
        stopping: The functions that can stop the thread.
        functions: The words in each device function, by the positions of the braces of the bodies.
    """

    words: Mapping[int, tuple[Token, ...]]
    readers: frozenset[str] = frozenset()
    stopping: frozenset[str] = frozenset()
    functions: Mapping[int, tuple[Token, ...]] = field(default_factory=dict)


class _Search:
    """The kernels that mention a word, or the name of a function that mentions one, and so on.

    Attributes:
        uses: These words, by the starts of the kernels.
        functions: These words in other functions, by the positions of the braces of the bodies.
    """

    def __init__(
        self,
        code: Unit,
        kernels: tuple[Declaration, ...],
        device_bodies: tuple[Span, ...],
        thread_words: ThreadWords,
    ) -> None:
        self._code = code
        self._thread_words = thread_words
        self._device_bodies = device_bodies
        self._kernels = {kernel.body[0]: kernel for kernel in kernels if kernel.body}
        self._headers = _find_headers(code)
        self._names: set[str] = set()
        self._types: set[str] = set()
        self._new: set[str] = set()
        self._mentions = 0
        self.uses: dict[int, list[Token]] = {}
        self.functions: dict[int, list[Token]] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of functions that mention the words."""
        return frozenset(self._names)

    def add_all(self, pattern: str) -> bool:
        """Add what mentions the words, and what mentions that, and so on; see `add`."""
        while pattern and self.add(pattern):
            pattern = "|".join(map(re.escape, self.take_names()))
        return not pattern

    def take_names(self) -> list[str]:
        """Return the names that the last call of `add` found."""
        names = sorted(self._new)
        self._new = set()
        return names

    def add(self, pattern: str) -> bool:
        """Add what mentions one of the words; return False if that can be anything."""
        words = list_words(self._code, pattern, skipped=self._headers)
        return self.add_mentions([word for word in words if not self._is_of_host(word)])

    def add_mentions(self, words: list[Token]) -> bool:
        """Do the same with words at these places."""
        self._mentions += len(words)
        is_bounded = self._mentions < _MOST_MENTIONS and len(self._names) < _MOST_NAMES
        return is_bounded and all(map(self._add_mention, words))

    def _is_of_host(self, word: Token) -> bool:
        return word.text in self._thread_words.device_functions and not any(
            start < word.start < end for start, end in self._device_bodies
        )

    def _add_mention(self, word: Token) -> bool:
        place = describe_place(self._code, word)
        is_function = word.text in self._names or word.text in self._thread_words.functions
        is_hidden_here = word.text in self._names and is_hidden(self._code, word)
        if is_hidden_here or place.kind == "declaration":
            return True
        if place.kind in ("using", "namespace"):
            return self._add_alias(word, place)
        if place.kind == "elsewhere" or place.function is None or place.function.body is None:
            return False
        if is_function and not is_called(self._code, word):
            return False  # the pointer can get anywhere
        kernel = self._kernels.get(place.function.body[0])
        if kernel is not None:
            if word.text != INDEX or not can_replace(self._code, word, place):
                self.uses.setdefault(kernel.start, []).append(word)
            return True
        self.functions.setdefault(place.function.body[0], []).append(word)
        return self._add_function(place.function, place)

    def _add_alias(self, word: Token, place: Place) -> bool:
        head = [token.text for token in place.head]
        if self._code.get(self._code.find_index(word.start) + 1) == "=":
            return True  # the definition of an alias that is known
        name = head[1] if head[2:3] == ["="] else self._find_last_name(word)
        return bool(name) and self._add_name(name, self._types)

    def _find_last_name(self, word: Token) -> str:
        """Return the last name of a using declaration."""
        index = self._code.find_index(word.start)
        end = self._code.find_declaration_end(index, ";") or index
        names = [token.text for token in self._code.list_between(index, end) if token.is_word]
        return names[-1] if names else ""

    def _add_function(self, found: Declaration, place: Place) -> bool:
        has_object = any(
            scope.kind == "class" or find_lambda(self._code, scope) is not None
            for scope in place.inside
        )
        if has_object or not is_called_by_name(found):
            return False
        return self._add_name(found.name, self._names)

    def _add_name(self, name: str, names: set[str]) -> bool:
        if name not in self._names | self._types:
            self._new.add(name)
        names.add(name)
        return True


def _find_headers(code: Unit) -> tuple[Span, ...]:
    """Return the parts of the text whose names have annotations."""
    native = resources.native_directory()
    return find_files(code, (str(native / "device" / "cpu"), str(native / "include")))


def can_replace(code: Unit, word: Token, place: Place) -> bool:
    """Return whether a constant of the kernel can hide a built-in variable here.

    Local classes, and lambdas without a default capture, cannot use variables of the kernel. A
    declaration of a variable with this name cannot be in the same scope.
    """
    index = code.find_index(word.start)
    if code.get(index - 1) == "::" or code.get(index + 1) not in (".", ")"):
        return False
    for scope in place.inside:
        captures = find_lambda(code, scope)
        if scope.kind == "class":
            return False
        if captures is not None and not _has_default(captures):
            return False
    return True


def _has_default(captures: tuple[Token, ...]) -> bool:
    words = [token.text for token in captures]
    return len(words) > 2 and words[1] in ("=", "&") and words[2] in ("]", ",")  # noqa: PLR2004 - brackets and a default
