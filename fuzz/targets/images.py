"""Device code: containers, bundles, and images, each with its own reader."""

from __future__ import annotations

from typing import Final

from fuzz.mutation.binary import mutate_bytes
from fuzz.mutation.elf import mutate_elf
from fuzz.mutation.text import make_text_mutator
from fuzz.target import Target, expect_input_errors
from kbuild.formats.amd.code_object.code import read_object_code
from kbuild.formats.amd.code_object.reader import read_code_object
from kbuild.formats.nvidia.cubin.code import find_symbol_numbers, read_cubin_code
from kbuild.formats.nvidia.cubin.reader import read_cubin
from kbuild.formats.nvidia.fatbin.containers import read_containers, read_wrappers
from kbuild.formats.nvidia.fatbin.payload import read_images
from kbuild.formats.nvidia.ptx.code import read_ptx_code, read_ptx_lines
from kbuild.formats.nvidia.ptx.launch_bounds import set_launch_bounds
from kbuild.formats.nvidia.ptx.reader import looks_like_ptx, read_ptx
from kbuild.formats.nvidia.ptxas_log import read_log
from kbuild.formats.offload import binary, bundle
from kbuild.model import HighWaterMarks, Problem

_LIMIT: Final = 1 << 20
_LARGEST_TEXT: Final = 200_000
_PTX_WORDS: Final = (
    *(".version", ".target", ".address_size", ".entry", ".func", ".visible", ".weak", ".extern"),
    *(".param", ".align", ".b8", ".u64", ".f32", ".ptr", ".global", ".const", ".shared"),
    *(".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".pragma", ".attribute", ".managed"),
    *(".file", ".loc", ".section", "//", "/*", "*/", "sm_90a", "_Z5scalePffi", "$L__BB0_1:"),
    *(".reg", "%r1", "__local_depot0", "@p bra", "ret;", ".common", ".texref"),
)
_LOG_WORDS: Final = (
    *("ptxas info    : ", "nvlink info    : ", "bytes", "stack frame", "spill stores", "Used"),
    *("registers", "smem", "cmem[0]", "lmem", "Function properties for", "Compiling entry"),
    *("function", "bytes gmem", "'", "40+16 bytes smem", "for 'sm_90'"),
)


def _canonical(name: str) -> str:
    return name


def check_fat_binary(data: bytes) -> None:
    """Read NVIDIA's containers, and decompress their images."""
    containers, _ = read_containers(data)
    read_wrappers(data)
    for container in containers:
        for _, image in read_images(container.entries, data, limit=_LIMIT):
            if not isinstance(image, Problem) and len(image) > _LIMIT:
                raise AssertionError(len(image))


def check_cubin(data: bytes) -> None:
    """Read a cubin, and the digests of its code."""
    with expect_input_errors():
        read_cubin(data)
    with expect_input_errors():
        read_cubin_code(data, _canonical)
    with expect_input_errors():
        find_symbol_numbers(data, frozenset({"_Z5scalePffi"}))


def check_code_object(data: bytes) -> None:
    """Read an AMD code object, and the digests of its code."""
    with expect_input_errors():
        read_code_object(data)
    with expect_input_errors():
        read_object_code(data)


def check_ptx(data: bytes) -> None:
    """Read PTX text, change its launch bounds, and list its statements."""
    looks_like_ptx(data)
    with expect_input_errors():
        for kernel in read_ptx(data).kernels[:1]:
            set_launch_bounds(data, kernel.name, HighWaterMarks(max_threads=64, max_registers=32))
    with expect_input_errors():
        read_ptx_code(data, _canonical)
        read_ptx_lines(data, frozenset({"_Z5scalePffi"}), _canonical)


def check_ptxas_log(data: bytes) -> None:
    """Read what ptxas and nvlink print about resources."""
    read_log(data.decode("utf-8", "replace"))


def check_bundle(data: bytes) -> None:
    """Read offload bundles, and decompress them."""
    bundles, _ = bundle.read_bundles(data)
    for found in bundles:
        with expect_input_errors():
            bundle.load(found, data, limit=_LIMIT)


def check_offload_binary(data: bytes) -> None:
    """Read LLVM's offload binaries."""
    entries, _ = binary.read(data)
    for entry in entries:
        with expect_input_errors():
            binary.load(entry, data, limit=_LIMIT)


TARGETS: Final = (
    Target(
        name="fatbin", check=check_fat_binary, seeds=("artifact/*.fatbin",), mutate=mutate_bytes
    ),
    Target(name="cubin", check=check_cubin, seeds=("artifact/*.cubin",), mutate=mutate_elf),
    Target(
        name="code-object", check=check_code_object, seeds=("artifact/*.hsaco",), mutate=mutate_elf
    ),
    Target(
        name="ptx",
        check=check_ptx,
        seeds=("artifact/*.ptx", "ptx/*"),
        mutate=make_text_mutator(_PTX_WORDS),
        largest=_LARGEST_TEXT,
    ),
    Target(
        name="ptxas-log",
        check=check_ptxas_log,
        seeds=("ptxas-log/*",),
        mutate=make_text_mutator(_LOG_WORDS),
        largest=_LARGEST_TEXT,
    ),
    Target(
        name="bundle",
        check=check_bundle,
        seeds=("artifact/*.hipfb", "artifact/*.ccob*"),
        mutate=mutate_bytes,
    ),
    Target(
        name="offload-binary",
        check=check_offload_binary,
        seeds=("artifact/*.offload-binar*",),
        mutate=mutate_bytes,
    ),
)
