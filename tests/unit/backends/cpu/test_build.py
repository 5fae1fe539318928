"""Tests for the commands of the CPU backend, which are not run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.backends.cpu import build as cpu
from kbuild.backends.cpu import machines, mixed
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.cxx.unit import Unit
from kbuild.errors import ConfigurationError, SourceError, ToolchainError
from kbuild.formats.offload import binary as offload_binary

GCC = Toolchain(backend="cpu", compiler=Path("/usr/bin/g++"), compiler_id="gcc", version="12.2.0")
CLANG = Toolchain(
    backend="cpu", compiler=Path("/usr/bin/clang++"), compiler_id="clang", version="19.1.7"
)
NO_HINTS = ToolchainHints()
UNIT = CompileUnit(
    source=Path("/src/a.cu"),
    display_source="a.cu",
    arch="x86-64-v3",
    output=Path("/out/a.cu.x86-64-v3"),
    stamp=Path("/out/a.cu.x86-64-v3.json"),
    depfile=Path("/out/a.cu.x86-64-v3.d"),
    include_directories=("/inc",),
    definitions=('NAME="a b"',),
    options=("-O3", "-DNDEBUG"),
    device_standard=20,
)


def test_compile_command_of_gcc() -> None:
    command = cpu.compile_command(UNIT, GCC)

    text = " ".join(command.argv)
    assert text.startswith("/usr/bin/g++ -x c++ -std=c++20 -fPIC -march=x86-64-v3")
    assert {"-fno-gnu-unique", "-fno-ipa-icf"} <= set(command.argv)
    assert {"-fsplit-loops", "-fno-trapping-math", "-fno-math-errno"} <= set(command.argv)
    assert text.endswith("-c a.cu -o /out/a.cu.x86-64-v3.o")
    assert command.cwd == Path("/src")
    assert command.outputs[0] == Path("/out/a.cu.x86-64-v3.o")


def test_only_debug_builds_track_where_variables_are() -> None:
    for unit, tc, expected in (
        (UNIT, GCC, True),
        (replace(UNIT, debug=True), GCC, False),
        (UNIT, CLANG, False),  # an option of gcc
    ):
        assert ("-fno-var-tracking" in cpu.compile_command(unit, tc).argv) == expected


def test_rewritten_text_is_compiled_without_macros_and_headers() -> None:
    options = ("-DA=1", "-D", "B", "-UA", "-include", "x.h", "-O2", "-imacros", "y.h", "-Wall")

    argv = cpu.compile_command(replace(UNIT, options=options), GCC).argv

    assert {"-O2", "-Wall"} <= set(argv)
    assert not {"-DA=1", "-D", "B", "-UA", "-include", "x.h", "-imacros", "y.h"} & set(argv)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("__global__ void k() { j<<<1, 1>>>(); }", ["-include", "cuda_device_runtime_api.h"]),
        ("__global__ void k(int* p) { cudaFree (p); }", ["-include", "cuda_device_runtime_api.h"]),
        ("#include <cuda_fp16.h>\n__global__ void k(int* p) { *p = 1 << 2; }", []),
    ],
)
def test_only_kernels_that_launch_get_the_headers_for_it(
    tmp_path: Path, code: str, options: list[str]
) -> None:
    source = tmp_path / "a.cu"
    source.write_text(code)

    (command,) = mixed.describe_device_pass(replace(UNIT, source=source), GCC).commands

    start = command.argv.index("-DKBUILD_MARK_KERNELS") + 1
    assert list(command.argv[start : start + 2]) == options or not options
    assert ("cuda_device_runtime_api.h" in command.argv) == bool(options)


def test_a_launch_in_a_header_needs_an_include() -> None:
    text = '# 7 "a.hpp"\n__kbuild_global__ void k() { k<<<1, 1>>>(); }\n'

    with pytest.raises(SourceError, match=r"a\.hpp:7: a header launches a kernel, but .* include"):
        mixed.read_device_text(Unit(text), UNIT)

    found = mixed.read_device_text(Unit(f"namespace chevron {{}}\n{text}"), UNIT)
    assert (len(found.kernels), len(found.launches)) == (1, 1)


@pytest.mark.parametrize(
    ("symbol", "fix"),
    [
        ("kbuild_cpu_synchronize", "a __host__ __device__ function that a kernel calls"),
        ("child(int*)", "write RDC ON for both, or --rdc"),
    ],
)
def test_undefined_symbols_have_a_fix(symbol: str, fix: str) -> None:
    assert fix in cpu.read_log(f"a.h:1: undefined reference to `{symbol}'", UNIT).fix


def test_device_pass_makes_the_depfile() -> None:
    (command,) = mixed.describe_device_pass(UNIT, GCC).commands

    text = " ".join(command.argv)
    assert {'-DNAME="a b"', "-I/inc", "-DKBUILD_MARK_KERNELS", "-DNDEBUG"} <= set(command.argv)
    assert "-MQ /out/a.cu.x86-64-v3.json" in text
    assert text.endswith("/src/a.cu -o /out/a.cu.x86-64-v3.device.ii")


def test_user_options_follow_kbuilds_options() -> None:
    argv = cpu.compile_command(UNIT, GCC).argv

    assert argv.index("-O3") > argv.index("-g")


@pytest.mark.parametrize("option", ["-march=native", "-mcpu=neoverse-n1"])
def test_machine_options_are_rejected(option: str) -> None:
    with pytest.raises(ConfigurationError, match=f"option {option}: ARCHITECTURES selects"):
        cpu.compile_command(replace(UNIT, options=(option,)), GCC)


@pytest.mark.parametrize(
    "text", ["ccache version 4.7.5\n", "sccache 0.16.0\n", "distcc 3.4 x86_64-pc-linux-gnu\n"]
)
def test_launcher_is_not_mistaken_for_a_compiler(text: str) -> None:
    with pytest.raises(ToolchainError, match=r"/usr/bin/x is a compiler launcher.* in CXX"):
        cpu.read_toolchain(Path("/usr/bin/x"), (text, "", ""), NO_HINTS)


def test_clang_does_not_get_gcc_options() -> None:
    assert "-fno-gnu-unique" not in cpu.compile_command(UNIT, CLANG).argv


def test_default_architectures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "x86_64")
    assert cpu.expand_architectures((), GCC, NO_HINTS) == ("x86-64", "x86-64-v3")
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "aarch64")
    assert cpu.expand_architectures((), GCC, NO_HINTS) == ("aarch64",)


def test_architectures_are_deduplicated_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "x86_64")
    assert cpu.expand_architectures(("x86-64", "x86-64"), GCC, NO_HINTS) == ("x86-64",)
    with pytest.raises(ConfigurationError, match="expected one of x86-64, x86-64-v2"):
        cpu.expand_architectures(("sm_90",), GCC, NO_HINTS)


def test_unknown_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "riscv64")
    with pytest.raises(ConfigurationError, match="'riscv64'"):
        cpu.expand_architectures((), GCC, NO_HINTS)


@pytest.fixture
def x86_64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "x86_64")


@pytest.mark.usefixtures("x86_64")
def test_native_architecture_does_not_need_a_cross_compiler() -> None:
    assert cpu.cross_compilers("x86-64-v4", GCC) is None
    assert "--target" not in " ".join(cpu.compile_command(UNIT, CLANG).argv)


@pytest.mark.usefixtures("x86_64")
def test_cross_compilers_of_gcc() -> None:
    tc = replace(GCC, compiler=Path("/opt/bin/g++-14"))

    cross = cpu.cross_compilers("aarch64", tc)

    assert cross is not None
    assert cross.names == (
        "/opt/bin/aarch64-linux-gnu-g++-14",
        "/opt/bin/aarch64-linux-gnu-g++",
        "aarch64-linux-gnu-g++-14",
        "aarch64-linux-gnu-g++",
    )
    assert "(Debian: g++-aarch64-linux-gnu)" in cross.trial.advice


@pytest.mark.usefixtures("x86_64")
def test_clang_is_its_own_cross_compiler() -> None:
    cross = cpu.cross_compilers("aarch64", CLANG)

    assert cross is not None
    assert cross.names == (str(CLANG.compiler),)
    for argv in (
        cross.trial.arguments,
        cpu.compile_command(replace(UNIT, arch="aarch64"), CLANG).argv,
    ):
        assert {"--target=aarch64-linux-gnu", "-march=armv8-a"} <= set(argv)


def test_cross_compilers_on_the_other_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "aarch64")

    cross = cpu.cross_compilers("x86-64-v3", GCC)

    assert cpu.cross_compilers("aarch64", GCC) is None
    assert cross is not None
    assert cross.names[-1] == "x86_64-linux-gnu-g++"
    assert "(Debian: g++-x86-64-linux-gnu)" in cross.trial.advice


def test_fat_binary_alignment_matches_the_format() -> None:
    assert cpu.TRAITS.fat_binary_alignment == offload_binary.ALIGNMENT


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            "a.cu:3: undefined reference to `kbuild_cpu_allocate'",
            "uses a function of the host API",
        ),
        ("a.cu:3: undefined reference to `twice(int)'", "write RDC ON for both"),
        (
            "g++: error: unrecognized command-line option '--use_fast_math'",
            "in front, such as cuda:",
        ),
        ("clang: error: unknown argument: '--use_fast_math'", "in front, such as cuda:"),
    ],
)
def test_failed_compiles_have_a_fix(log: str, expected: str) -> None:
    assert expected in cpu.read_log(log, UNIT).fix


def test_code_of_kbuild_is_left_out_of_messages() -> None:
    log = (
        "a.cu: In lambda function:\n"
        "a.cu:11:31: error: too few arguments to function 'void "
        "k__kbuild_22d1a6e00a21b274(const kbuild::chevron::configuration&, float*, int)'\n"
        "<kbuild>:1:64: note: declared here\n"
        "a.cu: In function 'int main()':\n"
    )

    assert cpu.read_log(log).text == (
        "a.cu:11:31: error: too few arguments to function 'void k(float*, int)'\n"
        "a.cu: In function 'int main()':\n"
    )


CROSS_HINTS = ToolchainHints(machine="aarch64", compilers=(("C", "/x/aarch64-linux-gnu-gcc"),))


@pytest.mark.usefixtures("x86_64")
def test_host_compiler_selects_the_machine() -> None:
    assert cpu.expand_architectures((), GCC, CROSS_HINTS) == ("aarch64",)
    with pytest.raises(ConfigurationError, match=r"native is this machine's, x86_64.* aarch64"):
        cpu.expand_architectures(("native",), GCC, CROSS_HINTS)
    with pytest.raises(ConfigurationError, match="does not support machine 'riscv64'"):
        cpu.expand_architectures((), GCC, replace(CROSS_HINTS, machine="riscv64"))
    # A project in C names no compiler for kernels.
    candidates = cpu.list_candidates(CROSS_HINTS)
    assert candidates.names[0] == "aarch64-linux-gnu-g++"
    assert "(Debian: g++-aarch64-linux-gnu)" in candidates.advice


@pytest.mark.usefixtures("x86_64")
def test_options_of_a_foreign_host_do_not_reach_images_for_this_machine() -> None:
    texts = (
        "aarch64-linux-gnu-g++ (Debian 12.2.0-14) 12.2.0",
        "aarch64-linux-gnu\n",
        "/usr/bin/env\n",
    )
    tc = cpu.read_toolchain(Path("/x/aarch64-linux-gnu-g++"), texts, CROSS_HINTS)

    assert (tc.machine, tc.host_machine) == ("aarch64", "aarch64")
    assert cpu.cross_compilers("aarch64", tc) is None
    cross = cpu.cross_compilers("x86-64", tc)
    assert cross is not None
    assert "x86_64-linux-gnu-g++" in cross.names
    assert machines.name_objcopy("aarch64", tc) == "/usr/bin/env"
    assert machines.name_objcopy("x86-64", tc) == "objcopy"
    unit = replace(UNIT, host_options=("-mtls-dialect=trad", "-mcpu=neoverse-n1"))
    assert "-mcpu=neoverse-n1" not in cpu.compile_command(unit, tc).argv
    assert "-mcpu=neoverse-n1" in cpu.compile_command(replace(unit, arch="aarch64"), tc).argv
