"""Write the seeds that tools make: small files of every format that inspection reads.

    python -m fuzz.make_corpus

The builders of the unit tests, or compilers (clang 19 for AMD, nvcc for one cubin), create the
device code from the following sources. gcc creates the host code. No file contains parts of a
vendor's library. The name of a seed starts with the kinds of the artifacts in it, or with
``none`` if it contains no artifact. Files whose names start with ``found-`` are kept: they are
inputs that the fuzzer has found. Text seeds, such as policies, are written by hand.
"""

from __future__ import annotations

import hashlib
import io
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import zstandard

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fuzz.make_records import make_records  # noqa: E402
from fuzz.target import CORPUS  # noqa: E402
from kbuild.formats.offload import binary as offload_binary  # noqa: E402
from support.files import hand_made  # noqa: E402
from support.files import nvidia_builders as nv  # noqa: E402

SMALL_LINK = ("-nostdlib", "-s", "-Wl,-z,max-page-size=64,-z,norelro,--build-id=none")
PTX = """\
// a module
.version 8.4
.target sm_90a
.address_size 64
.global .align 4 .b8 table[16] = {1, 2, 3};
.const .align 8 .u64 weight;
.visible .entry _Z5scalePffi(
    .param .u64 .ptr .global .align 4 _Z5scalePffi_param_0,
    .param .f32 _Z5scalePffi_param_1,
    .param .align 8 .b8 _Z5scalePffi_param_2[12]
) .maxntid 128, 1, 1 .minnctapersm 2
{
    .pragma "nounroll";
    ret;
}
"""
KERNEL = "__global__ void fill(int *p, float a) { p[threadIdx.x] = (int)a; }\n"
HIP = """\
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
__constant__ int weight;
__global__ void fill(int *p, float a) { *p = (int)a + weight; }
"""


def run(directory: Path, *argv: object) -> None:
    words = [str(word) for word in argv]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}\n{done.stderr}")


def make_cubin(abi: int = 8, name: str = "_Z5scalePffi") -> bytes:
    built = nv.CubinBuilder(abi=abi, flags=0x06005A04 if abi == 8 else 0x005A055A)
    built.version = 1 if abi == 8 else 129
    info = nv.attribute(4, 0x0A, struct.pack("<IHH", 1, 0x210, 16)) + nv.attribute(3, 0x19, 16)
    info += nv.param(2, 12, 4) + nv.param(1, 8, 4) + nv.param(0, 0, 8)
    info += nv.attribute(4, 0x05, struct.pack("<III", 128, 1, 1)) + nv.attribute(2, 0x4C, 1)
    built.kernel(name, info, code_info=0x18000001)
    built.section(f".nv.shared.{name}", 8, 1280, info=1)
    built.section(f".nv.constant0.{name}", 1, bytes(16), info=1)
    pairs = struct.pack("<II", 1, 24)
    module = b"".join(nv.attribute(4, code, pairs) for code in (0x2F, 0x11, 0x12))
    built.section(".nv.info", 0x70000000, module)
    built.symbol("weight", 1, built.section(".nv.constant3", 1, bytes(8)), size=8)
    if abi == 8:
        built.section(".note.nv.tkinfo", 7, nv.tool_note("-arch sm_90a"))
        built.section(".note.nv.cuinfo", 7, nv.note(1000, struct.pack("<4H", 2, 90, 130, 0)))
        built.section(".nv.compat", 0x70000086, nv.attribute(2, 0x09, 1))
    return built.build()


def make_fat_binaries() -> dict[str, bytes]:
    """Return one container per storage method, and one with all methods; see nv_entry."""
    cubin, ptx = make_cubin(), PTX.encode() + b"\0"
    text = nv.NewEntry(data=ptx, kind=nv.PTX, version=(8, 4), options=b"-O1 ", identifier=b"a.cu")
    lto = nv.NewEntry(data=bytes(range(64)), kind=nv.LTOIR, flags=0x10011, options=b"-ftz=0")
    members = (
        nv.NewEntry(data=cubin, identifier=b"a.cu"),
        nv.NewEntry(data=ptx, kind=nv.PTX, arch=80, version=(8, 4)),
    )
    found = {
        "raw": nv.container(nv.entry(nv.NewEntry(data=cubin)), nv.entry(text)),
        "lz4": nv.container(nv.entry(replace(text, flags=0x11 | nv.LZ4))),
        "zstd": nv.container(nv.entry(nv.NewEntry(data=cubin, flags=0x100011 | nv.ZSTD))),
        "concatenated": nv.container(nv.concatenated(members)),
        "ltoir": nv.container(nv.entry(lto)),
    }
    return {**found, "two-containers": found["lz4"] + bytes(8) + found["zstd"]}


