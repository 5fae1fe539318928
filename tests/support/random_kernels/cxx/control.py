"""Control flow, scopes, ranges, and subscripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from support.random_kernels.cxx.builder import Builder, run_features
from support.random_kernels.model import Text


def uniform_loop(g: Builder) -> Iterator[None]:
    """Loops whose iterations all threads run, with operations in them."""
    i, c = g.name("i"), g.random.randrange(1, 3)
    yield
    was_repeated, g.is_repeated = g.is_repeated, True
    form = g.random.randrange(4)
    head, start, end = (
        (f"for (unsigned {i} = 0; {i} < {c}u + (p & 1u); ++{i})", "", ""),
        (f"for (auto {i} = {c}u + (p & 1u); {i}--;)", "", ""),
        (f"unsigned {i} = 0; while ({i} < {c}u + (p & 1u))", "", f"++{i};"),
        (f"unsigned {i} = 0; do", f"if (p > 90u and {i} == 7u) continue;", f"++{i};"),
    )[form]
    python = f"for {i} in range({c} + (p & 1)):"
    if form == 1:
        python = f"for {i} in reversed(range({c} + (p & 1))):"
    with g.nest(head, python, f"}} while ({i} < {c}u + (p & 1u));" if form == 3 else "}"):
        g.write(start)
        g.know(i, i)
        for _ in range(3):
            g.fill(g)
        if g.chance(0.4):
            run_features(g, g.choose(g, 1))
        if g.chance(0.4):
            g.write(f"if (p + {i} > {c + 2}u) break;", f"if p + {i} > {c + 2}: break")
            g.fill(g)
        g.barrier()
        g.write(end)
    g.is_repeated = was_repeated


def masked_loop(g: Builder) -> Iterator[None]:
    """Loops of some threads, with `continue` and `break`."""
    i, c = g.name("i"), g.random.randrange(2, 7)
    yield
    with g.nest(
        f"for (unsigned {i} = 0; {i} < tid % {c}u; ++{i})", f"for {i} in range(tid % {c}):"
    ):
        g.know(i, i)
        test = g.condition()
        g.write(f"if ({test.cxx}) continue;", f"if {test.python}: continue")
        g.fill_masked(g)
        test = g.condition()
        g.write(f"if ({test.cxx}) break;", f"if {test.python}: break")
        g.fill_masked(g)


def shadow(g: Builder) -> Iterator[None]:
    """Names of outer variables, of functions, and of CUDA's that inner blocks declare again."""
    yield
    v = g.declare(g.value())
    name = v.cxx
    if g.chance(0.3):
        name = g.pick("max", "min", "any", "all", "sync", "ballot", "block", "row", "order", "self")
    inner, w, t = g.name("inner"), g.value(), g.name("t")
    used = re.compile(rf"\b{name}\b")
    while used.search(w.cxx):
        w = g.value()
    form = g.random.randrange(4) if g.has_obstacles else g.random.choice((0, 2))
    g.write(python=f"{inner} = {w.python}")
    head = (
        "",
        f"if (unsigned {name} = {w.cxx}; {name} or true)",
        f"for (unsigned {name} = {w.cxx}, {t} = 0; {t} < 1u; ++{t})",
        f"switch (unsigned {name} = {w.cxx}; p * 0u) case 0:",
    )[form]
    with g.nest(head):
        if form == 0:
            g.write(f"unsigned {name} = {w.cxx};")
        g.scope.variables = [each for each in g.scope.variables if not used.search(each.cxx)]
        g.scope.values = [each for each in g.scope.values if not used.search(each.cxx)]
        kept, g.functions = g.functions, []
        g.alias(name, inner)
        g.write(f"{name} += 3u;", f"{inner} = ({inner} + 3) & M")
        g.barrier()
        g.mix(g.shuffle(Text(name, inner)))
        r = g.name("r")
        g.write(
            f"unsigned {r} = [&](unsigned {name}) {{ return {name} * 2u; }}(7u) + {name};",
            f"{r} = (14 + {inner}) & M",
        )
        g.alias(r, r)
        g.mix(Text(r, r))
        g.functions = kept
    g.mix(Text(v.cxx, v.python))


