"""Explanations of the rules of checks: why each one matters, and a program that breaks it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.check.rules import RULES, CheckRule
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.values import dataclass

_EXAMPLES: Final = Path(__file__).parent / "examples"
_WHY: Final = {
    "KC101": "A GPU rarely stops at such an access. It reads or changes the memory of another "
    "allocation or array, and the wrong result appears somewhere else.",
    "KC102": "Another allocation can have the same address by then. Launches return before the "
    "kernel is done, so a program can free memory that a kernel still uses.",
    "KC103": "A GPU cannot access the memory of the host, unless the program registers it or the "
    "whole system supports it. The kernel fails, and a later call of the runtime reports the "
    "error.",
    "KC104": "Instructions of a GPU need addresses that are a multiple of the size. The kernel "
    "fails with 'misaligned address'. CPUs accept such addresses.",
    "KC105": "The bounds are those of the declaration. The access reaches another variable or the "
    "stack, which the runtime of a GPU does not notice.",
    "KC106": "On a GPU, a pointer to memory of the device is not valid in host code, and the "
    "program ends with a segmentation fault.",
    "KC107": "The function returns an error and copies nothing. A program that ignores the error "
    "goes on with old values.",
    "KC108": "The function returns an error, which programs rarely look at. If another allocation "
    "has the same address by then, that one is freed.",
    "KC109": "A GPU stops the kernel, or the write has no effect. Other threads read constants "
    "from a cache that does not notice writes.",
    "KC110": "The next function call uses the same memory. On a GPU, the compiler can also keep "
    "the variable in a register.",
    "KC111": "The function returns an error and does nothing. A program that ignores the error "
    "goes on as if the work had been done.",
    "KC112": "A GPU rarely stops at such an access. The library reads or changes the memory of "
    "another allocation. The call does not run in a checked program.",
    "KC201": "The order of warps differs between GPUs, and from launch to launch. So the second "
    "access sees the memory before or after the first one, and results are wrong now and then.",
    "KC202": "Blocks run in any order, and at the same time. __syncthreads() orders only the "
    "threads of one block.",
    "KC203": "Since Volta, the threads of a warp make progress independently. Compilers rely on "
    "that, too, and can change the order of the two accesses.",
    "KC204": "GPUs store one of the values, so this usually works. C++ calls it a race, and "
    "compilers can divide a write or repeat it.",
    "KC205": "volatile keeps the compiler from removing an access, but orders no other access. "
    "Without a fence, a thread can see the flag and not the data.",
    "KC206": "volatile accesses can take effect in another order. So a thread can see the flag, "
    "and still read the old value of what was written before it.",
    "KC207": "On a GPU, they can run at the same time, or in another order. Small tests rarely "
    "show it, because the first operation ends before the second one starts.",
    "KC208": "Launches and asynchronous copies return before the work is done. So the host reads"
    " old values, or changes what the kernel reads.",
    "KC209": "The read of the data can take effect before that of the flag, or find an old "
    "value in a cache. The writer's fence alone does not prevent this (PTX ISA, Memory "
    "Consistency Model).",
    "KC210": "The copy goes on while the thread runs. __syncthreads() does not wait for it, and a "
    "copy that is not committed belongs to no batch, so that waits for batches do not include it.",
    "KC301": "__syncthreads() is defined only if all threads of the block reach it. GPUs before "
    "Volta hang, or continue with threads that have not arrived.",
    "KC302": "A GPU counts the arrivals, and does not compare the places. So threads continue at "
    "the wrong time.",
    "KC303": "On a GPU, such a kernel runs forever, or the result of the warp operation is "
    "undefined. The message on standard error lists the threads that wait, and where.",
    "KC304": "Only lanes that take part pass on a value. Others can have left the function, or "
    "wait elsewhere.",
    "KC401": "Fresh memory contains what was there before. Tests see zeros, and long runs "
    "see the data of earlier kernels.",
    "KC402": "Shared memory contains what earlier blocks left. Nothing sets it to zero.",
    "KC403": "Fresh memory contains what was there before. So the host uses results that no "
    "kernel has computed.",
    "KC404": "The value is what the register or the stack contained before. It differs between "
    "compilers and GPUs.",
    "KC501": "Programs that run for a long time use up the memory of the device. At the "
    "end of a process, the system frees it.",
    "KC601": "C++ does not define the result. GPUs and CPUs return different values: zero, or the "
    "value shifted by fewer bits.",
    "KC602": "C++ does not define the result. GPUs return any value and continue, and most CPUs "
    "stop the program.",
    "KC701": "Nothing was checked, so the absence of findings means nothing. For example, the "
    "program ended early, or its kernels were built without checks.",
    "KC702": "A suppression without an end hides a mistake forever.",
    "KC703": "The rest of the kernel did not run, and neither did what the program launches after "
    "it: the error remains until the process ends. Programs that ignore it go on with old values.",
    "KC704": "A launch returns nothing, so a program that does not ask for the error goes on as if "
    "the kernel had run.",
    "KC705": "What the kernel, and all that comes after it, would have done is unknown.",
    "KC706": "For example, a signal ended the process, or it still runs. The report contains what "
    "it has found so far.",
    "KC707": "The kernel comes from an object or a library that was built without checks. It can "
    "also change the memory of kernels that are checked.",
    "KC708": "After a kernel has failed, queued kernels do not run. Neither do kernels that are "
    "queued when a process ends early.",
    "KC709": "For example, a block synchronized more often than the record can count. Findings so "
    "far are correct.",
    "KC710": "Checks see only code that runs. The report lists the lines that did not.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What `kbuild explain` says about a rule.

    Attributes:
        rule: The rule.
        why: What happens to programs that break it.
        program: The source of a program that breaks it, or an empty text.
        report: What a check reports for the example.
    """

    rule: CheckRule
    why: str
    program: str
    report: str


def read_explanation(rule: CheckRule) -> Explanation:
    """Return the explanation of a rule."""
    program = find_example(rule)
    return Explanation(
        rule=rule,
        why=_WHY[rule.id],
        program=program.read_text(encoding="utf-8") if program.exists() else "",
        report=find_report(rule).read_text(encoding="utf-8"),
    )


def find_example(rule: CheckRule) -> Path:
    """Return the path of the program that breaks a rule. Mistakes outside of it need none."""
    return _EXAMPLES / f"{rule.id}.cu"


def find_report(rule: CheckRule) -> Path:
    """Return the path of the report of the example."""
    return _EXAMPLES / f"{rule.id}.txt"


def select_check_rules(prefixes: Iterable[str]) -> tuple[CheckRule, ...]:
    """Return the rules whose ids start with one of the prefixes.

    Raises:
        ConfigurationError: A prefix matches no rule.
    """
    wanted = tuple(prefixes)
    for prefix in wanted:
        if not any(rule.id.startswith(prefix) for rule in RULES):
            known = tuple(rule.id for rule in RULES)
            raise ConfigurationError(f"unknown rule {prefix!r}{did_you_mean(prefix, known)}")
    return tuple(rule for rule in RULES if rule.id.startswith(wanted))
