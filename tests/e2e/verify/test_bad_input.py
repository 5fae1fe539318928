"""Bad input causes one clear message, the documented exit code, and no traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.cli.main import main
from support.calls import write_record
from support.commands import KBUILD, build, configure, run_kbuild, succeed
from support.tools.nvidia_compiler import NVCC, needs_nvcc

HEAD = "cmake_minimum_required(VERSION 3.22...4.0)\nproject(bad LANGUAGES CXX)\n"
FIND = "find_package(kbuild CONFIG REQUIRED)\n"
KERNEL = "__global__ void good(int* p) { *p = 1; }\n"


def write_project(directory: Path, call: str, **sources: str) -> Path:
    source = directory / "source"
    source.mkdir(exist_ok=True)
    (source / "CMakeLists.txt").write_text(HEAD + FIND + call + "\n")
    for name, text in sources.items():
        (source / name.replace("_cu", ".cu")).write_text(text)
    return source


def configure_error(directory: Path, call: str, *definitions: str, **sources: str) -> str:
    source = write_project(directory, call, **sources)
    result = configure(source, directory / "build", *definitions)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project without a call. CMake detects the compiler once."""
    directory = tmp_path_factory.mktemp("configured")
    succeed(configure(write_project(directory, ""), directory / "build"))
    return directory


CONDITIONAL_DEFINITION = """\
set_source_files_properties(a.cu PROPERTIES COMPILE_DEFINITIONS $<1:A>)
kbuild_add_kernels(t SOURCES a.cu)
"""


