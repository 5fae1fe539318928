"""Names that look pure, constant, or known, and are not; macros, and unusual tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from support.random_kernels.cxx.builder import Builder, Feature
from support.random_kernels.model import Text

# Values that depend on memory behind a variable of the device or a parameter: what precedes the
# kernel, a parameter with its argument, the expression, its value, and an lvalue of the memory.
# The memory holds 7 at first, {g} is a new name, and the parameter is named {g}p.
_MEMORY = {
    "conversion": (
        "struct View{g} {{ unsigned* m; __device__ operator unsigned() const {{ return *m; }} }};",
        ("View{g} {g}p", "k::View{g}{{{place}}}"),
        ("{g}p", "{m}", "*{g}p.m"),
    ),
    "reference_member": (
        "struct Ref{g} {{ unsigned& m; }};",
        ("Ref{g} {g}p", "k::Ref{g}{{*{place}}}"),
        ("{g}p.m", "{m}", "{g}p.m"),
    ),
    "operator": (
        (
            "struct View{g} {{ unsigned* m; }};\n"
            "inline __device__ unsigned operator+(View{g} v, unsigned x) {{ return *v.m + x; }}"
        ),
        ("View{g} {g}p", "k::View{g}{{{place}}}"),
        ("{g}p + 1u", "({m} + 1)", "*{g}p.m"),
    ),
    "enum_operator": (
        (
            "enum E{g} {{ A{g}, B{g} }}; __device__ unsigned {g}m = 7;\n"
            "inline __device__ unsigned operator+(E{g} e, unsigned i) "
            "{{ return {g}m + i + unsigned(e); }}"
        ),
        ("E{g} {g}p", "k::B{g}"),
        ("{g}p + 1u", "({m} + 2)", "{g}m"),
    ),
    "enum_compare": (
        (
            "enum class E{g} {{ a, b }}; __device__ unsigned {g}m = 7;\n"
            "inline __device__ bool operator<(E{g}, E{g}) {{ return {g}m < 8u; }}"
        ),
        ("E{g} {g}p", "k::E{g}::a"),
        ("unsigned({g}p < {g}p)", "int({m} < 8)", "{g}m"),
    ),
    "user_max": (
        (
            "struct Big{g} {{ unsigned v; }}; __device__ unsigned {g}m = 7;\n"
            "inline __device__ unsigned {f}(Big{g} a, unsigned b) {{ return {g}m + a.v + b; }}"
        ),
        ("Big{g} {g}p", "k::Big{g}{{1}}"),
        ("{f}({g}p, 1u)", "({m} + 2)", "{g}m"),
    ),
    "variable_template": (
        "template <class T> __device__ T {g}m = T(7);",
        None,
        ("{g}m<unsigned>", "{m}", "{g}m<unsigned>"),
    ),
    "member_function": (
        (
            "struct Box{g} {{ unsigned* m; __device__ unsigned {f}(unsigned x) const "
            "{{ return *m + x; }} }};"
        ),
        ("Box{g} {g}p", "k::Box{g}{{{place}}}"),
        ("{g}p.{f}(2u)", "({m} + 2)", "*{g}p.m"),
    ),
    "macro_memory": (
        "__device__ unsigned {g}m = 7;\n#define READ_{g} ({g}m)",
        None,
        ("READ_{g}", "{m}", "{g}m"),
    ),
    "subscript_operator": (
        (
            "struct Table{g} {{ unsigned* m; __device__ unsigned operator[](unsigned i) const "
            "{{ return *m * i; }} }};"
        ),
        ("Table{g} {g}p", "k::Table{g}{{{place}}}"),
        ("{g}p[3u]", "({m} * 3)", "*{g}p.m"),
    ),
    "device_reference": (
        (
            "__device__ unsigned {g}m = 7; struct Get{g} "
            "{{ __device__ unsigned operator()() const {{ return {g}m; }} }};"
        ),
        ("Get{g} {g}p", "k::Get{g}{{}}"),
        ("{g}p()", "{m}", "{g}m"),
    ),
}


def _name_function(g: Builder) -> str:
    """Return the name of a function of CUDA's, which can be that of an operation."""
    operations = ("any", "sync", "ballot") if g.has_obstacles else ()
    return g.pick("max", "min", "abs", *operations)


