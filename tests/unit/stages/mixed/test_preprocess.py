"""Preprocess mixed sources, and write their device keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild.backends.interface.mixed import FrontEnd, HostUnit
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
    """A backend whose front end has another command after the preprocessor."""

    convert = Command(argv=("convert", "--all"))
    listing_command = None

    def __init__(self, directories: tuple[Path, ...]) -> None:
        self.directories = directories

    def describe_host_pass(self, unit: HostUnit, *_: object) -> FrontEnd:
        text = unit.output.with_name("host.ii")
        argv = (
            *("g++", "-E", "-x", "c++", "-D__global__=__kbuild_global__"),
            *(f"-I{directory}" for directory in self.directories),
            *("-MMD", "-MF", str(unit.depfile), str(unit.source), "-o", str(text)),
        )
        preprocess = Command(argv=argv, outputs=(text, unit.depfile))
        return FrontEnd(commands=(preprocess, self.convert), text=text)


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
        directories = tuple((tmp_path / name).parents[name.count("torch/")] for name in headers)
        monkeypatch.setattr(preprocess, "find_mixed", lambda _: _Passes(directories))
        monkeypatch.setattr(preprocess, "check_macros", lambda *_: None)
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
        device_standard=17,
        architectures=("x86-64",),
        output=source.with_suffix(""),
        toolchain=toolchain,
        compiler=Path("/usr/bin/c++"),
        compiler_id="GNU",
    )


@pytest.mark.parametrize("directory", ["lib/python3.12/site-packages/include", "include"])
def test_headers_of_installed_packages_do_not_belong_to_the_project(
    directory: str, read_key: Callable[..., bytes]
) -> None:
    # A library with kernels counts as a whole.
    library = "namespace torch { template <class T> __global__ void scale(T*) {} int size(int); }"
    headers = {f"{directory}/torch/library.h": library, "project.h": "int x;"}
    first, second = (read_key(f"torch::size({size});", headers) for size in (1, 2))

    assert (first == second) is (directory == "include")


def test_a_kernel_template_of_the_project_is_instantiated_by_name(
    read_key: Callable[..., bytes],
) -> None:
    headers = {
        "project.h": "template <class T> __global__ void scale(T* p) {}",
        "include/torch/library.h": "",
    }

    assert read_key("scale<int><<<1, 1>>>(0);", headers) != read_key("", headers)
    assert read_key("int a = 1;", headers) == read_key("", headers)
