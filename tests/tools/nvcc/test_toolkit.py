"""The toolkit of the CPU: its libraries of NVIDIA are built when a program links them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from support.commands import run_kbuild, succeed

# With extended lambdas, NVIDIA's headers include <functional>, and so what that includes.
SOURCE = """__global__ void k(int* p) { *p = 1; }
int main() { std::vector<int> v{1}; std::sort(v.begin(), v.end()); k<<<1, 1>>>(nullptr); }
"""


@pytest.mark.skipif(
    importlib.util.find_spec("scipy_openblas64") is None, reason="scipy-openblas64 is missing"
)
def test_programs_without_libraries_build_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "kbuild"
    cache.mkdir(parents=True)
    shared = Path(os.environ["XDG_CACHE_HOME"]) / "kbuild" / "runtimes"
    shared.mkdir(parents=True, exist_ok=True)
    (cache / "runtimes").symlink_to(shared)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    (tmp_path / "a.cu").write_text(SOURCE)
    header = tmp_path / "cuda" / "include" / "nvtx3" / "nvtx3.hpp"
    header.parent.mkdir(parents=True)
    header.write_text("")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda"))

    words = (
        "nvcc",
        "--backend=cpu",
        "-arch=native",
        "-extended-lambda",
        "a.cu",
        "-lcudart",
        "-lm",
        "-o",
        "a",
    )
    succeed(run_kbuild(*words, cwd=tmp_path))

    (script,) = cache.glob("toolkits/*/lib64/libcublas.so")
    assert str(cache / "mathlibs") in script.read_text()
    assert not list(cache.glob("mathlibs/*/lib*"))
    # A directory that two sources have contains the headers of both.
    (headers,) = cache.glob("toolkits/*/include/nvtx3")
    assert (headers / "nvToolsExt.h").is_file()
    assert (headers / "nvtx3.hpp").is_file()
