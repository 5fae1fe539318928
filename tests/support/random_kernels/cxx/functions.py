"""Functions of the device that wait, with parameters of all kinds and arguments that alias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from support.random_kernels.cxx.builder import START, Builder, Scope, run_features
from support.random_kernels.model import Text

# How a parameter is declared, what names its value, and whether it is a variable's own name.
_PARAMETERS = {
    "value": ("unsigned {}", "{}"),
    "const value": ("const unsigned {}", "{}"),
    "reference": ("unsigned& {}", "{}"),
    "const reference": ("const unsigned& {}", "{}"),
    "pointer": ("unsigned* {}", "(*{})"),
    "template value": ("T {}", "{}"),
    "template reference": ("T& {}", "{}"),
    "template const reference": ("const T& {}", "{}"),
    "forwarding reference": ("U&& {}", "{}"),
    "class": ("Wrapped {}", "{}.v"),
    "class reference": ("const Wrapped& {}", "{}.v"),
}
_FORMS = ("free", "free", "lambda")
_MEMBER_FORMS = ("static member", "functor", "method")
_CHANGES = {
    "{} = {c}u;": "{p} = {c}",
    "{}++;": "{p} = ({p} + 1) & M",
    "change({});": "{p} = ({p} + 100) & M",
    "change_at(&{});": "{p} = {p} ^ 0x55",
    "{} or_eq 64u;": "{p} = {p} | 64",
    "[&] {{ {} -= {c}u; }}();": "{p} = ({p} - {c}) & M",
    "(void)({} += {c}u, 0);": "{p} = ({p} + {c}) & M",
}


@dataclass(frozen=True, slots=True)
class _Parameter:
    kind: str
    name: str
    declaration: str

    @property
    def is_variable(self) -> bool:
        return self.kind in {"reference", "pointer", "template reference", "forwarding reference"}

    @property
    def is_constant(self) -> bool:
        return "const" in self.kind or "class" in self.kind

    @property
    def python(self) -> str:
        """What calls replace by the argument."""
        return f"@{self.name}@"


class _Function:
    def __init__(self, g: Builder, form: str, *, is_small: bool = False) -> None:
        self._is_small = is_small
        self._name, self._result, self._form = g.global_name("f"), g.name("ret"), form
        g.need("struct Wrapped { unsigned v; };")
        g.need("inline __device__ void change(unsigned& x) { x += 100u; }")
        g.need("inline __device__ void change_at(unsigned* x) { *x ^= 0x55u; }")
        kinds = [kind for kind in _PARAMETERS if "template" not in kind and "forward" not in kind]
        if form != "lambda" and g.chance(0.5):
            kinds = list(_PARAMETERS)
        self._parameters = []
        if is_small:
            kinds = ["value", "reference", "const reference", "pointer"]
        for _ in range(g.random.randint(1, 4)):
            kind, name = g.random.choice(kinds), g.name("a")
            self._parameters.append(_Parameter(kind, name, _PARAMETERS[kind][0].format(name)))
        self._define(g)

    @property
    def is_local(self) -> bool:
        return self._form == "lambda"

    def _define(self, g: Builder) -> None:
        scope = Scope([], [])
        for parameter in self._parameters:
            text = Text(_PARAMETERS[parameter.kind][1].format(parameter.name), parameter.python)
            (scope.values if parameter.is_constant else scope.variables).append(text)
        parameters = ", ".join(
            ("const unsigned* in", "unsigned p", *(each.declaration for each in self._parameters))
        )
        member = Text("member", "12")
        if self._form == "method":
            scope.values.append(member)
        with g.define(scope) as (cxx, python):
            g.write(*START)
            for parameter in self._parameters:
                if not parameter.is_constant and g.chance(0.4):
                    _change_parameter(g, scope.variables)
            if self._is_small:
                g.barrier()
                if scope.variables:
                    g.mix(g.shuffle(g.value()))
            else:
                g.fill(g)
                run_features(g, g.choose(g, g.random.choice((0, 0, 1, 2))))
            result = g.value()
            g.write(f"return {result.cxx};", f"{self._result} = {result.python}")
        self._python = "\n".join(python)
        body = "\n".join(cxx)
        self._write_definition(g, parameters, body)

    def _write_definition(self, g: Builder, parameters: str, body: str) -> None:
        name = self._name
        templates = ["class T"] * any(
            "T" in p.declaration.split() or "T&" in p.declaration for p in self._parameters
        )
        templates += ["class U"] * any("U&&" in p.declaration for p in self._parameters)
        head = f"template <{', '.join(templates)}> " if templates else ""
        if self._form == "free":
            text = f"{head}__device__ unsigned {name}({parameters})\n{{\n{body}\n}}"
        elif self._form == "static member":
            text = (
                f"struct S_{name} {{ {head}static __device__ unsigned {name}({parameters})\n"
                f"{{\n{body}\n}} }};"
            )
        elif self._form == "functor":
            text = (
                f"struct S_{name} {{ {head}__device__ unsigned operator()({parameters}) const\n"
                f"{{\n{body}\n}} }};"
            )
        elif self._form == "method":
            text = (
                f"struct S_{name} {{ unsigned member; "
                f"{head}__device__ unsigned {name}({parameters})\n{{\n{body}\n}} }};"
            )
        else:
            g.write(f"auto {name} = [=]({parameters}) -> unsigned {{\n{body}\n}};")
            return
        g.declarations.append(text)

    def call(self, g: Builder) -> None:
        """Write a call, whose arguments often are the same variable."""
        arguments, text = ["in", "p"], self._python
        shared = g.variable()
        before = []
        for parameter in self._parameters:
            v = shared if g.chance(0.6) else g.variable()
            if parameter.is_variable:
                arguments.append(f"&{v.cxx}" if parameter.kind == "pointer" else v.cxx)
                text = text.replace(parameter.python, v.python)
                continue
            if parameter.kind.endswith("const reference") and g.chance(0.7):
                arguments.append(v.cxx)
                text = text.replace(parameter.python, v.python)
                continue
            value = g.value()
            # A name alone would be another name of its variable, which the function can change.
            copied = f"{value.cxx} + 0u"
            wrapped = f"Wrapped{{{copied}}}" if "class" in parameter.kind else copied
            arguments.append(wrapped)
            before.append(f"{parameter.name} = {value.python}")
            text = text.replace(parameter.python, parameter.name)
        callee = {
            "static member": f"S_{self._name}::{self._name}",
            "functor": f"S_{self._name}{{}}",
            "method": f"S_{self._name}{{12}}.{self._name}",
        }.get(self._form, self._name)
        g.write(python="\n".join((*before, text)))
        call = f"{callee}({', '.join(arguments)})"
        r = g.name("r")
        if g.chance(0.7):
            g.write(f"unsigned {r} = {call};", f"{r} = {self._result}")
            g.alias(r, r)
        else:
            v = g.variable()
            g.write(f"{v.cxx} += {call};", f"{v.python} = ({v.python} + {self._result}) & M")


def _change_parameter(g: Builder, variables: list[Text]) -> None:
    v = g.random.choice(variables)
    kept = g.name("y")
    g.write(f"unsigned {kept} = {v.cxx} * 2u;", f"{kept} = {v.python} * 2 & M")
    c = g.constant()
    cxx, python = g.random.choice(list(_CHANGES.items()))
    g.write(cxx.format(v.cxx, c=c), python.format(p=v.python, c=c))
    g.alias(kept, kept)


def function(g: Builder) -> Iterator[None]:
    """A function that is called several times."""
    forms = _FORMS[: 2 + g.has_obstacles]
    if g.has_members and g.chance(0.7):
        forms = _MEMBER_FORMS
    defined = _Function(g, g.random.choice(forms))
    if not defined.is_local:
        g.functions.append(defined.call)
    for _ in range(g.random.randint(1, 3)):
        defined.call(g)
        yield


def small_function(g: Builder) -> Iterator[None]:
    """A function that does little but wait."""
    defined = _Function(g, "free", is_small=True)
    g.functions.append(defined.call)
    for _ in range(2):
        defined.call(g)
        yield


def parameter_guard(g: Builder) -> Iterator[None]:
    """Guards and subscripts that depend on a parameter that differs between threads."""
    name = g.global_name("f")
    k = g.random.randrange(2, 6)
    g.arrays[f"{name}s"] = g.threads * 4
    g.declarations.append(
        f"inline __device__ void {name}(unsigned* out, unsigned id, unsigned n)\n{{\n"
        f"    unsigned mine = id % {k}u, off = n * 2u;\n    __syncthreads();\n"
        f"    if (mine == 0) out[threadIdx.x + off] += 3u;\n    __syncthreads();\n"
        f"    if (threadIdx.x < n) out[id] ^= 9u;\n    if (id == n) out[id] += 5u;\n"
        f"    __syncthreads();\n}}"
    )
    shared = f"shared['{name}s']"
    g.write(
        f"__shared__ unsigned {name}s[{g.threads * 4}];\n"
        f"for (unsigned i = tid; i < {g.threads * 4}u; i += {g.threads}u) {name}s[i] = i;",
        f"for i in range(tid, {g.threads * 4}, {g.threads}): {shared}[i] = i",
    )
    yield
    if g.height == 1:
        c = g.constant(3) + 1
        n = Text(f"(tid % {c}u) * {g.threads}u", f"(tid % {c} * {g.threads})")
        if c == 3:
            n = Text(f"tid < 5u ? 0u : {g.threads // 2}u", f"(0 if tid < 5 else {g.threads // 2})")
        g.write(
            f"{name}({name}s, threadIdx.x, {n.cxx});",
            f"yield ('barrier', 0)\nif x % {k} == 0: {shared}[x + {n.python} * 2] += 3\n"
            f"yield ('barrier', 0)\nif x < {n.python}: {shared}[x] ^= 9\n"
            f"if x == {n.python}: {shared}[x] += 5\nyield ('barrier', 0)",
        )
        c = g.constant(g.threads)
        r = g.name("r")
        index = f"(tid + {c}) % {g.threads}"
        g.write(
            f"unsigned {r} = {name}s[(tid + {c}u) % {g.threads}u] "
            f"+ {name}s[{g.threads}u + tid] * 3u + {name}s[{g.threads * 2}u + tid];",
            f"{r} = ({shared}[{index}] + {shared}[{g.threads} + tid] * 3"
            f" + {shared}[{g.threads * 2} + tid]) & M",
        )
        g.alias(r, r)
    yield


def overloads(g: Builder) -> Iterator[None]:
    """Overloads by type, value category, and number, of which each one waits."""
    index = "threadIdx.x" if g.has_members else "5"
    over = f"over{'_index' * g.has_members}{'_rvalue' * g.has_obstacles}"
    rvalue = (
        "inline __device__ unsigned FUNCTION(unsigned&& x) { __syncwarp(); x += 5u; "
        "return __shfl_xor_sync(~0u, x, 1); }\n"
    )
    definitions = (
        "inline __device__ unsigned FUNCTION(unsigned& x) { __syncwarp(); x += 1u; return x; }\n"
        "inline __device__ unsigned FUNCTION(const unsigned& x) { __syncwarp(); return x + 2u; }\n"
        + rvalue
        * g.has_obstacles
        + "inline __device__ unsigned FUNCTION(long long x) "
        "{ __syncwarp(); return unsigned(x) + 7u; }\n"
        "template <class T> __device__ unsigned FUNCTION(T x, T y = T(" + index + ")) "
        "{ return __shfl_xor_sync(~0u, unsigned(x) + unsigned(y), 2); }"
    )
    g.need(definitions.replace("FUNCTION", over))
    second = "x" if g.has_members else "5"
    v, c, w = g.declare(g.value()), g.name("c"), g.value()
    g.write(f"const unsigned {c} = {w.cxx};", f"{c} = {w.python}")
    yield
    for _ in range(2):
        r = g.name("r")
        added = f"yield ('shfl_xor', 32, ({v.python} + 5) & M, 1)"
        added = added if g.has_obstacles else f"({v.python} + 2) & M"
        cxx, python = g.random.choice(
            (
                (
                    f"{over}({v.cxx})",
                    f"yield ('syncwarp', 32)\n{v.python} = ({v.python} + 1) & M\n{r} = {v.python}",
                ),
                (f"{over}({c})", f"yield ('syncwarp', 32)\n{r} = ({c} + 2) & M"),
                (
                    f"{over}({v.cxx} + 0u)",
                    f"yield ('syncwarp', 32)\n{r} = {added}",
                ),
                (
                    f"{over}((long long){v.cxx})",
                    f"yield ('syncwarp', 32)\n{r} = ({v.python} + 7) & M",
                ),
                (
                    f"{over}((unsigned short){v.cxx})",
                    f"{r} = yield ('shfl_xor', 32, ({v.python} & 0xffff) + {second}, 2)",
                ),
            )
        )
        g.write(f"unsigned {r} = {cxx};", python)
        g.alias(r, r)
        yield


FEATURES = (function, small_function, parameter_guard, overloads)
