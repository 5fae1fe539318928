"""When a kernel is compiled again, and what is kept; the real assembler is in tests/e2e."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace

import pytest

from kbuild.errors import ConfigurationError, ToolError
from kbuild.model import HighWaterMarks, KernelRecord, Resources
from kbuild.runtime.compiling.kernel import Compilation, CompiledImage, CompiledKernel, Variant
from kbuild.runtime.compiling.recompiler import find_most_threads, mark_block

UNMARKED = HighWaterMarks()
FIRST = Resources(registers=128, max_threads=128)


@dataclass(frozen=True)
class Assembler:
    """Gives a block the registers that a CUDA device has for it."""

    fails: bool = False
    fewest: int = 1
    is_portable: bool = False
    asked: list[HighWaterMarks] = field(default_factory=list)

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        self.asked.append(marks)
        if self.fails:
            raise ToolError(f"no {kernel}")
        threads = marks.max_threads or 1024
        registers = max(min(65536 // threads, marks.max_registers or 255, 255), self.fewest)
        known = None if self.is_portable else registers
        return make_variant(
            Resources(registers=known, max_threads=threads), marks=marks, reason=reason
        )

    def find_most_threads(self, resources: Resources) -> int | None:
        return find_most_threads("cuda", "sm_90", resources)

    def mark_block(self, threads: int) -> int | None:
        return mark_block("cuda", threads)


def make_variant(
    resources: Resources, marks: HighWaterMarks = UNMARKED, reason: str = "first compiled"
) -> Variant:
    image = CompiledImage(arch="sm_90", kind="elf", file_name="k.cubin", sha256="", data=b"")
    return Variant(
        reason=reason, marks=marks, resources=resources, images=(image,), command=(), log=""
    )


def make_kernel(resources: Resources = FIRST, assembler: Assembler | None = None) -> CompiledKernel:
    return CompiledKernel(
        record=KernelRecord(
            handle="k",
            device_name="k",
            display="k(int)",
            linkage="external",
            container=0,
            params=(),
        ),
        compilation=Compilation(
            source="k.cu",
            base_name="k",
            backend="cuda",
            arch="90-real",
            command=("nvcc",),
            compiler="nvcc",
            compiler_version="13.0",
            log="",
            warnings="",
        ),
        variant=make_variant(
            resources,
            HighWaterMarks(max_threads=resources.max_threads, max_registers=resources.registers),
        ),
        assembly=None,
        recompiler=assembler,
    )


def test_launches_within_the_marks_use_the_first_code() -> None:
    kernel = make_kernel(assembler=Assembler())
    assert kernel.select(1) is kernel.select(128) is kernel.history[0]
    assert kernel.marks == HighWaterMarks(max_threads=128, max_registers=128)


def test_a_larger_block_recompiles_once_and_says_why() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    made = kernel.select(1000)
    assert kernel.select(1024) is kernel.select(900) is made
    assert kernel.select(128) is kernel.history[0]
    assert assembler.asked == [HighWaterMarks(max_threads=1024)]
    assert made.reason == "a block has 1000 threads, its launch bounds allow 128"
    assert kernel.history[1:] == (made,)
    assert kernel.marks == HighWaterMarks(max_threads=1024, max_registers=128)


def test_registers_alone_can_be_too_many() -> None:
    kernel = make_kernel(Resources(registers=100), Assembler())
    assert kernel.select(512) is kernel.history[0]
    assert kernel.select(640).reason == "a block has 640 threads, its 100 registers allow 512"


def test_a_register_limit_recompiles() -> None:
    kernel = make_kernel(assembler=Assembler())
    made = kernel.select(64, 40)
    assert made.resources.registers == 40
    assert made.reason == "it has 128 registers a thread, the launch allows 40"
    assert kernel.select(64, 48) is made
    assert kernel.select(64, 200) is kernel.history[0]


def test_the_cache_is_bounded() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    for limit in range(120, 100, -1):
        kernel.select(64, limit)
    assert len(assembler.asked) == 20
    kernel.select(64, 101)
    assert len(assembler.asked) == 20
    kernel.select(64, 118)  # 118 is gone, and something below it is not
    assert len(assembler.asked) == 20
    assert len(pickle.loads(pickle.dumps(kernel))._variants) == 8  # noqa: S301 - our own
    # The history goes on; it does not hold the code.
    assert [bool(variant.images) for variant in kernel.history] == [
        True,
        *[False] * 12,
        *[True] * 8,
    ]
    assert kernel.history[1].resources.registers == 120


def test_limits_of_some_launches_slow_no_others_down() -> None:
    kernel = make_kernel(assembler=Assembler())
    few = kernel.select(256, 24)
    assert kernel.select(256).marks == HighWaterMarks(max_threads=256)
    assert kernel.select(64, 30) is few
    fewer = kernel.select(64, 23)
    assert kernel.select(64, 120) is few  # of those that are there, the one of most registers
    assert kernel.select(64, 23) is fewer


def test_a_limit_below_what_code_can_do_with_is_told_and_not_kept() -> None:
    assembler = Assembler(fewest=24)
    kernel = make_kernel(assembler=assembler)
    for _ in range(2):
        with pytest.raises(
            ConfigurationError, match="allows 8, and recompiled it has 24 registers a thread"
        ):
            kernel.select(64, 8)
    assert len(kernel.history) == 1


def test_a_limit_holds_for_code_whose_registers_the_driver_gives() -> None:
    assembler = Assembler(is_portable=True)
    kernel = make_kernel(Resources(), assembler)
    made = kernel.select(64, 40)
    assert made.marks.max_registers == 40
    assert made.reason == "it has no limit of registers a thread, the launch allows 40"
    assert kernel.select(64, 48) is made
    assert kernel.select(64, 32).marks.max_registers == 32
    assert kernel.select(64) is kernel.history[0]
    assert len(assembler.asked) == 2


def test_what_no_device_takes_is_left_to_it() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    assert kernel.select(2048) is kernel.history[0]
    assert make_kernel().select(1024).reason == "first compiled"
    assert assembler.asked == []


def test_a_required_block_is_no_bound() -> None:
    assembler = Assembler()
    kernel = make_kernel(replace(FIRST, required_block=(128, 1, 1)), assembler)
    assert kernel.select(256) is kernel.history[0]
    assert assembler.asked == []


def test_a_limit_that_cannot_be_kept_is_told() -> None:
    with pytest.raises(ConfigurationError, match=r"k\(int\): it has 128 registers .* recompiled"):
        make_kernel().select(64, 40)


def test_a_failure_is_raised_each_time_and_leaves_nothing() -> None:
    kernel = make_kernel(assembler=Assembler(fails=True))
    for _ in range(2):
        with pytest.raises(ToolError):
            kernel.select(1024)
    assert len(kernel.history) == 1
    assert kernel.marks.max_threads == 128


def test_pickles_keep_what_was_recompiled() -> None:
    kernel = make_kernel(assembler=Assembler())
    made = kernel.select(1024)
    copied: CompiledKernel = pickle.loads(pickle.dumps(kernel))  # noqa: S301 - our own
    assert copied.select(1024) == made
    assert copied.history == kernel.history
    assert copied.record == kernel.record
