"""Run the Python generators of random kernels, thread by thread."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from support.random_kernels.model import INPUTS, RandomKernel

MASK = 0xFFFFFFFF
_WARP = 32
# What a thread waits for: the operation, how many threads wait together, and the operands. The
# number is 0 for the block, and ('mask', MASK) for lanes of a warp. The answer is a value.
Request = tuple[Any, ...]
Thread = Generator[Request, int, None]


def find_results(kernel: RandomKernel, inputs: Sequence[int], *, is_reversed: bool) -> list[int]:
    """Return the output of a launch; the order in which the threads run must not matter."""
    assert len(inputs) == INPUTS
    scope: dict[str, Any] = {"M": MASK, "signed": _sign, "first": _find_first}
    exec(kernel.python, scope)  # noqa: S102 - the text was generated here
    out = [0] * (kernel.blocks * kernel.threads)
    for block in range(kernel.blocks):
        shared = {name: [0] * size for name, size in kernel.arrays.items()}
        threads = [
            scope[kernel.name](
                *(number % kernel.width, number // kernel.width, block, kernel.threads),
                *(kernel.width, kernel.argument, inputs, out, shared),
            )
            for number in range(kernel.threads)
        ]
        _run_block(threads, is_reversed=is_reversed)
    return out


def _sign(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _find_first(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _run_block(threads: list[Thread], *, is_reversed: bool) -> None:
    waiting: dict[int, Request] = {}
    answers: dict[int, int | None] = dict.fromkeys(range(len(threads)))
    exited: set[int] = set()
    while answers:
        for number in sorted(answers, reverse=is_reversed):
            answer = answers.pop(number)
            try:
                thread = threads[number]
                waiting[number] = next(thread) if answer is None else thread.send(answer)
            except StopIteration:
                exited.add(number)
        alive = set(range(len(threads))) - exited
        for group in _list_ready(waiting, alive):
            requests = {number: waiting.pop(number) for number in group}
            answers.update(_answer(requests))
        assert answers or not alive, f"the threads wait for each other: {waiting}"


def _list_ready(waiting: dict[int, Request], alive: set[int]) -> list[list[int]]:
    """Return the threads that can continue together: a block, a warp, or a tile of a warp."""
    groups: dict[tuple[Any, int], list[int]] = {}
    for number in sorted(waiting):
        width = waiting[number][1]
        groups.setdefault((width, _find_group(number, width)), []).append(number)
    ready = []
    for (width, group), found in groups.items():
        needed = {
            number
            for number in alive
            if _find_group(number, width) == group and _is_in(number, width)
        }
        if set(found) == needed:
            assert len({waiting[number][0] for number in found}) == 1
            ready.append(found)
    return ready


def _find_group(number: int, width: Any) -> int:
    if isinstance(width, tuple):
        return number // _WARP
    return number // width if width else 0


def _is_in(number: int, width: Any) -> bool:
    return not isinstance(width, tuple) or width[1] >> number % _WARP & 1 == 1


def _answer(requests: dict[int, Request]) -> dict[int, int]:
    kind, width, *_ = next(iter(requests.values()))
    width = _WARP if isinstance(width, tuple) else width
    values = {number: request[2] for number, request in requests.items() if len(request) > 2}
    if kind in _REDUCTIONS:
        result = _REDUCTIONS[kind](values)
        return dict.fromkeys(requests, result)
    if kind.startswith("match"):
        return {number: _match(kind, width, values, number) for number in requests}
    if kind == "ballot":
        result = sum(1 << number % width for number, value in values.items() if value)
        return dict.fromkeys(requests, result)
    return {
        number: values[number // width * width + _SOURCES[kind](number % width, request[3], width)]
        for number, request in requests.items()
    }


def _match(kind: str, width: int, values: dict[int, int], number: int) -> int:
    """Return the lanes with the value of a thread; for ``match_all``, all of them or none."""
    equal = sum(1 << n % width for n, value in values.items() if value == values[number])
    everyone = sum(1 << n % width for n in values)
    return equal if kind == "match_any" or equal == everyone else 0


_REDUCTIONS: dict[str, Callable[[dict[int, int]], int]] = {
    "barrier": lambda _: 0,
    "syncwarp": lambda _: 0,
    "count": lambda values: sum(value != 0 for value in values.values()),
    "and": lambda values: int(all(values.values())),
    "or": lambda values: int(any(values.values())),
    "any": lambda values: int(any(values.values())),
    "all": lambda values: int(all(values.values())),
    "reduce_add": lambda values: sum(values.values()) & MASK,
}
# The lane that a lane reads, in a warp or tile.
_SOURCES: dict[str, Callable[[int, int, int], int]] = {
    "shfl": lambda _, source, width: source % width,
    "shfl_xor": lambda lane, bits, _: lane ^ bits,
    "shfl_up": lambda lane, delta, _: lane - delta if lane >= delta else lane,
    "shfl_down": lambda lane, delta, width: lane + delta if lane + delta < width else lane,
}