def grid_range(g: Builder) -> Iterator[None]:
    """A range whose iterators read the index."""
    g.need(
        "struct Stride { unsigned n;\n    struct It { unsigned i;\n"
        "        __device__ unsigned operator*() const { return i; }\n"
        "        __device__ It& operator++() { i += blockDim.x; return *this; }\n"
        "        __device__ bool operator!=(const It& o) const { return i < o.i; } };\n"
        "    __device__ It begin() const { return {threadIdx.x}; }\n"
        "    __device__ It end() const { return {n}; } };"
    )
    i, r, n = g.name("i"), g.name("r"), g.random.randrange(100, 300)
    v = g.value()
    g.write(f"unsigned {r} = {v.cxx};", f"{r} = {v.python}")
    yield
    form = g.pick("unsigned", "const auto&", "auto&&")
    with g.nest(f"for ({form} {i} : Stride{{{n}u}})", f"for {i} in range(x, {n}, width):"):
        g.know(i, i)
        g.write(f"{r} += {i} * {i};", f"{r} = ({r} + {i} * {i}) & M")
        g.fill_masked(g)
    g.alias(r, r)


def waiting_range(g: Builder) -> Iterator[None]:
    """A range whose `begin` waits."""
    name = g.global_name("Range")
    g.arrays[f"{name}s"] = g.threads
    g.declarations.append(
        f"struct {name} {{ unsigned v;\n    __device__ const unsigned* begin() const {{\n"
        f"        __shared__ unsigned s[{g.threads}]; __syncthreads();\n"
        f"        s[tid_of()] = __shfl_xor_sync(~0u, v, 1); __syncthreads(); return s; }}\n"
        f"    __device__ const unsigned* end() const {{ return begin() + {g.threads}; }} }};"
    )
    yield
    r, v, item = g.name("r"), g.value(), g.name("item")
    shared = f"shared['{name}s']"
    once = (
        f"yield ('barrier', 0)\n{shared}[tid] = yield ('shfl_xor', 32, {v.python}, 1)\n"
        "yield ('barrier', 0)\n"
    )
    g.write(
        f"unsigned {r} = 0; for (unsigned {item} : {name}{{{v.cxx}}}) {r} += {item};",
        f"{once}{once}{r} = sum({shared}) & M",
    )
    g.alias(r, r)


def tuple_like(g: Builder) -> Iterator[None]:
    """Structured bindings that call `get`."""
    a, b = g.name("a"), g.name("b")
    yield
    if g.chance(0.5):
        g.write(f"auto [{a}, {b}] = lib::Tid{{}};", f"{a} = x; {b} = width")
        g.know(b, b)
    else:
        v = g.value()
        g.write(f"auto [{a}, {b}] = lib::Exchanged{{{v.cxx}}};", f"{a} = {v.python}")
        g.write(python=f"{b} = yield ('shfl_xor', 32, {a}, 1)")
        g.know(b, b)
    g.know(a, a)
    yield
    g.mix(Text(f"({a} + {b})", f"({a} + {b})"))


def subscripts(g: Builder) -> Iterator[None]:
    """Subscripts of types that wrap around or are negative."""
    c, d = g.constant(256), g.constant(64)
    name = g.name("at")
    kinds = (
        (f"in[(unsigned char)(threadIdx.x + {c}u)]", f"in_[(x + {c}) & 255]"),
        (f"(in + 400)[int(threadIdx.x) - {c}]", f"in_[400 + x - {c}]"),
        (f"(in + 300)[(signed char)(tid + {c}u)]", f"in_[300 + ((tid + {c} + 128) % 256 - 128)]"),
        (f"in[(unsigned short)(tid + {65536 - d}u) & 1023u]", f"in_[(tid - {d}) & 1023]"),
        (f"in[(threadIdx.x + p - {d}u) % 512u]", f"in_[(x + p - {d}) % 512]"),
        (f"in[threadIdx.x xor {d}u]", f"in_[x ^ {d}]"),
        ("in[threadIdx.x << 1 bitor 1u]", "in_[x << 1 | 1]"),
        (f"{d}[in + threadIdx.x]", f"in_[{d} + x]"),
        (f"*(in + threadIdx.x + {d}u)", f"in_[x + {d}]"),
        (f"in[short(threadIdx.x) - short(-{d})]", f"in_[x + {d}]"),
        (f"in[size_t(tid) * p + {d}]", f"in_[tid * p + {d}]"),
        (f"in[threadIdx.x < {d}u ? {d}u : threadIdx.x]", f"in_[max(x, {d})]"),
    )
    for _ in range(2):
        cxx, python = g.random.choice(kinds)
        g.mix(Text(f"({cxx})", python))
        yield
    k = g.random.randrange(3)
    typed, wrap = (("unsigned char", 255), ("unsigned short", 65535), ("unsigned", 2**32 - 1))[k]
    g.write(
        f"{typed} {name} = ({typed})(threadIdx.x + {wrap - 20}u); {name} += 5; {name}++;",
        f"{name} = (x + {wrap - 20} + 6) & {wrap}",
    )
    yield
    g.mix(Text(f"in[{name} & 1023u]", f"in_[{name} & 1023]"))
    g.mix(Text(f"in[({typed})({name} + 21) & 1023u]", f"in_[(({name} + 21) & {wrap}) & 1023]"))