def _write_memory(g: Builder, kind: str) -> Iterator[None]:
    """Keep a value in a variable while its memory changes."""
    name, f = g.global_name("g"), _name_function(g)
    before, parameter, (value, python, memory) = _MEMORY[kind]
    g.declarations.append(before.format(g=name, f=f))
    if parameter:
        place = f"(scratch + {len(g.parameters)})"
        argument = parameter[1].format(g=name, place=place)
        g.parameters.append((parameter[0].format(g=name), argument))
    text = value.format(g=name, f=f)
    old = Text(text, python.format(m="7"))
    v = g.name("old")
    form = g.pick("unsigned {} = {};", "const unsigned {} = {};", "const auto {} = {} + 0u;")
    g.write(form.format(v, old.cxx), f"{v} = {old.python}")
    g.know(v, v)
    g.barrier()
    yield
    c = g.constant()
    with g.nest("if (tid == 0)"):
        g.write(f"{memory.format(g=name)} = {c}u;")
    g.barrier()
    g.know(f"({text})", python.format(m=c))
    yield
    g.mix(Text(v, v))
    g.mix(Text(f"({text})", python.format(m=c)))


def overloads_on_const(g: Builder) -> Iterator[None]:
    """Overloads and templates that see whether a variable is const."""
    g.need(
        "inline __device__ unsigned which(unsigned&) { return 1; }\n"
        "inline __device__ unsigned which(const unsigned&) { return 2; }\n"
        "inline __device__ unsigned which(unsigned&&) { return 3; }\n"
        "struct One { unsigned v; };\n"
        "template <class X> __device__ bool operator<(X& x, One) { return x >= 0u; }\n"
        "template <class X> __device__ bool operator<(const X&, One) { return false; }\n"
        "struct Sub { template <class T> __device__ unsigned operator[](T&) const { return 4; }\n"
        "    template <class T> __device__ unsigned operator[](const T&) const { return 8; } };\n"
        "template <class T> struct Is { static constexpr unsigned constant = 0; };\n"
        "template <class T> struct Is<const T> { static constexpr unsigned constant = 1; };"
    )
    v, c, w = g.declare(g.value()), g.name("c"), g.value()
    g.scope.variables.pop()
    g.write(f"const unsigned {c} = {w.cxx};", f"{c} = {w.python}")
    yield
    forms = (
        ("which({})", 1, 2),
        ("unsigned({} < One{{1}})", 1, 0),
        ("Sub{{}}[{}]", 4, 8),
        ("(Is<decltype({})>::constant + 0u)", 0, 1),
        ("(Is<std::remove_reference_t<decltype(({}))>>::constant + 0u)", 0, 1),
    )
    for form, mutable, constant in forms if g.has_obstacles else forms[:3]:
        if g.chance(0.5):
            g.know(form.format(v.cxx), str(mutable))
            g.know(form.format(c), str(constant))
            g.mix(
                Text(f"({form.format(v.cxx)} + 5u * {form.format(c)})", f"{mutable + 5 * constant}")
            )
    yield
    g.know(v.cxx, v.python)
    g.mix(Text(f"which({v.cxx})", "1"))


def user_lane(g: Builder) -> Iterator[None]:
    """Functions with names of CUDA's that read the index."""
    f = _name_function(g)
    kind = g.global_name("Kind")
    g.declarations.append(
        f"enum class {kind} {{ parity }};\n"
        f"inline __device__ unsigned {f}({kind}) {{ return threadIdx.x & 1u; }}"
    )
    n, v = g.name("n"), g.variable()
    g.write(f"unsigned {n} = {f}({kind}::parity);", f"{n} = x & 1")
    yield
    if g.width % 2 == 0:
        with g.nest(f"if ({n})", f"if {n}:"):
            g.write(
                f"{v.cxx} = __shfl_xor_sync(0xaaaaaaaau, {v.cxx}, 2);",
                f"{v.python} = yield ('shfl_xor', ('mask', 0xaaaaaaaa), {v.python}, 2)",
            )
    g.know(f"{f}({kind}::parity)", "(x & 1)")
    yield


