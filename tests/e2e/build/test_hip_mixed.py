"""Tests of mixed sources for the HIP backend, without a device.

Programs run against a recorder of the calls of AMD's runtime (`recorded_hip`). It shows that the
address that is launched is the one that was registered for the kernel. No kernel runs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.caches import make_cache
from support.commands import (
    PROJECTS,
    build,
    configure,
    configure_and_build,
    run,
    run_kbuild,
    succeed,
)
from support.tools.recorded_hip import Recording, record
from support.tools.toolchains import NEWER_CLANG, needs_backend, needs_hipcc, require_programs

PROJECT = PROJECTS / "mixed_hip"
SPELLINGS = PROJECTS / "mixed_spellings"
FILL_INT, FILL_FLOAT = "_Z4fillIiEvPT_S0_", "_Z4fillIfEvPT_S0_"
LAMBDA = "_Z4callIZ3runvEUliE_EvT_Pi"
SAME_NAME, HIDDEN = "_ZL9same_namePi", "_ZN12_GLOBAL__N_16hiddenEPi"
# The x dimensions of the grids, in the order of the launches.
LAUNCHES = [
    ("_ZN2ns5scaleEPffi", 1),
    (FILL_FLOAT, 3),
    (FILL_INT, 4),
    (HIDDEN, 5),
    (SAME_NAME, 1),
    ("_Z7limitedPi", 1),
    ("c_kernel", 8),
    (LAMBDA, 2),
    (HIDDEN, 9),
    (FILL_INT, 6),
    (SAME_NAME, 7),
]

pytestmark = needs_hipcc()


def list_launches(recording: Recording) -> list[tuple[str, int]]:
    return [
        (re.sub(r"\.(?:intern|static)\.\w+$", "", launch["kernel"]), launch["grid"][0])
        for launch in recording.launches
    ]


def read_kinds(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the type and binding of the symbols that a file defines."""
    symbols = succeed(run("readelf", "-sW", path))
    rows = [line.split() for line in symbols.splitlines() if not line.endswith("UND")]
    return {row[7]: tuple(row[3:5]) for row in rows if len(row) == 8}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("mixed_hip")
    configure_and_build(PROJECT, directory, "CMAKE_BUILD_TYPE=Release")
    return directory


@pytest.fixture(scope="module")
def recording(mixed: Path, hip_recorder: Path) -> Recording:
    return record(hip_recorder, mixed / "program")


def test_every_launch_names_a_registered_kernel(recording: Recording) -> None:
    assert (recording.returncode, recording.output) == (0, "")
    assert list_launches(recording) == LAUNCHES
    scale = recording.find_launch("_ZN2ns5scaleEPffi")
    assert (scale["grid"], scale["block"], scale["shared_bytes"]) == ([1, 2, 3], [64, 1, 1], 32)
    assert scale["args"][1:] == ["00000040", "09000000"]  # the last one is a default argument


def test_variables_are_registered_once_with_their_initial_content(recording: Recording) -> None:
    registered = [call["variable"] for call in recording.select("__hipRegisterVar")]

    # Not `inline_number`: HIP ends programs that register two variables at one address.
    expected = ["_ZL11own_counter", "_ZN2ns12scale_factorE", "counter", "weights"]
    assert sorted(registered) == expected
    (managed,) = recording.select("__hipRegisterManagedVar")
    assert (managed["variable"], managed["initial"]) == ("managed", "2a000000")
    copied = [call["variable"] for call in recording.select("hipMemcpyToSymbol")]
    assert copied == ["counter", "_ZL11own_counter"]


def test_handles_of_all_kernels_are_data(mixed: Path) -> None:
    kinds = read_kinds(next(mixed.rglob("launches.hip.host.cpp.o")))

    for kernel in ("_ZN2ns5scaleEPffi", "c_kernel", "_Z7limitedPi"):
        assert kinds[kernel] == ("OBJECT", "GLOBAL")
    for kernel in (FILL_INT, FILL_FLOAT, HIDDEN, SAME_NAME, LAMBDA):
        assert kinds[kernel] == ("OBJECT", "LOCAL")
    assert not [name for name in kinds if "__device_stub__" in name or "hip_module" in name]