# `kbuild plan` finds these errors in what CMake passes to it, and CMake only adds the call.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("SHARED SOURCES a.cu SOURCE b.cu", "unknown keyword 'SOURCE' after SOURCES; did you mean"),
        (
            "SOURCES a.cu ARCHITECTURE 80",
            "keyword 'ARCHITECTURE' after SOURCES; did you mean 'ARCHITECTURES'?",
        ),
        ("SHARD SOURCES a.cu", "unknown argument 'SHARD'; did you mean 'SHARED'?"),
        (
            "SOURCES a.cu ARCHITECTURES 80 DEBUG_STUB ON",
            "unknown keyword 'DEBUG_STUB' after ARCHITECTURES; did you mean 'DEBUG_STUBS'?",
        ),
        ("XYZ SOURCES a.cu", "unknown argument 'XYZ'; expected one of ARCHITECTURES, BACKEND,"),
        ("SHARED BACKNED cpu SOURCES a.cu", "unknown argument 'BACKNED'; did you mean 'BACKEND'?"),
        ("SHARED SOURCES a.cu BACKEND", "BACKEND needs a value"),
        ("SHARED STATIC SOURCES a.cu", "cannot be combined"),
        ("SOURCES missing.cu", "missing.cu: no such file"),
        ("SOURCES a.cu HEADERS missing.hpp", "missing.hpp: no such file"),
        ("SOURCES a.cu a.cu", "named twice"),
        ("SOURCES a.cu BACKEND cuad", "unknown BACKEND 'cuad'"),
        ("SOURCES a.cu RDC MAYBE", "RDC: unsupported value 'MAYBE'; expected one of ON, OFF"),
        ("SOURCES a.cu ARCHITECTURES x86-64-v9", "unknown architecture 'x86-64-v9'"),
        ("SOURCES a.cu VISIBILITY public", "VISIBILITY: unsupported value 'public'"),
        ("SOURCES a.cu POLICY none.toml", "none.toml: no such file"),
        ("SOURCES a.cu VERIFY maybe", "VERIFY: unsupported value 'maybe'"),
        ("SOURCES a.cu DEVICE_STANDARD 98", "unsupported standard 98; expected one of 17,"),
        ("SOURCES a.cu DEBUG_STUBS MAYBE", "DEBUG_STUBS: unsupported value 'MAYBE'"),
    ],
)
def test_bad_call_is_not_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: str, expected: str
) -> None:
    record = write_record(tmp_path, "kbuild_add_kernels", "t", *arguments.split())

    assert main(["plan", str(record), "-o", str(tmp_path / "plan.cmake")]) == 2

    assert expected in capsys.readouterr().err
    assert not (tmp_path / "plan.cmake").exists()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("kbuild_add_kernels(t SHARED)", "kbuild_add_kernels(t): SOURCES is missing"),
        (
            "kbuild_add_kernels(SHARED SOURCES a.cu)",
            "kbuild_add_kernels(SHARED): the first argument is the keyword SHARED; expected",
        ),
        ("kbuild_add_kernels(SOURCES a.cu)", "the first argument is the keyword SOURCES"),
        ("kbuild_add_kernels(t SOURCES a.cu ../source/a.cu)", "named twice"),
        (
            "kbuild_add_kernels(t SOURCES a.cu HOST_COMPILER /no/such/g++)",
            "compiler /no/such/g++ not found",
        ),
        ("kbuild_verify()", "kbuild_verify(): name at least one target"),
        ("kbuild_verify(nothing)", "kbuild_verify(): target nothing does not exist"),
        ("kbuild_verify(POLCY a.toml)", "target POLCY does not exist; did you mean 'POLICY'?"),
        ("kbuild_add_smoke_test(nothing)", "target nothing does not exist"),
        (
            "add_executable(t)\nkbuild_add_smoke_test(t)",
            "kbuild_add_smoke_test(t): t is an executable, which a test cannot load;",
        ),
        (
            "kbuild_add_kernels(t SOURCES a.cu)\nkbuild_add_smoke_test(t CASE a.py)",
            "kbuild_add_smoke_test(t): unknown argument 'CASE'; did you mean 'CASES'?",
        ),
        (
            "kbuild_add_kernels(t SOURCES a.cu)\nkbuild_add_verify_test(t POLICIES a.toml)",
            "kbuild_add_verify_test(t): unknown argument 'POLICIES'; did you mean 'POLICY'?",
        ),
        (
            "kbuild_add_kernels(t SOURCES a.cu)\nkbuild_add_smoke_test(t CASES none.py)",
            "none.py: no such file",
        ),
        ("kbuild_target_sources(t PRIVATE a.cu)", "target t does not exist; create it first"),
        (
            "add_executable(t)\nkbuild_target_sources(t a.cu)",
            "expected PRIVATE instead of a.cu; write",
        ),
        (
            "add_executable(t)\nkbuild_target_sources(t PRIVATE a.cpp)",
            "a.cpp is not a .cu or .hip file; add C++ sources with target_sources()",
        ),
        (
            "add_library(t INTERFACE)\nkbuild_target_sources(t PRIVATE a.cu)",
            "a target of type INTERFACE has no objects; expected an executable or a library",
        ),
        (
            "add_library(t SHARED IMPORTED)\nkbuild_target_sources(t PRIVATE a.cu)",
            "another project built t; expected an executable or a library of this project",
        ),
        (
            CONDITIONAL_DEFINITION,
            "kbuild_add_kernels(t): unsupported generator expression in COMPILE_DEFINITIONS of",
        ),
    ],
)
def test_bad_call_stops_cmake(configured: Path, call: str, expected: str) -> None:
    message = configure_error(configured, call, a_cu=KERNEL)

    assert expected in message


IGNORED = """
set(CMAKE_CUDA_FLAGS "-lineinfo")
add_executable(t a.cu b.cu c.cu d.cu)
target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math>)
set_source_files_properties(c.cu PROPERTIES HEADER_FILE_ONLY ON)
set_source_files_properties(d.cu PROPERTIES LANGUAGE CXX)
kbuild_target_sources(t PRIVATE a.cu BACKEND cuda KEYWORDS)
set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 90 CUDA_STANDARD 20
    CUDA_SEPARABLE_COMPILATION ON CUDA_RUNTIME_LIBRARY Static)
"""
REPLACEMENTS = (
    ("CUDA_ARCHITECTURES 90", "ARCHITECTURES 90"),
    ("CUDA_SEPARABLE_COMPILATION ON", "RDC ON"),
    ("CUDA_RUNTIME_LIBRARY Static", "RUNTIME static"),
    ("$<COMPILE_LANGUAGE:CUDA>", "DEVICE_OPTIONS cuda:OPTION for each of them"),
    ("CMAKE_CUDA_FLAGS", "DEVICE_OPTIONS -lineinfo"),
)


