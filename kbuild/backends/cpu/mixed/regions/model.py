"""What is known about a kernel, or a device function, that is divided into regions."""

from __future__ import annotations

from collections.abc import Mapping

from kbuild.backends.cpu.mixed.regions.variables import Group, Variable
from kbuild.cxx.statements import Block, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


class CannotDivide(Exception):  # noqa: N818 - not an error: the kernel runs with fibers
    """The kernel cannot be divided; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A call that threads of a block wait in.

    Attributes:
        name: The function.
        is_warp_wide: Whether threads wait for those of their warp only.
        has_value: Whether each thread brings a value.
        index: The index of the first token.
        arguments: The indices of each argument.
        close: The index of the last parenthesis.
        slot: The number of the operands that it uses.
        operand: Which argument is the value.
        owner: The class with the operation, if it is that of a cooperative group.
        callee: The index of the name of a divided function; None for an operation of CUDA.
        referring: The parameters of that function that are not just numbers, by their places.
        has_own_masks: Whether each thread brings its mask, because the masks can differ.
        constructor: The indices of the class whose object has the function; empty if the object has
            a name.
        is_of_object: Whether it is that of a group that is an object, which stands for its mask.
        meets_own_lanes: Whether no lane waits in it but those that execute this call: those that
            `__activemask` and `coalesced_threads` return.
        made: The types of objects that C++ makes before it.
        destroys_nothing: Whether its arguments must make no objects with a destructor, because
            these would end before the rest of the statement.
    """

    name: str
    is_warp_wide: bool
    has_value: bool
    index: int
    arguments: tuple[tuple[int, int], ...]
    close: int
    slot: int = 0
    operand: int = 0
    owner: str = ""
    callee: int | None = None
    constructor: tuple[int, int] | None = None
    referring: frozenset[int] = frozenset()
    has_own_masks: bool = False
    is_of_object: bool = False
    meets_own_lanes: bool = False
    destroys_nothing: bool = False
    made: tuple[tuple[int, int], ...] = ()

    @property
    def mask(self) -> tuple[int, int] | None:
        """The indices of the mask; None without one."""
        is_masked = self.is_warp_wide and self.callee is None
        is_masked = is_masked and (self.is_of_object or not self.owner)
        return self.arguments[0] if is_masked and self.arguments else None

    @property
    def value(self) -> tuple[int, int]:
        """The indices of the value, or of all arguments of a divided function."""
        if self.callee is not None or not self.arguments:
            return (self.arguments[0][0] if self.arguments else self.close, self.close)
        return self.arguments[self.operand]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What needs a thread in a kernel.

    Attributes:
        operations: The operations by the indices of their first tokens.
        groups: The declarations of variables that stand for groups of threads.
    """

    operations: Mapping[int, Operation]
    groups: Mapping[Statement, Group]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemory:
    """What a body declares as shared or static memory, which threads can change.

    Attributes:
        names: The names in these declarations.
        numbers: Those of them that consist of numbers without a doubt.
        arrays: Those of these that are arrays, so that the name alone reads no memory.
        scopes: The names of arrays that are declared once, and where they stand for an address.
        declared: The indices of the names.
    """

    names: frozenset[str]
    numbers: frozenset[str]
    arrays: frozenset[str]
    scopes: Mapping[str, tuple[int, int]]
    declared: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBody:
    """The body of a kernel, or of a device function, that can be divided.

    Attributes:
        unit: The text.
        body: The body.
        needs: What needs a thread in it.
        parameters: The parameters.
        is_function: Whether it is the body of a device function.
        stores_index: Whether each thread stores its index, for functions that read it.
        is_optimized: Whether variables can exist once, or be computed again.
        yielding: The names of functions that stop a thread only if it calls them again and again.
        by_value: Functions that probably are not overloaded, and whether each parameter is a value.
        is_checked: Whether the accesses of each thread are checked, in the order of the source.
    """

    unit: Unit
    body: Block
    needs: Needs
    parameters: tuple[Variable, ...]
    yielding: frozenset[str]
    by_value: Mapping[str, tuple[bool, ...]]
    is_function: bool = False
    stores_index: bool = False
    is_optimized: bool = True
    is_checked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopHead:
    """The head of a `for` loop.

    Attributes:
        starts: Its first part, a statement for each declarator.
        condition: The condition; empty without one.
        step: What is done between the turns; empty if there is nothing.
    """

    starts: tuple[Statement, ...]
    condition: Statement
    step: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """A statement that ends the thread, its loop, or its turn in the loop.

    Attributes:
        statement: The statement.
        keyword: ``return``, ``break``, or ``continue``.
        loop: The divided loop; None for ``return``.
        has_value: Whether it returns a value.
        path: The blocks around the statement, from the outside, down from the loop or the body.
    """

    statement: Statement
    keyword: str
    loop: Block | None
    path: tuple[Block, ...]
    has_value: bool = False
