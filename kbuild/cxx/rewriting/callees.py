"""Decide how each launch is written: as a call of the kernel's sibling, or through an address.

A name that belongs to nothing but kernels is that of a kernel: the compiler finds the sibling as
it finds the kernel. If anything else has the name, then an address serves both: the compiler finds
out what the expression is. A launch of a template or an overload needs the sibling nevertheless,
and the compiler checks that the expression is this kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from kbuild.cxx.declarations import Declaration, read_declaration
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import KernelDeclaration, Launch
from kbuild.cxx.rewriting.mirrors import select_mirrored
from kbuild.cxx.rewriting.names import Name, Using, find_usings, read_name
from kbuild.cxx.rewriting.shadows import can_declare, find_function, is_hidden, is_parameter
from kbuild.cxx.rewriting.signatures import read_signature
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_MOST_ALIASES: Final = 8  # of one another
_BEFORE_CALLS: Final = frozenset(("return", "else", "do", "case", "and", "or", "not"))


@dataclass(frozen=True, slots=True)
class Callee:
    """What a launch names.

    Attributes:
        kernel: The launched name, if a kernel has this name; else None.
        form: ``address`` launches what the expression points to, ``sibling`` calls the kernel's
            sibling, and ``checked`` also asserts that the expression is the kernel. ``call`` is for
            a name that nothing has: it remains a call, because compilers accept the call of an
            unknown name in a template that is not instantiated.
    """

    kernel: Token | None
    form: Literal["address", "sibling", "checked", "call"] = "address"


class KernelNames:
    """The names of kernels, and what else has these names."""

    def __init__(
        self, unit: Unit, kernels: Iterable[KernelDeclaration], launches: Iterable[Launch] = ()
    ) -> None:
        """Find the namespaces of the kernels, and everything else with their names."""
        self._unit = unit
        self._all = tuple(kernels)
        self._scopes = find_scopes(unit)
        declared = [kernel for kernel in self._all if kernel.form == "declaration"]
        self.kernels = [kernel for kernel in declared if self._is_reachable(kernel)]
        self._namespaces: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for kernel in self.kernels:
            self._namespaces[kernel.name].add(self._scopes.name_namespace(kernel.start))
        self._callees = {launch: read_name(unit.list_tokens(*launch.callee)) for launch in launches}
        self._launched = {n.token.start for n in self._callees.values() if n is not None}
        self._declared: dict[str, list[int]] = defaultdict(list)
        self._functions: dict[int, Declaration] = {}
        self._mirrored: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._find_others({kernel.name for kernel in declared})
        self.functions = tuple(select_mirrored(unit, self._functions.values()))
        for function in self.functions:
            namespace = self._scopes.name_namespace(function.start)
            self._mirrored[function.name].add(namespace)
        usings = find_usings(unit, set(self._namespaces)) if self._namespaces else ()
        self.usings = list(self._select_usings(usings))

    def _is_reachable(self, kernel: KernelDeclaration) -> bool:
        """Return whether the kernel is declared where a sibling can be declared, too."""
        kinds = {scope.kind for scope in self._scopes.around(kernel.start)}
        return "block" not in kinds and (kernel.is_friend or "class" not in kinds)

    def _find_others(self, names: set[str]) -> None:
        """Find functions that are not kernels, and what can be variables, with names of kernels."""
        unit = self._unit
        known = [k for k in self._all if k.form != "declaration" or self._is_reachable(k)]
        heads = sorted((k.start, k.end if k.body is None else k.body[0], k.name) for k in known)
        heads.append((len(unit.text), len(unit.text), ""))
        current = 0
        for index in unit.find(names) if names else ():
            position = unit.starts[index]
            while heads[current][1] <= position:
                current += 1
            name, before = unit.words[index], unit.get(index - 1)
            is_own = heads[current][0] <= position and heads[current][2] == name
            if is_own or position in self._launched:
                continue
            is_typed = before in (">", "*", "&") or (
                index > 0 and unit.get_token(index - 1).is_word and before not in _BEFORE_CALLS
            )
            found = self._read_function(index) if is_typed else None
            if found is not None:
                self._functions[found.start] = found
            elif can_declare(unit, index):
                self._declared[name].append(index)

    def _read_function(self, index: int) -> Declaration | None:
        """Read the namespace function whose name is at an index; None for other names."""
        unit = self._unit
        if unit.get(index + 1) != "(" or not self._is_free(index):
            return None
        found = read_declaration(unit, unit.starts[unit.find_head(index)])
        is_name = found.parameters[0] == unit.get_end(index + 1)
        return found if found.kind == "function" and is_name else None

    def is_overloaded(self, name: str) -> bool:
        """Return whether a function that is not a kernel might have the kernel's name."""
        return any(found.name == name for found in self._functions.values())

    def find_callee(self, launch: Launch) -> Callee:
        """Find out what a launch names, and how it is written."""
        name = self._callees[launch]
        if name is None:
            return Callee(None)
        kernel = name.token
        is_qualified = bool(name.qualifiers) or name.qualifiers is None or name.is_global
        if kernel.text not in self._namespaces:
            is_unknown = not is_qualified and self._is_only_launched(kernel.text)
            return Callee(None, "call" if is_unknown else "address")
        if is_qualified and not self._is_kernel(name):
            return Callee(kernel)
        is_alone = not is_qualified and not self._has_others(name, launch)
        if is_alone or kernel.text not in self._declared:
            return Callee(kernel, "sibling")
        if self._is_simple(kernel.text) or (not is_qualified and self._is_hidden(name, launch)):
            return Callee(kernel)
        return Callee(kernel, "checked")

    def _is_only_launched(self, name: str) -> bool:
        """Return whether the text has the name in launches only."""
        unit = self._unit
        return all(unit.starts[index] in self._launched for index in unit.find((name,)))

    def _has_others(self, name: Name, launch: Launch) -> bool:
        """Return whether the unqualified name can find something else than a kernel.

        Without something else, arguments can find the kernel.
        """
        unit = self._unit
        around = self._scopes.around(launch.start)
        inner = [scope for scope in around if scope.kind in ("block", "class")]
        place = unit.find_index(launch.start)
        first = unit.find_declaration_start(place)
        if inner:
            first = find_function(unit, unit.find_index(inner[0].head))
        brace = unit.find_index(inner[0].brace) if inner else place
        last = unit.partners.get(brace, place)
        is_member = any(scope.kind == "class" for scope in inner) or "::" in unit.words[first:brace]
        for index in self._declared.get(name.token.text, ()):
            kinds = {scope.kind for scope in self._scopes.around(unit.starts[index])}
            is_local = "block" in kinds or is_parameter(unit, index)
            if first <= index < last or not (is_local or ("class" in kinds and not is_member)):
                return True
        return False

    def _is_simple(self, name: str) -> bool:
        """Return whether the address of a kernel is enough to launch it."""
        kernels = [kernel for kernel in self.kernels if kernel.name == name]
        keys = {
            (
                self._scopes.name_namespace(kernel.start),
                read_signature(kernel.template, kernel.parameters).key,
            )
            for kernel in kernels
        }
        return (
            len(keys) == 1
            and not self.is_overloaded(name)
            and not any(
                kernel.template or "=" in kernel.parameters or "auto" in kernel.parameters
                for kernel in kernels
            )
        )

    def _is_hidden(self, name: Name, launch: Launch) -> bool:
        index = self._unit.find_index(launch.start)
        around = self._scopes.around(launch.start)
        declared = self._declared[name.token.text]
        if is_hidden(self._unit, index, declared, around):
            return True
        namespace = self._scopes.name_namespace(launch.start)
        depths = (
            len(each)
            for each in self._namespaces[name.token.text]
            if each == namespace[: len(each)]
        )
        depth = max(depths, default=0)
        return any(
            other < index and depth < len(names) and names == namespace[: len(names)]
            for other in declared
            for names in self._list_namespaces(other)
        )

    def _list_namespaces(self, index: int) -> Iterator[tuple[str, ...]]:
        """Yield the namespaces around a declaration that is directly in a namespace."""
        position = self._unit.starts[index]
        kinds = {scope.kind for scope in self._scopes.around(position)}
        if kinds <= {"namespace", "language"} and not is_parameter(self._unit, index):
            yield self._scopes.name_namespace(position)

    def _is_free(self, index: int) -> bool:
        """Return whether a declared function belongs to a namespace, as friends of classes do."""
        unit = self._unit
        kinds = {scope.kind for scope in self._scopes.around(unit.starts[index])}
        is_friend = "friend" in unit.words[unit.find_head(index) : index]
        return (
            "block" not in kinds
            and (is_friend or "class" not in kinds)
            and not is_parameter(unit, index)
        )

    def _is_kernel(self, name: Name) -> bool:
        """Return whether a qualified name can be that of a kernel."""
        return self._is_in(name, self._namespaces)

    def _is_in(self, name: Name, namespaces: dict[str, set[tuple[str, ...]]]) -> bool:
        """Return whether a qualified name can be in one of the namespaces of its last part."""
        if name.qualifiers is None:
            return False
        spellings = [name.qualifiers]
        if name.qualifiers:
            first, *rest = name.qualifiers
            spellings += [(*names, *rest) for names in self._list_aliased(first)]
            if name.token.text not in self._declared:
                *_, last = name.qualifiers
                spellings += self._list_nominated(last)
        return any(
            _is_part(spelling, namespace)
            for spelling in spellings
            for namespace in namespaces.get(name.token.text, ())
        )

    def _list_aliased(self, alias: str, depth: int = 0) -> Iterator[tuple[str, ...]]:
        """Yield the names of the namespaces that a name is an alias of, also through aliases."""
        unit = self._unit
        for index in unit.find((alias,)):
            if unit.get(index - 1) == "namespace" and unit.get(index + 1) == "=":
                end = unit.find_declaration_end(index, ";") or index
                first, *rest = (word for word in unit.words[index + 2 : end - 1] if word != "::")
                yield (first, *rest)
                if depth < _MOST_ALIASES:
                    for names in self._list_aliased(first, depth + 1):
                        yield (*names, *rest)

    def _list_nominated(self, namespace: str, depth: int = 0) -> Iterator[tuple[str, ...]]:
        """Yield the names in using-directives in a namespace, and in the namespaces they name."""
        unit = self._unit
        for index in unit.find(("using",)):
            around = self._scopes.name_namespace(unit.starts[index])
            if unit.get(index + 1) == "namespace" and around[-1:] == (namespace,):
                end = unit.find_declaration_end(index, ";") or index
                names = tuple(word for word in unit.words[index + 2 : end - 1] if word != "::")
                yield names
                if names and depth < _MOST_ALIASES:
                    yield from self._list_nominated(names[-1], depth + 1)

    def _select_usings(self, usings: Iterable[Using]) -> Iterator[Using]:
        """Yield the using-declarations that name kernels of the text, in its order.

        The others declare something else, or reach a kernel in a way that only a compiler sees.
        """
        for using in usings:
            kernels = tuple(name for name in using.names if self._is_kernel(name))
            mirrored = tuple(name for name in using.names if self._is_in(name, self._mirrored))
            names = tuple(dict.fromkeys((*kernels, *mirrored)))
            for name in using.names:
                namespace = self._scopes.name_namespace(using.start)
                if name in kernels:
                    self._namespaces[name.token.text].add(namespace)
                if name in mirrored:
                    self._mirrored[name.token.text].add(namespace)
                if name not in names:
                    index = self._unit.find_index(name.token.start)
                    self._declared[name.token.text].append(index)
            if names:
                yield Using(using.start, using.end, names)


def _is_part(qualifiers: tuple[str, ...], namespace: tuple[str, ...]) -> bool:
    """Return whether qualifiers can name a namespace; those of inline ones can be left out."""
    names = iter(namespace)
    return all(qualifier in names for qualifier in qualifiers) if qualifiers else not any(namespace)