@needs_nvcc
def test_settings_of_the_cuda_language_are_a_warning(configured: Path) -> None:
    source = write_project(
        configured, IGNORED.replace("KEYWORDS", ""), a_cu=KERNEL, b_cu="", c_cu="", d_cu=""
    )

    text = " ".join(configure(source, configured / "build").stderr.split())

    for setting, replacement in REPLACEMENTS:
        assert f"{setting} has no effect without the language CUDA; write {replacement} in" in text
    assert "CUDA_STANDARD 20 has no effect after the call; write DEVICE_STANDARD 20 in" in text
    assert "CMake leaves b.cu out of t, because the language CUDA is not enabled" in text
    assert text.count("CMake leaves") == 1


LEFT_OUT = """
file(TOUCH "${CMAKE_CURRENT_SOURCE_DIR}/sub/main.cpp")
file(WRITE "${CMAKE_CURRENT_SOURCE_DIR}/sub/CMakeLists.txt"
    "add_library(inside STATIC main.cpp b.hip)")
add_subdirectory(sub)
add_executable(app a.cu sub/main.cpp)
add_executable(compiled sub/main.cpp header.cu c++.cu)
set_source_files_properties(header.cu PROPERTIES HEADER_FILE_ONLY ON)
set_source_files_properties(c++.cu PROPERTIES LANGUAGE CXX)
add_library(interface INTERFACE a.cu)
add_custom_target(custom SOURCES a.cu)
"""


def test_sources_that_cmake_leaves_out_are_an_error(configured: Path) -> None:
    """The project calls no function of kbuild."""
    text = configure_error(configured, LEFT_OUT, a_cu=KERNEL)

    for target, source, language in (("app", "a.cu", "CUDA"), ("inside", "b.hip", "HIP")):
        assert (
            f"CMake leaves {source} out of {target}, because the language {language} is not "
            f"enabled; write kbuild_target_sources({target} PRIVATE {source})"
        ) in text
    assert text.count("CMake leaves") == 2


def test_source_properties_without_effect_are_a_warning(configured: Path) -> None:
    call = (
        "set_source_files_properties(b.cu PROPERTIES COMPILE_DEFINITIONS A)\n"
        "add_executable(t)\n"
        "kbuild_target_sources(t PRIVATE a.cu b.cu)\n"
        "set_source_files_properties(a.cu PROPERTIES COMPILE_DEFINITIONS A COMPILE_OPTIONS -O1)\n"
    )
    source = write_project(configured, call, a_cu=KERNEL, b_cu="")

    text = " ".join(configure(source, configured / "build").stderr.split())

    assert f"COMPILE_DEFINITIONS of {source}/a.cu have no effect after the call; set" in text
    assert f"COMPILE_OPTIONS of {source}/a.cu has no effect; set the options" in text
    assert text.count("no effect") == 2


@needs_nvcc
def test_settings_that_keywords_replace_are_no_warning(configured: Path) -> None:
    keywords = "ARCHITECTURES 90 DEVICE_STANDARD 20 RDC ON RUNTIME shared DEVICE_OPTIONS -lineinfo"
    call = IGNORED.replace("KEYWORDS", keywords)
    source = write_project(configured, call.replace(" b.cu", ""), a_cu=KERNEL, c_cu="", d_cu="")

    result = configure(source, configured / "build")

    succeed(result)
    assert "kbuild_target_sources(t):" not in result.stderr


@pytest.mark.slow
@needs_nvcc
def test_source_that_cmake_compiles_too_is_rejected(tmp_path: Path) -> None:
    call = (
        "enable_language(CUDA)\nadd_executable(t a.cu)\nadd_executable(other a.cu)\n"
        "kbuild_target_sources(t PRIVATE ../source/a.cu)"
    )

    message = configure_error(tmp_path, call, f"CMAKE_CUDA_COMPILER={NVCC}", a_cu=KERNEL)

    assert "CMake compiles a.cu too, with its language CUDA; remove the file" in message
    assert "CMake leaves" not in message


ALIAS = (
    "kbuild_add_kernels(t STATIC SOURCES a.cu ARCHITECTURES x86-64)\n"
    "add_library(ns::alias ALIAS t)\n"
    "kbuild_add_smoke_test(ns::alias)\n"
    "kbuild_verify(ns::alias)\n"
)


