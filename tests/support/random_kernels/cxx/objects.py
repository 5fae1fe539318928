"""Objects of classes: their lifetime, identity, copies, and bases."""

from __future__ import annotations

from collections.abc import Iterator

from support.random_kernels.cxx.builder import Builder
from support.random_kernels.model import Text


def self_pointer(g: Builder) -> Iterator[None]:
    """Objects with pointers to their own members."""
    kind = g.global_name("Self")
    destructor = g.pick("", f"~{kind}() = default;")
    if g.has_obstacles and g.chance(0.3):
        destructor = f"__device__ ~{kind}() {{}}"
    default = g.pick(*[f"{kind}() = default;"] * 2, f"__device__ {kind}() {{}}")
    g.declarations.append(
        f"struct {kind} {{ unsigned v; unsigned* p; {default} {destructor}\n"
        f"    __device__ {kind}(unsigned x) : v(x), p(&v) {{}}\n"
        "    __device__ unsigned get() const { return *p; } };"
    )
    name, v = g.name("self"), g.value()
    form = g.pick("Self {}({});", "Self {}{{{}}};", "Self {} = Self({});", "auto {} = Self({});")
    form = form.replace("Self", kind)
    g.write(form.format(name, v.cxx), f"{name} = {v.python}")
    yield
    g.alias(f"{name}.v", name)
    yield
    g.alias(f"(*{name}.p)", name)
    g.know(f"{name}.get()", name)
    yield
    g.mix(Text(f"*{name}.p", name))


def address(g: Builder) -> Iterator[None]:
    """Pointers to locals, also in objects."""
    g.need("struct Handle { unsigned* p; __device__ unsigned& operator*() const { return *p; } };")
    g.need("struct Holder { __device__ Holder(unsigned& x) : p(&x) {} unsigned* p; };")
    v, name = g.declare(g.value()), g.name("h")
    declaration, use = g.random.choice(
        (
            ("Handle {} = {{&{}}};", "*{}"),
            ("Handle {}{{&{}}};", "*{}.p"),
            ("Holder {}({});", "*{}.p"),
            ("unsigned* {} = &{};", "*{}"),
            ("unsigned *{} = &{}, *const* unused = nullptr;", "{}[0]"),
            ("unsigned* {}[1] = {{&{}}};", "*{}[0]"),
            ("auto* const {} = &{};", "*{}"),
        )
    )
    g.write(declaration.format(name, v.cxx).replace("unused", g.name("unused")))
    g.alias(f"({use.format(name)})", v.python)
    yield
    g.mix(Text(use.format(name), v.python))
    yield
    g.mix(Text(v.cxx, v.python))


def destructor(g: Builder) -> Iterator[None]:
    """A destructor that changes a variable at the end of a block."""
    g.need(
        "struct AtEnd { unsigned& to; unsigned v; __device__ AtEnd(unsigned& t, unsigned x) : "
        "to(t), v(x) {}\n    __device__ ~AtEnd() { to = to * 5u + v; } };"
    )
    yield
    target, other = g.declare(g.value()), g.name("w")
    with g.nest(""):
        v, name = g.value(), g.name("end")
        g.write(f"AtEnd {name}({target.cxx}, {v.cxx});", f"{name} = {v.python}")
        g.alias(f"{name}.v", name)
        g.mix(g.exchange(Text(target.cxx, target.python)))
        g.mix(g.value())
        g.barrier()
        g.write(f"const unsigned {other} = {name}.v + 1u;")
        g.write(python=f"{target.python} = ({target.python} * 5 + {name}) & M")
    g.mix(Text(target.cxx, target.python))


