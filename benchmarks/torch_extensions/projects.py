"""Public PyTorch extensions, and how the benchmark edits them."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Some projects build their kernels only if there is a GPU.
_SETUP: Final = """\
import runpy
import torch
torch.cuda.is_available = lambda: True
runpy.run_path("setup.py", run_name="__main__")
"""
_IMPORT: Final = re.compile(r"^from torch\.utils\.cpp_extension import", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A text in a source, and what an edit puts in front of it. ``{}`` becomes a new number."""

    path: str
    text: str
    added: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A project, an edit of its host code, and one of its kernels."""

    name: str
    host: Edit
    kernel: Edit
    variables: tuple[tuple[str, str], ...] = ()


EXTENSIONS: Final = (
    Extension(  # https://github.com/pytorch/extension-cpp
        name="extension-cpp",
        host=Edit(
            path="extension_cpp/csrc/cuda/muladd.cu",
            text="  at::Tensor a_contig",
            added='  TORCH_CHECK(a.dim() != {}, "edited");\n',
        ),
        kernel=Edit(
            path="extension_cpp/csrc/cuda/muladd.cu",
            text="  if (idx < numel) result[idx]",
            added="  if (idx == {}) return;\n",
        ),
    ),
    Extension(  # https://github.com/rusty1s/pytorch_scatter
        name="pytorch_scatter",
        host=Edit(
            path="csrc/cuda/scatter_cuda.cu",
            text="  CHECK_CUDA(src);",
            added='  TORCH_CHECK(dim != {}, "edited");\n',
        ),
        kernel=Edit(
            path="csrc/cuda/scatter_cuda.cu",
            text="  if (thread_idx < numel) {",
            added="  if (thread_idx == {}) return;\n",
        ),
        variables=(("FORCE_ONLY_CUDA", "1"),),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A copy of a project that one tool builds."""

    directory: Path

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "benchmark_setup.py", "bdist_wheel")

    def find_wheel(self) -> Path:
        return next((self.directory / "dist").glob("*.whl"))

    def apply(self, edit: Edit, number: int) -> None:
        path = self.directory / edit.path
        text = path.read_text()
        if edit.text not in text:
            raise SystemExit(f"{path}: no '{edit.text.strip()}'; use another commit")
        added = edit.added.replace("{}", str(100_000 + number))
        path.write_text(text.replace(edit.text, added + edit.text, 1))


def copy_project(source: Path, directory: Path, *, uses_kbuild: bool) -> Side:
    """Copy a project. With kbuild, one line of ``setup.py`` changes, the import of the tools."""
    shutil.copytree(source, directory, ignore=shutil.ignore_patterns("build", "dist", ".git"))
    (directory / "benchmark_setup.py").write_text(_SETUP)
    setup = directory / "setup.py"
    text = setup.read_text()
    if uses_kbuild:
        text, count = _IMPORT.subn("from kbuild.torch import", text)
        if count != 1:
            raise SystemExit(f"{setup}: expected one import of torch.utils.cpp_extension")
        setup.write_text(text)
    return Side(directory=directory)
