"""The rules of checks: what each one reports, and how to fix it. Ids never change their meaning."""

from __future__ import annotations

from typing import Final, Literal

from kbuild.values import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A kind of mistake.

    Attributes:
        check: The word of ``KBUILD_CHECK`` that selects it; empty if it is always selected.
        is_gap: Whether a finding says that something was not checked to its end.
    """

    id: str
    slug: str
    check: str
    severity: Severity
    summary: str
    fix: str
    is_gap: bool = False


RULES: Final = (
    CheckRule(
        "KC101",
        "out-of-bounds",
        "memory",
        "error",
        "A kernel accesses memory outside of an allocation, a shared array, or a variable.",
        "compare the index with the size of the memory, as in `if (i < n)`, or allocate more",
    ),
    CheckRule(
        "KC102",
        "use-after-free",
        "memory",
        "error",
        "A kernel accesses memory that the program has freed.",
        "free the memory after the last kernel that uses it",
    ),
    CheckRule(
        "KC103",
        "not-device-memory",
        "memory",
        "error",
        "A kernel accesses host memory, or uses a null or uninitialized pointer.",
        "allocate the memory with cudaMalloc or cudaMallocManaged, check the result, and pass that "
        "pointer",
    ),
    CheckRule(
        "KC104",
        "misaligned-access",
        "memory",
        "error",
        "The address of an access is not a multiple of its size, which GPUs do not support.",
        "align the pointer before a cast to a larger type, or copy the bytes with memcpy",
    ),
    CheckRule(
        "KC105",
        "index-out-of-bounds",
        "memory",
        "error",
        "An index is outside of an array of fixed size.",
        "compare the index with the size of the array",
    ),
    CheckRule(
        "KC106",
        "host-access",
        "memory",
        "error",
        "Host code reads or writes memory of the device through a pointer.",
        "copy the memory with cudaMemcpy, or allocate it with cudaMallocManaged",
    ),
    CheckRule(
        "KC107",
        "invalid-copy",
        "memory",
        "error",
        "A copy or fill needs more memory than there is, or other memory than its direction says.",
        "correct the size or the direction, or allocate more, and check the error that the "
        "function returns",
    ),
    CheckRule(
        "KC108",
        "invalid-free",
        "memory",
        "error",
        "A function frees memory that is already free, or that is not what it frees.",
        "free each allocation once, with the function that belongs to the one that allocated it",
    ),
    CheckRule(
        "KC109",
        "constant-write",
        "memory",
        "error",
        "A kernel writes to `__constant__` memory, which is read-only.",
        "change the variable from the host with cudaMemcpyToSymbol, or declare it `__device__`",
    ),
    CheckRule(
        "KC110",
        "dead-local",
        "memory",
        "error",
        "A kernel accesses a local variable of a function that has returned.",
        "return a value, or let the caller pass the memory",
    ),
    CheckRule(
        "KC111",
        "invalid-handle",
        "memory",
        "error",
        "A function of the runtime gets a stream, event, graph, or device that does not exist.",
        "use the handle before it is destroyed, and check the error that the function returns",
    ),
    CheckRule(
        "KC112",
        "library-access",
        "memory",
        "error",
        "A function of a library, such as cuBLAS, accesses memory that is not the device's, or too "
        "small.",
        "compare the sizes, leading dimensions, increments, and strides of the call with the "
        "allocation, and pass memory of the device",
    ),
    CheckRule(
        "KC201",
        "race-in-block",
        "race",
        "error",
        "Two threads of a block access the same memory, one writes, and nothing orders them.",
        "put __syncthreads() between the two accesses, or make both atomic",
    ),
    CheckRule(
        "KC202",
        "race-between-blocks",
        "race",
        "error",
        "Threads of two blocks access the same memory, one writes, and nothing orders them.",
        "use atomic functions, let each block write its own memory, or divide the kernel in two",
    ),
    CheckRule(
        "KC203",
        "implicit-lockstep",
        "race",
        "error",
        "Two threads of a warp rely on running in lockstep, which GPUs since Volta do not promise.",
        "put __syncwarp() between the two accesses",
    ),
    CheckRule(
        "KC204",
        "same-value-writes",
        "race",
        "warning",
        "Threads write the same value to the same memory. C++ and CUDA do not define the result.",
        "let one thread write, or use an atomic function",
    ),
    CheckRule(
        "KC205",
        "unordered-volatile",
        "race",
        "warning",
        "Threads access the same volatile memory, and nothing orders them. Which value a thread "
        "reads is a matter of chance.",
        "put __threadfence() between the data and the flag that announces it, or use atomic "
        "functions",
    ),
    CheckRule(
        "KC206",
        "missing-fence",
        "race",
        "error",
        "A thread reads a flag, and then volatile memory that was written before the flag. A fence "
        "is missing.",
        "put __threadfence() before the write of the flag, and after the read",
    ),
    CheckRule(
        "KC207",
        "unordered-operations",
        "race",
        "error",
        "Kernels, copies, or fills use the same memory, and no stream or graph orders them.",
        "use one stream, let the second stream wait for an event of the first one, or add a "
        "dependency between the nodes of the graph",
    ),
    CheckRule(
        "KC208",
        "race-with-host",
        "race",
        "error",
        "Host code accesses managed or page-locked memory while a kernel or a copy can use it.",
        "synchronize the stream, an event, or the device before the access",
    ),
    CheckRule(
        "KC209",
        "missing-acquire",
        "race",
        "error",
        "A thread reads a flag, and accesses what was written before it, without a fence.",
        "put __threadfence() behind the read of the flag, or read it with "
        "cuda::memory_order_acquire",
    ),
    CheckRule(
        "KC210",
        "unfinished-copy",
        "race",
        "error",
        "A thread uses memory of an asynchronous copy that is not finished.",
        "wait for the copy first, with __pipeline_wait_prior(), cg::wait(), or the barrier or "
        "pipeline of the copy, and then synchronize the threads",
    ),
    CheckRule(
        "KC301",
        "divergent-barrier",
        "barrier",
        "error",
        "Some threads of a block never reach a barrier that others wait at.",
        "move the barrier out of the branch, and let threads without work skip the work instead of "
        "returning",
    ),
    CheckRule(
        "KC302",
        "different-barriers",
        "barrier",
        "error",
        "Threads of a block wait at two different barriers at the same time.",
        "let all threads of the block reach the same __syncthreads()",
    ),
    CheckRule(
        "KC303",
        "deadlock",
        "barrier",
        "error",
        "The threads of a block wait for each other, or the mask of a warp operation is wrong.",
        "let all threads that a barrier or a mask names reach it",
    ),
    CheckRule(
        "KC304",
        "lane-outside-mask",
        "barrier",
        "warning",
        "A shuffle reads the value of a lane that is not in its mask, or that has exited. The "
        "value is undefined.",
        "add the lane to the mask, or do not use the value",
    ),
    CheckRule(
        "KC401",
        "uninitialized-device-memory",
        "init",
        "error",
        "A kernel reads device memory that neither the host nor a kernel has written.",
        "initialize the memory with cudaMemset or cudaMemcpy, or do not read it",
    ),
    CheckRule(
        "KC402",
        "uninitialized-shared-memory",
        "init",
        "error",
        "A thread reads shared memory that no thread of its block has written.",
        "initialize the array, and put __syncthreads() before the first read",
    ),
    CheckRule(
        "KC403",
        "uninitialized-copy",
        "init",
        "error",
        "The host uses a copy of device memory that nobody has written.",
        "use only the elements that the kernel writes, or initialize the others with cudaMemset",
    ),
    CheckRule(
        "KC404",
        "uninitialized-local",
        "init",
        "error",
        "A kernel writes the value of a local variable that is not initialized.",
        "initialize the variable where it is declared",
    ),
    CheckRule(
        "KC501",
        "leaked-memory",
        "leak",
        "error",
        "The program ends, and has not freed memory of the device.",
        "call cudaFree, cudaFreeHost, or cudaFreeAsync for it",
    ),
    CheckRule(
        "KC601",
        "shift-too-far",
        "arithmetic",
        "error",
        "A shift by a negative number, or by as many bits as the value has or more.",
        "limit the number of bits",
    ),
    CheckRule(
        "KC602",
        "division-by-zero",
        "arithmetic",
        "error",
        "An integer division by zero, or one whose result does not fit.",
        "check the divisor",
    ),
    CheckRule(
        "KC701",
        "no-launch",
        "",
        "error",
        "The program launched fewer kernels than required, so nothing is known about them.",
        "run the program so that it launches kernels, or pass --require-launches 0",
        is_gap=True,
    ),
    CheckRule(
        "KC702",
        "expired-suppression",
        "",
        "error",
        "The last day of a suppression has passed.",
        "fix the finding, or extend the suppression and say why",
    ),
    CheckRule(
        "KC703",
        "failed-kernel",
        "",
        "error",
        "A kernel ends with an error, for example by __trap() or a failed assertion.",
        "find out why the kernel fails; no kernel runs after it, because the error remains",
        is_gap=True,
    ),
    CheckRule(
        "KC704",
        "refused-launch",
        "",
        "error",
        "The runtime refuses a launch, so the kernel does not run.",
        "correct the launch, and check the result of cudaGetLastError() after it",
        is_gap=True,
    ),
    CheckRule(
        "KC705",
        "crashed-kernel",
        "",
        "error",
        "Device code crashes, and the program ends.",
        "look at the line and the address; a crash is often the effect of an access outside of "
        "memory",
        is_gap=True,
    ),
    CheckRule(
        "KC706",
        "unfinished-process",
        "",
        "error",
        "A process did not run to its end, so something was not checked.",
        "let the process return from main() or call exit(), and wait for its child processes",
        is_gap=True,
    ),
    CheckRule(
        "KC707",
        "unchecked-kernel",
        "",
        "error",
        "A kernel ran that is not instrumented, so nothing is known about it.",
        "build the kernel with --check or CHECK ON",
        is_gap=True,
    ),
    CheckRule(
        "KC708",
        "dropped-launch",
        "",
        "error",
        "A launch was accepted, and its kernel did not run.",
        "wait for the device before the process ends, and correct the kernel that fails first",
        is_gap=True,
    ),
    CheckRule(
        "KC709",
        "check-limit",
        "",
        "error",
        "A check reached a limit, so it did not see everything.",
        "check a smaller problem",
        is_gap=True,
    ),
    CheckRule(
        "KC710",
        "low-coverage",
        "",
        "error",
        "Fewer lines with accesses to memory ran than --require-coverage demands.",
        "run the program with inputs that reach the lines",
        is_gap=True,
    ),
)
CHECKS: Final = ("memory", "race", "barrier", "init", "leak", "arithmetic")


def find_rule(rule_id: str) -> CheckRule:
    """Return the rule with this id."""
    return next(rule for rule in RULES if rule.id == rule_id)