def make_cuda_files(directory: Path, fat_binary: bytes) -> dict[str, bytes]:
    """Return host files with the layout of nvcc that contain our own fat binary."""
    (directory / "in.fatbin").write_bytes(fat_binary)
    for section in (".nv_fatbin", "__nv_relfatbin"):
        (directory / f"{section}.c").write_text(
            f'__asm__(".pushsection {section},\\"a\\",@progbits\\n.balign 8\\nimage:\\n"\n'
            '".incbin \\"in.fatbin\\"\\n.popsection\\n"\n'
            '".pushsection .nvFatBinSegment,\\"aw\\",@progbits\\n.balign 8\\n"\n'
            '".long 0x466243b1, 1\\n.quad image, 0\\n.popsection\\n");\n'
            "__attribute__((weak)) void stub(int *p) { *p = 1; }\n"
            "static void init(void) __attribute__((constructor));\n"
            "static void init(void) { int n; stub(&n); }\n"
        )
        run(directory, "gcc", "-O1", "-fPIC", "-c", f"{section}.c", "-o", f"{section}.o")
    run(directory, "gcc", "-shared", *SMALL_LINK, ".nv_fatbin.o", "-o", "lib.so")
    (directory / "main.c").write_text("void stub(int *); void _start(void) { int n; stub(&n); }\n")
    run(directory, "gcc", "-pie", "-fPIE", *SMALL_LINK, "main.c", ".nv_fatbin.o", "-o", "program")
    return {
        "object.nv_fatbin.o": (directory / ".nv_fatbin.o").read_bytes(),
        "object.nv_relfatbin.o": (directory / "__nv_relfatbin.o").read_bytes(),
        "shared-object.nv_fatbin.so": (directory / "lib.so").read_bytes(),
        "executable.nv_fatbin": (directory / "program").read_bytes(),
    }


