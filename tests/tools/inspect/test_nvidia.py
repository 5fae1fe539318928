"""`kbuild inspect` on files that nvcc built without kbuild, compared with cuobjdump."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.inspect import inspect_path
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import run, run_kbuild, succeed
from support.tools.nvidia_compiler import SMALL_CUDA_HEADERS
from support.tools.toolchains import needs_backend, skip_if

SOURCES = {
    "first.cu": "#include <cstdio>\n"
    "namespace ns { __global__ void scale(float* p, float a, int n) {\n"
    "  __shared__ float s[64]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads();\n"
    "  if (threadIdx.x < n) p[threadIdx.x] = a * s[63 - threadIdx.x]; } }\n"
    'extern "C" __global__ void __launch_bounds__(128) fill(int* p) { *p = 1; }\n'
    "void call(float* p) { ns::scale<<<1, 64>>>(p, 2, 64); }\n",
    "second.cu": "template <class T> __global__ void copy(const T* a, T* b) { *b = *a; }\n"
    "void run(const double* a, double* b) { copy<<<1, 1>>>(a, b); }\n",
}
ARCHITECTURES = (
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode=arch=compute_90,code=[sm_90,compute_90]",
)


def cuobjdump() -> Path:
    hints = gather_hints()
    found = [site / "nvidia/cu13/bin/cuobjdump" for site in hints.site_packages]
    return next((path for path in found if path.is_file()), Path(shutil.which("cuobjdump") or ""))


pytestmark = [
    needs_backend("cuda"),
    skip_if("" if cuobjdump().is_file() else "no cuobjdump: pip install nvidia-cuda-cuobjdump"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("foreign")
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    for name, text in SOURCES.items():
        (directory / name).write_text(text)

    def compile_with(*words: str) -> None:
        succeed(run(nvcc, "-std=c++17", *SMALL_CUDA_HEADERS, *words, cwd=directory))

    for stem in ("first", "second"):
        compile_with("-c", "-Xcompiler", "-fPIC", *ARCHITECTURES, f"{stem}.cu", "-o", f"{stem}.o")
        compile_with(
            *("-c", "-rdc=true", "-Xcompiler", "-fPIC", *ARCHITECTURES),
            *(f"{stem}.cu", "-o", f"{stem}_rdc.o"),
        )
    compile_with("-cubin", "-arch=sm_90", "first.cu", "-o", "first.cubin")
    compile_with("-ptx", "-arch=compute_90", "first.cu", "-o", "first.ptx")
    compile_with("-fatbin", *ARCHITECTURES, "first.cu", "-o", "first.fatbin")
    succeed(run("g++", "-shared", "first.o", "second.o", "-o", "libboth.so", cwd=directory))
    succeed(run("ar", "rcs", "libboth.a", "first.o", "second.o", cwd=directory))
    with zipfile.ZipFile(directory / "both-1-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(directory / "libboth.so", "both/libboth.so")
        wheel.writestr("both/__init__.py", "")
        wheel.writestr("../outside.ptx", (directory / "first.ptx").read_bytes())
    return directory


def inspect(path: Path, *options: str, code: int = 0) -> Any:
    result = run_kbuild("inspect", "--format", "json", *options, path)
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


def list_kernels(artifact: Any) -> set[tuple[str, str, int]]:
    """Return (architecture, kernel, registers) for every kernel in a cubin."""
    return {
        (image["arch"], kernel["name"], kernel["registers"])
        for image in artifact["images"]
        if image["kind"] == "elf"
        for kernel in image["kernels"]
    }


def ask_cuobjdump(path: Path, *options: str) -> set[tuple[str, str, int]]:
    arch, name, found = "", "", set()
    listing = succeed(run(cuobjdump(), "-res-usage", *options, path))
    for line in listing.splitlines():
        if match := re.match(r"arch = (\w+)", line):
            arch = match[1]
        elif match := re.match(r"\s*Function (\S+):", line):
            name = match[1]
        elif match := re.match(r"\s*REG:(\d+)", line):
            found.add((arch, name, int(match[1])))
    return found


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("first.o", ()),
        ("libboth.so", ()),
        ("first.fatbin", ()),
        ("first_rdc.o", ("-all",)),
    ],
)
def test_kernels_match_cuobjdump(built: Path, name: str, options: tuple[str, ...]) -> None:
    (artifact,) = inspect(built / name)["artifacts"]

    expected = ask_cuobjdump(built / name, *options)
    assert expected
    assert list_kernels(artifact) == expected


def test_each_translation_unit_has_a_container(built: Path) -> None:
    (artifact,) = inspect(built / "libboth.so")["artifacts"]

    containers: dict[int, set[str]] = {}
    for image in artifact["images"]:
        names = {kernel["name"] for kernel in image["kernels"]}
        containers.setdefault(image["container"], set()).update(names)
    assert list(containers.values()) == [
        {"_ZN2ns5scaleEPffi", "fill"},
        {"_Z4copyIdEvPKT_PS0_"},
    ]
    ptx = [image for image in artifact["images"] if image["kind"] == "ptx"]
    assert all(image["arch"] == "compute_90" for image in ptx)
    assert all(re.fullmatch(r"\d+\.\d+", image["ptx_version"]) for image in ptx)


def test_bare_cubin_is_read(built: Path) -> None:
    (artifact,) = inspect(built / "first.cubin")["artifacts"]

    assert (artifact["kind"], artifact["machine"], artifact["kbuild"]) == ("image", None, None)
    (image,) = artifact["images"]
    assert (image["backend"], image["arch"], image["kind"]) == ("cuda", "sm_90", "elf")
    kernels = {kernel["name"]: kernel for kernel in image["kernels"]}
    assert kernels["_ZN2ns5scaleEPffi"]["shared_bytes"] == 256
    assert [p["offset"] for p in kernels["_ZN2ns5scaleEPffi"]["params"]] == [0, 8, 12]
    assert kernels["fill"]["max_threads"] == 128
    assert kernels["fill"]["params"][0]["type"] is None


def test_bare_ptx_is_read(built: Path) -> None:
    (artifact,) = inspect(built / "first.ptx")["artifacts"]

    (image,) = artifact["images"]
    assert (artifact["kind"], image["arch"], image["kind"]) == ("image", "compute_90", "ptx")
    assert {kernel["name"] for kernel in image["kernels"]} == {"_ZN2ns5scaleEPffi", "fill"}


def test_bare_fat_binary_is_read(built: Path) -> None:
    (artifact,) = inspect(built / "first.fatbin")["artifacts"]

    assert artifact["kind"] == "fat-binary"
    assert [i["arch"] for i in artifact["images"]] == ["sm_80", "sm_90", "compute_90"]


def test_wheel_members_are_read_without_extracting_them(built: Path) -> None:
    path = built / "both-1-py3-none-any.whl"
    before = sorted(built.parent.iterdir())

    artifacts = inspect(path)["artifacts"]

    assert [a["path"] for a in artifacts] == [f"{path}!both/libboth.so", f"{path}!../outside.ptx"]
    assert list_kernels(artifacts[0]) == list_kernels(inspect(built / "libboth.so")["artifacts"][0])
    assert sorted(built.parent.iterdir()) == before


def test_damaged_member_is_an_error_and_others_are_read(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad-1-py3-none-any.whl"
    cubin = (built / "first.cubin").read_bytes()
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("cut.cubin", cubin[:500])
        wheel.writestr("whole.cubin", cubin)

    document = inspect(path, code=2)

    assert [a["path"] for a in document["artifacts"]] == [f"{path}!whole.cubin"]
    (error,) = document["errors"]
    assert error["path"] == f"{path}!cut.cubin"


@pytest.mark.parametrize(
    ("name", "left", "code"),
    [
        ("first.cubin", -1, 2),
        ("first.cubin", 500, 2),
        ("first.fatbin", 4, 2),
        ("first.fatbin", 16, 2),
        ("first.fatbin", -20, 0),  # the intact images are shown
        ("first.ptx", -40, 0),
    ],
)
def test_truncated_file_is_reported(
    built: Path, tmp_path: Path, name: str, left: int, code: int
) -> None:
    path = tmp_path / name
    path.write_bytes((built / name).read_bytes()[:left])

    shown = run_kbuild("inspect", path)
    verified = run_kbuild("verify", path)

    assert shown.returncode == code, shown.stdout + shown.stderr
    assert code == 2 or "problem: " in shown.stdout
    assert verified.returncode in (1, 2)
    assert "Traceback" not in shown.stderr + verified.stderr


def test_directory_with_all_kinds_of_artifacts_is_read(built: Path) -> None:
    kinds = {a["kind"] for a in inspect(built)["artifacts"]}

    assert kinds == {"object", "shared-object", "image", "fat-binary"}


def test_files_of_nvcc_have_no_findings(built: Path) -> None:
    for name in ("libboth.so", "first.o", "first.cubin", "first.fatbin", "libboth.a"):
        result = run_kbuild("verify", built / name)

        assert result.returncode == 0, (name, result.stdout)


@pytest.mark.slow
def test_intermediate_code_for_link_time_optimization_is_listed(built: Path) -> None:
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    modes = ("-gencode=arch=compute_90,code=lto_90", "-gencode=arch=compute_80,code=sm_80")
    succeed(run(nvcc, "-std=c++17", "-dc", *modes, "first.cu", "-o", "lto.o", cwd=built))
    images, summary = (
        {
            image["arch"]: image
            for image in inspect(built / "lto.o", *options)["artifacts"][0]["images"]
        }
        for options in ((), ("--summary",))
    )
    lto = images["lto_90"]
    assert (lto["kind"], lto["kernels"]) == ("bitcode", [])
    assert lto["size"] == summary["lto_90"]["size"]
    assert images["sm_80"]["kind"] == "elf"


@pytest.mark.parametrize("mode", ["-lineinfo", "-G"])
def test_images_with_debug_information_name_their_sources(
    built: Path, tmp_path: Path, mode: str
) -> None:
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    words = ("-gencode=arch=compute_80,code=[sm_80,compute_80]", mode, built / "second.cu")
    succeed(run(nvcc, "-std=c++17", "-fatbin", *words, "-o", tmp_path / "k.fatbin"))

    (facts,) = inspect_path(tmp_path / "k.fatbin")
    assert len(facts.images) == 2
    for image in facts.images:
        assert image.source_paths
        assert all(path.startswith(str(built)) for path in image.source_paths), image
