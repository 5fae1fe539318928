"""Launches of HIP kernels from every kind of host program.

The tests use the real libamdhip64, which reports an error without an AMD device. They also use a
recorder that checks registration and launches (`recorded_hip`). Neither of them runs a kernel.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import pytest

from kbuild.runtime.launch_records.file import read_images, read_launch_record
from support.commands import PROJECTS, ROOT, run, run_kbuild, succeed
from support.tools.gdb_sessions import needs_gdb, run_gdb
from support.tools.recorded_hip import Recording, record
from support.tools.toolchains import needs_hipcc, needs_programs, require_programs

PROJECT = PROJECTS / "hip_launch"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
LIBRARY = "-lamdhip64"
AMD = ("env", "HIP_PLATFORM=amd")
SCALE, ADVANCE = "_ZN2ns5scaleEPffi", "_Z7advancec4StepPd"
OVER_INT, OVER_DOUBLE = "_Z4overPii", "_Z4overPid"
COPY = "_Z4copyIfEvPKT_PS0_h"
KERNELS = [SCALE, OVER_INT, OVER_DOUBLE, ADVANCE, "_Z7nothingv", COPY]
KERNELS += ["_Z4copyIdEvPKT_PS0_h", "_ZL3ownPi", "_Z4readPd"]
NO_DEVICE = 101  # hipErrorNoDevice is 100; 5.2 says hipErrorInvalidDevice

pytestmark = [
    needs_hipcc("clang", "clang++"),
    pytest.mark.skipif(Path("/dev/kfd").exists(), reason="here may be an AMD device"),
]


def link(directory: Path, output: Path, *words: object) -> Path:
    """Link a host program with a plain compiler. ``words`` is the command line."""
    where = (f"-Wl,-rpath,{directory}", "-D__HIP_PLATFORM_AMD__")
    succeed(run(*words, *where, LIBRARY, "-o", output))
    return output


def compile_chevrons(output: Path, *compiler: str) -> Path:
    source = PROJECT / "chevron_host.hip"
    common = ("--offload-arch=gfx90a", "-std=c++17", "-O2")
    succeed(run(*compiler, *common, "-c", source, "-o", output))
    return output


@pytest.fixture(scope="module")
def chevrons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an object by hipcc that launches kernels of other files."""
    output = tmp_path_factory.mktemp("chevrons") / "host.o"
    return compile_chevrons(output, *CHEVRON_COMPILERS["hipcc"])


def pack(layout: str, *values: object) -> str:
    return struct.pack(f"<{layout}", *values).hex()


STEP = pack("c7xdh2x3i", b"t", 0.5, -3, 1, 2, -7)


def mask_padding(step: str) -> str:
    """Return the bytes of a Step, with zeros instead of the padding."""
    data = bytearray.fromhex(step)
    data[1:8] = bytes(7)
    data[18:20] = bytes(2)
    return data.hex()


def expect_launches(recording: Recording, *, is_typed: bool) -> None:
    """Check the launches of a C++ host program, and their arguments."""
    scale = recording.find_launch(SCALE)
    assert (scale["grid"], scale["block"]) == ([7, 8, 9], [32, 2, 1])
    if is_typed:
        assert (scale["shared_bytes"], scale["stream"]) == (48, "0x1230")
    assert scale["args"][1:] == [pack("f", 1.5), pack("i", -2)]
    assert recording.find_launch(OVER_INT)["args"][1] == pack("i", 77)
    assert recording.find_launch(OVER_DOUBLE)["args"][1] == pack("d", 7.5)
    advance = recording.find_launch(ADVANCE)
    assert (advance["grid"], advance["block"]) == ([2, 1, 1], [3, 1, 1])
    assert advance["args"][0] == b"f".hex()
    assert mask_padding(advance["args"][1]) == STEP
    first, second, count = recording.find_launch(COPY)["args"]
    assert int.from_bytes(bytes.fromhex(second), "little") == 4 + int.from_bytes(
        bytes.fromhex(first), "little"
    )
    assert (scale["args"][0], count) == (first, "c8")