def make_kbuild_files(directory: Path) -> dict[str, bytes]:
    """Return an object and a shared object with kbuild's note and CPU images."""
    hand_made.build_image(directory, "x86-64", {hand_made.SCALE: hand_made.SCALE_PARAMS})
    (source,) = directory.glob("image-*.c")
    image = directory / "image.so"
    run(
        directory,
        *("gcc", "-O1", "-shared", "-fPIC", *SMALL_LINK, "-fno-asynchronous-unwind-tables"),
        *("-Wl,--hash-style=gnu", "-I", hand_made.INCLUDE, source, "-o", image),
    )
    kernels = (hand_made.SCALE,)
    images = (hand_made.Image(arch="x86-64", kernels=kernels, data=image.read_bytes()),)
    design = hand_made.with_stub(hand_made.Design(images=images, rows=hand_made.ROWS[:1]))
    stub = hand_made.build_object(directory, design)
    hand_made.link_shared([stub], directory / "libstub.so", *SMALL_LINK)
    strings = (("triple", "x86_64-unknown-linux-gnu"), ("arch", "x86-64"))
    binary = offload_binary.write([(1, strings, images[0].data)])
    return {
        "object.kbuild.o": stub.read_bytes(),
        "shared-object.kbuild.so": (directory / "libstub.so").read_bytes(),
        "shared-object.cpu-image.so": images[0].data,
        "fat-binary.offload-binary": binary,
        "fat-binary.offload-binaries": binary + bytes(16) + binary[: len(binary) // 2],
    }


def make_amd_files(directory: Path) -> dict[str, bytes]:
    """Return code objects, bundles, compressed bundles, bitcode, and host files with them."""
    (directory / "fill.hip").write_text(HIP)
    clang = ("clang-19", "-x", "hip", "-nogpulib", "-nogpuinc", "-O1", "fill.hip")
    device = (*clang, "--offload-device-only", "--no-gpu-bundle-output")
    for arch, version in (("gfx90a:xnack+", 5), ("gfx1100", 4)):
        run(
            directory,
            *(*device, f"--offload-arch={arch}", f"-mcode-object-version={version}"),
            *("-o", f"{arch.partition(':')[0]}.hsaco"),
        )
    run(directory, *device, "--offload-arch=gfx90a", "-emit-llvm", "-c", "-o", "fill.bc")
    targets = "host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
    (directory / "empty").write_bytes(b"")
    bundle = directory / "fill.hipfb"
    run(
        directory,
        *("clang-offload-bundler-19", "-type=o", f"-targets={targets}", "-bundle-align=64"),
        *("-input=empty", "-input=gfx90a.hsaco", f"-output={bundle}"),
    )
    plain = bundle.read_bytes()
    object_ = (*clang, "-c", "-nostdinc", "--offload-arch=gfx90a", "-fPIC", "-D__HIP_NO_RT__")
    found = {
        "image.amdgpu-v5.hsaco": (directory / "gfx90a.hsaco").read_bytes(),
        "image.amdgpu-v4.hsaco": (directory / "gfx1100.hsaco").read_bytes(),
        "none.bitcode.bc": (directory / "fill.bc").read_bytes(),
        "fat-binary.clang-bundle.hipfb": plain,
        **make_compressed_bundles(plain),
    }
    run(directory, *object_, "--offload-new-driver", "-foffload-lto", "-o", "new.o")
    found["object.llvm-offloading.o"] = (directory / "new.o").read_bytes()
    (directory / "two.hipfb").write_bytes(
        found["fat-binary.ccob-v2-zstd"].ljust(4096, b"\0") + plain
    )
    (directory / "hip.c").write_text(
        '__asm__(".pushsection .hip_fatbin,\\"a\\",@progbits\\n.balign 4096\\nimage:\\n"\n'
        '".incbin \\"two.hipfb\\"\\n.popsection\\n"\n'
        '".pushsection .hipFatBinSegment,\\"aw\\",@progbits\\n.balign 8\\n"\n'
        '".long 0x48495046, 1\\n.quad image, 0\\n.popsection\\n");\n'
    )
    run(directory, "gcc", "-c", "hip.c")
    found["object.hip_fatbin.o"] = (directory / "hip.o").read_bytes()
    return found


def make_compressed_bundles(plain: bytes) -> dict[str, bytes]:
    """Return ``CCOB`` bundles of all three versions; see clang's ClangOffloadBundler manual."""
    digest = hashlib.md5(plain, usedforsecurity=False).digest()[:8]
    methods: dict[str, tuple[int, Callable[[bytes], bytes]]] = {
        "zlib": (0, zlib.compress),
        "zstd": (1, zstandard.ZstdCompressor(level=19).compress),
    }
    found = {}
    for name, (method, compress) in methods.items():
        data = compress(plain)
        size = len(data)
        headers = {
            1: struct.pack("<4sHHI", b"CCOB", 1, method, len(plain)),
            2: struct.pack("<4sHHII", b"CCOB", 2, method, size + 24, len(plain)),
            3: struct.pack("<4sHHQQ", b"CCOB", 3, method, size + 32, len(plain)),
        }
        for version, header in headers.items():
            found[f"fat-binary.ccob-v{version}-{name}"] = header + digest + data
    return found


def make_archive(members: Iterable[tuple[str, bytes]], *, bsd: bool) -> bytes:
    """Return archives with long names in the members (BSD) and in a name table (GNU)."""
    members = list(members)
    archive = b"!<arch>\n"
    table = b"".join(f"{name}/\n".encode() for name, _ in members)
    if not bsd:
        archive += _make_member("//", table)
    for name, data in members:
        if bsd:
            archive += _make_member(f"#1/{len(name)}", name.encode() + data)
        else:
            archive += _make_member(f"/{table.index(name.encode())}", data)
    return archive


def _make_member(field: str, data: bytes) -> bytes:
    header = f"{field:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode()
    return header + data + b"\n" * (len(data) % 2)


def make_wheel(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as wheel:
        for name, data in members:
            wheel.writestr(zipfile.ZipInfo(name), data, method)
    return stream.getvalue()


def make_all(directory: Path) -> dict[str, bytes]:
    fat_binaries = make_fat_binaries()
    found = {f"fat-binary.{name}.fatbin": data for name, data in fat_binaries.items()}
    found["image.abi-7.cubin"] = make_cubin(abi=7)
    found["image.abi-8.cubin"] = make_cubin()
    found["image.text.ptx"] = PTX.encode()
    (directory / "fill.cu").write_text(KERNEL)
    run(directory, "nvcc", "-cubin", "-arch=sm_80", "fill.cu", "-o", "fill.cubin")
    found["image.nvcc.cubin"] = (directory / "fill.cubin").read_bytes()
    found |= make_cuda_files(directory, fat_binaries["two-containers"])
    found |= make_kbuild_files(directory)
    found |= make_amd_files(directory)
    members = [
        ("a-rather-long-name-of-a-member.o", found["object.nv_fatbin.o"]),
        ("notes.txt", b"no artifact\n"),
        ("another-long-name-of-a-cubin.cubin", found["image.abi-7.cubin"]),
    ]
    found["object+image.gnu-archive.a"] = make_archive(members, bsd=False)
    found["object+image.bsd-archive.a"] = make_archive(members, bsd=True)
    inner = make_wheel([("deep/image.ptx", PTX.encode())], zipfile.ZIP_STORED)
    inside = [
        ("pkg/_kernels.so", found["shared-object.nv_fatbin.so"]),
        ("pkg/__init__.py", b""),
        ("pkg/inner.whl", inner),
        ("../outside.fatbin", fat_binaries["lz4"]),
    ]
    found["shared-object+image+fat-binary.wheel.whl"] = make_wheel(inside)
    artifacts = {f"artifact/{name}": data for name, data in found.items()}
    return artifacts | make_records(directory, found["object.kbuild.o"])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        found = make_all(Path(name))
    for directory in {Path(name).parent for name in found}:
        for old in (CORPUS / directory).glob("*"):
            if not old.name.startswith("found-"):
                old.unlink()
    for name, data in found.items():
        path = CORPUS / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data):7d} {name}")
    print(f"{sum(map(len, found.values())):7d} bytes")


if __name__ == "__main__":
    main()
