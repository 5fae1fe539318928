"""A PyTorch extension that kbuild.torch built runs on a GPU."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.toolchain.devices import list_devices

PROJECT = Path(__file__).parents[1] / "projects" / "torch_extension"
PROGRAM = """
import torch, torch_extension_test as extension
for dtype in (torch.float16, torch.float32, torch.float64):
    x = torch.arange(1000, device="cuda").to(dtype).div_(1000)
    torch.testing.assert_close(extension.scale(x), x * 2 + 1)
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    y = torch.ops.torch_extension_test.scale(torch.ones(1 << 20, device="cuda"))
stream.synchronize()
assert bool((y == 3).all())
graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
with torch.cuda.graph(graph):
    y = extension.scale(x)
x.fill_(4)
graph.replay()
assert y.tolist() == [9] * 8
try:
    extension.scale(torch.ones(1))
except RuntimeError as error:
    assert "expected a tensor on a GPU" in str(error)
else:
    raise AssertionError("no error")
print(extension.text())
"""

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not list_devices(), reason="no NVIDIA device"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch"),
]


def test_extension_runs(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    build = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stdout + build.stderr

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=project,
        env=os.environ | {"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == "a b\n"
