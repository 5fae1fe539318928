"""Compares the readers with LLVM's tools on the output of AMD's compilers."""

from __future__ import annotations

import contextlib
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.formats.amd.code_object.facts import CodeObject
from kbuild.formats.amd.code_object.reader import is_code_object, read_code_object
from kbuild.formats.elf.file import Elf
from kbuild.formats.offload import binary as offload_binary
from kbuild.formats.offload.bundle import MAGIC, load, parse_id, read_bundles
from support.files.amd_builders import ZLIB, ZSTD, compressed_bundle
from support.tools.amd_tools import dump_flags, dump_metadata, dump_symbols, require_tool, run
from support.tools.toolchains import NEWER_CLANG, require_backend, require_programs

PRELUDE = r"""
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct dim3 { unsigned x, y, z; };
"""
HIP_PRELUDE = (
    PRELUDE
    + r"""
#define __managed__ __attribute__((managed))
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
"""
)
SOURCE = (
    HIP_PRELUDE
    + r"""
struct Pair { float x[12]; char c; };
struct alignas(64) Aligned { char c[72]; };
__device__ int plain;
__device__ double set[3] = {1, 2, 3};
static __device__ int hidden = 2;
__constant__ int table[5] = {1, 2, 3, 4, 5};
static __constant__ char letters[3];
__constant__ const int fixed[4] = {1, 2, 3, 4};
__device__ __managed__ int shared_with_host = 4;
static __device__ __managed__ double hidden_with_host;
template <class T> __device__ T of_type = 3;
namespace ns { __device__ Pair pair; }
extern __shared__ int dynamic[];

__global__ void none() {}
__global__ void params(int a, Pair p, double* d, char c, Aligned l, const float* f) {
  *d = p.x[a] + table[a & 3] + hidden + c + ns::pair.c + letters[a & 1] + l.c[a] + *f + fixed[a];
  hidden = 2; shared_with_host++; plain += set[1]; hidden_with_host = 1; of_type<int> = a;
}
static __global__ void internal(int* p) { *p = 1; }
namespace { __global__ void anonymous(int* p) { *p = 2; } }
template <class T, int N> __global__ void templated(T* p) { p[0] = N; }
__global__ void shares(float* p) {
  __shared__ float tile[100];
  tile[*(int*)p & 63] = 1;
  __builtin_amdgcn_s_barrier();
  *p = tile[3] + dynamic[*(int*)p];
}
__global__ void __attribute__((launch_bounds(1024), amdgpu_num_vgpr(24))) spills(float* p, int n) {
  float a[40];
#pragma unroll
  for (int i = 0; i < 40; ++i) a[i] = p[i * n];
  __builtin_amdgcn_s_barrier();
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int i = 0; i < 40; ++i) a[i] += a[(i * 7 + k) % 40] * p[k];
#pragma unroll
  for (int i = 0; i < 40; ++i) p[i * n] = a[i];
}
__global__ void __attribute__((amdgpu_flat_work_group_size(64, 64))) scratch(int* p, int n) {
  int a[64];
  for (int i = 0; i < 64; ++i) a[(p[i] + i) & 63] = p[i * 2];
  *p = a[n & 63];
}
__device__ __attribute__((noinline)) int recurse(int n, int* p) {
  return n < 2 ? p[n] : recurse(n - 1, p) + recurse(n - 2, p);
}
__global__ void recursive(int* p) { *p = recurse(*p, p); }
__global__ void hidden_ones(int* p) {
  const int __attribute__((address_space(4)))* implicit =
      (const int __attribute__((address_space(4)))*)__builtin_amdgcn_implicitarg_ptr();
  *p = implicit[0] + implicit[3];
}
void launch() {
  (void)internal; (void)anonymous; (void)templated<int, 3>; (void)templated<float, 4>;
}
"""
)
OLD = ("gfx900", "gfx906:xnack-", "gfx90a:sramecc+:xnack-", "gfx90a", "gfx1030")
NEW = (*OLD, "gfx908:sramecc-", "gfx942", "gfx1100", "gfx1201")
GENERIC = ("gfx9-generic", "gfx10-3-generic", "gfx11-generic")
CODE_OBJECTS = [
    *(("clang-14", version, arch) for version in (3, 4) for arch in OLD),
    *(("clang-15", 4, arch) for arch in (*OLD, "gfx1100")),
    *(("clang-19", version, arch) for version in (4, 5, 6) for arch in NEW),
    *(("clang-19", 6, arch) for arch in GENERIC),
]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("amd") / "kernels.hip"
    path.write_text(SOURCE)
    return path


