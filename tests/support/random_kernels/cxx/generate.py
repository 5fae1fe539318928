"""Generate random kernels."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from support.random_kernels.cxx import (
    control,
    functions,
    names,
    objects,
    rare,
    references,
    sequences,
)
from support.random_kernels.cxx.builder import START, Builder, Feature, run_features
from support.random_kernels.model import RandomKernel, Text

# By module; a kernel takes its features from all of them.
_GROUPS: tuple[dict[str, Feature], ...] = (
    *(
        {feature.__name__: feature for feature in module.FEATURES}
        for module in (control, functions, objects, references)
    ),
    dict(names.FEATURES),
    dict(sequences.FEATURES),
)
RARE: dict[str, Feature] = {feature.__name__: feature for feature in rare.FEATURES}
FEATURES: dict[str, Feature] = {
    name: feature for group in _GROUPS for name, feature in group.items()
}
# How many features a kernel has.
_COUNTS = (1, 2, 2, 3, 3, 4, 4, 5, 6, 8)
_RARITY = 0.05
_MEMBERS = 0.2  # how many kernels have `Builder.has_members`
# What needs that. The second set does in functions, where lambdas are not part of the kernel.
_OF_MEMBERS = {
    *("context", "waiting_members", "virtual", "grid_range", "waiting_range", "tuple_like"),
    *("member_pointer", "local_class"),
}
_OF_LAMBDAS = {"lambda_value", "lambda_change", "pack"}
# What kbuild does not divide, so that the kernel runs with fibers, and how many kernels have one.
_OBSTACLES = {
    *("index_copies", "local_class", "lambda_change", "statics", "declarators_array", "pack"),
    *("comma", "shift", "shift_back", "compound_right_first", "braces_array", "braces_object"),
    *("braces_constructor", "subscript_chain", "subscript", "if_init", "for_head", "switch"),
    *("short_circuit", "short_circuit_or", "ternary", "unevaluated", "function_object"),
    *("own_chain", "own_stream", "call_chain", "stream", "arrow", "comma_operator"),
    *("destructor", "initializer_list", "waiting_members", "waiting_range", "tuple_like"),
}
_HINDRANCE = 0.2
# What uses parameters of the kernel, counts its runs, changes memory without barriers around, or
# has names of CUDA's, which keep other kernels of the source from being divided.
_ONLY_ONCE = {"statics", "parameter_guard", "function", "small_function", "user_lane"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CxxKernel:
    """A kernel with what precedes it.

    Attributes:
        kernel: Its definition in C++ and in Python.
        common: What precedes all kernels; the same text as other kernels have.
        declarations: What precedes it in its namespace.
        arguments: The arguments of its parameters after ``p``.
        features: The names of its features.
        earlier: Kernels that are launched before it with one block of 64 threads and ``scratch``.
        has_members: See `Builder`.
    """

    kernel: RandomKernel
    common: tuple[str, ...]
    declarations: str
    arguments: tuple[str, ...]
    features: tuple[str, ...]
    earlier: tuple[str, ...]
    has_members: bool

    @property
    def namespace(self) -> str:
        return self.kernel.name.replace("random_", "k")


def generate_kernel(
    seed: int, *, features: Sequence[str] = (), has_rare: bool = False
) -> CxxKernel:
    """Return the kernel of a seed.

    Args:
        seed: Any number.
        features: The names of its features; some are chosen if it is empty.
        has_rare: Whether to add what is known to end programs or builds.
    """
    has_members = seed % round(1 / _MEMBERS) == 0 and not features
    has_members = has_members or not _OF_MEMBERS.isdisjoint(features)
    g = Builder(
        seed,
        fill=_fill,
        fill_masked=_fill_masked,
        choose=_choose_repeatable,
        has_members=has_members,
    )
    chance = random.Random(~seed).random()  # noqa: S311 - not for secrets
    g.has_obstacles = bool(features) or chance < _HINDRANCE
    chosen = {name: (FEATURES | RARE)[name] for name in features}
    chosen = chosen or _choose_features(g, g.random.choice(_COUNTS))
    if has_rare and g.chance(_RARITY):
        name = g.random.choice(list(RARE))
        chosen[name] = RARE[name]
    g.write(*START)
    g.write(
        f"const unsigned gid = blockIdx.x * {g.threads}u + tid;", f"gid = bid * {g.threads} + tid"
    )
    for _ in range(2):
        g.declare(g.value())
    g.mix(g.exchange(g.value()))
    run_features(g, list(chosen.values()))
    g.mix(g.shuffle(g.value()))
    total = _sum_up(g)
    if g.chance(0.3):
        _exit_early(g, total)
    g.write(f"out[gid] = {total.cxx};", f"out[gid] = {total.python}")
    return _finish(g, f"random_{seed}", tuple(chosen))


def _finish(g: Builder, name: str, features: tuple[str, ...]) -> CxxKernel:
    parameters = ", ".join(
        ("const unsigned* in", "unsigned* out", "unsigned p", *(text for text, _ in g.parameters))
    )
    namespace = name.replace("random_", "k")
    body = "\n".join(g.cxx)
    kernel = RandomKernel(
        name=name,
        cxx=f"__global__ void {name}({parameters})\n{{\n{body}\n}}\n",
        python=f"def {name}(x, y, bid, n, width, p, in_, out, shared):\n"
        + "\n".join((*g.python, "    yield ('barrier', 0)"))
        + "\n",
        arrays=g.arrays,
        blocks=g.blocks,
        width=g.width,
        height=g.height,
        argument=g.random.randint(0, 5),
    )
    return CxxKernel(
        kernel=kernel,
        common=tuple(g.common),
        declarations="\n".join(g.declarations),
        arguments=tuple(text.replace("k::", f"{namespace}::") for _, text in g.parameters),
        features=features,
        earlier=tuple(f"{namespace}::{each}" for each in g.earlier),
        has_members=g.has_members,
    )


def _choose_features(g: Builder, count: int) -> dict[str, Feature]:
    chosen: dict[str, Feature] = {}
    if g.has_obstacles:
        name = g.random.choice(sorted(_OBSTACLES if g.has_members else _OBSTACLES - _OF_MEMBERS))
        chosen[name] = FEATURES[name]
    while len(chosen) < count:
        group = g.random.choice(_GROUPS)
        name = g.random.choice(list(group))
        if (g.has_members or name not in _OF_MEMBERS) and name not in _OBSTACLES:
            chosen[name] = group[name]
    return chosen


def _choose_repeatable(g: Builder, count: int) -> list[Feature]:
    """Return features for a text that can run several times, in functions and loops."""
    found: list[Feature] = []
    while len(found) < count:
        name, feature = g.random.choice(list(g.random.choice(_GROUPS).items()))
        excluded = _ONLY_ONCE if g.has_members else _ONLY_ONCE | _OF_MEMBERS | _OF_LAMBDAS
        excluded = excluded if g.has_obstacles else excluded | _OBSTACLES
        if name not in excluded and not name.startswith("memory"):
            found.append(feature)
    return found


def _fill(g: Builder) -> None:
    """Write a statement that all threads of the block reach."""
    kind = g.random.randrange(8)
    if kind == 0:
        g.barrier()
    elif kind == 1:
        g.mix(g.shuffle(g.value()))
    elif kind == 2:
        g.declare(g.shuffle(g.value()))
    elif kind == 3:
        g.mix(g.exchange(g.value()))
    elif kind == 4 and g.functions:
        g.random.choice(g.functions)(g)
    elif kind == 5:
        test = g.condition()
        with g.nest(f"if ({test.cxx})", f"if {test.python}:"):
            _fill_masked(g)
        if g.chance(0.4):
            with g.nest("else", "else:"):
                _fill_masked(g)
    else:
        _fill_masked(g)


def _fill_masked(g: Builder) -> None:
    """Write a statement that some threads can leave out."""
    v, test = g.variable(), g.condition()
    kind = g.random.randrange(4)
    if kind == 0:
        g.write(f"{v.cxx}++;", f"{v.python} = ({v.python} + 1) & M")
    elif kind == 1:
        a, b = g.value(), g.value()
        g.write(
            f"{v.cxx} = ({test.cxx}) ? {a.cxx} : {b.cxx};",
            f"{v.python} = {a.python} if {test.python} else {b.python}",
        )
    else:
        g.mix(g.value())


def _sum_up(g: Builder) -> Text:
    total = g.declare(Text("17u", "17"))
    for v in g.scope.variables[:-1]:
        g.write(
            f"{total.cxx} = {total.cxx} * 31u + {v.cxx};",
            f"{total.python} = ({total.python} * 31 + {v.python}) & M",
        )
    return total


def _exit_early(g: Builder, total: Text) -> None:
    """Let some warps or threads return while others go on."""
    g.functions = []
    g.has_exited = True
    has_warps = g.chance(0.5)
    test = Text("tid >= 32u", "tid >= 32") if has_warps else Text("tid % 3u == 1", "tid % 3 == 1")
    with g.nest(f"if ({test.cxx})", f"if {test.python}:"):
        g.write(f"out[gid] = {total.cxx};", f"out[gid] = {total.python}")
        g.write("return;", "return")
    if has_warps:
        g.mix(g.shuffle(g.value()))
    g.barrier()
    g.mix(g.exchange(g.value()))
    g.write(
        f"{total.cxx} += {g.scope.variables[0].cxx};",
        f"{total.python} = ({total.python} + {g.scope.variables[0].python}) & M",
    )
