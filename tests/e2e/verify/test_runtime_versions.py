"""KB403 and symbol versions: the rule agrees with the dynamic linker."""

from __future__ import annotations

import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect import inspect_path
from kbuild.verify import select_rules, verify
from support.commands import run, succeed
from support.files.mutations import patch
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS, needs_nvcc, runtime_library
from support.tools.toolchains import needs_hipcc

needs_hip = needs_hipcc()

CUDA = """\
__global__ void scale(float* p, float a) { *p *= a; }
void call(float* p) { scale<<<1, 1>>>(p, 2); }
"""
HIP = "#include <hip/hip_runtime.h>\n" + CUDA


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library with kernels, and the runtime that it was linked to."""

    path: Path
    runtime: Path

    @property
    def facts(self) -> ArtifactFacts:
        (facts,) = inspect_path(self.path)
        return facts

    @property
    def soname(self) -> str:
        (runtime,) = self.facts.runtimes
        assert runtime.soname is not None
        return runtime.soname

    @property
    def needs(self) -> tuple[str, ...]:
        (runtime,) = self.facts.runtimes
        return runtime.needs


def read_library(kind: str, directory: Path) -> Library:
    """Return kernels by nvcc or hipcc, linked to the runtime of that compiler."""
    output = directory / "libk.so"
    if kind == "cuda":
        (directory / "k.cu").write_text(CUDA)
        words = ("-arch=sm_80", "-Xcompiler=-fPIC", "-c", "k.cu", "-o", "k.o")
        succeed(run(NVCC, *SMALL_CUDA_HEADERS, *words, cwd=directory))
        runtime = runtime_library()
        succeed(run("g++", "-shared", "k.o", runtime, "-o", output, cwd=directory))
    else:
        (directory / "k.hip").write_text(HIP)
        words = ("--offload-arch=gfx90a", "-fPIC", "-c", "k.hip", "-o", "k.o")
        hipcc = ("env", "HIP_PLATFORM=amd", "hipcc", *SMALL_HEADERS)
        succeed(run(*hipcc, *words, cwd=directory))
        succeed(run("g++", "-shared", "k.o", "-lamdhip64", "-o", output, cwd=directory))
        (runtime,) = Path("/usr/lib/x86_64-linux-gnu").glob("libamdhip64.so.[0-9]")
    return Library(path=output, runtime=runtime)


@pytest.fixture(
    scope="module",
    params=[pytest.param("cuda", marks=needs_nvcc), pytest.param("hip", marks=needs_hip)],
)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    return read_library(request.param, tmp_path_factory.mktemp(request.param))


def make_runtime(directory: Path, library: Library, *versions: str) -> Path:
    """Return a runtime with all functions of the library. The last version is the default."""
    directory.mkdir()
    (linkage,) = library.facts.linkage
    source = directory / "runtime.c"
    # Like every real runtime, it uses the C library, so it has a version table.
    text = "int getpid(void);\n"
    text += "".join(f"int {name}(void) {{ return getpid() == 0; }}\n" for name in linkage.needs)
    source.write_text(text)
    nodes = [f"{version} {{ }};\n" for version in versions[:-1]]
    nodes += [f"{version} {{ global: *; }};\n" for version in versions[-1:]]
    script = directory / "versions.map"
    script.write_text("".join(nodes))
    options = (f"-Wl,--version-script={script}",) if versions else ()
    output = directory / library.soname
    words = ("-shared", "-fPIC", f"-Wl,-soname,{library.soname}", *options, source, "-o", output)
    succeed(run("gcc", "-w", *words))
    return output


def judge(*paths: Path) -> list[str]:
    """Return the messages of KB403 about the first of these files."""
    files = tuple(facts for path in paths for facts in inspect_path(path))
    report = verify(files[:1], rules=select_rules(["KB403"]), context=files[1:])
    assert report.rules_run == ("KB403",)
    return [finding.message for finding in report.findings]


def load(library: Path, runtime: Path) -> str:
    """Return the dynamic linker's error for the library with that runtime, or an empty string."""
    words = ("-c", f"import ctypes; ctypes.CDLL({str(library)!r})")
    result = run("env", f"LD_LIBRARY_PATH={runtime.parent}", sys.executable, *words)
    return "" if result.returncode == 0 else result.stderr


def test_library_loads_with_its_own_runtime(library: Library) -> None:
    assert library.needs
    assert judge(library.path, library.runtime) == []


def test_versions_agree_with_readelf(library: Library) -> None:
    for path in (library.path, library.runtime):
        elf = Elf(path.read_bytes())
        listing = succeed(run("readelf", "--dyn-syms", "-W", path))
        # Number, value, size, type, binding, visibility, section, name.
        rows = [line.split() for line in listing.splitlines() if re.match(r" +\d+: ", line)]
        shown = [row[7] if len(row) > 7 else "" for row in rows]
        # Versions have separate symbols.
        own = elf.defined_versions
        found = [(s.name, s.version) for s in elf.symbols if s.dynamic and s.name not in own]
        assert {name for name, _ in found} <= {name.partition("@")[0] for name in shown}
        for name, version in found:
            spellings = {name} if version is None else {f"{name}@{version}", f"{name}@@{version}"}
            assert spellings & set(shown), (name, version)
        listing = succeed(run("readelf", "-VW", path)).partition("Version definition")[2]
        listing = listing.partition("Version needs")[0]
        assert set(elf.defined_versions) == set(re.findall(r"Cnt: \d+  Name: (\S+)", listing))


