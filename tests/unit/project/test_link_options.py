"""Which options of the host compiler reach the link."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.project.directory import BuildDirectory
from kbuild.project.generate import BuildSettings, generate_project
from kbuild.project.link_options import select_link_options
from kbuild.project.manifest.read import read_manifest

BOTH = (
    *("-fopenmp", "-fopenmp=libiomp5", "-fsanitize=address,undefined", "-fno-sanitize=vptr"),
    *("-pthread", "-static-libstdc++", "-static", "-fuse-ld=lld", "-stdlib=libc++", "-m32"),
    *("-march=native", "--coverage", "-fprofile-generate", "-flto=auto", "-pg", "--sysroot=/r"),
    *("-Wl,-z,now", "-rdynamic", "-no-pie", "-ffast-math"),
)
COMPILE_ONLY = (
    *("-DA=1", "-I/include", "-O2", "-g", "-std=c++20", "-Wall", "-fPIC", "-include", "a.hpp"),
    *("-pedantic", "-pipe", "-save-temps", "-fno-exceptions", "-Wno-unused"),
)


@pytest.mark.parametrize("option", BOTH)
def test_option_for_both_steps(option: str) -> None:
    assert select_link_options(("-DA", option, "-O2")) == (option,)


def test_options_for_the_compile_only() -> None:
    assert select_link_options(COMPILE_ONLY) == ()


def test_argument_in_the_next_word_stays_with_its_option() -> None:
    options = ("-Xlinker", "-z", "-Xlinker", "now", "-fopenmp")

    assert select_link_options(options) == ("SHELL:-Xlinker -z", "SHELL:-Xlinker now", "-fopenmp")


def generate(directory: Path, **settings: str) -> str:
    (directory / "main.cu").write_text("__global__ void k(); int main() {}\n")
    path = directory / "kbuild.toml"
    path.write_text(
        '[target.t]\nkind = "executable"\nsources = ["main.cu"]\n'
        'host_options = ["-fopenmp", "-DA"]\n'
    )
    found = BuildSettings(**{"profile": "release", **settings})  # type: ignore[arg-type]
    return generate_project(
        read_manifest(path), BuildDirectory(root=directory / "out"), found
    ).content.decode()


def test_host_options_of_a_manifest(tmp_path: Path) -> None:
    text = generate(tmp_path)

    assert "target_compile_options([[t]] PRIVATE [[-fopenmp]] [[-DA]])" in text.replace("=", "")
    assert "target_link_options([[t]] PRIVATE [[-fopenmp]])" in text.replace("=", "")


def test_optimization_replaces_the_level_of_the_profile(tmp_path: Path) -> None:
    assert "_FLAGS_" not in generate(tmp_path)
    release = generate(tmp_path, optimization="2")
    assert 'set(CMAKE_CXX_FLAGS_RELEASE "-O2")' in release
    debug = generate(tmp_path, optimization="s", profile="debug")
    assert 'set(CMAKE_CXX_FLAGS_DEBUG "-Os -g")' in debug
