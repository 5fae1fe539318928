"""References, lambdas, bindings, and initializer lists that live across barriers."""

from __future__ import annotations

from collections.abc import Iterator

from support.random_kernels.cxx.builder import Builder
from support.random_kernels.model import Text


def reference(g: Builder) -> Iterator[None]:
    """Other names of variables."""
    v, name = g.variable(), g.name("r")
    kind = g.random.randrange(3)
    if kind == 0:
        forms = ["unsigned& {} = {};", "auto& {} = {};", "auto&& {} = {};"]
        if g.has_obstacles:
            forms += ["unsigned &{}({});", "unsigned& {}{{{}}};", "decltype(auto) {} = ({});"]
            forms.append("decltype(({1})) {0} = {1};")
        form = g.pick(*forms)
        g.write(form.format(name, v.cxx))
        g.alias(name, v.python)
    else:
        forms = ["const unsigned& {} = {};", "const auto& {} = {};", "const unsigned &{}({});"]
        form = g.pick(*forms[: 2 + g.has_obstacles])
        g.write(form.format(name, v.cxx))
        g.know(name, v.python)
    yield
    g.mix(Text(name, v.python))
    yield
    g.mix(Text(name, v.python))


def temporary(g: Builder) -> Iterator[None]:
    """Temporaries whose lifetime a reference extends."""
    g.need("struct Pair { unsigned a, b; };")
    v, name = g.value(), g.name("t")
    kind = g.random.randrange(3 + g.has_obstacles)
    g.write(python=f"{name} = {v.python}")
    if kind == 0:
        g.write(f"const unsigned& {name} = {v.cxx} + 0u;")
        g.know(name, name)
    elif kind == 1:
        g.write(f"unsigned&& {name} = {v.cxx} + 0u;")
        g.alias(name, name)
    elif kind == 2:
        g.write(f"const Pair& {name} = Pair{{{v.cxx}, {v.cxx}}};")
        g.know(f"{name}.b", name)
    else:
        g.write(f"auto&& {name} = Pair{{{v.cxx}, 1u}}.a;")
        g.alias(name, name)
    yield
    yield
    g.mix(Text(f"{name}.a" if kind == 2 else name, name))


def array_reference(g: Builder) -> Iterator[None]:
    """References to arrays, and declarations of several kinds of variables."""
    name, v, w = g.name("arr"), g.value(), g.value()
    array, pointer, single, ref = name, f"p_{name}", f"one_{name}", f"ref_{name}"
    g.write(python=f"{name} = [{v.python}, {w.python}, 0]; {single} = {v.python}")
    g.write(
        f"unsigned {single} = {v.cxx}, {array}[3] = {{{v.cxx}, {w.cxx}}}, "
        f"*{pointer} = {array} + 1, &{ref} = {single};"
    )
    g.alias(f"{array}[0]", f"{name}[0]")
    g.alias(ref, single)
    yield
    g.alias(f"(*{pointer})", f"{name}[1]")
    g.write(f"unsigned (&whole_{name})[3] = {array};")
    g.alias(f"whole_{name}[2]", f"{name}[2]")
    yield
    i, item = g.name("i"), g.name("item")
    form = g.pick(f"for (unsigned& {item} : {array})", f"for (auto&& {item} : whole_{name})")
    with g.nest(form, f"for {i} in range(3):"):
        g.alias(item, f"{name}[{i}]")
        g.mix(g.value())
    g.mix(Text(single, single))


def binding(g: Builder) -> Iterator[None]:
    """Structured bindings of aggregates and arrays."""
    g.need("struct Pair { unsigned a, b; };")
    pair, v, w = g.name("pair"), g.value(), g.value()
    declaration = f"Pair {pair}" if g.chance(0.5) else f"unsigned {pair}[2]"
    g.write(f"{declaration} = {{{v.cxx}, {w.cxx}}};", f"{pair} = [{v.python}, {w.python}]")
    if g.has_obstacles:
        _bind(g, pair)
        yield
    else:
        with g.nest(""):
            _bind(g, pair)
            g.mix(g.value())
            g.fill_masked(g)
    first = f"{pair}.a" if declaration.startswith("Pair") else f"{pair}[0]"
    g.alias(first, f"{pair}[0]")
    yield
    g.mix(Text(first, f"{pair}[0]"))