def test_a_launch_is_one_call_of_the_runtime(mixed: Path) -> None:
    code = succeed(run("objdump", "-d", "--no-show-raw-insn", mixed / "program"))
    (body,) = re.findall(r"<_Z10run_secondv>:\n(.*?)\n\n", code, re.DOTALL)
    lines = body.splitlines()

    calls = [line.split("<")[-1] for line in lines if "call" in line]
    assert [call for call in calls if "hipLaunchKernel@plt" in call] != []
    assert "PushCallConfiguration" not in body
    # Elsewhere, the report of a call pops what another compiler's launch has pushed.
    assert "PopCallConfiguration" not in body


def test_program_reports_that_there_is_no_device(mixed: Path) -> None:
    succeed(run_kbuild("verify", mixed / "program"))
    assert run(mixed / "program").returncode == 0  # it checks no result


def test_host_text_is_assembly_and_launches_are_listed(mixed: Path) -> None:
    text = next(mixed.rglob("launches.hip.host.cpp")).read_text()
    launches = next(mixed.rglob("launches.hip.launches")).read_text()

    assert text.startswith("__asm__(")
    assert re.search(r"^hidden .*launches\.hip:54$", launches, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "architecture"),
    [
        ("cpu", "x86-64"),
        pytest.param("cuda", "80", marks=needs_backend("cuda")),
        ("hip", "gfx90a"),
    ],
)
def test_both_spellings_build_for_every_backend(
    tmp_path: Path, hip_recorder: Path, backend: str, architecture: str
) -> None:
    configure_and_build(SPELLINGS, tmp_path, f"BACKEND={backend}", f"ARCHITECTURES={architecture}")

    for program in (tmp_path / "cuda", tmp_path / "hip"):
        succeed(run_kbuild("verify", program))
        kinds = read_kinds(next(tmp_path.rglob(f"{program.name}.*.host.cpp.o")))
        assert kinds["_Z3addIfEviPKT_S2_PS0_"] == ("OBJECT", "LOCAL")
        assert "__device_stub__" not in " ".join(kinds)
        if backend == "cpu":
            assert succeed(run(program)) == "PASSED\n"
        elif backend == "hip":
            result = record(hip_recorder, program)
            assert list_launches(result) == [("_Z3addIfEviPKT_S2_PS0_", 4)]
            (copy,) = result.select("hipMemcpyToSymbol")
            assert (copy["variable"], copy["bytes"]) == ("factor", "00000040")


def test_hip_spelling_runs_on_the_cpu(tmp_path: Path) -> None:
    succeed(configure(SPELLINGS, tmp_path))
    succeed(build(tmp_path, "hip"))

    assert succeed(run(tmp_path / "hip")) == "PASSED\n"


@pytest.mark.slow
@pytest.mark.parametrize("stubs", ["ON", "SYMBOLS"])
def test_debug_stubs_of_all_kernels(tmp_path: Path, hip_recorder: Path, stubs: str) -> None:
    configure_and_build(PROJECT, tmp_path, f"DEBUG_STUBS={stubs}", "CMAKE_BUILD_TYPE=Debug")

    succeed(run_kbuild("verify", tmp_path / "program"))
    assert list_launches(record(hip_recorder, tmp_path / "program")) == LAUNCHES
    names = succeed(run("nm", "-C", tmp_path / "program"))
    for kernel in (
        "ns::__device_stub__scale(",
        "__device_stub__same_name(",
        "__device_stub__call<",
    ):
        assert kernel in names


@pytest.mark.slow
def test_device_code_of_several_sources_is_linked(tmp_path: Path, hip_recorder: Path) -> None:
    configure_and_build(PROJECT, tmp_path, "RDC=ON", "CMAKE_BUILD_TYPE=Debug")

    succeed(run_kbuild("verify", tmp_path / "program"))
    result = record(hip_recorder, tmp_path / "program")
    assert list_launches(result) == LAUNCHES
    assert len(result.select("__hipRegisterFatBinary")) == 1
    (managed,) = result.select("__hipRegisterManagedVar")
    assert managed["initial"] == "2a000000"


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["clang++", NEWER_CLANG])
def test_clang_is_the_compiler_of_the_project(
    tmp_path: Path, hip_recorder: Path, compiler: str
) -> None:
    require_programs(compiler)
    configure_and_build(
        PROJECT, tmp_path, f"CMAKE_CXX_COMPILER={compiler}", "CMAKE_CXX_FLAGS=-g -O1"
    )

    succeed(run_kbuild("verify", tmp_path / "program"))
    assert list_launches(record(hip_recorder, tmp_path / "program")) == LAUNCHES


