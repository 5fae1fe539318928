"""The host side of files that nvcc, hipcc, and clang built, compared with nm and readelf."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kbuild.facts import ArtifactFacts, ContainerFacts, HostKernel, Place
from kbuild.formats.elf.file import Elf
from kbuild.inspect import inspect_path
from kbuild.inspect.host.kernels import read_host_kernels
from kbuild.inspect.host.wrappers import read_wrappers
from support.commands import run, run_kbuild, succeed
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS, needs_nvcc, runtime_library
from support.tools.toolchains import needs_hipcc, require_programs

FIRST = """\
namespace ns { __global__ void scale(float* p, float a) { *p *= a; } }
namespace ns { static __global__ void inner(float* p) { *p = 7; } }
extern "C" __global__ void fill(int* p) { *p = 1; }
template <class T> __global__ void copy(const T* a, T* b) { *b = *a; }
static __global__ void local(int* p) { *p = 3; }
namespace { __global__ void unnamed(int* p) { *p = 2; } }
__constant__ float weights[4];
__global__ void weigh(float* p) { *p = weights[1]; }
void call(float* p, int* q) {
  ns::scale<<<1, 1>>>(p, 2); ns::inner<<<1, 1>>>(p); copy<<<1, 1>>>(p, p); copy<<<1, 1>>>(q, q);
  local<<<1, 1>>>(q); unnamed<<<1, 1>>>(q); weigh<<<1, 1>>>(p); fill<<<1, 1>>>(q);
}
"""
SECOND = """\
template <class T> __global__ void copy(const T* a, T* b) { *b = *a; }
static __global__ void local(int* p) { *p = 4; }
void run(const double* a, double* b) { copy<<<1, 1>>>(a, b); local<<<1, 1>>>((int*)b); }
"""
ARCHITECTURE = "-arch=sm_80"


needs_hip = needs_hipcc()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile objects of two sources: plain, optimized, and for separable compilation."""
    directory = tmp_path_factory.mktemp("host")
    for stem, text in (("first", FIRST), ("second", SECOND)):
        (directory / f"{stem}.cu").write_text(text)
        for name, options in (("", ()), ("_fast", ("-O3",)), ("_rdc", ("-rdc=true", "-O3"))):
            headers = SMALL_CUDA_HEADERS if options else ()
            words = ("-std=c++17", "-c", "-Xcompiler", "-fPIC", ARCHITECTURE, *options, *headers)
            succeed(run(NVCC, *words, f"{stem}.cu", "-o", f"{stem}{name}.o", cwd=directory))
    return directory


def nvcc(directory: Path, *words: str) -> None:
    succeed(run(NVCC, *words, cwd=directory))


def link(directory: Path, name: str, *words: str) -> ArtifactFacts:
    succeed(run("g++", "-shared", *words, "-o", name, cwd=directory))
    return read(directory / name)


def read(path: Path) -> ArtifactFacts:
    (facts,) = inspect_path(path)
    return facts


def readelf_symbols(path: Path) -> Counter[tuple[str, str, str, str]]:
    """Return (name, type, binding, visibility) of each defined symbol of the full table."""
    listing = succeed(run("readelf", "-sW", path))
    table = listing.partition("'.symtab'")[2] or listing
    rows = (line.split() for line in table.splitlines())
    return Counter(
        (row[7], row[3], row[4].lower(), row[5].lower())
        for row in rows
        if len(row) >= 8 and row[3] in {"FUNC", "OBJECT"} and row[6] != "UND"
    )


TYPES = {"function": "FUNC", "object": "OBJECT"}


def check_symbols(path: Path, kernels: tuple[HostKernel, ...]) -> None:
    """Check that readelf lists each symbol as often as the facts have it."""
    listed = readelf_symbols(path)
    shown: Counter[tuple[str, str, str, str]] = Counter()
    for kernel in kernels:
        if kernel.symbol:
            symbol = kernel.symbol
            about = (symbol.name, TYPES[symbol.type], symbol.binding, symbol.visibility)
            shown[about] += 1
    assert shown
    assert all(listed[symbol] == count for symbol, count in shown.items()), (shown, listed)


def device_names(facts: ArtifactFacts) -> set[str]:
    return {kernel.name for image in facts.images for kernel in image.kernels}


def identities(facts: ArtifactFacts) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for kernel in facts.host_kernels:
        found.setdefault(kernel.kernel, []).append(kernel.symbol.name if kernel.symbol else None)
    return found


