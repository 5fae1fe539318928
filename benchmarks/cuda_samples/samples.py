"""Find the samples, and decide from their sources which of them to build and run."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cuda_samples.cmakelists import (
    Listing,
    list_include_directories,
    list_sources,
    read_listing,
)

REPOSITORY = "https://github.com/NVIDIA/cuda-samples"
COMMIT = "c94ff366aed18c797b8a85dfaac7817b0228b420"
# What `digest_sources` returns for this commit.
DIGEST = "d619a122c453eff5e738e7bd01f13706c4137b4b1c5fa46fe00064048a19390b"

GRAPHICS, PLATFORM, LIBRARY, DRIVER = "graphics", "platform", "library", "driver API"
SOURCE_SUFFIXES = frozenset(
    {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".inl"}
)
_TEXTS = SOURCE_SUFFIXES | {".txt", ".json"}

# The first rule that finds a line excludes the sample.
_LISTING_RULES = (
    (GRAPHICS, r"find_package (OpenGL|GLUT|EGL|Vulkan|GLFW3?|X11)\b"),
    (GRAPHICS, r"target_link_libraries .*\b(d3d\d+|dxgi|D3D\d+)\b"),
    (PLATFORM, r"find_(package|library) (NVSCI|CUDLA)\w*\b"),
    (LIBRARY, r"target_link_libraries .*\bCUDA::(?!cudart|cuda_driver)(\w+)"),
    (LIBRARY, r"find_package (MPI|FreeImage|LLVM)\b"),
    (DRIVER, r"target_link_libraries .*\bCUDA::cuda_driver\b"),
)
_SOURCE_RULES = (
    (GRAPHICS, r"(GL/|GLES\d?/|EGL/|vulkan/|GLFW/|helper_gl\.h|rendercheck_|d3d\d+|DirectX)"),
    (PLATFORM, r"(nvsci|nvmedia|cudla)"),
    (
        LIBRARY,
        r"(curand|cublas|cufft|cusolver|cusparse|npp|nvjpeg|nvrtc|nvJitLink|nvvm|nvtx3/|mpi\.h|FreeImage|cudnn)",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Why a sample is left out, and the line that says so."""

    kind: str
    evidence: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A program of the samples.

    Attributes:
        name: The name of the program.
        directory: Its directory, relative to the root of the samples.
        sources: Its C++ and CUDA sources, relative to its directory.
        includes: Its include directories, relative to its directory.
        standard: The C++ standard; empty if the sample requests none.
        has_rdc: Whether it is compiled as relocatable device code.
        has_extended_lambda: Whether nvcc receives ``--extended-lambda``.
        has_openmp: Whether its C++ code is compiled with OpenMP.
        devices: The number of GPUs that it needs.
        runs: The arguments of each run, as the repository's own ``test_args.json`` lists them.
        exclusion: Why it is left out; None if it is built and run.
    """

    name: str
    directory: str
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    standard: str
    has_rdc: bool
    has_extended_lambda: bool
    has_openmp: bool
    devices: int
    runs: tuple[tuple[str, ...], ...]
    exclusion: Exclusion | None

    @property
    def device_sources(self) -> tuple[str, ...]:
        return tuple(source for source in self.sources if source.endswith(".cu"))

    @property
    def host_sources(self) -> tuple[str, ...]:
        return tuple(s for s in self.sources if s.endswith((".cpp", ".cc", ".cxx", ".c")))


def find_samples(root: Path) -> tuple[Sample, ...]:
    """Return a sample for each CMakeLists.txt that adds a program, in the order of directories."""
    arguments = json.loads((root / "test_args.json").read_text())
    listings = (read_listing(path) for path in sorted((root / "Samples").rglob("CMakeLists.txt")))
    return tuple(
        _describe(listing, root, arguments)
        for listing in listings
        if next(listing.find("add_executable"), None)
    )


def _describe(listing: Listing, root: Path, arguments: dict[str, dict]) -> Sample:
    name = listing.path.parent.name
    configured = arguments.get(name, {})
    runs = configured.get("runs") or [{"args": configured.get("args", [])}]
    words = [word for call in listing.calls for word in call.words]
    standards = [match[1] for word in words if (match := re.fullmatch(r"cxx_std_(\d+)", word))]
    return Sample(
        name=name,
        directory=str(listing.path.parent.relative_to(root)),
        sources=list_sources(listing),
        includes=list_include_directories(listing),
        standard=standards[0] if standards else "",
        has_rdc=("CUDA_SEPARABLE_COMPILATION", "ON") in itertools.pairwise(words),
        has_extended_lambda=any("--extended-lambda" in word for word in words),
        has_openmp=any("OpenMP::" in word for word in words),
        devices=configured.get("min_gpus", 1),
        runs=tuple(tuple(run.get("args", ())) for run in runs),
        exclusion=find_exclusion(listing, root),
    )


def find_exclusion(listing: Listing, root: Path) -> Exclusion | None:
    """Return why the sample needs more than a GPU, cudart, CUB, and Thrust."""
    name = listing.path.relative_to(root)
    for kind, pattern in _LISTING_RULES:
        for call in listing.calls:
            text = " ".join((call.name, *call.words))
            if found := re.search(pattern, text):
                shown = found[0] if " .*" not in pattern else found[0].split()[-1]
                return Exclusion(kind=kind, evidence=f"{name}:{call.line}", line=shown)
    for kind, pattern in _SOURCE_RULES:
        for path in _list_sources_below(listing.path.parent):
            text = path.read_text(errors="replace")
            include = rf'^[ \t]*#[ \t]*include[ \t]*[<"]{pattern}[^>"]*[>"]'
            found = re.search(include, text, re.MULTILINE)
            if found:
                number = text.count("\n", 0, found.start()) + 1
                evidence = f"{path.relative_to(root)}:{number}"
                return Exclusion(kind=kind, evidence=evidence, line=found[0].strip())
    return None


def _list_sources_below(directory: Path) -> Iterator[Path]:
    return (path for path in sorted(directory.rglob("*")) if path.suffix in SOURCE_SUFFIXES)


def digest_sources(root: Path) -> str:
    """Return a digest of all sources and listings, which identifies the commit."""
    digest = hashlib.sha256()
    for top in ("Common", "Samples"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in _TEXTS and path.is_file():
                digest.update(f"{path.relative_to(root)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
