"""Preprocess mixed sources, and write their device keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild.backends.interface.mixed import FrontEnd
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command
from kbuild.stages.mixed import preprocess
from kbuild.stages.mixed.edge import HostEdge, read_front_end
from kbuild.stages.mixed.preprocess import preprocess_source
from kbuild.stages.target import DeviceFlags

SOURCE = """
#include <torch/library.h>
#include "project.h"
__global__ void fill(float* p) { *p = 1; }
void run() { %s fill<<<1, 1>>>(nullptr); }
"""


class _Passes:
    """A backend whose preprocessor writes nothing, and whose front end has another command."""

    convert = Command(argv=("convert", "--all"))

    def __init__(self, headers: tuple[str, ...]) -> None:
        self.headers = headers

    def listing_command(self, *_: object) -> None:
        return None

    def describe_host_pass(self, unit: object, *_: object) -> FrontEnd:
        depfile = unit.depfile  # type: ignore[attr-defined]
        rule = f"x: {' '.join(self.headers)}"
        return FrontEnd(
            commands=(Command(argv=("sh", "-c", f"echo '{rule}' >'{depfile}'")), self.convert),
            text=depfile,
        )


@pytest.fixture
def read_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes]:
    """Return a function that preprocesses a source and returns its device key."""

    def make(statement: str, headers: dict[str, str]) -> bytes:
        for name, text in headers.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        source = tmp_path / "a.cu"
        source.write_text(SOURCE % statement)
        paths = tuple(str(tmp_path / name) for name in headers)
        monkeypatch.setattr(preprocess, "find_mixed", lambda _: _Passes(paths))
        edge = make_edge(source)
        assert preprocess_source(edge, DeviceFlags()) == ""
        assert edge.preprocessed.is_file()
        assert read_front_end(edge).commands == (_Passes.convert,)
        return edge.key.read_bytes()

    return make


def make_edge(source: Path) -> HostEdge:
    toolchain = Toolchain(
        backend="cpu", compiler=Path("/usr/bin/c++"), compiler_id="GNU", version="12"
    )
    return HostEdge(
        kbuild_version="1",
        source=source,
        display_source=source.name,
        module="1a2b",
        standard="17",
        architectures=("x86-64",),
        output=source.with_suffix(""),
        toolchain=toolchain,
        compiler=Path("/usr/bin/c++"),
        compiler_id="GNU",
    )


@pytest.mark.parametrize("directory", ["lib/python3.12/site-packages/torch/include", "include"])
def test_headers_of_installed_packages_do_not_belong_to_the_project(
    directory: str, read_key: Callable[..., bytes]
) -> None:
    # The value of __COUNTER__ depends on all text before it, so all of the source is the key.
    headers = {f"{directory}/torch/library.h": "int id = __COUNTER__;", "project.h": "int x;"}
    is_same = read_key("int a = 1;", headers) == read_key("int a = 2;", headers)

    assert is_same is (directory != "include")


def test_a_kernel_template_of_the_project_demands_instances(
    read_key: Callable[..., bytes],
) -> None:
    headers = {"project.h": "template <class T> __global__ void scale(T* p) {}"}

    assert read_key("scale<int><<<1, 1>>>(0);", headers) != read_key("", headers)
    assert read_key("int a = 1;", headers) == read_key("", headers)