def copies(g: Builder) -> Iterator[None]:
    """Copies and moves that are counted: C++17 leaves out some of them, and only these."""
    g.need(
        "struct Counted { unsigned v;\n    __device__ explicit Counted(unsigned x) : v(x) {}\n"
        "    __device__ Counted(const Counted& o) : v(o.v + 1000u) {}\n"
        "    __device__ Counted(Counted&& o) : v(o.v + 20000u) {} };"
    )
    g.need("inline __device__ Counted make_counted(unsigned x) { return Counted(x); }")
    a, b, v = g.name("a"), g.name("b"), g.value()
    form = g.pick("Counted {}({});", "auto {} = make_counted({});", "Counted {} = Counted({});")
    g.write(form.format(a, v.cxx), f"{a} = {v.python}")
    yield
    g.alias(f"{a}.v", a)
    yield
    form, more = g.random.choice((("{}", 1000), ("static_cast<Counted&&>({})", 20000)))
    g.write(f"Counted {b} = {form.format(a)};", f"{b} = ({a} + {more}) & M")
    g.alias(f"{b}.v", b)
    yield
    g.mix(Text(f"{b}.v", b))


def base_reference(g: Builder) -> Iterator[None]:
    """References to bases, of which a function with an operation finds the derived object."""
    g.need(
        "template <class T> struct Crtp { unsigned a;\n"
        "    __device__ const T& self() const { return static_cast<const T&>(*this); } };"
    )
    g.need(
        "struct Derived : Crtp<Derived> { unsigned b; "
        "__device__ unsigned value() const { return b; } };"
    )
    g.need(
        "template <class T> __device__ unsigned read_derived(const Crtp<T>& e) { __syncwarp();\n"
        "    return e.self().value() + __shfl_xor_sync(~0u, e.a, 1); }"
    )
    name, v, w = g.name("d"), g.value(), g.value()
    g.write(
        f"Derived {name}; {name}.a = {v.cxx}; {name}.b = {w.cxx};",
        f"{name}a = {v.python}; {name}b = {w.python}",
    )
    yield
    g.alias(f"{name}.b", f"{name}b")
    g.write(f"const Crtp<Derived>& base_{name} = {name};")
    g.know(f"base_{name}.self().value()", f"{name}b")
    yield
    operation = f"({name}b + (yield ('shfl_xor', 32, {name}a, 1))) & M"
    argument = g.pick(name, f"base_{name}")
    g.declare(Text(f"read_derived({argument})", operation))


def virtual(g: Builder) -> Iterator[None]:
    """Virtual functions."""
    g.need("struct Animal { unsigned v; __device__ virtual unsigned get() const { return v; } };")
    g.need(
        "struct Cat : Animal { __device__ unsigned get() const override "
        "{ return v * 3u + threadIdx.x; } };"
    )
    name, v = g.name("cat"), g.value()
    kind = g.pick("Animal", "Cat")
    g.write(f"{kind} {name}; {name}.v = {v.cxx};", f"{name} = {v.python}")
    yield
    g.alias(f"{name}.v", name)
    g.write(f"const Animal& any_{name} = {name};")
    found = f"(({name} * 3 + x) & M)" if kind == "Cat" else name
    g.know(f"any_{name}.get()", found)
    yield
    g.mix(Text(f"any_{name}.get()", found))


def aggregate(g: Builder) -> Iterator[None]:
    """Aggregates with initializers of members, arrays, bit-fields, and unions."""
    kind, last = ("Default", "") if g.has_obstacles else ("Plain", ", 7")
    g.need("struct DefaultInner { unsigned a[2]; unsigned b = 7; };")
    g.need("struct PlainInner { unsigned a[2]; unsigned b; };")
    g.need(f"struct {kind}Outer {{ {kind}Inner i; unsigned low : 5; unsigned high : 27; }};")
    name, v, w, u = g.name("o"), g.value(), g.value(), g.value()
    g.write(
        f"{kind}Outer {name}{{{{{{{v.cxx}, {w.cxx}}}{last}}}, ({u.cxx}) & 31u, ({u.cxx}) >> 5}};",
        f"{name} = [{v.python}, {w.python}, 7, {u.python} & 31, {u.python} >> 5]",
    )
    yield
    g.alias(f"{name}.i.a[1]", f"{name}[1]")
    g.alias(f"{name}.i.b", f"{name}[2]")
    g.know(f"unsigned({name}.low)", f"{name}[3]")
    yield
    if g.chance(0.5):
        g.write(f"{name}.low = {name}.i.a[0];", f"{name}[3] = {name}[0] & 31")
    g.mix(Text(f"unsigned({name}.high)", f"{name}[4]"))
    other = g.name("o")
    g.write(f"auto {other} = {name};", f"{other} = list({name})")
    g.alias(f"{other}.i.a[0]", f"{other}[0]")
    yield
    g.mix(Text(f"({other}.i.a[0] ^ {other}.low)", f"({other}[0] ^ {other}[3])"))


