"""Random C++ types for kernel parameters, and kernels that check the values they receive."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

_SCALARS = (
    *("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
    *("long", "unsigned long", "long long", "float", "double", "float", "double", "void *"),
    *("const int *", "__int128", "long double", "Small", "Signed", "Wide", "__complex__ float"),
    *("__complex__ double", "void (*)(int)", "int (Plain::*)()", "int Plain::*", "wchar_t"),
    *("decltype(nullptr)", "v2f", "v4f", "v8f", "v4i", "__float128"),
)
_BIT_FIELDS = ("int", "unsigned", "long", "unsigned char", "short", "Small")
_BITS = {"int": 32, "unsigned": 32, "long": 64, "unsigned char": 8, "short": 16, "Small": 8}

PRELUDE = """
#include <type_traits>
enum class Small : unsigned char { a = 200 };
enum class Signed : short { a = -5 };
enum class Wide : unsigned long { a };
struct Plain { int x; };
struct Empty {};
struct Other {};
typedef float v2f __attribute__((vector_size(8)));
typedef float v4f __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef int v4i __attribute__((vector_size(16)));

// Bytes as they are: comparing values would make -0 equal to 0, and NaN to nothing.
template <class T> __device__ bool same(const T &a, const T &b)
{
    // An 80-bit long double fills ten bytes of sixteen.
    constexpr bool is_long = std::is_same<T, long double>::value;
    return __builtin_memcmp(&a, &b, is_long ? 10 : sizeof(T)) == 0;
}
template <> __device__ inline bool same(const decltype(nullptr) &, const decltype(nullptr) &)
{
    return true;
}
"""


@dataclass
class Random:
    """The types and kernels of one source."""

    seed: int
    definitions: list[str] = field(default_factory=list)
    records: list[tuple[str, list[str]]] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311 - nothing is secret here

    def add_record(self) -> None:
        """Define another record, which contains scalars and earlier records."""
        pick = self.random
        name = f"R{len(self.records)}"
        checks: list[str] = []
        is_union = pick.random() < 0.12
        is_packed = pick.random() < 0.15
        lines = [
            self._member(f"m{i}", checks, plain=is_packed or is_union)
            for i in range(pick.choice((1, 1, 2, 2, 2, 3, 3, 4, 6)))
        ]
        attributes = ""
        bases = "" if is_union or is_packed else self._bases(checks)
        if pick.random() < 0.1:
            attributes += "alignas(16) " if self._is_flat(bases, *lines) else "alignas(32) "
        keyword = "union" if is_union else "struct"
        self.definitions.append(
            f"{keyword} {attributes}{name}{bases} {{\n    "
            + "\n    ".join(lines)
            + ("\n} __attribute__((packed));" if is_packed else "\n};")
        )
        self.records.append((name, checks))
        if not is_union:
            self.bases.append(name)

    def _is_flat(self, *lines: str) -> bool:
        return not re.search(r"v8f|R\d|alignas", " ".join(lines))

    def _bases(self, checks: list[str]) -> str:
        chosen = []
        if self.random.random() < 0.15:
            chosen.append(self.random.choice(("Empty", "Other")))
        if self.bases and self.random.random() < 0.15:
            base = self.random.choice(self.bases)
            chosen.append(base)
            checks.extend(f"{base}::{check}" for check in self._own_checks(base))
        return " : " + ", ".join(chosen) if chosen else ""

    def _own_checks(self, record: str) -> list[str]:
        return [check for check in dict(self.records)[record] if "::" not in check]

    def _member(self, name: str, checks: list[str], *, plain: bool) -> str:
        pick = self.random
        chance = pick.random()
        if chance < 0.15:
            kind = pick.choice(_BIT_FIELDS)
            checks.append(name)
            separator = "int : 0; " if pick.random() < 0.2 and not plain else ""
            return f"{separator}{kind} {name} : {pick.randint(1, _BITS[kind])};"
        if chance < 0.22 and not plain:
            return f"[[no_unique_address]] {pick.choice(('Empty', 'Other'))} {name};"
        if chance < 0.26:
            return f"Empty {name}[{pick.randint(1, 3)}];"
        if chance < 0.42 and self.records:
            record, inner = pick.choice(self.records)
            checks.extend(f"{name}.{check}" for check in inner)
            return f"{record} {name};"
        is_aligned = not plain and pick.random() < 0.1
        return ("alignas(32) " if is_aligned else "") + self._scalar(name, checks)

    def _scalar(self, name: str, checks: list[str]) -> str:
        pick = self.random
        kind = pick.choice(_SCALARS)
        alias = f"std::common_type_t<{kind}>" if "(" in kind or "::" in kind else kind
        if pick.random() < 0.15:
            count = pick.randint(1, 3)
            checks.extend(f"{name}[{i}]" for i in range(count))
            return f"{alias} {name}[{count}];"
        checks.append(name)
        return f"{alias} {name};"

    def kernels(self, left_out: Collection[str]) -> Iterator[str]:
        """Return a kernel for each record, which takes it between scalars, and twice."""
        for index, (name, checks) in enumerate(self.records):
            if name in left_out:
                continue
            lines = "".join(f"    CHECK({check})\n" for check in checks)
            yield (
                f'extern "C" __global__ void k{index}(int a, {name} s, double b, {name} t,\n'
                f"    const {name} *p, const {name} *q, unsigned long *bad, float c)\n"
                "{\n    *bad = (a != 11) | (b != 2.5) << 1 | (c != 7.25f) << 2;\n"
                f"{lines}}}\n"
            )

    def source(self, left_out: Collection[str] = ()) -> str:
        """Return the source, without kernels for some records."""
        check = (
            "// The line of the first member that differs.\n"
            "#define CHECK(m) { auto s0 = s.m, p0 = p->m, t0 = t.m, q0 = q->m; \\\n"
            "    if (*bad == 0 && (!same(s0, p0) || !same(t0, q0))) *bad = __LINE__; }\n"
        )
        return "\n".join([PRELUDE, *self.definitions, check, *self.kernels(left_out)])
