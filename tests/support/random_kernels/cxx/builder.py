"""Write a kernel in C++ and in Python at the same time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from support.random_kernels.model import Text

_SHAPES = ((64, 1), (64, 1), (96, 1), (32, 2), (16, 6))
# Values of variables that all threads can read at any time. `tid` is declared in each function.
_CONSTANTS = (
    Text("threadIdx.x", "x"),
    Text("tid", "tid"),
    Text("lane", "(tid % 32)"),
    Text("p", "p"),
    Text("blockIdx.x", "bid"),
)
_OPERATORS = (
    ("{} + {}", "({} + {}) & M"),
    ("{} - {}", "({} - {}) & M"),
    ("{} * {}", "({} * {}) & M"),
    ("{} ^ {}", "{} ^ {}"),
    ("{} xor {}", "{} ^ {}"),
    ("{} & {}", "{} & {}"),
    ("{} bitor {}", "{} | {}"),
    ("{} | compl {}", "{} | ({} ^ M)"),
    ("unsigned({} < {})", "int({} < {})"),
    ("unsigned({} not_eq {})", "int({} != {})"),
)
START = (
    "const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x, lane = tid % 32u;",
    "tid = y * width + x",
)


@dataclass(slots=True)
class Scope:
    """What a block of C++ can name: lvalues of type ``unsigned``, and values."""

    variables: list[Text]
    values: list[Text]

    def copy(self) -> Scope:
        return Scope(list(self.variables), list(self.values))


class Builder:
    """A kernel that is being written.

    Attributes:
        random: The source of all choices.
        common: What precedes all kernels; the same text as other kernels have.
        declarations: What precedes the kernel in its namespace.
        parameters: More parameters of the kernel, with their arguments.
        earlier: Kernels that are launched before it.
        scope: What the current block can name.
        is_unusual: Whether the kernel has spellings that are rare.
        is_repeated: Whether the current text can run several times in a launch.
        has_exited: Whether whole warps have left the kernel.
        has_obstacles: Whether the kernel can have what kbuild does not divide.
        has_members: Whether members of classes, and what has no name, can read the index or wait
            outside the kernel.
        fill: Writes anything; all threads of the block reach it.
        fill_masked: Writes anything without operations.
        choose: Chooses features that can run several times.
        functions: What has been defined, and writes a call.
    """

    def __init__(
        self,
        seed: int,
        *,
        fill: Callable[[Builder], None],
        fill_masked: Callable[[Builder], None],
        choose: Callable[[Builder, int], list[Feature]],
        has_members: bool,
    ) -> None:
        self._seed = seed
        self.has_obstacles = False
        self.choose = choose
        self.has_members = has_members
        self.fill = fill
        self.fill_masked = fill_masked
        self.functions: list[Callable[[Builder], None]] = []
        self.random = random.Random(seed)  # noqa: S311 - not for secrets
        self.width, self.height = self.random.choice(_SHAPES)
        self.threads = self.width * self.height
        self.blocks = 1
        self.common: list[str] = []
        self.declarations: list[str] = []
        self.parameters: list[tuple[str, str]] = []
        self.earlier: list[str] = []
        self.arrays: dict[str, int] = {}
        self.scope = Scope([], [])
        self.is_unusual = self.chance(0.25)
        self.is_repeated = False
        self.has_exited = False
        self.cxx: list[str] = []
        self.python: list[str] = []
        self._cxx_indent = self._python_indent = 1
        self._names = 0

    # Text

    def name(self, prefix: str) -> str:
        """Return a new name."""
        self._names += 1
        return f"{prefix}{self._names}"

    def global_name(self, prefix: str) -> str:
        """Return a new name that no other kernel of a program has."""
        return f"{self.name(prefix)}_{self._seed}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def write(self, cxx: str = "", python: str = "") -> None:
        """Write lines of both languages."""
        is_spliced = False  # an indentation would divide a token
        for line in cxx.splitlines():
            self.cxx.append(line if is_spliced else "    " * self._cxx_indent + line)
            is_spliced = line.endswith("\\")
        for line in python.splitlines():
            self.python.append("    " * self._python_indent + line)

    @contextmanager
    def nest(self, cxx: str, python: str = "if True:", end: str = "}") -> Iterator[None]:
        """Write a block of both languages."""
        self.write(f"{cxx} {{" if cxx else "{")
        self._cxx_indent += 1
        with self.nest_python(python):
            yield
        self._cxx_indent -= 1
        self.write(end)

    @contextmanager
    def nest_python(self, head: str) -> Iterator[None]:
        """Write a block that exists only in Python; what it declares ends with it."""
        self.write(python=head)
        kept, self.scope = self.scope, self.scope.copy()
        self._python_indent += 1
        self.write(python="pass")
        yield
        self._python_indent -= 1
        self.scope = kept

    @contextmanager
    def define(self, scope: Scope) -> Iterator[tuple[list[str], list[str]]]:
        """Collect the lines of a function instead of writing them."""
        kept = (self.cxx, self.python, self._cxx_indent, self._python_indent, self.scope)
        was_repeated, self.is_repeated = self.is_repeated, True
        self.cxx, self.python, self.scope = [], [], scope
        self._cxx_indent, self._python_indent = 1, 0
        yield self.cxx, self.python
        self.cxx, self.python, self._cxx_indent, self._python_indent, self.scope = kept
        self.is_repeated = was_repeated

    # Values, which have no effects

    def constant(self, most: int = 64) -> int:
        return self.random.randrange(most)

    def leaf(self) -> Text:
        """Return the value of a variable, a constant, or an element of the input."""
        kind = self.random.randrange(8)
        if kind < 3 and self.scope.variables:
            return self.random.choice(self.scope.variables)
        if kind < 5 and self.scope.values:
            return self.random.choice(self.scope.values)
        if kind == 5:
            c = self.constant()
            return Text(f"in[tid + {c}u]", f"in_[tid + {c}]")
        if kind == 6:
            value = self.random.choice((0, 1, 2, 3, 7, 100, 0x80000000, 0xFFFFFFFF))
            return Text(f"{value}u", str(value))
        return self.random.choice(_CONSTANTS)

    def value(self, depth: int = 0) -> Text:
        """Return an expression of type ``unsigned``, in parentheses if it needs some."""
        if depth > 1 or self.chance(0.3):
            return self.leaf()
        left, right = self.value(depth + 1), self.value(depth + 1)
        cxx, python = self.random.choice(_OPERATORS)
        return Text(
            f"({cxx.format(left.cxx, right.cxx)})", f"({python.format(left.python, right.python)})"
        )

    def condition(self) -> Text:
        """Return a condition that can differ between threads."""
        c, k = self.constant(self.threads), self.random.randrange(2, 6)
        test = self.value(1)
        flag = Text(f"p > {c % 6}u", f"p > {c % 6}")
        return self.random.choice(
            (
                Text(f"threadIdx.x < {c}u", f"x < {c}"),
                Text(f"tid == {c}u", f"tid == {c}"),
                Text(f"tid % {k}u == 0", f"tid % {k} == 0"),
                Text(f"threadIdx.x < p * {k}u", f"x < p * {k}"),
                Text(f"tid == {c}u or {flag.cxx}", f"tid == {c} or {flag.python}"),
                Text(f"tid == {c}u and not ({flag.cxx})", f"tid == {c} and not ({flag.python})"),
                Text(f"{test.cxx} bitand 1u", f"{test.python} & 1"),
            )
        )

    def variable(self) -> Text:
        """Return an lvalue of type ``unsigned`` that may be changed."""
        if not self.scope.variables:
            self.declare(self.value())
        return self.random.choice(self.scope.variables)

    def declare(self, value: Text, cxx: str = "unsigned {} = {};") -> Text:
        """Declare a variable, which the text that follows can change."""
        name = self.name("v")
        self.write(cxx.format(name, value.cxx), f"{name} = {value.python}")
        self.scope.variables.append(Text(name, name))
        return Text(name, name)

    def need(self, declaration: str) -> None:
        """Declare something before all kernels of a program, once."""
        if declaration not in self.common:
            self.common.append(declaration)

    def alias(self, cxx: str, python: str) -> None:
        """Let the text that follows use another name of a variable."""
        self.scope.variables.append(Text(cxx, python))

    def know(self, cxx: str, python: str) -> None:
        """Let the text that follows use a value."""
        self.scope.values.append(Text(cxx, python))

    def keep(self, value: Text, name: str = "") -> Text:
        """Keep a value of C++ under a name of Python, and return it."""
        name = name or self.name("k")
        self.write(python=f"{name} = {value.python}")
        return Text(value.cxx, name)

    def mix(self, value: Text) -> None:
        """Let a variable depend on a value."""
        v = self.variable()
        self.random.choice((self._mix_product, self._mix_compound))(v, value)

    def _mix_product(self, v: Text, value: Text) -> None:
        self.write(
            f"{v.cxx} = {v.cxx} * 31u + {value.cxx};",
            f"{v.python} = ({v.python} * 31 + {value.python}) & M",
        )

    def _mix_compound(self, v: Text, value: Text) -> None:
        cxx, python = self.random.choice((("+=", "+"), ("^=", "^"), ("-=", "-")))
        if self.is_unusual and cxx == "^=":
            cxx = "xor_eq"
        self.write(
            f"{v.cxx} {cxx} {value.cxx};", f"{v.python} = ({v.python} {python} {value.python}) & M"
        )

    # Operations

    def barrier(self) -> None:
        """Let all threads of the block wait for each other."""
        members = ("Syncs{}();",) * 2 if self.has_members and self.has_obstacles else ()
        form = self.pick(
            *members,
            *("__syncthreads();", "__syncthreads();", "SYNC();", "call_sync();"),
            *("cg::this_thread_block().sync();", "__sync\\\nthreads();", "SYNC_IF(true)"),
            "if constexpr (sizeof(int) == 4) __syncthreads();",
        )
        if "Syncs" in form:
            self.need("struct Syncs { __device__ void operator()() const { __syncthreads(); } };")
        self.write(form, "yield ('barrier', 0)")

    def shuffle(self, value: Text) -> Text:
        """Return a warp operation on a value, as an expression; in Python it waits."""
        k = 1 << self.random.randrange(5)
        v, scope = value.cxx, "::" * self.is_unusual
        cxx, python = self.random.choice(
            (
                (f"__shfl_xor_sync(~0u, {v}, {k})", f"'shfl_xor', 32, {{}}, {k}"),
                (f"SHFL_XOR({v}, {k})", f"'shfl_xor', 32, {{}}, {k}"),
                (f"lib::swap_lanes(unsigned({v}), {k})", f"'shfl_xor', 32, {{}}, {k}"),
                (f"{scope}__shfl_xor_sync(compl 0u, {v}, {k}, 32)", f"'shfl_xor', 32, {{}}, {k}"),
                (f"__shfl_sync(FULL, {v}, {k})", f"'shfl', 32, {{}}, {k}"),
                (f"__shfl_up_sync(FULL, {v}, {k})", f"'shfl_up', 32, {{}}, {k}"),
                (f"__shfl_down_sync(FULL, {v}, {k})", f"'shfl_down', 32, {{}}, {k}"),
                (f"__ballot_sync(FULL, {v} & 1u)", "'ballot', 32, {} & 1"),
                (f"unsigned(__any_sync(FULL, {v} == tid))", "'any', 32, int({} == tid)"),
                (f"__reduce_add_sync(FULL, {v})", "'reduce_add', 32, {}"),
            )
        )
        return Text(cxx, f"(yield ({python.format(value.python)}))")

    def exchange(self, value: Text) -> Text:
        """Write a value to shared memory, and return what another thread has written."""
        name = self.name("s")
        self.arrays[name] = self.threads
        self.write(f"__shared__ unsigned {name}[{self.threads}];")
        if self.is_repeated:
            self.barrier()
        self.write(f"{name}[tid] = {value.cxx};", f"shared['{name}'][tid] = {value.python}")
        self.barrier()
        c = self.constant(self.threads)
        index = self.random.choice(
            (
                Text(f"tid ^ {c % 32}u", f"tid ^ {c % 32}"),
                Text(f"(tid + {c}u) % {self.threads}u", f"(tid + {c}) % {self.threads}"),
                Text(f"{self.threads - 1}u - tid", f"{self.threads - 1} - tid"),
            )
        )
        if self.has_exited:
            index = Text("tid", "tid")
        return Text(f"{name}[{index.cxx}]", f"shared['{name}'][{index.python}]")


# A feature writes a part, and waits while other features write theirs.
Feature = Callable[[Builder], Iterator[None]]


def run_features(g: Builder, features: Sequence[Feature]) -> None:
    """Write features so that their parts alternate; all of them end in the current block."""
    pending, active = list(features), list[Iterator[None]]()
    while pending or active:
        if pending and (not active or g.chance(0.5)):
            active.append(pending.pop(0)(g))
        feature = g.random.choice(active)
        if next(feature, "end") == "end":
            active.remove(feature)
        elif g.chance(0.5):
            g.barrier()
        if g.chance(0.5):
            g.fill(g)
