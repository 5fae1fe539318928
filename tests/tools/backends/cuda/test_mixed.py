"""Both passes of a mixed CUDA source: nvcc's front end, the rewriter, handles, and a compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild import process
from kbuild.backends import find_builder
from kbuild.backends.cuda import build, mixed
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.rewriting.instances import rewrite_host_text
from kbuild.cxx.unit import Unit
from kbuild.model import Command
from kbuild.stages.front_end.listing import list_steps
from kbuild.stages.mixed.texts import make_text
from kbuild.stages.stubs.handles import render_handles
from support.tools.toolchains import find_compiler, needs_backend, needs_programs

pytestmark = needs_backend("cuda")
FEATURES = Path(__file__).with_name("features.cu")
STRICT = ("-Wall", "-Wextra", "-Werror")
# The kind of each symbol, as nm prints it: lower case is local, upper case is global.
SYMBOLS = {
    "_Z7forwardPi": "D",
    "_Z7inlinedPi": "D",
    "_Z8internalPi": "d",
    "_Z11from_headerPi": "d",
    "_Z6unusedi": "d",
    "unmangled": "D",
    "_Z10takes_late4Late": "D",
    "_Z10overloadedPi": "D",
    "_Z10overloadedPf": "D",
    "_ZN2ns7outsideEPi": "D",
    "_ZN2ns4takeEPNS_4ItemE": "D",
    "_ZN2ns5unboxIiEEvNS_3BoxIT_EE": "t",
    "_Z7boundedIiLi4EEvPT_": "t",
    "_Z7boundedIfLi3EEvPT_": "t",
    "_Z8declaredIiEvPT_i": "t",
    "_Z4packIJifEEvDpT_": "t",
    "_Z4packIJiPiEEvDpT_": "t",
    "weights": "V",
    "_ZL7weights": "b",
    "_ZL7counter": "b",
    "table": "V",
    "_ZN2ns5valueE": "V",
    "shared_value": "V",
}
ABSENT = ("counter", "limit", "static_values", "_Z11device_onlyPi")


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    compiler = find_compiler("cuda")
    return Toolchain(backend="cuda", compiler=compiler, compiler_id="nvcc", version="13.0.88")


def run(command: Command) -> None:
    for directory in command.directories:
        directory.mkdir(parents=True, exist_ok=True)
    process.run_checked(command)


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Entries:
    output = tmp_path_factory.mktemp("device") / "features"
    unit = CompileUnit(
        source=FEATURES,
        display_source=FEATURES.name,
        arch="80-virtual",
        output=output,
        stamp=output.with_suffix(".json"),
        depfile=output.with_suffix(".d"),
        options=("--extended-lambda",),
        is_mixed=True,
    )
    run(build.compile_command(unit, toolchain))
    return mixed.read_entries(unit, toolchain)


def make_host_text(directory: Path, compiler: str, toolchain: Toolchain) -> tuple[Path, HostUnit]:
    unit = HostUnit(
        source=FEATURES,
        display_source=FEATURES.name,
        output=directory / "features",
        stamp=directory / "features.host",
        depfile=directory / "features.d",
        compiler=Path(compiler),
        compiler_id="Clang" if "clang" in compiler else "GNU",
        options=(*STRICT, "-O1"),
        device_options=("--extended-lambda",),
        architectures=("80-virtual",),
    )
    listed = process.run_checked(mixed.listing_command(unit, toolchain))
    front_end = mixed.describe_host_pass(unit, toolchain, listed.stdout + listed.stderr)
    text, _ = make_text(front_end, find_builder("cuda"))
    path = directory / "features.host.cpp"
    code = Unit(text)
    rewritten = rewrite_host_text(code, mixed.read_host_text(code, unit), "1a2b").text
    path.write_text(f'{rewritten}\n#include "features.handles.h"\n')
    return path, unit


@pytest.mark.parametrize(
    "name", [FEATURES.name, str(Path(*FEATURES.parts[-3:])), str(FEATURES.relative_to("/"))]
)
def test_remembered_steps_are_those_of_nvcc(
    name: str, tmp_path: Path, toolchain: Toolchain
) -> None:
    output = tmp_path / "sub/features"
    host = HostUnit(
        source=FEATURES,
        display_source=name,
        output=output,
        stamp=output.with_suffix(".host"),
        depfile=output.with_suffix(".host.d"),
        compiler=Path("/usr/bin/g++"),
        compiler_id="GNU",
        architectures=("80", "90"),
    )
    device = CompileUnit(
        source=FEATURES,
        display_source=name,
        arch="80",
        output=output,
        stamp=output.with_suffix(".json"),
        depfile=output.with_suffix(".d"),
        is_mixed=True,
    )
    said = process.run_checked(mixed.listing_command(host, toolchain))
    assert list_steps(mixed.listing_command, host, toolchain).stdout == said.stdout + said.stderr
    said = process.run_checked(build.listing_command(device, toolchain))
    assert list_steps(build.listing_command, device, toolchain).stdout == said.stdout + said.stderr


def list_symbols(compiled: Path) -> dict[str, str]:
    listed = subprocess.run(["nm", compiled], capture_output=True, text=True, check=True)
    return {line.split()[-1]: line.split()[-2] for line in listed.stdout.splitlines()}


@pytest.mark.parametrize(
    "compiler",
    ["g++", pytest.param("clang++", marks=[pytest.mark.slow, needs_programs("clang++")])],
)
def test_features(tmp_path: Path, compiler: str, toolchain: Toolchain, entries: Entries) -> None:
    text, unit = make_host_text(tmp_path, compiler, toolchain)
    names = tuple(kernel.device_name for kernel in entries.kernels)
    handles = render_handles(entries, names, "1a2b", "default", FEATURES.name)
    (tmp_path / "features.handles.h").write_bytes(handles)
    options = mixed.list_host_options(unit, toolchain)
    for own in (("-O0", "-fPIC"), ("-O2",)):
        compiled = subprocess.run(
            [compiler, "-std=c++17", *STRICT, *own, *options, "-c", text, "-o", tmp_path / "f.o"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (compiled.returncode, compiled.stderr) == (0, "")
        symbols = list_symbols(tmp_path / "f.o")
        assert {name: symbols.get(name) for name in SYMBOLS} == SYMBOLS
        assert not symbols.keys() & set(ABSENT)
        assert {symbols.get(name, "").lower() for name in names} == {"d", "t"}
    assert str(FEATURES.with_suffix(".cuh")) in unit.depfile.read_text()
    assert "chevron.hpp" not in unit.depfile.read_text()
