"""What is valid, and ends programs or builds instead of changing values."""

from __future__ import annotations

from collections.abc import Iterator

from support.random_kernels.cxx.builder import Builder


def same_operation_in_branches(g: Builder) -> Iterator[None]:
    """Both branches of an `if` call an operation with a full mask."""
    v, r = g.declare(g.value()), g.name("r")
    yield
    g.write(
        f"unsigned {r};\n"
        f"if (lane < 16u) {{ {r} = __shfl_xor_sync(~0u, {v.cxx}, 16); }}\n"
        f"else {{ {v.cxx} += 2u; {r} = __shfl_xor_sync(~0u, {v.cxx}, 16) + 1u; }}",
        f"if tid % 32 < 16: {r} = yield ('shfl_xor', 32, {v.python}, 16)\n"
        f"else:\n    {v.python} = ({v.python} + 2) & M\n"
        f"    {r} = ((yield ('shfl_xor', 32, {v.python}, 16)) + 1) & M",
    )
    g.alias(r, r)


def trailing_return(g: Builder) -> Iterator[None]:
    """A function with a trailing return type, which waits."""
    name = g.global_name("trailing")
    g.declarations.append(
        f"__device__ auto {name}(unsigned x) -> decltype(x + 1u) {{ __syncwarp(); return x; }}"
    )
    yield
    v, r = g.value(), g.name("r")
    g.write(f"unsigned {r} = {name}({v.cxx});", f"yield ('syncwarp', 32)\n{r} = {v.python}")
    g.alias(r, r)


FEATURES = (same_operation_in_branches, trailing_return)
