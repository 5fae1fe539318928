"""When a kernel is assembled again, and which variants are kept, with a fake assembler."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from kbuild.errors import ConfigurationError, ToolError
from kbuild.model import HighWaterMarks, KernelRecord, Resources
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Variant
from kbuild.runtime.compiling.recompilers import (
    choose_launch_bound,
    choose_registers,
    find_largest_block,
)

UNMARKED = HighWaterMarks()
FIRST = Resources(registers=128, max_threads=128)


@dataclass(frozen=True)
class Assembler:
    """A recompiler for code that uses all registers that it can have, up to ``needed``."""

    fails: bool = False
    fewest: int = 1
    needed: int = 128
    is_portable: bool = False
    requested: list[HighWaterMarks] = field(default_factory=list)

    @property
    def assembly(self) -> CompiledImage:
        return CompiledImage(arch="sm_90", kind="ptx", file_name="k.ptx", sha256="", data=b"")

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        self.requested.append(marks)
        if self.fails:
            raise ToolError(f"no {kernel}")
        threads = marks.max_threads or 1024
        registers = max(min(marks.max_registers or 255, self.needed), self.fewest)
        known = None if self.is_portable else registers
        resources = Resources(
            registers=known, max_threads=threads, spill_bytes=8 * (self.needed - registers)
        )
        return make_variant(resources, marks=marks, reason=reason)

    def find_largest_block(self, resources: Resources) -> int | None:
        return find_largest_block("cuda", "sm_90", resources)

    def choose_registers(self, threads: int) -> int | None:
        return choose_registers("cuda", "sm_90", threads, ("-maxrregcount=224",))

    def choose_launch_bound(self, threads: int) -> int | None:
        return choose_launch_bound("cuda", threads)


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
        recompiler=assembler,
    )


def test_launches_within_the_limits_use_the_first_variant() -> None:
    kernel = make_kernel(assembler=Assembler())
    assert kernel.select(1) is kernel.select(128) is kernel.history[0]
    assert kernel.marks == HighWaterMarks(max_threads=128, max_registers=128)


def test_larger_block_recompiles_once_with_a_reason() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    made = kernel.select(1000)
    assert kernel.select(1024) is kernel.select(900) is made
    assert kernel.select(128) is kernel.history[0]
    assert assembler.requested == [HighWaterMarks(max_threads=1024, max_registers=64)]
    assert made.reason == "a block has 1000 threads, but its launch bounds allow 128"
    assert kernel.history[1:] == (made,)
    assert kernel.marks == HighWaterMarks(max_threads=1024, max_registers=128)


def test_too_many_registers_recompile() -> None:
    kernel = make_kernel(Resources(registers=100), Assembler())
    assert kernel.select(512) is kernel.history[0]
    assert kernel.select(640).reason == "a block has 640 threads, but its 100 registers allow 512"


def test_register_limit_recompiles() -> None:
    kernel = make_kernel(assembler=Assembler())
    made = kernel.select(64, 40)
    assert made.resources.registers == 40
    assert made.reason == "it uses 128 registers per thread, but the launch allows 40"
    assert kernel.select(64, 48) is made
    assert kernel.select(64, 200) is kernel.history[0]


def test_code_for_larger_blocks_that_spills_is_not_used_for_smaller_ones() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    largest = kernel.select(1024)
    made = kernel.select(512)
    assert (largest.resources.spill_bytes, made.resources.spill_bytes) == (512, 0)
    assert made.marks == HighWaterMarks(max_threads=512, max_registers=128)
    assert kernel.select(300) is made  # it does not spill
    assert kernel.select(900) is largest  # 900 threads cannot have more registers than 1024
    assert len(assembler.requested) == 2


def test_first_code_is_replaced_by_code_that_spills_less() -> None:
    kernel = make_kernel(Resources(registers=32, max_threads=128, spill_bytes=500), Assembler())
    assert kernel.select(128) is kernel.history[0]
    made = kernel.select(256)
    assert kernel.select(128) is made
    assert kernel.select(128, 32) is kernel.history[0]


def test_code_that_more_registers_do_not_improve_is_made_once() -> None:
    class Spilling(Assembler):
        def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
            made = Assembler.recompile(self, kernel, marks, reason)
            return replace(made, resources=replace(made.resources, spill_bytes=64))

    assembler = Spilling()
    kernel = make_kernel(assembler=assembler)
    for threads in (1024, 512, 1024, 512, 512):
        kernel.select(threads)
    assert len(assembler.requested) == 2


def test_number_of_kept_variants_is_bounded() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    for limit in range(120, 100, -1):
        kernel.select(64, limit)
    assert len(assembler.requested) == 20
    kernel.select(64, 101)
    assert len(assembler.requested) == 20
    kernel.select(64, 118)  # 118 was dropped, but there is a variant with fewer registers
    assert len(assembler.requested) == 20
    assert len(pickle.loads(pickle.dumps(kernel))._variants._kept) == 8  # noqa: S301 - our own
    # The history is complete, but it does not keep the images of dropped variants.
    assert [bool(variant.images) for variant in kernel.history] == [
        True,
        *[False] * 12,
        *[True] * 8,
    ]
    assert kernel.history[1].resources.registers == 120


def test_variants_for_register_limits_are_not_used_without_a_limit() -> None:
    kernel = make_kernel(assembler=Assembler())
    few = kernel.select(256, 24)
    assert kernel.select(256).marks == HighWaterMarks(max_threads=256, max_registers=224)
    assert kernel.select(64, 30) is few
    fewer = kernel.select(64, 23)
    assert kernel.select(64, 120) is few  # the existing variant with most registers
    assert kernel.select(64, 23) is fewer


def test_register_limit_that_is_too_low_is_an_error() -> None:
    assembler = Assembler(fewest=24)
    kernel = make_kernel(assembler=assembler)
    for _ in range(2):
        with pytest.raises(
            ConfigurationError,
            match="allows 8; after recompilation, it uses 24",
        ):
            kernel.select(64, 8)
    assert len(kernel.history) == 1


def test_register_limit_applies_when_the_driver_allocates_registers() -> None:
    assembler = Assembler(is_portable=True)
    kernel = make_kernel(Resources(), assembler)
    made = kernel.select(64, 40)
    assert made.marks.max_registers == 40
    assert made.reason == "it has no limit on registers per thread, but the launch allows 40"
    assert kernel.select(64, 48) is made
    assert kernel.select(64, 32).marks.max_registers == 32
    assert kernel.select(64) is kernel.history[0]
    assert len(assembler.requested) == 2


def test_block_that_no_device_supports_uses_the_first_variant() -> None:
    assembler = Assembler()
    kernel = make_kernel(assembler=assembler)
    assert kernel.select(2048) is kernel.history[0]
    assert make_kernel().select(1024).reason == "first compiled"
    assert assembler.requested == []


def test_kernel_with_a_required_block_is_not_recompiled() -> None:
    assembler = Assembler()
    kernel = make_kernel(replace(FIRST, required_block=(128, 1, 1)), assembler)
    assert kernel.select(256) is kernel.history[0]
    assert assembler.requested == []


def test_register_limit_without_a_recompiler_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match=r"k\(int\): it uses 128 .* cannot be recompiled"):
        make_kernel().select(64, 40)


def test_failed_recompilation_is_raised_each_time() -> None:
    kernel = make_kernel(assembler=Assembler(fails=True))
    for _ in range(2):
        with pytest.raises(ToolError):
            kernel.select(1024)
    assert len(kernel.history) == 1
    assert kernel.marks.max_threads == 128


def test_pickles_contain_recompiled_variants() -> None:
    kernel = make_kernel(assembler=Assembler())
    made = kernel.select(1024)
    copied: CompiledKernel = pickle.loads(pickle.dumps(kernel))  # noqa: S301 - our own
    assert copied.select(1024) == made
    assert copied.history == kernel.history
    assert copied.record == kernel.record


def test_kernel_of_a_library_is_read_once_and_leaves_it_when_pickled() -> None:
    made = []

    def read() -> Variant:
        made.append(make_variant(FIRST))
        return made[-1]

    plain = make_kernel()
    registered: Any = object()
    kernel = CompiledKernel(
        record=plain.record,
        compilation=plain.compilation,
        variant=read,
        registered=registered,
    )
    assert (kernel.registered, made) == (registered, [])
    assert kernel.resources is kernel.history[0].resources
    copy = pickle.loads(pickle.dumps(kernel))  # noqa: S301 - our own
    assert (copy.registered, copy.images, len(made)) == (None, kernel.images, 1)