def statics(g: Builder) -> Iterator[None]:
    """Static constants and tables in functions, and a counter that lives on."""
    name = g.global_name("counted")
    g.declarations.append(
        f"inline __device__ unsigned {name}() {{\n"
        "    static unsigned counter = 5; __shared__ unsigned r;\n"
        "    static const unsigned table[4] = {2, 3, 5, 7};\n"
        "    __syncthreads();\n    if (tid_of() == 0) r = atomicAdd(&counter, 1u);\n"
        "    __syncthreads();\n    return r + table[threadIdx.x % 4u]; }"
    )
    first = 5
    if g.chance(0.5):
        earlier = g.global_name("earlier")
        bounds = g.pick("", "__launch_bounds__(128) ")
        g.declarations.append(
            f"__global__ void {bounds}{earlier}(unsigned* o)\n"
            f"{{ o[threadIdx.x] = {name}() * 0u + 7u; }}"
        )
        g.earlier.append(earlier)
        first += 1
    for step in range(2):
        r = g.name("r")
        g.write(f"unsigned {r} = {name}();", "yield ('barrier', 0)\nyield ('barrier', 0)")
        g.write(python=f"{r} = {first + step} + (2, 3, 5, 7)[x % 4]")
        g.know(r, r)
        yield


def macros(g: Builder) -> Iterator[None]:
    """Variables, statements, and operations that macros write."""
    name, v = g.name("m"), g.value()
    g.need("#define DECLARE(type, name, ...) type name = (__VA_ARGS__)")
    g.need("#define EXCHANGE(to, from) do { to = __shfl_xor_sync(~0u, from, 1); } while (0)")
    g.need("#define MEET(x) ((void)(x), __syncthreads())")
    g.need("#define JOIN(a, b) a##b")
    g.write(f"DECLARE(unsigned, JOIN({name}, x), {v.cxx});", f"{name}x = {v.python}")
    yield
    g.alias(f"{name}x", f"{name}x")
    g.write(f"EXCHANGE({name}x, {name}x);", f"{name}x = yield ('shfl_xor', 32, {name}x, 1)")
    yield
    if g.has_obstacles:
        g.write(f"MEET({name}x++);", f"{name}x = ({name}x + 1) & M\nyield ('barrier', 0)")
    g.mix(Text(f"JOIN({name}, x)", f"{name}x"))


def tokens(g: Builder) -> Iterator[None]:
    """Digraphs, spliced lines, comments, and strings that contain operations."""
    name, v, w = g.name("t"), g.value(), g.value()
    g.write(
        f"unsigned {name}<:2:> = <% {v.cxx}, {w.cxx} %>; // __syncthreads(); \\\n}}\n"
        f'const char* text_{name} = R"x(__syncthreads(); " }} )x"; /* __syncwarp(); {{ */\n'
        f"[[maybe_unused]] {'alignas(8) ' * g.has_obstacles}unsi\\\ngned {name}b = {name}<:0:> + "
        f"unsigned(text_{name}[0]) + 0x1'0u + 'a';",
        f"{name} = [{v.python}, {w.python}]\n{name}b = ({name}[0] + 95 + 16 + 97) & M",
    )
    yield
    g.alias(f"{name}<:1:>", f"{name}[1]")
    g.alias(f"{name}b", f"{name}b")
    yield
    g.write(f"{name}b or_eq 64u; {name}b and_eq compl 3u;", f"{name}b = ({name}b | 64) & ~3 & M")
    yield
    g.mix(Text(f"{name}b", f"{name}b"))


_FUNCTIONS: tuple[Callable[[Builder], Iterator[None]], ...] = (
    *(overloads_on_const, user_lane, statics, macros, tokens),
)
FEATURES: tuple[tuple[str, Feature], ...] = (
    *((f.__name__, f) for f in _FUNCTIONS),
    *((f"memory_{kind}", partial(_write_memory, kind=kind)) for kind in _MEMORY),
)