def context(g: Builder) -> Iterator[None]:
    """Constructors, default arguments, and members that read the index of a thread."""
    g.need(
        "struct Context { unsigned t; unsigned also = threadIdx.x + 3u;\n"
        "    __device__ Context() : t(threadIdx.x) {}\n"
        "    __device__ unsigned at(unsigned i = threadIdx.x) const { return i * 2u + t; } };"
    )
    name = g.name("c")
    g.write(g.pick("Context {};", "Context {}{{}};", "auto {} = Context();").format(name))
    g.write(python=f"{name} = x")
    yield
    g.alias(f"{name}.t", name)
    g.know(f"{name}.at()", f"((x * 2 + {name}) & M)")
    yield
    if g.chance(0.5):
        c = g.constant(32)
        with g.nest(f"if ({name}.also < {c}u)", f"if x + 3 < {c}:"):
            g.mix(Text(f"{name}.at(5u)", f"(10 + {name})"))
    g.mix(Text(f"{name}.at({name}.also)", f"(((x + 3) * 2 + {name}) & M)"))


def waiting_members(g: Builder) -> Iterator[None]:
    """Constructors, destructors, and operators that wait for other threads."""
    g.need(
        "struct Waits { unsigned v;\n"
        "    __device__ explicit Waits(unsigned x) : v(__shfl_xor_sync(~0u, x, 1)) {}\n"
        "    __device__ Waits(unsigned x, int) : v(x) { __syncthreads(); }\n"
        "    __device__ operator unsigned() const { return __shfl_xor_sync(~0u, v, 2); }\n"
        "    __device__ unsigned operator+(unsigned o) const "
        "{ return __shfl_xor_sync(~0u, v, 4) + o; }\n"
        "    __device__ unsigned operator()() const { __syncwarp(); return v; }\n"
        "    __device__ unsigned& operator[](unsigned i) { __syncthreads(); return v += i; } };"
    )
    name, v = g.name("w"), g.value()
    g.write(
        f"Waits {name}({v.cxx});",
        f"{name} = {v.python}\n{name} = yield ('shfl_xor', 32, {name}, 1)",
    )
    yield
    g.alias(f"{name}.v", name)
    yield
    other = g.name("u")
    kind = g.random.randrange(4)
    c = g.constant()
    if kind == 0:
        g.write(f"unsigned {other} = {name};", f"{other} = yield ('shfl_xor', 32, {name}, 2)")
    elif kind == 1:
        g.write(
            f"unsigned {other} = {name} + {c}u;",
            f"{other} = ((yield ('shfl_xor', 32, {name}, 4)) + {c}) & M",
        )
    elif kind == 2:
        g.write(f"unsigned {other} = {name}();", f"yield ('syncwarp', 32)\n{other} = {name}")
    else:
        g.write(
            f"unsigned {other} = {name}[{c}u];",
            f"yield ('barrier', 0)\n{name} = ({name} + {c}) & M\n{other} = {name}",
        )
    g.alias(other, other)
    yield
    g.mix(Text(other, other))


FEATURES = (
    *(self_pointer, address, destructor, copies, base_reference, virtual, aggregate, context),
    waiting_members,
)