def test_runtime_of_another_version(library: Library, tmp_path: Path) -> None:
    same = make_runtime(tmp_path / "same", library, "other_1", *library.needs[:1])
    other = make_runtime(tmp_path / "other", library, "other_1", "other_2")

    (message,) = judge(library.path, other)
    assert message.startswith(str(other))
    said = load(library.path, other)
    if library.soname in library.needs:
        # The name of the library is also a version, which cudart's symbols have.
        assert f"@{library.soname}" in message
        assert re.search(f"undefined symbol: .*, version {library.soname}", said), said
    else:
        missing = ", ".join(library.needs)
        assert f"no symbols of version {missing}, but only of other_2, other_1" in message
        assert f"version `{library.needs[0]}' not found" in said
    if len(library.needs) == 1:
        assert judge(library.path, same) == []
        assert load(library.path, same) == ""


def test_runtime_without_versions(library: Library, tmp_path: Path) -> None:
    plain = make_runtime(tmp_path / "plain", library)
    assert judge(library.path, plain) == []
    assert load(library.path, plain) == ""


def test_library_linked_to_a_newer_runtime(library: Library, tmp_path: Path) -> None:
    """Link the object of the kernels to a runtime of a future release."""
    newer = make_runtime(tmp_path / "newer", library, "release_99")
    linked = tmp_path / "libnewer.so"
    succeed(run("g++", "-shared", library.path.with_name("k.o"), newer, "-o", linked))

    assert judge(linked, newer) == []
    assert load(linked, newer) == ""
    (message,) = judge(linked, library.runtime)
    assert message.startswith(
        f"{library.runtime} has no symbols of version release_99, but only of "
    )
    assert "version `release_99' not found" in load(linked, library.runtime)


def set_weak(library: Path, version: str) -> Path:
    """Mark a version as weak, as some linkers do if only weak references need it."""
    elf = Elf(library.read_bytes())
    (names,), (needed,) = elf.sections_named(".dynstr"), elf.sections_named(".gnu.version_r")
    name = elf.content(names).index(b"\0" + version.encode() + b"\0") + 1
    # Hash, flags, number, name, offset of the next entry.
    (offset,) = (
        at
        for at in range(needed.offset, needed.offset + needed.size, 16)
        if struct.unpack_from("<I", elf.data, at + 8)[0] == name
    )
    marked = library.with_name("libmarked.so")
    marked.write_bytes(patch(bytes(elf.data), offset + 4, struct.pack("<H", 2)))
    return marked


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    """Return two runtimes that differ in the version of their only function."""
    made = []
    for version in ("new", "old"):
        directory = tmp_path / version
        directory.mkdir()
        (directory / "k.map").write_text(f"{version} {{ global: *; }};\n")
        (directory / "runtime.c").write_text("int cudaFree(void *p) { return p != 0; }\n")
        options = ("-Wl,-soname,libcudart.so.13", f"-Wl,--version-script={directory / 'k.map'}")
        made.append(directory / "libcudart.so.13")
        words = ("-shared", "-fPIC", *options, directory / "runtime.c", "-o", made[-1])
        succeed(run("gcc", *words))
    return made[0], made[1]


@pytest.mark.parametrize(
    ("declaration", "is_marked", "is_needed"),
    [
        ("extern", False, True),
        # These linkers do not mark it, and glibc refuses to load it without the mark.
        ("extern __attribute__((weak))", False, True),
        ("extern __attribute__((weak))", True, False),
    ],
)
def test_version_of_a_weak_reference(
    tmp_path: Path,
    versions: tuple[Path, Path],
    declaration: str,
    is_marked: bool,
    is_needed: bool,
) -> None:
    (tmp_path / "k.c").write_text(
        f"{declaration} int cudaFree(void *);\n"
        "int call(void) { return cudaFree ? cudaFree(0) : 1; }\n"
    )
    new, old = versions
    library = tmp_path / "libk.so"
    words = ("-shared", "-fPIC", tmp_path / "k.c", "-Wl,--no-as-needed", new)
    succeed(run("gcc", *words, "-o", library))
    if is_marked:
        library = set_weak(library, "new")

    assert judge(library, new) == []
    assert load(library, new) == ""
    assert bool(judge(library, old)) == bool(load(library, old)) == is_needed


@pytest.mark.parametrize("section", [".gnu.version", ".gnu.version_r", ".gnu.version_d"])
def test_damaged_versions_do_not_affect_other_facts(
    tmp_path: Path, section: str, library: Library
) -> None:
    for whole in (library.path, library.runtime):
        data = whole.read_bytes()
        found = Elf(data).sections_named(section)
        if not found:
            continue
        damaged = tmp_path / whole.name
        damaged.write_bytes(patch(data, found[0].offset, b"\xff" * found[0].size))
        (sound,), (facts,) = inspect_path(whole), inspect_path(damaged)
        assert [s.name for s in facts.symbols] == [s.name for s in sound.symbols]
        assert not verify((facts,)).rules_errored
