"""Generate random kernels."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from support.random_kernels.model import INPUTS, RandomKernel, Text

_WARP = 32
_TILE = 8
_DEPTH = 3  # of nested statements
_SHAPES = ((1, 1), (7, 1), (32, 1), (48, 1), (64, 1), (96, 1), (128, 1), (8, 4), (16, 6), (5, 9))
_COUNTERS = 8
_FULL = "0xffffffffu"
# What an array is for until the next barrier: each thread writes its own element, all threads read
# all elements, or all threads add to all elements.
_OWN, _READ, _ADD = "own", "read", "add"


def generate_kernel(seed: int) -> RandomKernel:
    """Return the kernel of a seed."""
    return _Generator(seed).generate()


class _Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - not for secrets
        self._name = f"random_{seed}"
        self._width, self._height = self._random.choice(_SHAPES)
        self._threads = self._width * self._height
        self._cxx: list[str] = []
        self._python: list[str] = []
        self._indent = 1
        self._variables: list[Text] = []
        self._constants: list[Text] = []
        self._arrays: list[Text] = []  # local ones, with four elements
        self._declared: set[str] = set()  # the names in C++ that the innermost scope declares
        self._names = 0
        self._modes = {"s0": _OWN, "s1": _OWN, "counters": _ADD}
        self._has_whole_warps = self._threads % _WARP == 0
        self._has_whole_tiles = self._threads % _TILE == 0

    def generate(self) -> RandomKernel:
        self._write_start()
        self._write_statements(self._random.randint(4, 9), 0)
        total = self._sum_up()
        self._write(f"out[gid] = {total.cxx};", f"out[gid] = {total.python}")
        sizes = {"s0": self._threads, "s1": self._threads, "counters": _COUNTERS}
        body = "\n".join(self._cxx)
        return RandomKernel(
            name=self._name,
            cxx=f"__global__ void {self._name}(const unsigned* in, unsigned* out, unsigned p)\n"
            f"{{\n{body}\n}}\n",
            python=f"def {self._name}(x, y, bid, n, width, p, in_, out, shared):\n"
            + "\n".join((*self._python, "    yield ('barrier', 0)"))
            + "\n",
            arrays=sizes,
            blocks=self._random.randint(1, 3),
            width=self._width,
            height=self._height,
            argument=self._random.randint(0, 5),
        )

    def _write(self, cxx: str, python: str = "") -> None:
        if cxx:
            self._cxx.append("    " * self._indent + cxx)
        if python:
            self._python.append("    " * self._indent + python)

    @contextmanager
    def _nest(self, cxx: str, python: str) -> Iterator[None]:
        """Write a block; what it declares ends with it."""
        self._write(f"{cxx} {{", python)
        kept = (list(self._variables), list(self._constants), list(self._arrays), self._declared)
        self._declared = set()
        self._indent += 1
        self._python.append("    " * self._indent + "pass")
        yield
        self._indent -= 1
        self._variables, self._constants, self._arrays, self._declared = kept
        self._write("}")

    def _write_start(self) -> None:
        for name in ("s0", "s1"):
            self._write(
                f"__shared__ unsigned {name}[{self._threads}];", f"{name} = shared['{name}']"
            )
        self._write(f"__shared__ unsigned counters[{_COUNTERS}];", "counters = shared['counters']")
        if self._height > 1:
            self._write(
                "const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;",
                "tid = y * width + x",
            )
        else:
            self._write("const unsigned tid = threadIdx.x;", "tid = x")
        self._write("const unsigned bid = blockIdx.x;")
        self._write(f"const unsigned n = {self._threads};")
        self._write("const unsigned gid = bid * n + tid;", "gid = bid * n + tid")
        self._write("cg::thread_block cta = cg::this_thread_block();")
        self._write("const auto tile32 = cg::tiled_partition<32>(cta);")
        self._write("cg::thread_block_tile<8> tile8 = cg::tiled_partition<8>(tile32);")
        self._constants += [
            Text("cta.thread_rank()", "tid"),
            Text("tile8.thread_rank()", "(tid % 8)"),
            Text("tile32.meta_group_rank()", "(tid // 32)"),
        ]
        self._constants += [Text(name, name) for name in ("tid", "bid", "gid", "p")]
        self._write("s0[tid] = 0; s1[tid] = tid * 7;", "s0[tid] = 0; s1[tid] = tid * 7")
        self._write(
            f"if (tid == 0) for (int i = 0; i < {_COUNTERS}; ++i) counters[i] = i;",
            f"if tid == 0: counters[:] = range({_COUNTERS})",
        )
        for _ in range(2):
            self._declare()
        self._write_barrier()

    # Expressions

    def _choose_leaf(self) -> Text:
        kinds = ["constant", "immutable", "variable", "variable", "input", "shared", "array"]
        kind = self._random.choice(kinds)
        if kind == "variable" and self._variables:
            return self._random.choice(self._variables)
        if kind == "immutable":
            return self._random.choice(self._constants)
        if kind == "input":
            return self._read_input()
        if kind == "shared":
            return self._read_shared()
        if kind == "array" and self._arrays:
            array, index = self._random.choice(self._arrays), self._random.randrange(4)
            return Text(f"{array.cxx}[{index}]", f"{array.python}[{index}]")
        value = self._random.choice((0, 1, 2, 3, 5, 31, 1000, 0x80000000, 0xFFFFFFFF))
        return Text(f"{value}u", str(value))

    def _read_input(self) -> Text:
        """Return an element whose index often grows with the thread, and can wrap around."""
        c, d = self._random.randrange(64), self._random.randrange(64)
        offset = f"{c}u + (p & 63u)"
        return self._random.choice(
            (
                Text(f"in[(gid + {c}u) % {INPUTS}u]", f"in_[(gid + {c}) % {INPUTS}]"),
                Text(f"in[tid + {c}u]", f"in_[tid + {c}]"),
                Text(f"in[{offset} + gid]", f"in_[{c} + (p & 63) + gid]"),
                Text(f"in[int(tid) + {c + 1} - {c}]", "in_[tid + 1]"),
                Text(f"in[threadIdx.x + {c}u]", f"in_[x + {c}]"),
                Text(f"in[tid + {c}u ^ {d}u]", f"in_[(tid + {c}) ^ {d}]"),
                Text(f"in[(threadIdx.y + {c}u) * 3u + threadIdx.x]", f"in_[(y + {c}) * 3 + x]"),
                Text(
                    f"(tid >= {c}u ? in[tid - {c}u] : {d}u)",
                    f"(in_[tid - {c}] if tid >= {c} else {d})",
                ),
                Text(
                    f"(gid > {c}u ? in[gid + {0xFFFFFFFF - c}u] : {d}u)",
                    f"(in_[gid - {c + 1}] if gid > {c} else {d})",
                ),
            )
        )

    def _read_shared(self) -> Text:
        name = self._random.choice(list(self._modes))
        c = self._random.randrange(self._threads)
        if name == "counters":
            if self._modes[name] == _READ:
                return Text(f"counters[{c % _COUNTERS}]", f"counters[{c % _COUNTERS}]")
            return Text("7u", "7")
        if self._modes[name] == _READ:
            index = self._random.choice(
                (
                    Text(f"(tid + {c}u) % n", f"(tid + {c}) % n"),
                    Text("n - 1u - tid", "n - 1 - tid"),
                    Text(str(c), str(c)),
                )
            )
            if self._random.random() < 0.3:
                return Text(
                    f"(tid + {c}u < n ? {name}[tid + {c}u] : 5u)",
                    f"({name}[tid + {c}] if tid + {c} < n else 5)",
                )
            return Text(f"{name}[{index.cxx}]", f"{name}[{index.python}]")
        return Text(f"{name}[tid]", f"{name}[tid]")

    def _choose_value(self, depth: int = 0) -> Text:
        if depth > 2 or self._random.random() < 0.3:
            return self._choose_leaf()
        left, right = self._choose_value(depth + 1), self._choose_value(depth + 1)
        kind = self._random.choice("+-*^&|<>?")
        if kind in "<>":
            c = self._random.randrange(32)
            return Text(f"({left.cxx} {kind * 2} {c})", f"(({left.python} {kind * 2} {c}) & M)")
        if kind == "?":
            condition = self._choose_condition()
            return Text(
                f"({condition.cxx} ? {left.cxx} : {right.cxx})",
                f"({left.python} if {condition.python} else {right.python})",
            )
        return Text(
            f"({left.cxx} {kind} {right.cxx})", f"(({left.python} {kind} {right.python}) & M)"
        )

    def _choose_condition(self) -> Text:
        """Return a condition that can differ between threads."""
        if self._random.random() < 0.4:
            return self._compare_index()
        left, right = self._choose_leaf(), self._choose_leaf()
        operator = self._random.choice(("<", "==", "!=", ">="))
        if self._random.random() < 0.3:
            return Text(
                f"int({left.cxx}) {operator} int({right.cxx})",
                f"signed({left.python}) {operator} signed({right.python})",
            )
        c = self._random.randrange(1, 8)
        return Text(
            f"({left.cxx} & {c}u) {operator} ({right.cxx} & {c}u)",
            f"({left.python} & {c}) {operator} ({right.python} & {c})",
        )

    def _compare_index(self) -> Text:
        """Return a comparison of an index, or one that only looks like it."""
        operator = self._random.choice(("<", "==", ">", ">="))
        c, k, bits = (self._random.randrange(most) for most in (80, 80, 4))
        return self._random.choice(
            (
                Text(f"tid + {c}u {operator} {k}u", f"tid + {c} {operator} {k}"),
                Text(f"gid - {c}u {operator} {k}u", f"((gid - {c}) & M) {operator} {k}"),
                Text(f"int(tid) - {c} {operator} {k - c}", f"tid - {c} {operator} {k - c}"),
                Text(f"tid {operator} {k}u & {bits}u", f"((tid {operator} {k}) & {bits}) != 0"),
                Text(f"{bits}u ^ {k}u == tid", f"({bits} ^ ({k} == tid)) != 0"),
                Text(
                    f"(tid + {c}u ^ {bits}u) {operator} {k}u",
                    f"((tid + {c}) ^ {bits}) {operator} {k}",
                ),
            )
        )

    def _choose_uniform(self) -> Text:
        """Return a value below 4 that is the same for all threads of a block."""
        c = self._random.randrange(4)
        options = [
            Text(f"{c}u", str(c)),
            Text(f"((p + {c}u) & 3u)", f"((p + {c}) & 3)"),
            Text(f"((bid + {c}u) & 3u)", f"((bid + {c}) & 3)"),
        ]
        index = c % self._threads
        options += [
            Text(f"({name}[{index}] & 3u)", f"({name}[{index}] & 3)")
            for name in ("s0", "s1")
            if self._modes[name] == _READ
        ]
        return self._random.choice(options)

    def _sum_up(self) -> Text:
        parts = [*self._variables, Text("s0[tid]", "s0[tid]"), Text("s1[tid]", "s1[tid]")]
        return Text(
            " * 31u + ".join(part.cxx for part in parts),
            f"({' * 31 + '.join(part.python for part in parts)}) & M",
        )

    # Statements without barriers

    def _declare(self) -> None:
        value = self._choose_value()
        # A name that hides another one in C++ is a new one in Python.
        hidden = self._random.choice(self._variables).cxx if self._variables else ""
        is_hiding = self._indent > 1 and hidden and self._random.random() < 0.3
        self._names += 1
        new = f"v{self._names}"
        if is_hiding and hidden not in self._declared and hidden not in value.cxx:
            self._write(f"unsigned {hidden} = {value.cxx};", f"{new} = {value.python}")
            self._variables = [each for each in self._variables if each.cxx != hidden]
            self._add_variable(Text(hidden, new))
            return
        kind = self._random.choice(("const unsigned", "unsigned", "unsigned", "auto", "array"))
        if kind == "array":
            parts = [value, *(self._choose_leaf() for _ in range(3))]
            self._write(
                f"unsigned {new}[4] = {{{', '.join(part.cxx for part in parts)}}};",
                f"{new} = [{', '.join(part.python for part in parts)}]",
            )
            self._arrays.append(Text(new, new))
            return
        self._write(f"{kind} {new} = {value.cxx};", f"{new} = {value.python}")
        if kind.startswith("const"):
            self._constants.append(Text(new, new))
        else:
            self._add_variable(Text(new, new))

    def _add_variable(self, variable: Text) -> None:
        self._variables.append(variable)
        self._declared.add(variable.cxx)

    def _list_targets(self) -> list[Text]:
        """Return what a thread can change."""
        arrays = [Text(f"{a.cxx}[{i}]", f"{a.python}[{i}]") for a in self._arrays for i in (0, 3)]
        own = [name for name in ("s0", "s1") if self._modes[name] == _OWN]
        shared = [Text(f"{name}[tid]", f"{name}[tid]") for name in own]
        return [*self._variables, *arrays, *shared]

    def _assign(self) -> None:
        value = self._choose_value()
        choices = self._list_targets()
        if self._modes["counters"] == _ADD and self._random.random() < 0.4:
            index = self._choose_leaf()
            self._write(
                f"atomicAdd(&counters[{index.cxx} % {_COUNTERS}u], {value.cxx});",
                f"_i = {index.python} % {_COUNTERS}; "
                f"counters[_i] = (counters[_i] + {value.python}) & M",
            )
            return
        if not choices:
            return
        target = self._random.choice(choices)
        if self._random.random() < 0.2:
            self._names += 1
            self._write(
                f"unsigned* q{self._names} = &{target.cxx}; *q{self._names} += {value.cxx};",
                f"{target.python} = ({target.python} + {value.python}) & M",
            )
            return
        self._write(f"{target.cxx} = {value.cxx};", f"{target.python} = {value.python}")

    def _write_divergent(self, depth: int) -> None:
        kind = self._random.choice(("if", "if", "for", "switch", "do"))
        condition = self._choose_condition()
        if kind == "if":
            with self._nest(f"if ({condition.cxx})", f"if {condition.python}:"):
                self._write_plain(depth + 1)
            if self._random.random() < 0.5:
                with self._nest("else", "else:"):
                    self._write_plain(depth + 1)
            return
        self._names += 1
        i, c = f"i{self._names}", self._random.randrange(4)
        if kind == "switch":
            self._write(f"switch ((tid + {c}u) % 3u) {{", f"if (tid + {c}) % 3 == 0:")
            for label, test in (("case 0", ""), ("default", "else:")):
                self._write(f"{label}: {{", test)
                self._indent += 1
                self._write("", "pass")
                self._assign()
                self._write("break;")
                self._indent -= 1
                self._write("}")
            self._write("}")
            return
        if kind == "do":
            self._write(f"unsigned {i} = tid % 3u;", f"{i} = tid % 3")
            with self._nest("do", "while True:"):
                self._assign()
                self._write("", f"if {i} == 0: break")
                self._write("", f"{i} -= 1")
            self._cxx[-1] = self._cxx[-1] + f" while ({i}-- != 0);"
            return
        with self._nest(
            f"for (unsigned {i} = {c}; {i} < (tid & 3u) + 2u; ++{i})",
            f"for {i} in range({c}, (tid & 3) + 2):",
        ):
            self._constants.append(Text(i, i))
            self._write_plain(depth + 1)
            if self._random.random() < 0.4:
                jump = self._random.choice(("break", "continue"))
                when = self._choose_condition()
                self._write(f"if ({when.cxx}) {jump};", f"if {when.python}: {jump}")
            self._assign()

    def _write_plain(self, depth: int) -> None:
        for _ in range(self._random.randint(1, 3)):
            if depth < _DEPTH and self._random.random() < 0.2:
                self._write_divergent(depth)
            elif self._random.random() < 0.3:
                self._declare()
            else:
                self._assign()

    # Statements that threads wait in

    def _choose_function(self, kind: str) -> str:
        """Return a function of CUDA, or one of the program that does the same."""
        return f"{self._random.choice(('__', 'call_'))}{kind}"

    def _write_barrier(self) -> None:
        self._synchronize()
        self._modes = {
            "s0": self._random.choice((_OWN, _READ)),
            "s1": self._random.choice((_OWN, _READ)),
            "counters": self._random.choice((_ADD, _READ)),
        }

    def _return_to(self, modes: dict[str, str]) -> None:
        """Write a barrier if arrays are used differently now."""
        if self._modes != modes:
            self._synchronize()
            self._modes = dict(modes)

    def _synchronize(self) -> None:
        forms = (
            *("__syncthreads();", "call_syncthreads();", "cta.sync();", "cg::sync(cta);"),
            *("call_sync(cta);", "cg::this_thread_block().sync();"),
        )
        self._write(self._random.choice(forms), "yield ('barrier', 0)")

    def _write_vote(self) -> None:
        kind = self._random.choice(("count", "and", "or"))
        condition = self._choose_condition()
        self._names += 1
        name = f"v{self._names}"
        self._write(
            f"unsigned {name} = {self._choose_function(f'syncthreads_{kind}')}({condition.cxx});",
            f"{name} = yield ('{kind}', 0, int({condition.python}))",
        )
        self._add_variable(Text(name, name))

    def _write_warp_operation(self, width: int = _WARP) -> None:
        is_tile = width != _WARP or self._random.random() < 0.4
        kinds = (
            *("shfl", "shfl_xor", "shfl_up", "shfl_down"),
            *("ballot", "any", "all", "reduce_add", "sync"),
            *(() if is_tile else ("match_any", "match_all")),
        )
        kind = self._random.choice(kinds)
        if kind == "sync":
            forms = (f"__syncwarp({_FULL})", "call_syncwarp()")
            tiles = (f"tile{width}.sync()", f"cg::sync(tile{width})", f"call_sync(tile{width})")
            form = self._random.choice(tiles if is_tile else forms)
            self._write(f"{form};", f"yield ('syncwarp', {width})")
            return
        value, operands = self._choose_value(1), Text("", "")
        if kind == "shfl":
            c = self._random.randrange(1, width)
            operands = Text(f", (tid * {c}u + 1u) % {width}u", f", (tid * {c} + 1) % {width}")
        elif kind.startswith("shfl"):
            c = self._random.randrange(1, width)
            operands = Text(f", {c}", f", {c}")
        elif kind in ("ballot", "any", "all"):
            value = Text(f"({value.cxx}) & 1u", f"({value.python}) & 1")
        self._names += 1
        name = f"v{self._names}"
        if kind.startswith("match"):
            value = Text(f"({value.cxx}) & 3u", f"({value.python}) & 3")
        if kind == "match_all":
            self._write(f"int w{self._names};")
            operands = Text(f", &w{self._names}", "")
        call = self._call_tile(kind, f"tile{width}") if is_tile else self._call_warp(kind)
        self._write(
            f"unsigned {name} = {call}{value.cxx}{operands.cxx}"
            f"{', cg::plus<unsigned>()' if call.startswith('cg::') else ''});",
            f"{name} = yield ('{kind}', {width}, {value.python}{operands.python})",
        )
        self._add_variable(Text(name, name))

    def _write_change(self) -> None:
        """Call a function with a barrier that changes what its parameters refer to."""
        targets = self._list_targets()
        if len(targets) < 2:
            return
        first, second = self._random.sample(targets, 2)
        self._write(
            f"call_change({first.cxx}, {second.cxx});",
            f"_a = {first.python}; _n = yield ('count', 0, _a & 1)\n"
            f"{'    ' * self._indent}{first.python} = (_a + _n) & M; "
            f"{second.python} ^= {first.python}; yield ('barrier', 0)\n"
            f"{'    ' * self._indent}{first.python} = ({first.python} + _a) & M",
        )

    def _write_masked(self) -> None:
        """Let lanes wait for those of a mask, which is another one in other lanes."""
        self._names += 1
        mask, c = f"m{self._names}", self._random.randrange(1, 4)
        kind = self._random.choice(("match", "tile", "parity", "ballot"))
        if kind == "ballot":
            condition, test = self._choose_condition(), f"c{self._names}"
            self._write(
                f"const bool {test} = {condition.cxx}; "
                f"const unsigned {mask} = __ballot_sync({_FULL}, {test});",
                f"{test} = {condition.python}; {mask} = yield ('ballot', 32, int({test}))",
            )
            with self._nest(f"if ({test})", f"if {test}:"):
                self._write_masked_operations(mask)
            return
        value = self._choose_value(1)
        forms = {
            "match": Text(
                f"__match_any_sync({_FULL}, ({value.cxx}) & {c}u)",
                f"yield ('match_any', 32, ({value.python}) & {c})",
            ),
            "tile": Text("0xffu << (tid & 24u)", "0xff << (tid & 24)"),
            "parity": Text(
                "(tid & 1u) ? 0xaaaaaaaau : 0x55555555u",
                "0xaaaaaaaa if tid & 1 else 0x55555555",
            ),
        }
        self._write(f"unsigned {mask} = {forms[kind].cxx};", f"{mask} = {forms[kind].python}")
        self._write_masked_operations(mask)

    def _write_masked_operations(self, mask: str) -> None:
        for _ in range(self._random.randint(1, 2)):
            self._assign()
            self._write_masked_operation(mask)
        self._assign()

    def _write_masked_operation(self, mask: str) -> None:
        kind = self._random.choice(
            ("shfl", "ballot", "any", "all", "reduce_add", "match_any", "sync", "add")
        )
        group = f"('mask', {mask})"
        if kind == "sync":
            self._write(f"__syncwarp({mask});", f"yield ('syncwarp', {group})")
            return
        value, targets = self._choose_value(1), self._list_targets()
        leader = Text(f", __ffs({mask}) - 1", f", first({mask})")
        if kind == "add" and targets:
            target = self._random.choice(targets)
            self._write(
                f"add_first({target.cxx}, {mask}, {value.cxx});",
                f"_v = {value.python}; _b = {target.python}; "
                f"_s = yield ('shfl', {group}, _v{leader.python})\n"
                f"{'    ' * self._indent}{target.python} = (_b + _s) & M\n"
                f"{'    ' * self._indent}if _b & 1: {target.python} ^= {mask}.bit_count()\n"
                f"{'    ' * self._indent}_n = yield ('any', {group}, _v & 1)\n"
                f"{'    ' * self._indent}{target.python} = ({target.python} + _n) & M",
            )
            return
        self._names += 1
        name = f"v{self._names}"
        if kind == "match_any":
            value = Text(f"({value.cxx}) & 1u", f"({value.python}) & 1")
        if kind in ("shfl", "reduce_add") and self._random.random() < 0.5:
            call, operands = f"call_masked_{kind}({mask}, ", Text("", leader.python)
        else:
            kind = "shfl" if kind == "add" else kind
            call, operands = f"__{kind}_sync({mask}, ", leader
        if kind != "shfl":
            operands = Text("", "")
        self._write(
            f"unsigned {name} = {call}{value.cxx}{operands.cxx});",
            f"{name} = yield ('{kind}', {group}, {value.python}{operands.python})",
        )
        self._add_variable(Text(name, name))

    def _call_warp(self, kind: str) -> str:
        """Return the start of a call with the lanes of the warp, up to the value."""
        function = self._choose_function(kind)
        return f"{function}_sync({_FULL}, " if function.startswith("__") else f"{function}("

    def _call_tile(self, kind: str, tile: str) -> str:
        """Return the start of a call with the lanes of a tile, up to the value."""
        if self._random.random() < 0.5:
            return f"call_tile_{kind}({tile}, "
        return f"cg::reduce({tile}, " if kind == "reduce_add" else f"{tile}.{kind}("

    def _write_uniform_if(self, depth: int) -> None:
        left, c = self._choose_uniform(), self._random.randrange(4)
        modes = dict(self._modes)
        with self._nest(f"if ({left.cxx} != {c}u)", f"if {left.python} != {c}:"):
            self._write_statements(self._random.randint(1, 3), depth + 1)
            self._return_to(modes)
        if self._random.random() < 0.4:
            with self._nest("else", "else:"):
                self._write_statements(self._random.randint(1, 2), depth + 1)
                self._return_to(modes)

    def _write_uniform_loop(self, depth: int) -> None:
        limit = self._choose_uniform()
        self._names += 1
        i, last = f"i{self._names}", f"limit{self._names}"
        self._write(f"const unsigned {last} = {limit.cxx};", f"{last} = {limit.python}")
        modes = dict(self._modes)
        with self._nest(
            f"for (unsigned {i} = 0; {i} < {last}; ++{i})", f"for {i} in range({last}):"
        ):
            self._constants.append(Text(i, i))
            self._write_statements(self._random.randint(1, 3), depth + 1)
            if self._random.random() < 0.3:
                self._return_to(modes)
                jump = self._random.choice(("break", "continue"))
                self._write(f"if ({i} == (p & 3u)) {jump};", f"if {i} == (p & 3): {jump}")
                self._write_statements(1, depth + 1)
            self._write_barrier()
            self._modes = dict(modes)

    def _write_return(self) -> None:
        """Let some threads exit; their last value is their result."""
        c = self._random.randrange(self._threads + 1)
        if self._random.random() < 0.5:
            c = (c + _WARP - 1) // _WARP * _WARP
        elif c < self._threads:
            self._has_whole_warps = self._has_whole_tiles = False
        total = self._sum_up()
        self._write(
            f"if (tid >= {c}u) {{ out[gid] = {total.cxx}; return; }}",
            f"if tid >= {c}:\n{'    ' * (self._indent + 1)}out[gid] = {total.python}\n"
            f"{'    ' * (self._indent + 1)}return",
        )

    def _write_warp_branch(self) -> None:
        with self._nest("if (tid / 32u == 0u)", "if tid // 32 == 0:"):
            self._assign()
            self._write_warp_operation()
            self._assign()

    def _write_warp_loop(self) -> None:
        """Let warps run a loop a different number of times, and leave it at different places."""
        self._names += 1
        i, c = f"i{self._names}", self._random.randrange(3)
        with self._nest(
            f"for (unsigned {i} = 0; {i} < tid / 32u + 1u; ++{i})",
            f"for {i} in range(tid // 32 + 1):",
        ):
            self._constants.append(Text(i, i))
            self._assign()
            self._write_warp_operation()
            if self._random.random() < 0.6:
                jump = self._random.choice(("break", "continue"))
                self._write(
                    f"if ((tid / 32u + {i}) % 3u == {c}u) {jump};",
                    f"if (tid // 32 + {i}) % 3 == {c}: {jump}",
                )
                self._assign()
                self._write_warp_operation()

    def _write_tile_branch(self) -> None:
        c = self._random.randrange(2)
        with self._nest(f"if (tid / 8u % 2u == {c}u)", f"if tid // 8 % 2 == {c}:"):
            self._assign()
            self._write_warp_operation(_TILE)
            self._assign()

    def _write_statements(self, count: int, depth: int) -> None:
        for _ in range(count):
            self._write_statement(depth)

    def _write_statement(self, depth: int) -> None:
        kinds = ["plain", "plain", "barrier", "barrier", "divergent", "vote", "change"]
        if depth < _DEPTH:
            kinds += ["if", "loop", "loop"]
        if depth == 0:
            kinds += ["return"]
        if self._has_whole_warps:
            kinds += ["warp", "warp_branch", "warp_loop", "masked", "masked"]
        if self._has_whole_tiles:
            kinds += ["tile", "tile_branch"]
        kind = self._random.choice(kinds)
        if kind in ("plain", "divergent", "if", "loop"):
            nested = {
                "plain": self._write_plain,
                "divergent": self._write_divergent,
                "if": self._write_uniform_if,
                "loop": self._write_uniform_loop,
            }
            nested[kind](depth)
            return
        simple: dict[str, Callable[[], None]] = {
            "barrier": self._write_barrier,
            "vote": self._write_vote,
            "change": self._write_change,
            "masked": self._write_masked,
            "return": self._write_return,
            "warp": self._write_warp_operation,
            "warp_branch": self._write_warp_branch,
            "warp_loop": self._write_warp_loop,
            "tile": partial(self._write_warp_operation, _TILE),
            "tile_branch": self._write_tile_branch,
        }
        simple[kind]()