def registered(facts: ArtifactFacts) -> set[bool | None]:
    return {kernel.is_registered for kernel in facts.host_kernels}


@needs_nvcc
@pytest.mark.parametrize("name", ["first.o", "first_fast.o"])
def test_host_side_of_nvcc_object(built: Path, name: str) -> None:
    facts = read(built / name)

    assert [(w.version, w.container, w.problem) for w in facts.wrappers] == [(1, 0, None)]
    assert {kernel.kernel for kernel in facts.host_kernels} == device_names(facts)
    assert len(facts.host_kernels) == 8
    assert registered(facts) == {True}
    assert {kernel.kind for kernel in facts.host_kernels} == {"function"}
    check_symbols(built / name, facts.host_kernels)
    names = identities(facts)
    assert names["_ZN2ns5scaleEPff"] == ["_ZN2ns5scaleEPff"]
    assert names["_Z5localPi"] == ["_ZL5localPi"]
    assert names["_ZN2ns5innerEPf"] == ["_ZN2nsL5innerEPf"]
    assert facts.runtimes == ()


@needs_nvcc
def test_stubs_of_unoptimized_nvcc_object_are_found(built: Path) -> None:
    facts = read(built / "first.o")

    stubs = {k.kernel: k.stub.name for k in facts.host_kernels if k.stub}
    assert stubs.keys() == device_names(facts)
    listed = {name for name, *_ in readelf_symbols(built / "first.o")}
    expected = {name for name in listed if re.match(r"_ZL?\d+__device_stub_", name)}
    assert set(stubs.values()) == expected
    assert stubs["fill"] == "_Z23__device_stub__Z4fillPiPi"


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("-Xcompiler", "-fno-pie"), marks=pytest.mark.slow),
        pytest.param(("-Xcompiler", "-fPIC,-fno-plt"), marks=pytest.mark.slow),
        ("-Xcompiler", "-mcmodel=large"),
    ],
    ids=" ".join,
)
def test_registration_is_found_in_other_code_models(
    built: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    path = tmp_path / "first.o"
    nvcc(built, "-c", "-O3", ARCHITECTURE, *options, "first.cu", "-o", str(path))

    facts = read(path)
    assert [w.container for w in facts.wrappers] == [0]
    assert registered(facts) == {True}
    check_symbols(path, facts.host_kernels)


@needs_nvcc
def test_relocatable_link_distinguishes_static_kernels_of_one_name(built: Path) -> None:
    succeed(run("ld", "-r", "first.o", "second.o", "-o", "both.o", cwd=built))
    facts = read(built / "both.o")

    assert [w.container for w in facts.wrappers] == [0, 1]
    assert identities(facts)["_Z5localPi"] == ["_ZL5localPi", "_ZL5localPi"]
    assert registered(facts) == {True}
    check_symbols(built / "both.o", facts.host_kernels)


LINKERS = [
    pytest.param((), id="bfd"),
    pytest.param(("-fuse-ld=lld",), id="lld"),
    pytest.param(("-Wl,-z,pack-relative-relocs",), id="relr"),
]


@needs_nvcc
@pytest.mark.parametrize("options", LINKERS)
@pytest.mark.parametrize("is_stripped", [False, True], ids=["", "stripped"])
def test_host_side_of_library_with_shared_runtime(
    built: Path, options: tuple[str, ...], is_stripped: bool
) -> None:
    if "-fuse-ld=lld" in options:
        require_programs("ld.lld")
    library = runtime_library()
    objects = ("first_fast.o", "second_fast.o")
    facts = link(built, "libboth.so", *options, *objects, str(library))
    if is_stripped:
        succeed(run("strip", "libboth.so", cwd=built))
        facts = read(built / "libboth.so")

    assert [(w.version, w.container, w.problem) for w in facts.wrappers] == [
        (1, 0, None),
        (1, 1, None),
    ]
    assert {kernel.kernel for kernel in facts.host_kernels} == device_names(facts)
    assert registered(facts) == {True}
    (runtime,) = facts.runtimes
    soname = library.name
    assert (runtime.name, runtime.linkage, runtime.soname) == ("cudart", "shared", soname)
    assert runtime.version == soname.removeprefix("libcudart.so.")
    needed = succeed(run("readelf", "-VW", "libboth.so", cwd=built))
    assert runtime.needs == (soname,)
    assert f"File: {soname}" in needed
    if is_stripped:
        assert {kernel.symbol for kernel in facts.host_kernels} == {None}
    else:
        check_symbols(built / "libboth.so", facts.host_kernels)


@needs_nvcc
@pytest.mark.parametrize("is_stripped", [False, True], ids=["", "stripped"])
def test_host_side_of_library_with_static_runtime(built: Path, is_stripped: bool) -> None:
    nvcc(built, "-shared", "first_fast.o", "second_fast.o", "-o", "libstatic.so")
    if is_stripped:
        succeed(run("strip", "libstatic.so", cwd=built))
    facts = read(built / "libstatic.so")

    assert [(r.name, r.linkage, r.soname, r.version) for r in facts.runtimes] == [
        ("cudart", "static", None, None)
    ]
    assert registered(facts) == {True}
    # nvcc always runs its device linker; its container is empty here.
    assert sorted((w.version, w.is_device_linked) for w in facts.wrappers) == [
        (1, False),
        (1, False),
        (2, True),
    ]
    assert sorted(w.container for w in facts.wrappers if w.container is not None) == [0, 1, 2]


@needs_nvcc
def test_runtime_library_does_not_contain_itself() -> None:
    assert read(runtime_library()).runtimes == ()


@needs_nvcc
def test_host_side_with_separable_compilation(built: Path) -> None:
    single = read(built / "first_rdc.o")
    assert registered(single) == {True}
    assert [(w.version, w.container) for w in single.wrappers] == [(1, 0)]
    assert [c.is_relocatable for c in single.containers] == [True]
    check_symbols(built / "first_rdc.o", single.host_kernels)

    objects = ("first_rdc.o", "second_rdc.o")
    nvcc(built, "-dlink", ARCHITECTURE, "-Xcompiler", "-fPIC", *objects, "-o", "linked.o")
    device_link = read(built / "linked.o")
    assert [(w.version, w.is_device_linked, w.container) for w in device_link.wrappers] == [
        (2, True, 0)
    ]
    assert registered(device_link) == {None}  # the objects of the sources register

    library = link(built, "librdc.so", *objects, "linked.o", str(runtime_library()))
    assert registered(library) == {True}
    assert {(w.version, w.problem) for w in library.wrappers} == {(1, None), (2, None)}
    assert {w.container for w in library.wrappers} == set(range(len(library.containers)))
    linked = next(w for w in library.wrappers if w.is_device_linked)
    assert linked.container is not None
    assert not library.containers[linked.container].is_relocatable
    # There are two file-local kernels of one name, and it is unknown which symbol is whose.
    names = identities(library)
    local = [names[name] for name in names if name.endswith("_Z5localPi")]
    assert local == [[None], [None]]
    check_symbols(built / "librdc.so", library.host_kernels)


@needs_nvcc
def test_unregistered_kernel_is_reported(built: Path) -> None:
    """The changed name in the read-only data simulates a missing registration."""
    link(built, "libforgot.so", "first_fast.o", str(runtime_library()))
    content = bytearray((built / "libforgot.so").read_bytes())
    elf = Elf(bytes(content))
    for section in elf.sections:
        if section.name.startswith(".rodata"):
            start = content.find(
                b"_ZN2ns5scaleEPff\0", section.offset, section.offset + section.size
            )
            if start >= 0:
                content[start : start + 2] = b"xx"
    (built / "libforgot.so").write_bytes(content)

    facts = read(built / "libforgot.so")
    missing = {k.kernel for k in facts.host_kernels if k.is_registered is False}
    assert missing == {"_ZN2ns5scaleEPff"}


@needs_nvcc
def test_container_without_a_wrapper_is_not_registered(built: Path) -> None:
    """A library can embed a fat binary for the driver API."""
    nvcc(built, "-fatbin", ARCHITECTURE, "second.cu", "-o", "second.fatbin")
    text = '.section .nv_fatbin, "a"\n.incbin "second.fatbin"\n.section .note.GNU-stack, ""\n'
    (built / "embedded.s").write_text(text)
    succeed(run("gcc", "-c", "embedded.s", "-o", "embedded.o", cwd=built))
    words = ("first_fast.o", "embedded.o", str(runtime_library()))
    facts = link(built, "liborphan.so", *words)

    assert len(facts.containers) == 2
    assert [w.container for w in facts.wrappers] == [0]
    assert {k.kernel for k in facts.host_kernels if not k.is_registered} == {"_Z4copyIdEvPKT_PS0_"}


def inspect_json(path: Path) -> Any:
    result = run_kbuild("inspect", "--format", "json", path)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["artifacts"][0]


@needs_nvcc
def test_json_lists_handles_wrappers_and_runtimes(built: Path) -> None:
    link(built, "libjson.so", "first_fast.o", "second_fast.o", str(runtime_library()))
    artifact = inspect_json(built / "libjson.so")

    handles = [h for h in artifact["handles"] if h["kernel"] == "_ZN2ns5scaleEPff"]
    (size,) = (
        int(line.split()[1], 16)
        for line in succeed(run("nm", "-S", "libjson.so", cwd=built)).splitlines()
        if line.endswith(" _ZN2ns5scaleEPff")
    )
    assert handles == [
        {
            "kernel": "_ZN2ns5scaleEPff",
            "kind": "function",
            "binding": "local",
            "visibility": "default",
            "section": ".text",
            "size": size,
            "stub": None,
            "registered": True,
        }
    ]
    assert [w["container"] for w in artifact["wrappers"]] == [0, 1]
    assert {w["section"] for w in artifact["wrappers"]} == {".nvFatBinSegment"}
    assert [w["offset"] for w in artifact["wrappers"]] == [0, 24]
    assert [(r["name"], r["linkage"]) for r in artifact["runtimes"]] == [("cudart", "shared")]


CLANG_PRELUDE = """\
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
struct dim3 { unsigned x, y, z; dim3(unsigned x, unsigned y = 1, unsigned z = 1); };
typedef struct stream* cudaStream_t;
typedef int cudaError_t;
extern "C" unsigned __cudaPushCallConfiguration(
    dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0, cudaStream_t stream = 0);
extern "C" cudaError_t cudaLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** arguments, __SIZE_TYPE__ shared,
    cudaStream_t stream);
"""


@needs_nvcc
def test_clang_object_registers_its_stubs(built: Path) -> None:
    """The clang driver cannot call the fatbinary tool of CUDA 13, so nvcc makes the fat binary."""
    clang = shutil.which("clang++-19") or shutil.which("clang++")
    if clang is None:
        pytest.skip("no clang++ on PATH")
    nvcc(built, "-fatbin", ARCHITECTURE, "first.cu", "-o", "first.fatbin")
    (built / "clang.cu").write_text(CLANG_PRELUDE + FIRST)
    words = ("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-O2", "-fPIC")
    binary = ("-Xclang", "-fcuda-include-gpubinary", "-Xclang", "first.fatbin")
    made = run(clang, *words, *binary, "-c", "clang.cu", "-o", "clang.o", cwd=built)
    if made.returncode:
        pytest.skip(f"{clang} cannot compile CUDA here: {made.stderr[-200:]}")
    facts = read(built / "clang.o")

    assert [(w.version, w.container, w.problem) for w in facts.wrappers] == [(1, 0, None)]
    of = {k.kernel: k for k in facts.host_kernels}
    check_symbols(built / "clang.o", tuple(k for k in facts.host_kernels if k.symbol))
    for kernel, stub in (
        ("_ZN2ns5scaleEPff", "_ZN2ns20__device_stub__scaleEPff"),
        ("_Z4copyIfEvPKT_PS0_", "_Z19__device_stub__copyIfEvPKT_PS0_"),
        ("fill", "__device_stub__fill"),
    ):
        symbol = of[kernel].symbol
        assert symbol is not None
        assert (symbol.name, of[kernel].kind, of[kernel].stub) == (stub, "function", None)
        assert of[kernel].is_registered is True
    # nvcc gives file-local kernels other names, so clang's host code does not register them.
    assert of["_Z5localPi"].is_registered is False


HIP_KERNELS = (
    *("_ZN2ns5scaleEPff", "_ZN2nsL5innerEPf", "fill", "_Z4copyIfEvPKT_PS0_"),
    *("_Z4copyIiEvPKT_PS0_", "_ZL5localPi", "_ZN12_GLOBAL__N_17unnamedEPi", "_Z5weighPf"),
)
HIP_STUBS = {
    "_ZN2ns5scaleEPff": "_ZN2ns20__device_stub__scaleEPff",
    "_ZN2nsL5innerEPf": "_ZN2nsL20__device_stub__innerEPf",
    "fill": "__device_stub__fill",
    "_Z4copyIfEvPKT_PS0_": "_Z19__device_stub__copyIfEvPKT_PS0_",
    "_Z4copyIiEvPKT_PS0_": "_Z19__device_stub__copyIiEvPKT_PS0_",
    "_ZL5localPi": "_ZL20__device_stub__localPi",
    "_ZN12_GLOBAL__N_17unnamedEPi": "_ZN12_GLOBAL__N_122__device_stub__unnamedEPi",
    "_Z5weighPf": "_Z20__device_stub__weighPf",
}


@pytest.fixture(scope="module")
def hip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an object, a relocatable one, and libraries with both linkers."""
    directory = tmp_path_factory.mktemp("hip")
    (directory / "first.hip").write_text("#include <hip/hip_runtime.h>\n" + FIRST)
    common = ("--offload-arch=gfx90a", "-O2", "-fPIC", *SMALL_HEADERS)

    def hipcc(*words: str) -> None:
        made = subprocess.run(
            ["hipcc", *common, *words],
            cwd=directory,
            env={**os.environ, "HIP_PLATFORM": "amd"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr  # needs_hipcc has tried it

    hipcc("-c", "first.hip", "-o", "first.o")
    hipcc("-fgpu-rdc", "-c", "first.hip", "-o", "first_rdc.o")
    hipcc("-shared", "first.o", "-o", "libfirst.so")
    if shutil.which("ld.lld"):
        hipcc("-shared", "-fuse-ld=lld", "first.o", "-o", "liblld.so")
    return directory


def hip_container(elf: Elf) -> ContainerFacts:
    (section,) = elf.sections_named(".hip_fatbin")
    return ContainerFacts(
        backend="hip",
        place=Place(section=section.index, offset=0),
        size=section.size,
        is_damaged=False,
        alignment=4096,
    )


@needs_hip
@pytest.mark.parametrize("name", ["first.o", "libfirst.so", "liblld.so"])
def test_hip_handles_are_variables_with_stubs(hip: Path, name: str) -> None:
    if not (hip / name).exists():
        require_programs("ld.lld")
    elf = Elf((hip / name).read_bytes())
    wrappers = read_wrappers(elf, (hip_container(elf),))
    assert [(w.backend, w.version, w.container, w.problem) for w in wrappers] == [
        ("hip", 1, 0, None)
    ]

    kernels = read_host_kernels(elf, elf.symbols, {"hip": HIP_KERNELS}, wrappers)
    assert [k.symbol and k.symbol.name for k in kernels] == list(HIP_KERNELS)
    assert {(k.kind, k.symbol and k.symbol.size) for k in kernels} == {("variable", 8)}
    assert {k.is_registered for k in kernels} == {True}
    assert {k.kernel: k.stub and k.stub.name for k in kernels} == HIP_STUBS
    check_symbols(hip / name, kernels)


@needs_hip
def test_hip_library_needs_its_runtime(hip: Path) -> None:
    (runtime,) = read(hip / "libfirst.so").runtimes

    listing = succeed(run("readelf", "-dVW", hip / "libfirst.so"))
    (soname,) = set(re.findall(r"\[(libamdhip64\.so[.\d]*)\]", listing))
    assert (runtime.name, runtime.linkage, runtime.soname) == ("amdhip64", "shared", soname)
    assert runtime.version == (soname.removeprefix("libamdhip64.so.") or None)
    assert set(runtime.needs) == set(re.findall(r"Name: (hip_[\d.]+)", listing))


@needs_hip
def test_host_side_of_relocatable_hip_object(hip: Path) -> None:
    path = hip / "first_rdc.o"
    (wrapper,) = read(path).wrappers
    assert (wrapper.awaits, wrapper.problem) == ("__hip_fatbin", None)

    texts = succeed(run("strings", "-a", path))
    (unique,) = set(re.findall(r"^(_ZL5localPi\.\w+\.[0-9a-f]+)$", texts, re.MULTILINE))
    elf = Elf(path.read_bytes())
    kernel, *absent = read_host_kernels(elf, elf.symbols, {"hip": (unique,)}, ())
    assert {(k.is_absent, k.is_registered) for k in absent} == {(True, True)}
    assert kernel.symbol is not None
    assert (kernel.symbol.name, kernel.is_registered) == ("_ZL5localPi", True)