def _compile(
    source: Path, output: Path, compiler: str, arches: tuple[str, ...], *more: str
) -> Path:
    if "--cuda-device-only" not in more:
        # Code for host and device: the compiler calls the offload bundler.
        require_backend("hip", compiler.replace("clang", "clang++"))
    targets = [f"--offload-arch={arch}" for arch in arches]
    options = ("-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-w", *targets, *more)
    run(require_tool(compiler), *options, "-c", source, "-o", output)
    return output


def _code_object(
    source: Path, output: Path, compiler: str, arch: str, version: int, *more: str
) -> Path:
    options = ("--cuda-device-only", "--no-gpu-bundle-output", f"-mcode-object-version={version}")
    return _compile(source, output, compiler, (arch,), *options, *more)


def _compare(path: Path) -> CodeObject:
    """Read a code object, and compare all facts with the output of LLVM's tools."""
    data = path.read_bytes()
    assert is_code_object(data)
    facts = read_code_object(data)
    assert facts.problems == ()
    target, dumped = dump_metadata(path)
    symbols = dump_symbols(path)
    flags = dump_flags(path)
    if facts.version > 3:
        assert facts.arch == target
        assert flags in {None, facts.arch}
    assert flags is None or facts.arch.split(":")[0] == flags.split(":")[0]
    assert {f"{kernel.name}.kd" for kernel in facts.kernels} == dumped.keys()
    bindings = {"LOCAL": "internal", "GLOBAL": "external", "WEAK": "weak"}
    for kernel in facts.kernels:
        other = dumped[f"{kernel.name}.kd"]
        numbers = {
            "kernarg_segment_size": kernel.kernarg_bytes,
            "kernarg_segment_align": kernel.kernarg_alignment,
            "vgpr_count": kernel.vgprs,
            "agpr_count": kernel.agprs,
            "sgpr_count": kernel.sgprs,
            "vgpr_spill_count": kernel.vgpr_spills,
            "sgpr_spill_count": kernel.sgpr_spills,
            "group_segment_fixed_size": kernel.lds_bytes,
            "private_segment_fixed_size": kernel.scratch_bytes,
            "max_flat_workgroup_size": kernel.max_threads,
            "wavefront_size": kernel.wavefront_size,
        }
        shown = {key: other.values.get(key) for key in numbers}
        assert {k: None if n is None else str(n) for k, n in numbers.items()} == shown
        assert kernel.name == other.values["name"]
        if "uses_dynamic_stack" in other.values:
            stack = {"true": True, "false": False, "1": True, "0": False}
            assert kernel.uses_dynamic_stack is stack[other.values["uses_dynamic_stack"]]
        assert list(kernel.required_block or ()) == other.block
        visible = [a for a in other.arguments if not a["value_kind"].startswith("hidden_")]
        assert kernel.hidden_params == len(other.arguments) - len(visible)
        assert [
            (str(p.offset), str(p.size), p.value_kind, p.name, p.type_name)
            for p in kernel.params or ()
        ] == [
            (a["offset"], a["size"], a["value_kind"], a.get("name"), a.get("type_name"))
            for a in visible
        ]
        assert symbols[kernel.name][:2] == ("FUNC", kernel.code_bytes)
        assert bindings[symbols[f"{kernel.name}.kd"][2]] == kernel.linkage
    objects = {n: s for n, s in symbols.items() if s[0] == "OBJECT" and not n.endswith(".kd")}
    managed = {n for n in objects if f"{n}.managed" in objects}
    assert {v.name for v in facts.variables} == objects.keys() - {f"{n}.managed" for n in managed}
    for variable in facts.variables:
        name = f"{variable.name}.managed" if variable.name in managed else variable.name
        assert variable.kind == ("managed" if variable.name in managed else None)
        assert variable.size == objects[name][1]
        assert variable.linkage == bindings[objects[variable.name][2]]
    return facts