@pytest.mark.slow
@needs_backend("hip", NEWER_CLANG)
def test_newer_clang_compiles_the_kernels(
    tmp_path: Path, hip_recorder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPCXX", NEWER_CLANG)
    configure_and_build(PROJECT, tmp_path)

    assert list_launches(record(hip_recorder, tmp_path / "program")) == LAUNCHES
    kinds = read_kinds(tmp_path / "program")
    assert all(kind[1] == "LOCAL" for name, kind in kinds.items() if "__hip_cuid" in name)


@pytest.mark.slow
def test_libraries_of_all_kinds_register_their_kernels(tmp_path: Path, hip_recorder: Path) -> None:
    configure_and_build(PROJECTS / "mixed_kinds", tmp_path, "BACKEND=hip", "ARCHITECTURES=gfx90a")

    result = record(hip_recorder, tmp_path / "kinds")
    files = [call["file"] for call in result.select("__hipRegisterFatBinary")]
    assert sorted(set(files)) == ["kinds", "libone.so", "libplugin.so", "libtwo.so"]
    assert len(result.launches) == 15
    succeed(run_kbuild("verify", tmp_path / "libone.so", tmp_path / "kinds"))
    exported = succeed(run("nm", "-DC", "--defined-only", tmp_path / "libone.so"))
    assert " D one::external(int*)" in exported
    assert "fill<int>" not in exported


@pytest.mark.slow
def test_only_device_edits_compile_device_code(tmp_path: Path) -> None:
    source, directory = tmp_path / "source", tmp_path / "build"
    source.mkdir()
    for file in PROJECT.iterdir():
        (source / file.name).write_bytes(file.read_bytes())
    configure_and_build(source, directory)

    def rebuild(name: str, old: str, new: str) -> str:
        path = source / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        return succeed(build(directory))

    assert "Compiling kernels" not in rebuild("second.hip", "value + 1;", "value + 2;")
    assert "Compiling kernels of launches.hip" in rebuild("launches.hip", "*p = 3;", "*p = 30;")
    # A launch through the macro of HIP demands another instance.
    call = "run_template(reinterpret_cast<double*>(f));"
    instance = rebuild("launches.hip", "run_template(f);", call)
    assert "Compiling kernels of launches.hip" in instance
    assert "fill<double>" in succeed(run("nm", "-C", directory / "program"))


@pytest.mark.slow
def test_messages_name_the_line_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for file in PROJECT.iterdir():
        (source / file.name).write_bytes(file.read_bytes())
    path = source / "second.hip"
    text = path.read_text()
    succeed(configure(source, tmp_path / "build"))

    def build_with(text: str) -> str:
        path.write_text(text)
        return build(tmp_path / "build").stdout

    in_host = build_with(text.replace("int* p = nullptr;", "int* p = unknown;"))
    assert re.search(r"second\.hip:9:\d+: error: use of undeclared", in_host)
    in_device = build_with(text.replace("*p = 2;", "*p = unknown;"))
    assert re.search(r"second\.hip:4:\d+: error: use of undeclared", in_device)
    reference = build_with(text + "texture<float, 2> image;\n")
    assert "second.hip:13: the texture reference 'image' cannot be" in reference


@pytest.mark.slow
def test_manifest_builds_a_program(tmp_path: Path, hip_recorder: Path) -> None:
    (tmp_path / "program.hip").write_bytes((SPELLINGS / "hip.hip").read_bytes())
    (tmp_path / "kbuild.toml").write_text(
        '[target.program]\nkind = "executable"\nsources = ["program.hip"]\nbackend = "hip"\n'
        'architectures = ["gfx90a"]\n'
    )

    succeed(run_kbuild("build", cwd=tmp_path))

    files = [path for path in tmp_path.rglob("program") if path.is_file()]
    (program,) = (path for path in files if path.read_bytes()[:4] == b"\x7fELF")
    assert len(record(hip_recorder, program).launches) == 1


@pytest.mark.slow
def test_run_builds_without_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache(tmp_path / "cache")))
    source = tmp_path / "a.hip"
    source.write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")

    result = run_kbuild("run", "--backend", "hip", "--arch", "gfx90a", "-O1", source)

    assert result.returncode == 2
    assert "--backend hip: the program is built, but there is no usable device" in result.stderr
    (program,) = re.findall(r"run (\S+) on a machine", result.stderr)
    assert Path(program).is_file()
