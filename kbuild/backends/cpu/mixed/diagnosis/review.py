"""Reject calls between host and device code that nvcc rejects.

A text says which functions can be involved, because their names are in it. Only if there are some,
a compiler says where the text uses them; see `uses`. What counts is what nvcc 13.5 rejects:

- functions for which only device code exists use no function of the host, also in code that never
  runs, but only in instances of templates;
- kernels are launched, and not called;
- host code outside of templates calls no function of devices.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.diagnosis.callees import (
    find_last_name,
    list_callee,
    skip_template_arguments,
)
from kbuild.backends.cpu.mixed.diagnosis.device_library import (
    find_device_library,
    list_device_names,
)
from kbuild.backends.cpu.mixed.diagnosis.functions import Function, find_functions, find_space
from kbuild.backends.cpu.mixed.diagnosis.host_library import find_library_functions
from kbuild.backends.cpu.mixed.diagnosis.lambdas import find_host_lambdas
from kbuild.backends.cpu.mixed.diagnosis.uses import Mistake, Use
from kbuild.backends.cpu.mixed.mentions import is_own, list_own_files
from kbuild.backends.cpu.mixed.qualifiers import (
    compiles_with_clang,
    find_declarations,
    runs_on_host,
)
from kbuild.cxx.launches import find_brackets, read_launch
from kbuild.cxx.lines import locate
from kbuild.cxx.scopes import Scope, find_scopes, list_head
from kbuild.cxx.unit import Unit

_OPERATOR: Final = "operator"
_UNEVALUATED: Final = frozenset(
    ("decltype", "sizeof", "alignof", "noexcept", "typeid", "requires", "__typeof__", "typeof")
)
_STATEMENTS: Final = frozenset(("for", "if", "while", "switch", "catch", "else", "do"))
_DEVICE_FIX: Final = "mark it __device__ or __host__ __device__"
_LIBRARY_FIX: Final = "it belongs to a library for the host; call it in host code"


class Reviewer:
    """Finds the functions that matter in a text, and judges their uses."""

    def __init__(self, code: Unit) -> None:
        """Find where device code and the project's own files are in the text."""
        self._code = code
        self._scopes = find_scopes(code)
        self._own = list_own_files(code)
        bodies = (
            found
            for found in find_declarations(code)
            if q.is_device_only(found)
            and found.body is not None
            and not found.is_instantiation
            and is_own(self._code, found.parameters[0])
        )
        self._bodies = sorted(bodies, key=lambda found: found.parameters[0])
        launches = [read_launch(code, *brackets) for brackets in find_brackets(code)]
        self._launches = frozenset(
            position
            for launch in launches
            for position in (launch.arguments[0] - 1, *range(*launch.callee))
        )
        # What is launched: gcc names the parenthesis, and clang the name.
        self._launched = {
            position: name
            for launch in launches
            for start, name in (find_last_name(code, launch),)
            for position in (launch.arguments[0] - 1, start)
        }

    def find_host_functions(self, *, is_mixed: bool) -> tuple[Function, ...]:
        """Return the functions of the host that device code might use.

        If the source is not mixed, only those of libraries are.
        """
        code = self._code
        spans = [(found.parameters[0], found.body[1]) for found in self._bodies if found.body]
        indices = tuple(range(*map(code.find_index, span)) for span in spans)
        words = {code.words[index] for part in indices for index in part}
        names = {word for word in words if word.isidentifier()} | {_OPERATOR}
        own = [*find_functions(code, names, self._own)] if indices and is_mixed else []
        other = {each.key for each in own if each.space != "host"}
        called = (
            each
            for each in own
            if each.space == "host"
            and each.key not in other
            and (not each.name.startswith(_OPERATOR) or _can_apply(each.name, words))
        )
        has_templates = is_mixed and any(found.template for found in self._bodies)
        lambdas = find_host_lambdas(code) if has_templates else ()
        return (*called, *lambdas, *find_library_functions(code, indices))

    def find_device_functions(self) -> tuple[Function, ...]:
        """Return the functions of devices that host code might call."""
        called = {name for name in {found.name for found in self._bodies} if self._is_called(name)}
        launched = {*self._launched.values()}
        own = [*find_functions(self._code, called | launched, self._own)]
        other = {each.key for each in own if each.space != "device"}
        kernels = {each.key for each in own if each.is_kernel}
        is_shared = runs_on_host(self._code.text)
        names = () if is_shared else filter(self._is_called, list_device_names(self._code))
        return tuple(
            each
            for each in (*own, *find_device_library(self._code, frozenset(names)))
            if (each.name in launched and each.key not in kernels)
            or (
                each.space == "device"
                and (each.name in called or each not in own)
                and each.key not in other
                and (each.is_kernel or not is_shared)
            )
        )

    def _is_called(self, name: str) -> bool:
        """Return whether host code can call device code of some name; in doubt, yes.

        Device code calls no kernel, either.
        """
        is_kernel = any(q.GLOBAL in found.words for found in self._bodies if found.name == name)
        for index in self._code.find((name,)):
            position = self._code.starts[index]
            if position in self._launches or not is_own(self._code, position):
                continue
            if not is_kernel and self._is_in_device_code(position):
                continue
            if any(scope.kind == "block" for scope in self._scopes.around(position)):
                return True
        return False

    def _is_in_device_code(self, position: int) -> bool:
        """Return whether a position is in a body of the device; in doubt, no."""
        index = bisect_right(self._bodies, position, key=lambda found: found.parameters[0]) - 1
        body = self._bodies[index].body if index >= 0 else None
        return body is not None and position < body[1]

    def judge_host_functions(
        self, functions: tuple[Function, ...], uses: Iterable[Use]
    ) -> Iterator[Mistake]:
        """Yield the uses of host functions in device code."""
        for use in uses:
            name = functions[use.number].name
            is_library = locate(self._code.text, functions[use.number].start).is_system
            fix = _LIBRARY_FIX if is_library else _DEVICE_FIX
            for found in self._bodies:
                start, end = found.parameters[0], found.body[1] if found.body else 0
                if start <= use.position < end and self._counts(use):
                    space = "__global__" if q.GLOBAL in found.words else "__device__"
                    yield Mistake(
                        use.position,
                        f"the host function '{name}' is called from the {space} function "
                        f"'{found.name}'; {fix}",
                    )
                    break

    def judge_device_functions(
        self, functions: tuple[Function, ...], uses: Iterable[Use]
    ) -> Iterator[Mistake]:
        """Yield calls of kernels without a configuration, and of other device code by the host.

        Launches of what is not a kernel are mistakes, too.
        """
        for use in uses:
            function = functions[use.number]
            if self._launched.get(use.position) == function.name and not function.is_kernel:
                if self._counts(use):
                    yield Mistake(
                        use.position,
                        f"the function '{function.name}' is launched, but it is not a kernel; "
                        "mark it __global__, or call it without <<<>>>",
                    )
                continue
            if function.space != "device":
                continue
            if use.position in self._launches or not self._is_call(use, function.name):
                continue
            if function.is_kernel and self._counts(use):
                yield Mistake(
                    use.position,
                    f"the kernel '{function.name}' is called without a configuration; launch it: "
                    f"{function.name}<<<grid, block>>>(...)",
                )
            elif not function.is_kernel and self._is_host_code(use.position):
                is_library = locate(self._code.text, function.start).is_system
                fix = "" if is_library else "mark it __host__ __device__, or "
                yield Mistake(
                    use.position,
                    f"the __device__ function '{function.name}' is called from host code; {fix}"
                    "call it in a kernel",
                )

    def _counts(self, use: Use) -> bool:
        """Return whether a use is evaluated, and not only in a template without instances."""
        around = self._scopes.around(use.position)
        is_template = any(self._is_template(scope) for scope in around)
        return (use.is_instance or not is_template) and not self._is_unevaluated(use.position)

    def _is_template(self, scope: Scope) -> bool:
        head = list_head(self._code, scope)
        is_function = scope.kind == "block" and "(" in head and head[0] not in _STATEMENTS
        return head[:1] == ["template"] or (is_function and "auto" in head[head.index("(") :])

    def _is_unevaluated(self, position: int) -> bool:
        code, index = self._code, self._code.find_index(position) - 1
        while index >= 0 and code.words[index] not in (";", "{", "}"):
            if code.words[index] in (")", "]"):
                index = code.partners.get(index, index)
            elif code.words[index] == "(" and code.get(index - 1) in _UNEVALUATED:
                return True
            index -= 1
        return code.get(index) == "{" and code.starts_requirement(index)

    def _is_call(self, use: Use, name: str) -> bool:
        """Return whether the use is a call of the name: gcc names its parenthesis, clang the name.

        gcc names the parenthesis for arguments, too.
        """
        code, index = self._code, self._code.find_index(use.position)
        if code.words[index] == "(":
            return name in list_callee(code, index)
        if not compiles_with_clang(code.text):
            return False
        first, index = index, skip_template_arguments(code, index + 1)
        while code.get(index) == ")" and code.get(first - 1) in ("(", "*", "&"):
            if code.get(first - 1) == "(":
                index += 1
            first -= 1
        return code.get(index) == "("

    def _is_host_code(self, position: int) -> bool:
        """Return whether a position is in a function of the host, and in no template."""
        around = self._scopes.around(position)
        heads = [set(list_head(self._code, scope)) for scope in around if scope.kind == "block"]
        is_template = any(self._is_template(scope) for scope in around)
        spaces = {find_space(head) for head in heads}
        is_evaluated = not self._is_unevaluated(position)
        return bool(heads) and not is_template and "device" not in spaces and is_evaluated


def _can_apply(name: str, words: set[str]) -> bool:
    """Return whether device code with some words can call an operator."""
    symbol = name.removeprefix(_OPERATOR)
    return symbol[:1].isidentifier() or any(part in words for part in symbol)
