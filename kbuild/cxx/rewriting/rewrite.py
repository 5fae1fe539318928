"""Rewrite a host text: launches become calls, and every kernel gets a function that launches it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from kbuild.cxx.launches import is_in_statement
from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText, Launch, Span
from kbuild.cxx.rewriting.callees import Callee, KernelNames
from kbuild.cxx.rewriting.siblings import insert_siblings, name_sibling
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True)
class RewrittenText:
    """A text whose launches are ordinary calls.

    Attributes:
        text: The text.
        launched: The names of kernels in the launches, with their positions in the original text.
    """

    text: str
    launched: tuple[Token, ...]


def rewrite(unit: Unit, found: HostText, module: str) -> RewrittenText:
    """Return a text with its launches as ordinary calls.

    Args:
        unit: The preprocessed text. It includes ``kbuild/chevron.hpp``.
        found: What is in it.
        module: The part of generated names that is unique to the source.

    Raises:
        SourceError: A launch cannot be rewritten.
    """
    names = KernelNames(unit, found.kernels, found.launches)
    scopes = find_scopes(unit)
    calls = []
    for index, launch in enumerate(found.launches):
        around = scopes.around(launch.start)
        is_statement = (
            bool(around)
            and around[-1].kind == "block"
            and not unit.starts_requirement(unit.find_index(around[-1].brace))
            and is_in_statement(unit, launch)
        )
        name = f"kbuild_c{index}" if is_statement else ""
        calls.append(_Call(launch, names.find_callee(launch), module, name))
    launched = tuple(call.callee.kernel for call in calls if call.callee.kernel is not None)
    checked = frozenset(
        call.callee.kernel.text
        for call in calls
        if call.callee.kernel is not None and call.callee.form == "checked"
    )
    insertions = insert_siblings(unit, names, module, launched, checked)
    changes: tuple[_Change, ...] = (*insertions, *found.edits, *calls)
    return RewrittenText(_Text(unit.text, changes).render(0, len(unit.text)), launched)


def apply_edits(text: str, edits: Iterable[Edit], span: Span) -> str:
    """Return a part of a text with edits. Those inside of others have no effect."""
    return _Text(text, edits).render(*span)


def list_launches(text: str, launched: tuple[Token, ...]) -> Iterator[str]:
    """Yield a line for each kernel that the project launches: its name, and the place of a launch.

    Launches in system headers are left out. The error handling script of the linker reads these
    lines.

    Args:
        text: The original text.
        launched: The names of kernels in its launches.
    """
    known: set[str] = set()
    for kernel in launched:
        if kernel.text in known:
            continue
        place = locate(text, kernel.start)
        if not place.is_system:
            known.add(kernel.text)
            yield f"{kernel.text} {place}\n"


@dataclass(frozen=True, slots=True)
class _Call:
    """A launch to rewrite.

    Attributes:
        launch: The launch.
        callee: What it names.
        module: The part of the sibling's name that is unique to the source.
        variable: The name of the configuration in its statement; empty where there can be no
            statement, such as in a type, in the initializer of a member, or in what a pack expands.
    """

    launch: Launch
    callee: Callee
    module: str
    variable: str

    @property
    def start(self) -> int:
        return self.launch.start

    @property
    def end(self) -> int:
        return self.launch.end


_Change: TypeAlias = Edit | _Call


class _Text:
    """A text with changes, of which some are inside of others."""

    def __init__(self, text: str, changes: Iterable[_Change]) -> None:
        self._text = text
        self._changes = sorted(
            changes, key=lambda change: (change.start, change.end > change.start, -change.end)
        )

    def render(self, start: int, end: int, first: int = 0) -> str:
        """Return a part of the text with the changes in it.

        Args:
            start: The first position.
            end: The position after the part.
            first: The index of the first change that can be in it.
        """
        return "".join(self._list_parts(start, end, first))

    def _list_parts(self, start: int, end: int, first: int) -> Iterator[str]:
        position = start
        for index in range(first, len(self._changes)):
            change = self._changes[index]
            if change.start > end or (change.start == end and change.end > end):
                break
            if change.start < position or change.end > end:
                continue  # inside of a change that was already made
            yield self._text[position : change.start]
            if isinstance(change, Edit):
                yield change.text
            else:
                yield self._render_call(change, index + 1)
            position = change.end
        yield self._text[position:end]

    def _render_call(self, call: _Call, first: int) -> str:
        """Return a launch as a statement expression, with its line breaks in the same places."""
        launch = call.launch
        configuration = f"{_CONFIGURE}({self._render_part(launch.configuration, first)})"
        arguments = self._render_part(launch.arguments, first)
        before = "\n" * self._count_lines(launch.start, launch.configuration[0])
        between = "\n" * self._count_lines(launch.configuration[1], launch.arguments[0])
        tail = "\n" * self._count_lines(launch.arguments[1], launch.end)
        name = call.variable or configuration
        check = ""
        if call.callee.form == "checked":
            check = f".template is<{self._render_name(call, first)}>()"
        called = f"{between} {self._render_callee(call, name, first)}{arguments}){check}"
        if not call.variable:
            return f"{before}{called}{tail}{self._restore_line(call)}"
        return (
            f"__extension__({{{before} auto {name} = {configuration};{called}; {tail}}})"
            f"{self._restore_line(call)}"
        )

    def _render_part(self, part: tuple[int, int], first: int) -> str:
        """Return a part of a launch at its own column."""
        start, end = part
        code = self.render(start, end, first)
        return f"{self._restore_column(start)}{code}" if code.strip() else code

    def _restore_column(self, position: int) -> str:
        """Return what comes before the code at a position, so that compilers name its place.

        Texts without line markers have no places.
        """
        place = locate(self._text, position)
        if not place.file:
            return ""
        column = position - (self._text.rfind("\n", 0, position) + 1)
        return f"\n{place.marker}\n{' ' * column}"

    def _render_callee(self, call: _Call, configuration: str, first: int) -> str:
        """Return the call up to the first argument."""
        start, end = call.launch.callee
        kernel = call.callee.kernel
        if call.callee.form == "call":
            used = f"(void){call.variable}, " if call.variable else ""
            return f"{used}{self._restore_column(start)}{self._render_name(call, first)}("
        if kernel is None or call.callee.form == "address":
            name = f"{self._restore_column(start)}{self._render_name(call, first)}"
            return f"{_BIND}(({name}), {configuration})("
        sibling = _put_on_one_line(
            self.render(start, kernel.start, first)
            + name_sibling(kernel.text, call.module)
            + self.render(kernel.end, end, first)
        )
        has_arguments = self._text[slice(*call.launch.arguments)].strip()
        column = self._restore_column(start)
        return f"{column}{sibling}({configuration}{', ' if has_arguments else ''}"

    def _render_name(self, call: _Call, first: int) -> str:
        """Return the expression that names the kernel."""
        return _put_on_one_line(self.render(*call.launch.callee, first))

    def _count_lines(self, start: int, end: int) -> int:
        return self._text.count("\n", start, end)

    def _restore_line(self, call: _Call) -> str:
        """Return a line marker if one was inside of the callee, where it is dropped."""
        launch = call.launch
        pieces = sorted((launch.configuration, launch.arguments))
        gaps = zip(
            (launch.start, *(piece[1] for piece in pieces)),
            (*(piece[0] for piece in pieces), launch.end),
            strict=True,
        )
        if not any("\n#" in self._text[start:end] for start, end in gaps):
            return ""
        return f"\n{locate(self._text, launch.end).marker}\n"


_CONFIGURE: Final = "::kbuild::chevron::configuration"
_BIND: Final = "::kbuild::chevron::bind"


def _put_on_one_line(code: str) -> str:
    """Return the code without line breaks and line markers."""
    if "\n" not in code:
        return code
    lines = [line for line in code.split("\n") if not line.lstrip().startswith("#")]
    return " ".join(" ".join(lines).split())
