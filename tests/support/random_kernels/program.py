"""A program that launches random kernels and prints what they compute."""

from __future__ import annotations

from collections.abc import Sequence

from support.random_kernels.interpreter import find_results
from support.random_kernels.model import INPUTS, RandomKernel

# Any values; the same ones in C++ and in Python.
INPUT = tuple(index * 2654435761 % (1 << 32) for index in range(INPUTS))

_MAIN = """
int main()
{{
    unsigned *in, *out;
    cudaMallocManaged(&in, {inputs} * sizeof *in);
    cudaMallocManaged(&out, {most} * sizeof *out);
    for (unsigned i = 0; i < {inputs}; ++i)
        in[i] = i * 2654435761u;
{launches}}}
"""

_LAUNCH = """\
    for (int i = 0; i < {count}; ++i)
        out[i] = 0;
    {name}<<<{blocks}, dim3({width}, {height})>>>(in, out, {argument}u);
    std::printf("{name} %d", int(cudaDeviceSynchronize()));
    for (int i = 0; i < {count}; ++i)
        std::printf(" %u", out[i]);
    std::puts("");
"""


def render_program(kernels: Sequence[RandomKernel]) -> str:
    """Return a program that prints a line for each kernel: its name, the error, and the output."""
    launches = (
        _LAUNCH.format(
            name=kernel.name,
            blocks=kernel.blocks,
            width=kernel.width,
            height=kernel.height,
            argument=kernel.argument,
            count=kernel.blocks * kernel.threads,
        )
        for kernel in kernels
    )
    most = max(kernel.blocks * kernel.threads for kernel in kernels)
    main = _MAIN.format(inputs=INPUTS, most=most, launches="".join(launches))
    texts = "\n".join(kernel.cxx for kernel in kernels)
    return f"#include <cstdio>\n\n{texts}{main}"


def list_differences(kernels: Sequence[RandomKernel], output: str) -> list[str]:
    """Return a message for each kernel that computed something else than the interpreter."""
    printed = {line.split()[0]: line.split()[1:] for line in output.splitlines()}
    messages = []
    for kernel in kernels:
        expected = find_results(kernel, INPUT, is_reversed=False)
        if printed.get(kernel.name) != ["0", *map(str, expected)]:
            got = " ".join(printed.get(kernel.name, ["nothing"]))
            messages.append(f"{kernel.name}: expected {expected}, got {got}:\n{kernel.cxx}")
    return messages