def uniform_branches(g: Builder) -> Iterator[None]:
    """Branches and cases that all threads take together, with operations in them."""
    c = g.constant(6)
    yield
    if not g.has_obstacles or g.chance(0.5):
        with g.nest(f"if (p > {c}u)", f"if p > {c}:"):
            g.fill(g)
            g.barrier()
        with g.nest("else", "else:"):
            g.fill(g)
            g.mix(g.shuffle(g.value()))
        return
    g.write("switch (p & 1u) {")
    with g.nest("case 0:", "if p & 1 == 0:"):
        g.fill(g)
        g.barrier()
        g.write("break;")
    with g.nest("default:", "else:"):
        g.fill(g)
        g.mix(g.shuffle(g.value()))
    g.write("}")


def index_copies(g: Builder) -> Iterator[None]:
    """Copies and references of what CUDA declares."""
    name = g.name("id")
    form = g.pick(
        "const auto& {} = threadIdx;", "uint3 {} = threadIdx;", "const auto {} = threadIdx;"
    )
    g.write(form.format(name))
    g.know(f"{name}.x", "x")
    yield
    c = g.constant(16)
    with g.nest(f"if ({name}.x < {c}u)", f"if x < {c}:"):
        g.fill_masked(g)
    g.mix(Text(f"({name}.x * {name}.y + dim3(3, 4).y)", "(x * y + 4)"))


def tiles(g: Builder) -> Iterator[None]:
    """Groups of threads."""
    n, name = g.random.choice((4, 8, 16, 32)), g.name("tile")
    g.write(f"auto {name} = cg::tiled_partition<{n}>(cg::this_thread_block());")
    g.know(f"{name}.thread_rank()", f"(tid % {n})")
    yield
    v = g.value()
    g.declare(Text(f"{name}.shfl_xor({v.cxx}, 1)", f"yield ('shfl_xor', {n}, {v.python}, 1)"))
    g.write(f"{name}.sync();", f"yield ('syncwarp', {n})")
    yield
    g.declare(Text(f"{name}.shfl({v.cxx}, 2)", f"yield ('shfl', {n}, {v.python}, 2)"))


def local_class(g: Builder) -> Iterator[None]:
    """A class in a block, whose members wait."""
    name, v = g.name("Local"), g.value()
    g.write(
        f"struct {name} {{ unsigned v, w = 4;\n"
        "    __device__ unsigned run(unsigned& x) { x += v++; __syncthreads(); return x ^ w; }\n"
        f"}} one_{name};\none_{name}.v = {v.cxx};",
        f"{name} = {v.python}",
    )
    yield
    g.alias(f"one_{name}.v", name)
    yield
    x, r = g.declare(g.value()), g.name("r")
    g.write(
        f"unsigned {r} = one_{name}.run({x.cxx});",
        f"{x.python} = ({x.python} + {name}) & M\n{name} = ({name} + 1) & M\n"
        f"yield ('barrier', 0)\n{r} = {x.python} ^ 4",
    )
    g.alias(r, r)


FEATURES = (
    *(uniform_loop, masked_loop, shadow, grid_range, waiting_range, tuple_like, subscripts),
    *(uniform_branches, index_copies, tiles, local_class),
)