def _mark(arch: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a code object. By default, each version has one architecture."""
    is_default = arch in {OLD[2], GENERIC[0]}
    return () if is_default else (pytest.mark.slow,)


@pytest.mark.parametrize(
    ("compiler", "version", "arch"),
    [pytest.param(*row, marks=_mark(row[2])) for row in CODE_OBJECTS],
)
def test_code_object_matches_readobj(
    compiler: str, version: int, arch: str, source: Path, tmp_path: Path
) -> None:
    path = _code_object(source, tmp_path / "kernels.co", compiler, arch, version)
    facts = _compare(path)
    assert facts.version == version
    assert version == 3 or facts.arch == arch
    kernels = {kernel.name: kernel for kernel in facts.kernels}
    spills = kernels["_Z6spillsPfi"]
    # Some targets need more registers than the option requests.
    assert (spills.vgpr_spills or spills.sgpr_spills) or compiler == "clang-14"
    assert kernels["_Z6sharesPf"].lds_bytes == 400
    assert kernels["_Z7scratchPii"].scratch_bytes
    assert kernels["_Z7scratchPii"].max_threads == 64
    assert kernels["_Z11hidden_onesPi"].hidden_params
    params = kernels["_Z6paramsi4PairPdc7AlignedPKf"].params
    assert params
    assert [(p.offset, p.size) for p in params[:4]] == [(0, 4), (4, 52), (56, 8), (64, 1)]
    variables = {v.name: (v.kind, v.size) for v in facts.variables}
    assert variables["shared_with_host"] == ("managed", 4)
    assert variables["_ZL16hidden_with_host"] == ("managed", 8)
    assert variables["table"] == (None, 20)
    strip = shutil.which("llvm-strip-19")
    if strip:
        stripped = tmp_path / "stripped.co"
        run(strip, "--strip-all", path, "-o", stripped)
        assert {k.name: k for k in read_code_object(stripped.read_bytes()).kernels} == kernels


@pytest.mark.parametrize("option", ["-mwavefrontsize64", "-mno-wavefrontsize64", "-mcumode"])
@pytest.mark.parametrize("arch", ["gfx1030", pytest.param("gfx1100", marks=pytest.mark.slow)])
def test_wavefront_size_is_read(option: str, arch: str, source: Path, tmp_path: Path) -> None:
    path = _code_object(source, tmp_path / "kernels.co", "clang-19", arch, 5, option)
    size = 64 if option == "-mwavefrontsize64" else 32
    assert {kernel.wavefront_size for kernel in _compare(path).kernels} == {size}


@pytest.mark.parametrize(
    "level", ["-O0", "-g", *(pytest.param(n, marks=pytest.mark.slow) for n in ("-O1", "-O3"))]
)
def test_every_optimization_level_is_read(level: str, source: Path, tmp_path: Path) -> None:
    _compare(_code_object(source, tmp_path / "kernels.co", "clang-19", "gfx90a", 5, level))


@pytest.mark.parametrize("compiler", ["clang-14", "clang-19"])
def test_names_and_types_of_parameters_are_read(compiler: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.cl"
    path.write_text("""
typedef struct { float x[3]; } Triple;
__kernel __attribute__((reqd_work_group_size(8, 4, 2)))
void blocked(__global const float* in, __local int* tile, Triple triple, int4 four, short s) {
  tile[s] = in[four.y] + triple.x[s & 1];
}
__kernel void free_one(__constant int* in, __global int* out) { *out = *in; }
""")
    output = tmp_path / "kernels.co"
    options = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-x", "cl")
    run(
        require_tool(compiler),
        *options,
        "-cl-std=CL2.0",
        "-cl-kernel-arg-info",
        "-w",
        path,
        "-o",
        output,
    )
    kernels = {kernel.name: kernel for kernel in _compare(output).kernels}
    assert kernels["blocked"].required_block == (8, 4, 2)
    params = kernels["blocked"].params
    assert params
    assert [p.name for p in params] == ["in", "tile", "triple", "four", "s"]
    assert [p.type_name for p in params] == ["float*", "int*", "Triple", "int4", "short"]
    assert params[1].value_kind == "dynamic_shared_pointer"


def test_only_names_are_read_from_version_2(source: Path, tmp_path: Path) -> None:
    path = _code_object(source, tmp_path / "kernels.co", "clang-14", "gfx900", 2)
    facts = read_code_object(path.read_bytes())
    assert [p.message for p in facts.problems] == [
        "unsupported code object version 2; expected 3 to 6"
    ]
    shown = {n: s[1] for n, s in dump_symbols(path).items() if s[0] == "AMDGPU_HSA_KERNEL"}
    assert {kernel.name: kernel.code_bytes for kernel in facts.kernels} == shown
    assert len(shown) > 10


def test_relocatable_object_is_read(source: Path, tmp_path: Path) -> None:
    code = _compile(
        *(source, tmp_path / "kernels.bc", "clang-19", ("gfx90a",), "--cuda-device-only"),
        *("-fgpu-rdc", "--no-gpu-bundle-output"),
    )
    path = tmp_path / "kernels.o"
    clang = require_tool("clang-19")
    run(clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-c", code, "-o", path)
    facts = _compare(path)
    assert facts.is_relocatable
    assert len(facts.kernels) > 10


ARCHES = ("gfx900", "gfx90a:xnack+", "gfx1100")


@pytest.fixture(scope="session")
def code_objects(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("code_objects")
    return {
        arch: _code_object(source, directory / f"{number}.co", "clang-19", arch, 5)
        for number, arch in enumerate(ARCHES)
    }


def _bundle(code_objects: dict[str, Path], output: Path, *options: str) -> Path:
    ids = ["host-x86_64-unknown-linux--"]
    ids += [f"hipv4-amdgcn-amd-amdhsa--{arch}" for arch in code_objects]
    inputs = ["/dev/null", *map(str, code_objects.values())]
    require_programs("llvm-objcopy")  # the bundler calls it
    run(
        *(require_tool("clang-offload-bundler-19"), "-type=o", "-bundle-align=4096", *options),
        *(f"-targets={','.join(ids)}", *(f"-input={path}" for path in inputs)),
        f"-output={output}",
    )
    return output


def _listed(path: Path, kind: str = "o") -> set[str]:
    bundler = require_tool("clang-offload-bundler-19")
    return set(run(bundler, "--list", f"--type={kind}", f"--input={path}").split())


@pytest.mark.parametrize("option", ["", "-compress"])
def test_bundle_matches_the_bundler(
    option: str, code_objects: dict[str, Path], tmp_path: Path
) -> None:
    path = _bundle(code_objects, tmp_path / "made.hipfb", *([option] if option else []))
    content = path.read_bytes()
    (found,), problems = read_bundles(content)
    assert problems == ()
    assert {entry.id for entry in found.entries} == _listed(path)
    assert found.version == (2 if option else None)
    assert found.size == len(content)
    plain = bytes(load(found, content))
    images = {e.arch: plain[e.offset : e.offset + e.size] for e in found.entries if e.arch}
    assert images == {arch: path.read_bytes() for arch, path in code_objects.items()}
    for data in images.values():
        assert read_code_object(data).problems == ()


def test_every_version_of_compressed_bundles_is_read_among_others(
    code_objects: dict[str, Path], tmp_path: Path
) -> None:
    plain = _bundle(code_objects, tmp_path / "plain.hipfb").read_bytes()
    second = _bundle(code_objects, tmp_path / "second.hipfb", "-compress").read_bytes()
    parts = [plain, second]
    parts += [
        compressed_bundle(plain, version=version, method=method)
        for version in (1, 2, 3)
        for method in (ZLIB, ZSTD)
    ]
    # The data that the bundler compressed, with the headers of the other versions.
    _, _, _, _, size, digest = struct.unpack_from("<4sHHIIQ", second)
    stored = second[24:]
    parts.append(struct.pack("<4sHHIQ", b"CCOB", 1, 1, size, digest) + stored)
    parts.append(struct.pack("<4sHHQQQ", b"CCOB", 3, 1, 32 + len(stored), size, digest) + stored)
    content = b"".join(part + bytes(-len(part) % 4096) for part in parts)
    found, problems = read_bundles(content)
    assert problems == ()
    assert [bundle.version for bundle in found] == [None, 2, 1, 1, 2, 2, 3, 3, 1, 3]
    assert [bundle.size for bundle in found] == [len(part) for part in parts]
    for bundle in found:
        assert bytes(load(bundle, content)) == plain
        assert bundle.entries == found[0].entries


@pytest.mark.parametrize(
    ("compiler", "option"),
    [
        # This bundler does not compress.
        pytest.param("clang-15", "-O2", marks=pytest.mark.slow),
        pytest.param("clang-19", "--no-offload-compress", marks=pytest.mark.slow),
        ("clang-19", "--offload-compress"),
    ],
)
def test_bundles_of_an_object_are_read(
    compiler: str, option: str, source: Path, tmp_path: Path
) -> None:
    arches = ("gfx900", "gfx90a:xnack-", "gfx1030")
    path = _compile(source, tmp_path / "kernels.o", compiler, arches, option)
    elf = Elf(path.read_bytes())
    (section,) = elf.sections_named(".hip_fatbin")
    content = elf.content(section)
    (found,), problems = read_bundles(content)
    assert problems == ()
    assert (found.compression == "zstd") == (option == "--offload-compress")
    assert sorted(entry.arch for entry in found.entries) == sorted(("", *arches))
    data = load(found, content)
    for number, entry in enumerate(found.entries[1:]):
        image = tmp_path / f"{number}.co"
        image.write_bytes(data[entry.offset : entry.offset + entry.size])
        assert _compare(image).arch == entry.arch


def test_sections_of_a_relocatable_host_object_name_their_targets(
    source: Path, tmp_path: Path
) -> None:
    arches = ("gfx900", "gfx90a:xnack+")
    path = _compile(source, tmp_path / "kernels.o", "clang-19", arches, "-fgpu-rdc")
    text = run(require_tool("llvm-readelf-19"), "-SW", path)
    names = [word for word in text.split() if word.startswith(MAGIC.decode())]
    # The bundler omits the features, both when it writes and when it lists.
    assert {name.removeprefix(MAGIC.decode()) for name in names} == _listed(path)
    assert [parse_id(name) for name in names] == [
        *(("hip", "amdgcn-amd-amdhsa", arch) for arch in arches),
        ("host", "x86_64-pc-linux-gnu", ""),
    ]


def test_output_of_hipcc_is_read(tmp_path: Path) -> None:
    hipcc = require_tool("hipcc")
    path = tmp_path / "saxpy.hip"
    path.write_text("""
#include <hip/hip_runtime.h>
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + sinf(y[i]);
}
""")
    output = tmp_path / "saxpy.o"
    run(hipcc, "--offload-arch=gfx900", "--offload-arch=gfx1030", "-c", path, "-o", output)
    elf = Elf(output.read_bytes())
    (section,) = elf.sections_named(".hip_fatbin")
    content = elf.content(section)
    (found,), problems = read_bundles(content)
    assert problems == ()
    for entry in found.entries[1:]:
        image = tmp_path / "saxpy.co"
        image.write_bytes(load(found, content)[entry.offset : entry.offset + entry.size])
        facts = _compare(image)
        assert facts.arch == entry.arch
        assert [kernel.name for kernel in facts.kernels] == ["_Z5saxpyifPKfPf"]


def test_offload_binary_matches_the_packager(code_objects: dict[str, Path], tmp_path: Path) -> None:
    packager = require_tool("clang-offload-packager-19")
    output = tmp_path / "made.bin"
    kinds = ("hip", "openmp", "cuda")
    images = [
        f"--image=file={path},triple=amdgcn-amd-amdhsa,arch={arch},kind={kind},note=of {kind}"
        for (arch, path), kind in zip(code_objects.items(), kinds, strict=True)
    ]
    run(packager, "-o", output, *images)
    content = output.read_bytes()
    entries, problems = offload_binary.read(content)
    assert problems == ()
    assert [entry.offload_kind_name for entry in entries] == list(kinds)
    for entry, (arch, path) in zip(entries, code_objects.items(), strict=True):
        assert bytes(offload_binary.load(entry, content)) == path.read_bytes()
        assert (entry.string("triple"), entry.string("arch")) == ("amdgcn-amd-amdhsa", arch)
        assert entry.string("note") == f"of {entry.offload_kind_name}"
    dumped = run(require_tool("llvm-objdump-19"), "--offloading", output)
    for index, entry in enumerate(entries):
        shown = f"OFFLOADING IMAGE [{index}]:"
        assert shown in dumped
        assert f"arch            {entry.string('arch')}" in dumped


@pytest.mark.parametrize("mode", [(), ("-fgpu-rdc", "-foffload-lto")])
def test_offloading_section_of_hip_is_read(
    mode: tuple[str, ...], source: Path, tmp_path: Path
) -> None:
    arches = ("gfx900", "gfx90a:xnack+")
    options = ("--offload-new-driver", "-fgpu-rdc", *mode)
    path = _compile(source, tmp_path / "kernels.o", "clang-19", arches, *options)
    _compare_section(path, "hip", arches)


def _compare_section(path: Path, kind: str, arches: tuple[str, ...]) -> None:
    elf = Elf(path.read_bytes())
    (section,) = elf.sections_named(".llvm.offloading")
    content = elf.content(section)
    entries, problems = offload_binary.read(content)
    assert problems == ()
    assert [entry.string("arch") for entry in entries] == list(arches)
    assert {entry.offload_kind_name for entry in entries} == {kind}
    dumped = run(require_tool("llvm-objdump-19"), "--offloading", path)
    names = {"elf": "object", "llvm ir": "bitcode", "cubin": "cubin"}
    kinds = [line.split(None, 1)[1] for line in dumped.splitlines() if line.startswith("kind")]
    assert [entry.image_kind_name for entry in entries] == [names[name] for name in kinds]
    for entry in entries:
        image = offload_binary.load(entry, content)
        if entry.image_kind_name == "bitcode":
            assert bytes(image[:2]) == b"BC"


def test_offloading_section_of_cuda_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kernels.cu"
    path.write_text(
        PRELUDE + 'extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long,'
        " void*);\n__global__ void one(int* p) { *p = 1; }\n"
    )
    output = tmp_path / "kernels.o"
    # The compiler calls the offload packager, which comes with the bundler.
    require_backend("hip", NEWER_CLANG)
    run(
        *(require_tool("clang-19"), "-x", "cuda", "--offload-new-driver", "-fgpu-rdc", "-w"),
        *("-foffload-lto", "--cuda-gpu-arch=sm_70", "--cuda-gpu-arch=sm_80", "-nocudainc"),
        *("-nocudalib", "-Wno-unknown-cuda-version", "--no-cuda-version-check", "-c", path),
        *("-o", output),
    )
    _compare_section(output, "cuda", ("sm_70", "sm_80"))


def test_damage_to_real_files_is_reported_without_raising(
    code_objects: dict[str, Path], tmp_path: Path
) -> None:
    code = code_objects["gfx90a:xnack+"].read_bytes()
    for offset in range(0, len(code), len(code) // 500):
        damaged = bytearray(code)
        damaged[offset] ^= 0xFF
        for part in (damaged, code[:offset]):
            with contextlib.suppress(InputError):
                read_code_object(bytes(part))
    for options in ((), ("-compress",)):
        content = _bundle(code_objects, tmp_path / "damaged.hipfb", *options).read_bytes()
        for offset in range(0, len(content), len(content) // 100):
            damaged = bytearray(content)
            damaged[offset] ^= 0xFF
            for part in (bytes(damaged), content[:offset]):
                for bundle in read_bundles(part)[0]:
                    with contextlib.suppress(InputError):
                        load(bundle, part)


WHEELS = ("jax-rocm7-plugin==0.10.2", "jax-rocm60-plugin==0.5.0")


@pytest.mark.slow
@pytest.mark.parametrize("wheel", WHEELS)
def test_public_wheel_matches_readobj(wheel: str, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    finished = subprocess.run([*pip, "-d", tmp_path, wheel], capture_output=True, check=False)
    if finished.returncode:
        pytest.skip(f"cannot download {wheel}")
    (archive,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path)
    kernels = 0
    for library in tmp_path.rglob("*.so"):
        elf = Elf(library.read_bytes())
        for section in elf.sections_named(".hip_fatbin"):
            content = elf.content(section)
            bundles, problems = read_bundles(content)
            assert problems == ()
            for bundle in bundles:
                data = load(bundle, content)
                for entry in bundle.entries:
                    if not entry.arch:
                        continue
                    image = tmp_path / "image.co"
                    image.write_bytes(data[entry.offset : entry.offset + entry.size])
                    facts = _compare(image)
                    assert facts.arch == entry.arch
                    kernels += len(facts.kernels)
    assert kernels
    shutil.rmtree(tmp_path)