def _bind(g: Builder, pair: str) -> None:
    """Bind names to the elements of a pair, or of its copy."""
    a, b, kind = g.name("a"), g.name("b"), g.random.randrange(3)
    if kind == 0:
        g.write(f"auto [{a}, {b}] = {pair};", f"{a}c = list({pair})")
        g.alias(a, f"{a}c[0]")
        g.alias(b, f"{a}c[1]")
    elif kind == 1:
        g.write(f"{g.pick('auto&', 'auto&&')} [{a}, {b}] = {pair};")
        g.alias(a, f"{pair}[0]")
        g.alias(b, f"{pair}[1]")
    else:
        g.write(f"const auto& [{a}, {b}] = {pair};")
        g.know(a, f"{pair}[0]")
        g.know(b, f"{pair}[1]")


def lambda_value(g: Builder) -> Iterator[None]:
    """Lambdas that are stored before a barrier, with what they capture."""
    v = g.declare(g.value())
    g.scope.variables.pop()
    name, c = g.name("f"), g.constant()
    kind = g.random.choice((0, 1, 2, 3, 4) if g.has_obstacles else (0, 1))
    if kind == 0:
        g.write(f"auto {name} = [=] {{ return {v.cxx} + {c}u; }};", f"{name} = {v.python}")
        found = f"(({name} + {c}) & M)"
    elif kind == 1:
        g.write(f"auto {name} = [&] {{ return {v.cxx} + {c}u; }};")
        found = f"(({v.python} + {c}) & M)"
    elif kind == 2:
        g.write(
            f"auto {name} = [m = {v.cxx} * 3u]() {{ return m + threadIdx.x; }};",
            f"{name} = {v.python} * 3",
        )
        found = f"(({name} + x) & M)"
    elif kind == 3:
        g.write(f"const auto& {name} = [&r = {v.cxx}]() -> unsigned {{ return r; }};")
        found = v.python
    else:
        g.write(
            f"auto {name} = [{v.cxx}](auto... rest) mutable {{ {v.cxx} ^= 0u; "
            f"return (({v.cxx} + threadIdx.x % 8u) + ... + rest); }};",
            f"{name} = {v.python}",
        )
        found = f"(({name} + x % 8) & M)"
    g.scope.variables.append(v)
    yield
    g.know(f"{name}()", found)
    yield
    g.mix(Text(f"{name}()", found))


def lambda_change(g: Builder) -> Iterator[None]:
    """Lambdas that change what they capture, and that wait."""
    v, name = g.declare(g.value()), g.name("f")
    head = g.pick("[&](unsigned d)", "[&](auto d)", f"[&{v.cxx}](unsigned d)")
    g.write(f"auto {name} = {head} {{ {v.cxx} += d; return {v.cxx} * 2u; }};")
    yield
    w, r = g.value(), g.name("r")
    g.write(
        f"unsigned {r} = {name}({w.cxx});",
        f"{v.python} = ({v.python} + {w.python}) & M\n{r} = {v.python} * 2 & M",
    )
    g.alias(r, r)
    yield
    u = g.name("u")
    g.write(
        f"unsigned {u} = [&] {{ {v.cxx} += 3u; __syncthreads(); "
        f"return __shfl_xor_sync(~0u, {v.cxx}, 1); }}();",
        f"{v.python} = ({v.python} + 3) & M\nyield ('barrier', 0)\n"
        f"{u} = yield ('shfl_xor', 32, {v.python}, 1)",
    )
    g.alias(u, u)


def initializer_list(g: Builder) -> Iterator[None]:
    """A list whose elements are temporaries."""
    name, v, w = g.name("l"), g.value(), g.value()
    g.write(
        f"std::initializer_list<unsigned> {name} = {{{v.cxx}, {w.cxx}, tid}};",
        f"{name} = [{v.python}, {w.python}, tid]",
    )
    yield
    g.know(f"{name}.begin()[1]", f"{name}[1]")
    yield
    total, item = g.name("sum"), g.name("item")
    g.write(f"unsigned {total} = 0;\nfor (auto {item} : {name}) {total} += {item};")
    g.write(python=f"{total} = sum({name}) & M")
    g.alias(total, total)


def member_pointer(g: Builder) -> Iterator[None]:
    """Pointers to members and to functions."""
    g.need("struct Pair { unsigned a, b; };")
    g.need("inline __device__ unsigned triple(unsigned x) { return x * 3u + threadIdx.x; }")
    name, v = g.name("m"), g.value()
    g.write(
        f"Pair {name}{{{v.cxx}, tid}}; unsigned Pair::*at_{name} = &Pair::b;\n"
        f"unsigned (*call_{name})(unsigned) = triple;",
        f"{name} = [{v.python}, tid]",
    )
    yield
    g.alias(f"({name}.*at_{name})", f"{name}[1]")
    yield
    g.mix(Text(f"call_{name}({name}.a)", f"(({name}[0] * 3 + x) & M)"))


FEATURES = (
    *(reference, temporary, array_reference, binding, lambda_value, lambda_change),
    *(initializer_list, member_pointer),
)