@pytest.mark.parametrize(
    ("after", "definitions", "warns"),
    [
        ("", (), True),
        ("enable_testing()", (), False),
        ("include(CTest)", (), False),
        ("", ("BUILD_TESTING=OFF",), False),
    ],
)
def test_tests_that_ctest_ignores_are_a_warning(
    tmp_path: Path, after: str, definitions: tuple[str, ...], warns: bool
) -> None:
    source = write_project(tmp_path, ALIAS + after, a_cu=KERNEL)

    result = configure(source, tmp_path / "build", *definitions)

    succeed(result)
    text = " ".join(result.stderr.split())
    assert ("kbuild_add_smoke_test(): ctest will not run the tests of" in text) == warns
    assert ("call enable_testing() in" in text) == warns


def test_kbuild_command_of_another_package_is_rejected(tmp_path: Path) -> None:
    message = configure_error(tmp_path, "", "KBUILD_EXECUTABLE=/bin/true")

    assert "no kbuild command belongs to the package in" in message
    assert "KBUILD_EXECUTABLE" in message


INSTANCE = (
    "template <class T> __global__ void k(T* p) { *p = 1; }\ntemplate __global__ void k(int*);\n"
)
# The sources of targets, and what the error says about each of them.
REJECTED = {
    "empty": (
        {"empty.cu": "__device__ int x;\n"},
        ("empty.cu: no kernel (no __global__ function) in it",),
    ),
    "repeated": (
        {"first.cu": KERNEL, "second.cu": KERNEL},
        ("kernel 'good(int*)' is defined in both first.cu and second.cu",),
    ),
    "function": (
        {"function.cu": f"{KERNEL}namespace ns {{ void helper(int) {{}} }}\n"},
        (
            "function.cu:2: host function 'ns::helper' in a kernel source",
            "kbuild_target_sources",
        ),
    ),
    "variable": (
        {"variable.cu": f"{KERNEL}int counter;\n"},
        ("variable.cu:2: host variable 'counter'",),
    ),
    "syntax": (
        {"syntax.cu": "__global__ void k( { }\n"},
        ("syntax.cu:1:", "error: expected"),
    ),
    "undefined": (
        {"undefined.cu": "__device__ int far(int);\n__global__ void k(int* p) { *p = far(1); }\n"},
        ("undefined.cu: error: device code uses 'far(int)', which this source declares, but",),
    ),
    "wide": (
        {
            "wide.cu": f"{KERNEL}#ifdef __AVX2__\n"
            "__global__ void wide(int* p) { *p = 2; }\n"
            "#endif\n"
        },
        ("kernel 'wide(int*)' is defined for x86-64-v3 but not for x86-64",),
    ),
}
ACCEPTED = {"accepted": ({"third.cu": INSTANCE, "fourth.cu": INSTANCE}, ())}


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Configure a project with all these targets, and return its build directory."""
    directory = tmp_path_factory.mktemp("targets")
    calls = []
    for name, (sources, _) in (REJECTED | ACCEPTED).items():
        levels = "x86-64 x86-64-v3" if name == "wide" else "x86-64"
        words = f"SHARED ARCHITECTURES {levels} SOURCES {' '.join(sources)}"
        calls.append(f"kbuild_add_kernels({name} {words})")
        for source, text in sources.items():
            write_project(directory, "", **{source.replace(".cu", "_cu"): text})
    succeed(configure(write_project(directory, "\n".join(calls)), directory / "build"))
    return directory / "build"


@pytest.mark.parametrize("name", REJECTED)
def test_bad_source_is_rejected(targets: Path, name: str) -> None:
    result = build(targets, name)

    output = " ".join((result.stdout + result.stderr).split())
    assert result.returncode != 0
    assert "Traceback" not in output
    assert [message for message in REJECTED[name][1] if message not in output] == []
    assert not (targets / f"lib{name}.so").exists()
    assert not list((targets / "kbuild" / name).glob("*.packed"))


def test_template_in_two_sources_is_accepted(targets: Path) -> None:
    succeed(build(targets, "accepted"))

    assert list((targets / "kbuild" / "accepted").glob("*.packed"))


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["verfy", "x"], 2, "did you mean 'verify'?"),
        (["verify"], 2, "PATH"),
        (["verify", "--nope", "x"], 2, "--help"),
        (["verify", "missing.so"], 2, "missing.so"),
        (["inspect", "empty"], 2, "empty"),
        (["verify", "empty"], 2, "empty"),
        (["inspect", "text"], 2, "text"),
        (["inspect", "truncated.so"], 2, "truncated.so"),
        (["verify", "truncated.so"], 2, "truncated.so"),
        (["smoke", "text"], 2, "text"),
        (["build", "-f", "missing.toml"], 2, "missing.toml"),
        (["build"], 2, "kbuild.toml"),
        (["compile", "missing.edge", "--flags", "f"], 2, "missing.edge"),
        (["explain", "KB999"], 2, "KB999"),
        (["--nosuch"], 2, "unknown option --nosuch"),
        (["inspect", ""], 2, "the path is empty"),
        (["demo", "--keep", "text"], 2, "not an empty directory"),
        (["demo", "--keep", "/proc/none"], 2, "/proc/none"),
    ],
)
def test_bad_command_line_is_rejected(
    tmp_path: Path, words: list[str], code: int, expected: str
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("no artifact\n")
    (tmp_path / "truncated.so").write_bytes(Path("/bin/true").read_bytes()[:1000])

    result = run_kbuild(*words, cwd=tmp_path)

    assert result.returncode == code, result.stderr
    assert expected in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[target.t]\nsuorces = ['a.cu']\n", "did you mean 'sources'?"),
        ("[targt.t]\nsources = ['a.cu']\n", "did you mean 'target'?"),
        ("[target.t]\nsources = ['none*.cu']\n", "no source matches 'none*.cu'"),
        ("[target.t]\nsources = 'a.cu'\n", "expected a list"),
        ("[target.t]\nsources = ['a.cu']\nkind = 'dll'\n", "unsupported value 'dll'"),
        ("[target.t\n", "kbuild.toml"),
        ("", "no [target.<name>]"),
        ("[target.t]\nsources = []\n", "sources: expected at least one file"),
        ("[target.install]\nsources = ['a.cu']\n", "does not allow a target of that name"),
        ("[target.'a b']\nsources = ['a.cu']\n", "does not allow a target of that name"),
        ("[target.t]\nsources = ['a.cu']\ndefinitions = ['A=1;2']\n", "semicolon"),
        ("[target.t]\nsources = ['a.cu']\n[verify]\nrequierd = 1\n", "unknown key 'requierd'"),
        ("[target.t]\nsources = ['a.cu']\npolicy = 'none.toml'\n", "none.toml"),
    ],
)
def test_bad_manifest_is_rejected(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "kbuild.toml").write_text(text)

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == 2
    assert expected in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize(
    ("source", "keys", "code"),
    [
        ("__global__ void k( { }\n", "", 4),
        ("__device__ int x;\n", "", 2),
        (KERNEL, "architectures = ['sm_90']\n", 2),
        (KERNEL, "backend = 'metal'\n", 2),
        (KERNEL, "host_compiler = '/no/such/g++'\n", 3),
        (KERNEL, "[verify]\nrequired_architectures = ['x86-64-v9']\n", 1),
    ],
)
def test_build_has_the_exit_code_of_the_failure(
    tmp_path: Path, source: str, keys: str, code: int
) -> None:
    (tmp_path / "a.cu").write_text(source)
    (tmp_path / "kbuild.toml").write_text(f"[target.t]\nsources = ['a.cu']\n{keys}")

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr


def test_report_does_not_overwrite_the_artifact(tmp_path: Path) -> None:
    artifact = tmp_path / "true"
    artifact.write_bytes(Path("/bin/true").read_bytes())

    result = run_kbuild("verify", artifact, "-o", artifact)

    assert result.returncode == 2
    assert "this is the artifact itself" in result.stderr
    assert artifact.read_bytes() == Path("/bin/true").read_bytes()


def test_full_disk_causes_no_traceback() -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [KBUILD, "inspect", "/bin/true"], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert result.returncode == 2
    assert b"Traceback" not in result.stderr


def test_exit_code_is_3_if_the_compiler_is_missing(tmp_path: Path) -> None:
    words = ("SOURCES", "a.cu", "HOST_COMPILER", "no-such-compiler")
    record = write_record(tmp_path, "kbuild_add_kernels", "t", *words)

    result = run_kbuild("plan", record, "-o", tmp_path / "plan.cmake")

    assert result.returncode == 3
    assert "compiler no-such-compiler not found" in result.stderr
    assert not (tmp_path / "plan.cmake").exists()
