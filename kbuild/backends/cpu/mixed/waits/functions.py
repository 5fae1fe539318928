"""Find the kernels, and the device functions, that name operations in which threads wait.

The text finds places to divide kernels at. Whether a kernel waits at all is read from its object;
see `review`. A function that this module overlooks costs a second compile, and no wrong value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import ThreadWords
from kbuild.backends.cpu.mixed.launch_bounds import identify
from kbuild.backends.cpu.mixed.mentions import is_own
from kbuild.backends.cpu.mixed.regions.groups import (
    GROUP_FUNCTIONS,
    GROUP_TYPES,
    MAKERS,
    find_calls_of_objects,
)
from kbuild.backends.cpu.mixed.regions.primitives import find_calls
from kbuild.backends.cpu.mixed.regions.variables import find_group
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lexer import Token
from kbuild.cxx.places import find_opening
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.tokens import OWN_WORD, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_MOST_NESTED: Final = 8  # bodies in a body, such as those of a local class
_LIBRARIES: Final = ("cooperative_groups", "kbuild_cpu", "std")  # namespaces that a call names
_INTERNAL: Final = "kbuild_cpu"  # the namespace of what the device headers do not document
_MEMBERS: Final = (".", "->")
_BEFORE_MENTION: Final = ("(", ",", "=", "return", "?", ":")  # of a name without a call
_BEHIND_MENTION: Final = (")", ",", ";", ":")
_BEFORE_USE: Final = ("return", "else", "do", "case", "throw", "sizeof", "template")


@dataclass(frozen=True, slots=True)
class Waiting:
    """The functions that name operations.

    Attributes:
        own: The names of operations that the source declares as functions of its own.
        words: The operations, and the calls of such functions, in each kernel and device function,
            by the start of its declaration.
        functions: The definitions of device functions that can be divided, by their names.
    """

    own: frozenset[str]
    words: Mapping[int, tuple[Token, ...]]
    functions: Mapping[str, tuple[Declaration, ...]]


def find_waiting(
    code: Unit, declarations: tuple[Declaration, ...], thread_words: ThreadWords
) -> Waiting:
    """Find the kernels and device functions of a text that name operations."""
    return _Search(code, declarations, thread_words).find()


class _Search:
    def __init__(
        self, code: Unit, declarations: tuple[Declaration, ...], thread_words: ThreadWords
    ) -> None:
        self._code = code
        self._thread_words = thread_words
        self._declarations = declarations
        self._bodies = sorted(
            (
                found
                for found in declarations
                if found.kind == "function"
                and found.body is not None
                and found.words & {q.DEVICE, q.GLOBAL}
                and _INTERNAL not in found.namespaces
            ),
            key=lambda found: found.body or (0, 0),
        )
        self._starts = [code.find_index(found.body[0]) for found in self._bodies if found.body]
        self._found: dict[int, list[Token]] = defaultdict(list)

    def find(self) -> Waiting:
        """Add what calls functions with operations, and what calls that, and so on."""
        words = self._thread_words
        operations = {*words.operations, *words.divided, *MAKERS}
        own = self._find_own({*operations, *GROUP_FUNCTIONS})
        names = self._add(operations) | {d.name for d in self._bodies if self._has_group(d)}
        calls = (
            *find_calls_of_objects(self._code),
            *find_calls(self._code, words.primitives),
        )
        for found in map(self._find_function, calls):
            if found is not None:
                names.add(found.name)
                self._found[found.start] += []
        known: set[str] = set()
        while new := {name for name in names - known if self._names_functions(name)}:
            known |= new
            names |= self._add(new, is_call=True)
        return Waiting(
            own,
            {
                start: tuple(sorted(words, key=lambda word: word.start))
                for start, words in self._found.items()
            },
            {name: self._list_functions(name) for name in known},
        )

    def _add(self, names: Iterable[str], *, is_call: bool = False) -> set[str]:
        """Add the mentions, or calls, of names; return the functions that they are in."""
        inside: set[str] = set()
        for index in self._code.find(names):
            found = self._find_function(index)
            is_member = self._code.get(index - 1) in _MEMBERS
            is_used = is_call and self._code.get(index + 1) not in ("(", "<")
            if found is None or is_member or is_used:
                continue
            self._found[found.start].append(self._code.get_token(index))
            inside.add(found.name)
        return inside

    def _find_function(self, index: int) -> Declaration | None:
        """Return the kernel or device function whose body a token is in."""
        position = self._code.starts[index]
        last = bisect_right(self._starts, index) - 1
        for place in range(last, max(last - _MOST_NESTED, -1), -1):
            body = self._bodies[place].body
            if body is not None and body[0] < position < body[1]:
                return self._bodies[place]
        return None

    def _find_own(self, names: Iterable[str]) -> frozenset[str]:
        """Return the names that a source declares as functions, too.

        kbuild's declarations have an annotation, or are in the namespace of groups.
        """
        code = self._code
        found: set[str] = set()
        for index in code.find(names):
            before = code.get(index - 1)
            is_type = before.isidentifier() or before in (">", "*", "&")
            is_annotated = before.startswith(OWN_WORD)
            if not is_type or is_annotated or before in _BEFORE_USE or code.get(index + 1) != "(":
                continue
            around = find_scopes(code).around(code.starts[index])
            heads = (list_head(code, scope) for scope in around)
            is_of_library = any(word in _LIBRARIES for head in heads for word in head)
            is_function = all(scope.kind in ("namespace", "language") for scope in around)
            # Device code does not call functions of the C library, such as `sync` in unistd.h.
            is_of_c = any(s.kind == "language" for s in around) and not is_own(
                code, code.starts[index]
            )
            if is_function and not (is_of_library or is_of_c):
                found.add(code.words[index])
        return frozenset(found)

    def _has_group(self, found: Declaration) -> bool:
        parts = split_at_commas(self._code.list_tokens(*found.parameters))
        return any(
            find_group(token.text for token in part[:-1]) is not None
            or any(token.text in GROUP_TYPES for token in part)
            for part in parts
        )

    def _names_functions(self, name: str) -> bool:
        """Return whether calls of a name can be replaced by those of a divided function.

        C++ must choose between the same functions there. So all declarations of the name are
        those of its definitions, and no template of several functions drops out by its result.
        """
        functions = self._list_functions(name)
        if not functions or not name.isidentifier() or name == "operator":
            return False
        if any(self._is_constrained(found) for found in functions):
            return False
        if len(functions) > 1 and any(map(_has_dependent_result, functions)):
            return False
        if len({found.namespaces for found in functions}) > 1:
            return False  # which ones C++ looks for depends on the arguments
        known = {identify(self._code, found) for found in functions}
        declared = [d for d in self._declarations if d.name == name and d.kind == "function"]
        names = {
            self._find_name(found)
            for found in declared
            if identify(self._code, found) in known and self._has_no_default(found)
        }
        return all(index in names or self._is_mention(index) for index in self._code.find((name,)))

    def _find_name(self, found: Declaration) -> int:
        """Return the index of the name of a function, in front of the parenthesis."""
        return self._code.find_index(found.parameters[0] - 1) - 1

    def _is_constrained(self, found: Declaration) -> bool:
        """Return whether constraints follow the parameters."""
        behind = map(self._code.find_index, (found.parameters[1], found.head_end))
        return "requires" in self._code.words[slice(*behind)]

    def _has_no_default(self, found: Declaration) -> bool:
        first, last = map(self._code.find_index, found.parameters)
        return found.body is not None or "=" not in self._code.words[first:last]

    def _is_mention(self, index: int) -> bool:
        """Return whether a name is surely used, or that of a member, and not declared here."""
        code = self._code
        around = find_scopes(code).around(code.starts[index])
        if around and _INTERNAL in list_head(code, around[0]):
            return True  # nothing of a program finds it
        before, behind = code.get(index - 1), code.get(index + 1)
        is_local = any(scope.kind == "block" for scope in around)
        if before in _MEMBERS or (is_local and not self._is_called_around(index)):
            return True  # what a body declares is only visible there
        if not is_local:
            is_member = bool(around) and around[-1].kind == "class"
            return is_member and "friend" not in code.words[code.find_head(index) : index]
        if behind in ("(", "<"):
            return not (before == ">" or (before.isidentifier() and before not in _BEFORE_USE))
        opening = find_opening(code, 0, index)
        is_inside = opening is not None and code.words[opening] == "("
        return is_inside and before in _BEFORE_MENTION and behind in _BEHIND_MENTION

    def _is_called_around(self, index: int) -> bool:
        """Return whether the device function with a name seems to call what has this name."""
        code, found = self._code, self._find_function(index)
        if found is None or found.body is None:
            return False
        first, last = map(code.find_index, found.body)
        return any(
            code.words[place] == code.words[index] and code.get(place + 1) in ("(", "<")
            for place in range(first, last)
        )

    def _list_functions(self, name: str) -> tuple[Declaration, ...]:
        """Return the definitions of device functions with a name, without a class or namespace."""
        return tuple(
            found
            for found in self._bodies
            if found.name == name
            and q.DEVICE in found.words
            and self._code.get(self._find_name(found) - 1) != "::"
            and all(s.kind == "namespace" for s in find_scopes(self._code).around(found.start))
        )


def _has_dependent_result(found: Declaration) -> bool:
    """Return whether a function can drop out of a choice because of the type of its result."""
    words = {token.text for token in found.head}
    return bool(found.template) and not words.isdisjoint(("typename", "decltype", "<", "auto"))