def expect_life(recording: Recording, file: str, containers: int = 1) -> None:
    """Check that a file registers all its containers before main, and unregisters them last."""
    names = [call["call"] for call in recording.calls]
    own = [call["container"] for call in recording.calls if call.get("file") == file]
    registered, unregistered = own[:containers], own[containers:]
    assert sorted(registered) == sorted(unregistered)
    assert len(set(registered)) == containers
    first_use = next(i for i, name in enumerate(names) if name.startswith(("hipL", "hipMalloc")))
    last_registration = max(i for i, name in enumerate(names) if name.startswith("__hipRegister"))
    assert last_registration < first_use
    assert set(names[-containers:]) == {"__hipUnregisterFatBinary"}


def find_registered(recording: Recording) -> list[str]:
    return [call["kernel"] for call in recording.select("__hipRegisterFunction")]


@pytest.mark.parametrize("standard", ["c99", "c17"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_c_program_launches_by_name(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, compiler: str, standard: str
) -> None:
    library = hip_launch / "libplain_kernels.so"
    options = (f"-std={standard}", *WARNINGS)
    host = link(
        hip_launch, tmp_path / "host", compiler, *options, PROJECT / "plain_host.c", library
    )

    refused = run(host)
    assert (refused.returncode, refused.stdout) == (3, f"error {NO_DEVICE}\n")
    expect_c_launches(record(hip_recorder, host))


def expect_c_launches(recording: Recording) -> None:
    assert (recording.returncode, recording.output) == (0, "error 0\n")
    launch = recording.find_launch("c_fill")
    (memory,) = recording.select("hipMalloc")
    pointer = int(memory["pointer"], 16).to_bytes(8, "little").hex()
    assert launch["args"] == [pack("B", 200), pack("d", 2.25), pointer, pack("h", -5)]
    assert (launch["grid"], launch["block"]) == ([2, 3, 4], [5, 6, 7])
    assert (launch["shared_bytes"], launch["stream"]) == (96, "0x4560")
    assert recording.find_launch("c_nothing")["args"] == []
    expect_life(recording, "libplain_kernels.so", containers=2)


def test_position_dependent_program_has_the_same_handles(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path
) -> None:
    library = hip_launch / "libplain_kernels.so"
    options = ("-fno-pie", "-no-pie", *WARNINGS)
    host = link(hip_launch, tmp_path / "host", "gcc", *options, PROJECT / "plain_host.c", library)

    assert "R_X86_64_COPY" in succeed(run("readelf", "-rW", host))
    expect_c_launches(record(hip_recorder, host))


@pytest.mark.parametrize("library", ["libplain_kernels.so", "libstub_kernels.a"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp_program_launches_by_name(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, compiler: str, library: str
) -> None:
    options = ("-std=c++17", *WARNINGS)
    source = PROJECT / "plain_host.cpp"
    host = link(hip_launch, tmp_path / "host", compiler, *options, source, hip_launch / library)

    refused = run(host)
    assert (refused.returncode, refused.stdout) == (3, f"error {NO_DEVICE}\n" * 5)
    recording = record(hip_recorder, host)
    assert recording.returncode == 0, recording.output
    expect_launches(recording, is_typed=False)
    # Launches by the handle go past the stub, whether or not there is one.
    assert not recording.select("__hipPopCallConfiguration")
    assert set(KERNELS) <= set(find_registered(recording))


CHEVRON_COMPILERS = {
    "hipcc": (*AMD, "hipcc"),
    "clang-19": ("clang-19", "-x", "hip", "-nogpulib"),
}


@pytest.mark.parametrize("compiler", ["hipcc", pytest.param("clang-19", marks=pytest.mark.slow)])
def test_chevrons_go_through_the_stub(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, chevrons: Path, compiler: str
) -> None:
    require_programs(compiler)
    if compiler == "hipcc":
        compiled = chevrons
    else:
        compiled = compile_chevrons(tmp_path / "host.o", *CHEVRON_COMPILERS[compiler])
    host = link(hip_launch, tmp_path / "host", "g++", compiled, hip_launch / "libstub_kernels.a")

    refused = run(host)
    expected = f"without a device: {NO_DEVICE}, the launch says {NO_DEVICE}\n"
    assert (refused.returncode, refused.stdout) == (3, expected)
    recording = record(hip_recorder, host)
    assert (recording.returncode, recording.output) == (0, "calls 5\n")
    expect_launches(recording, is_typed=True)
    # HIP's own launches: one by name, the other through its macro.
    assert [c["grid"] for c in recording.launches if c["kernel"] == "_Z7nothingv"] == [
        [1, 1, 1],
        [5, 1, 1],
    ]
    stack = recording.find_launch(SCALE)["stack"]
    frame = stack.index("_ZN2ns20__device_stub__scaleEPffi")
    assert stack.index("hipLaunchKernel") < frame
    assert stack[frame + 1 : frame + 3] == ["_Z12launch_scalePf", "main"]
    assert recording.select("hipMemcpyToSymbol")[0]["variable"] == "weights"


@pytest.mark.parametrize("options", [(), pytest.param(("-no-pie",), marks=pytest.mark.slow)])
def test_chevrons_reach_stubs_of_a_library(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, chevrons: Path, options: tuple[str, ...]
) -> None:
    (unit,) = hip_launch.rglob("object_kernels_stub.cpp.o")
    library = tmp_path / "libstubs.so"
    succeed(run("g++", "-shared", unit, LIBRARY, "-o", library))
    compiled = chevrons
    if options:
        fixed = (*CHEVRON_COMPILERS["hipcc"], "-fno-pie")
        compiled = compile_chevrons(tmp_path / "host.o", *fixed)
    host = link(tmp_path, tmp_path / "host", "g++", *options, compiled, library)

    recording = record(hip_recorder, host)

    assert (recording.returncode, recording.output) == (0, "calls 5\n")
    expect_launches(recording, is_typed=True)
    assert "_ZN2ns20__device_stub__scaleEPffi" in recording.find_launch(SCALE)["stack"]


def test_chevrons_without_stubs_do_not_link(
    hip_launch: Path, tmp_path: Path, chevrons: Path
) -> None:
    result = run(
        "g++", chevrons, hip_launch / "libplain_kernels.so", LIBRARY, "-o", tmp_path / "host"
    )

    assert result.returncode != 0
    assert "undefined reference to `ns::__device_stub__scale(float*, float, int)'" in result.stderr


def build_typed_host(
    built: Path, output: Path, library: str, *options: str, compiler: str = "g++"
) -> Path:
    include = ROOT / "kbuild" / "native" / "include"
    flags = ("-std=c++17", f"-I{include}", "-DKBUILD_BACKEND_HIP=1", *WARNINGS, *options)
    return link(built, output, compiler, *flags, PROJECT / "typed_host.cpp", built / library)


def test_typed_launches_before_and_in_main(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path
) -> None:
    hosts = {
        "shared, no stubs": build_typed_host(
            hip_launch, tmp_path / "shared", "libplain_kernels.so"
        ),
        "static, stubs": build_typed_host(hip_launch, tmp_path / "static", "libstub_kernels.a"),
        "static, stubs, by clang": build_typed_host(
            hip_launch, tmp_path / "clang", "libstub_kernels.a", compiler="clang++"
        ),
        "objects, stubs without debug information": hip_launch / "object_host",
    }
    for how, host in hosts.items():
        refused = run(host)
        assert refused.returncode == 3, how
        assert refused.stdout == "calls is not available\nbefore main: no AMD device\n"
        recording = record(hip_recorder, host)
        assert recording.returncode == 0, (how, recording.output)
        assert "weights[2] 3, calls 5, sums 1 2\ndone\n" in recording.output
        expect_launches(recording, is_typed=True)
        has_stubs = how != "shared, no stubs"
        popped = recording.select("__hipPopCallConfiguration")
        assert len(popped) == (10 if has_stubs else 0)
        frames = recording.find_launch(SCALE)["stack"]
        assert ("_ZN2ns20__device_stub__scaleEPffi" in frames) == has_stubs
        (cooperative,) = recording.select("hipLaunchCooperativeKernel")
        assert (cooperative["kernel"], cooperative["grid"]) == ("_Z7nothingv", [3, 1, 1])


def test_launches_are_captured(hip_launch: Path, hip_recorder: Path, tmp_path: Path) -> None:
    host = build_typed_host(hip_launch, tmp_path / "host", "libstub_kernels.a")
    directory = tmp_path / "records"
    recording = record(hip_recorder, host, KBUILD_CAPTURE=str(directory))

    assert "done" in recording.output
    expect_launches(recording, is_typed=True)
    files = sorted(directory.iterdir(), key=lambda p: int(p.stem.rpartition("-")[2]))
    records = [read_launch_record(file) for file in files]
    by_name = {found.kernel.handle: found for found in records}
    scale = by_name[SCALE]
    assert scale.backend == "hip"
    assert (scale.config.grid, scale.config.block) == ((7, 8, 9), (32, 2, 1))
    assert [note.kind for note in scale.notes] == ["device-variables", "stream"]
    assert scale.outcome is not None
    assert scale.outcome.code == 0
    assert [image.arch for image in read_images(scale)] == ["gfx90a"]
    # Two pointers into one allocation.
    copied = by_name[COPY]
    assert [(p.buffer, p.buffer_offset) for p in copied.pointers] == [(0, 0), (0, 4)]
    assert [(b.size, b.content) for b in copied.buffers] == [(64, bytes(64))]
    assert copied.buffers[0].address == struct.unpack("<Q", copied.arguments[:8])[0]
    # The variables that the runtime rejected.
    assert [r.outcome.code != 0 for r in records if r.outcome][-3:] == [True, True, True]


def test_variables_are_registered_with_their_images_values(
    hip_launch: Path, hip_recorder: Path
) -> None:
    recording = record(hip_recorder, hip_launch / "object_host")

    variables = {v["variable"]: v["size"] for v in recording.select("__hipRegisterVar")}
    assert variables == {"weights": 16, "factor": 4}
    managed = {v["variable"]: v["initial"] for v in recording.select("__hipRegisterManagedVar")}
    assert managed == {"calls": pack("i", 0), "sums": pack("2d", 1, 2)}
    names = [call["call"] for call in recording.calls]
    assert find_registered(recording) == KERNELS
    assert names.index("__hipRegisterVar") > names.index("__hipRegisterFunction")
    expect_life(recording, "object_host")


def test_variable_of_two_libraries_is_registered_by_neither(
    hip_launch: Path, hip_recorder: Path
) -> None:
    host = hip_launch / "two_libraries_host"
    invalid_symbol = 13  # hipErrorInvalidSymbol

    # HIP 5 would end the program before main if both registered the same address.
    refused = succeed(run(host))
    assert (
        refused
        == f"weights {invalid_symbol}, factor {NO_DEVICE}, launches {NO_DEVICE} {NO_DEVICE}\n"
    )
    recording = record(hip_recorder, host)
    assert recording.output == f"weights {invalid_symbol}, factor 0, launches 0 0\n"
    registered = [call["variable"] for call in recording.select("__hipRegisterVar")]
    assert registered == ["factor"]
    # The name of a managed variable refers to the first library, which registers it.
    managed = [call["variable"] for call in recording.select("__hipRegisterManagedVar")]
    assert sorted(managed) == ["calls", "sums"]


def test_device_of_another_architecture_is_explained(hip_launch: Path, hip_recorder: Path) -> None:
    host = hip_launch / "object_host"

    recording = record(hip_recorder, host, KBUILD_HIP_RECORDING_ARCH="gfx803")

    assert recording.returncode == 3
    assert "before main" in recording.output
    assert (
        "the device is gfx803, and object_kernels was built for gfx90a, gfx1030" in recording.output
    )


def test_library_is_unregistered_when_it_is_closed(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path
) -> None:
    host = link(hip_launch, tmp_path / "host", "gcc", *WARNINGS, PROJECT / "opening_host.c", "-ldl")
    library = hip_launch / "libplain_kernels.so"

    assert succeed(run(host, library)) == f"error {NO_DEVICE}\n" * 2
    recording = record(hip_recorder, host, library)
    assert (recording.returncode, recording.output) == (0, "error 0\n" * 2)
    names = [call["call"] for call in recording.calls]
    assert names[-3:] == ["__hipUnregisterFatBinary"] * 2 + ["hipDeviceSynchronize"]
    assert [launch["kernel"] for launch in recording.launches] == ["c_nothing"]


def test_stripped_program_registers_the_same(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path
) -> None:
    host = tmp_path / "object_host"
    succeed(run("strip", "--strip-all", hip_launch / "object_host", "-o", host))

    recording = record(hip_recorder, host)

    assert recording.returncode == 0, recording.output
    assert find_registered(recording) == KERNELS
    expect_launches(recording, is_typed=True)


@needs_programs("gdb")
def test_plain_debugger_shows_kernel_and_arguments(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path
) -> None:
    host = build_typed_host(hip_launch, tmp_path / "host", "libstub_kernels.a", "-g")
    commands = ("break ns::__device_stub__scale", "run", "backtrace 4", "info breakpoints")

    shown = succeed(
        run(
            *("env", f"KBUILD_HIP_RECORDING={tmp_path / 'calls'}", "gdb", "-batch", "-nx"),
            *("-ex", f"set environment LD_LIBRARY_PATH {hip_recorder}"),
            *(word for command in commands for word in ("-ex", command)),
            host,
        )
    )

    assert "ns::__device_stub__scale (p=0x" in shown
    assert "a=1.5, n=-2)" in shown
    assert re.search(r"#\d +(0x[0-9a-f]+ in )?main \(\) at", shown)


def test_layouts_match_readobj(hip_launch: Path, hip_recorder: Path) -> None:
    """The recorder reads arguments with the sizes that llvm-readobj shows."""
    require_programs("llvm-readobj-19")
    images = sorted((hip_launch / "kbuild" / "object_kernels").rglob("*gfx90a*.hsaco"))
    assert len(images) == 1
    text = succeed(run("llvm-readobj-19", "--notes", images[0]))
    recording = record(hip_recorder, hip_launch / "object_host")
    for launch in recording.launches:
        (part,) = (p for p in text.split(".args:") if f".name:           {launch['kernel']}\n" in p)
        visible = part.split("hidden_")[0]
        sizes = [int(line.split()[-1]) for line in visible.splitlines() if ".size:" in line]
        count = len(launch["args"])
        assert [len(value) // 2 for value in launch["args"]] == sizes[:count], launch["kernel"]


# A host without kbuild's headers, as those in other languages are.
STUB_HOST = f"""
#include <stddef.h>
extern char {SCALE}[];
int kbuild_launch(const void *kernel, const void *config, void *const *args);
int main(void)
{{
    const struct {{ unsigned extents[6]; size_t bytes; void *stream; unsigned rest[6]; }}
        config = {{ {{1, 1, 1, 32, 1, 1}}, 0, 0, {{0}} }};
    float *values = 0, factor = 1.5f;
    int n = 7;
    void *args[] = {{&values, &factor, &n}};
    return kbuild_launch({SCALE}, &config, args);
}}
"""


@needs_gdb
def test_debug_stub_stops_without_a_device(hip_launch: Path, tmp_path: Path) -> None:
    """The runtime takes no configuration of a launch, so the stub receives it without it."""
    source = tmp_path / "host.c"
    source.write_text(STUB_HOST)
    library = hip_launch / "libstub_kernels.a"
    host = link(hip_launch, tmp_path / "host", "gcc", *WARNINGS, source, library, "-lstdc++")
    commands = ("break ns::__device_stub__scale", "run", "bt 1", "delete", "continue")

    *_, frame, _, rest = run_gdb(*commands, files=(host,))

    assert re.search(r"#0 .*__device_stub__scale \(\w+=0x0, \w+=1.5, \w+=7\)", frame)
    assert "launch of ns::scale(float*, float, int): no AMD device" in rest


def test_smoke_is_skipped_without_a_device(hip_launch: Path) -> None:
    result = run_kbuild("smoke", hip_launch / "libplain_kernels.so")

    assert result.returncode == 77, result.stdout + result.stderr
    assert "skipped: no AMD device" in result.stdout
    assert "passed" not in result.stdout


def test_recorder_identifies_itself(hip_launch: Path, hip_recorder: Path) -> None:
    environment = {**os.environ, "LD_LIBRARY_PATH": str(hip_recorder)}
    environment.pop("KBUILD_HIP_RECORDING", None)
    words = ["env", "-i", f"LD_LIBRARY_PATH={environment['LD_LIBRARY_PATH']}"]

    result = run(*words, hip_launch / "object_host")

    assert result.returncode != 0
    assert "test code, runs nothing" in result.stderr
