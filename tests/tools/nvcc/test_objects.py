"""``kbuild nvcc`` makes one object per source, which any linker joins with any others."""

from __future__ import annotations

import base64
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kbuild import process
from kbuild.backends import find_builder
from kbuild.cli.main import main
from kbuild.formats.elf.file import Elf
from kbuild.model import Command, CommandResult
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.caches import make_cache
from support.commands import KBUILD, find_kbuild, run, run_kbuild, succeed
from support.tools.compiler_caches import SCCACHE, needs_sccache, serve_sccache
from support.tools.toolchains import require_backend, require_programs

KERNELS = """
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
static __device__ T value;
static __global__ void set(T x) { value = x; }
template <class U> __global__ void get(U* out) { *out = value; }
T JOIN(pass_, T)(T x) {
    T *out, result = 0;
    cudaMalloc(&out, sizeof(T));
    set<<<1, 1>>>(x);
    get<<<1, 1>>>(out);
    cudaMemcpy(&result, out, sizeof(T), cudaMemcpyDeviceToHost);
    return result;
}
"""
PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
float pass_float(float);
double pass_double(double);
int main() {
    std::printf("%g %g %d\\n", pass_float(1.5f), pass_double(2.25), (int)cudaDeviceSynchronize());
}
"""
OUTPUT = "1.5 2.25 0\n"


@pytest.fixture(scope="module")
def toolkit() -> Path:
    return Path(succeed(run_kbuild("nvcc", "--backend=cpu", "--toolkit")).strip())


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one source, compiled twice, and a program."""
    directory = tmp_path_factory.mktemp("objects")
    (directory / "kernels.cu").write_text(KERNELS)
    (directory / "main.cpp").write_text(PROGRAM)
    for name in ("float", "double"):
        succeed(run_nvcc("-c", "kernels.cu", f"-DT={name}", "-o", f"{name}.o", cwd=directory))
    succeed(run_nvcc("-c", "main.cpp", cwd=directory))
    return directory


def run_nvcc(*words: object, cwd: Path, backend: str = "cpu") -> subprocess.CompletedProcess[str]:
    """Run the driver in a directory. For the CPU, it compiles device code once."""
    once = ("-arch=native",) if backend == "cpu" else ()
    return run_kbuild("nvcc", f"--backend={backend}", *once, *words, cwd=cwd)


FILES = ("main.o", "float.o", "double.o")


def test_driver_links_one_source_compiled_twice(objects: Path) -> None:
    succeed(run_nvcc(*FILES, "-o", "program", cwd=objects))

    assert succeed(run(objects / "program")) == OUTPUT


def test_host_source_makes_the_same_object(objects: Path) -> None:
    succeed(run_nvcc("-cuda", "kernels.cu", "-DT=float", cwd=objects))

    succeed(run("g++", "-O2", "-c", "kernels.cu.cpp.ii", "-o", "host.o", cwd=objects))
    succeed(run_nvcc("main.o", "host.o", "double.o", "-o", "host", cwd=objects))
    assert succeed(run(objects / "host")) == OUTPUT


@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_host_source_contains_nvccs_images(tmp_path: Path, compiler: str) -> None:
    require_backend("cuda")
    require_programs(compiler)
    (tmp_path / "a.cu").write_text(f"typedef float T;{KERNELS}")
    words = ("-cuda", "-ccbin", compiler, "-arch=sm_90", "a.cu", "-o", "a.cu.cpp")
    succeed(run_nvcc(*words, cwd=tmp_path, backend="cuda"))

    options = ("-std=c++17", "-w", "-x", "c++", "-c", "a.cu.cpp", "-o", "a.o")
    succeed(run(compiler, *options, cwd=tmp_path))
    succeed(run_kbuild("verify", "a.o", cwd=tmp_path))
    assert "get<float>" in succeed(run_kbuild("inspect", "a.o", cwd=tmp_path))


@pytest.mark.parametrize("library", ["-lcudart", "-lcudart_static"])
@pytest.mark.parametrize("linker", ["bfd", "lld", "mold"])
def test_other_linkers_need_only_the_library(
    objects: Path, toolkit: Path, linker: str, library: str
) -> None:
    require_programs(f"ld.{linker}")
    output = objects / f"program{linker}{library}"
    options = (f"-fuse-ld={linker}", f"-L{toolkit / 'lib64'}", library, "-o", output)

    succeed(run("g++", *FILES, *options, cwd=objects))

    assert succeed(run(output)) == OUTPUT


@pytest.mark.slow
def test_objects_work_in_archives_and_shared_objects(objects: Path) -> None:
    succeed(run_nvcc("-lib", "float.o", "-o", "libfloat.a", cwd=objects))
    options = ("-Xcompiler", "-fPIC")
    succeed(run_nvcc("-c", *options, "kernels.cu", "-DT=double", "-o", "pic.o", cwd=objects))
    succeed(run_nvcc("-shared", "pic.o", "-o", "libdouble.so", cwd=objects))
    libraries = ("-L.", "-lfloat", "-ldouble", "-Xlinker", "-rpath=$ORIGIN")

    succeed(run_nvcc("main.o", *libraries, "-o", "joined", cwd=objects))

    assert succeed(run(objects / "joined")) == OUTPUT


def test_own_symbols_are_local(objects: Path) -> None:
    names = {
        symbol.name
        for symbol in Elf((objects / "float.o").read_bytes()).symbols
        if symbol.binding != "local" and symbol.place and symbol.name.startswith("kbuild_")
    }

    (module,) = (name for name in names if name.startswith("kbuild_module_"))
    assert len(module.removeprefix("kbuild_module_")) == 16
    assert names - {module} == {"kbuild_launch"}


@pytest.mark.slow
def test_objects_are_deterministic(objects: Path, tmp_path: Path) -> None:
    shutil.copy(objects / "kernels.cu", tmp_path)

    succeed(run_nvcc("-c", "kernels.cu", "-DT=float", "-MD", "-MF", "a.d", cwd=tmp_path))

    assert (tmp_path / "kernels.o").read_bytes() == (objects / "float.o").read_bytes()


@pytest.mark.slow  # the catalog of tests/e2e/verify has such an object, too
def test_clang_is_a_host_compiler(objects: Path, tmp_path: Path) -> None:
    require_programs("clang++")
    for name in ("kernels.cu", "main.cpp", "double.o"):  # the object is that of g++
        shutil.copy(objects / name, tmp_path)
    words = ("-ccbin", "clang++", "-g", "-O1")
    succeed(run_nvcc(*words, "-c", "kernels.cu", "-DT=float", "-o", "float.o", cwd=tmp_path))

    succeed(run_nvcc(*words, "main.cpp", "float.o", "double.o", "-o", "program", cwd=tmp_path))

    assert succeed(run(tmp_path / "program")) == OUTPUT


def test_toolkit_keeps_its_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require_backend("cuda")
    compiler = find_toolchain(find_builder("cuda"), gather_hints()).compiler
    other = tmp_path / "named"
    other.symlink_to(compiler.resolve().parent.parent)
    monkeypatch.setenv("CUDACXX", str(other / "bin" / "nvcc"))

    root = Path(succeed(run_kbuild("nvcc", "--backend=cuda", "--toolkit")).strip())

    assert f"CUDACXX={other / 'bin' / 'nvcc'}" in (root / "bin" / "nvcc").read_text()


def test_each_kbuild_has_a_toolkit_that_runs_it(toolkit: Path) -> None:
    installed = Path(succeed(run(KBUILD, "nvcc", "--backend=cpu", "--toolkit")).strip())

    for root, is_expected in ((toolkit, True), (installed, False)):
        text = (root / "bin" / "nvcc").read_text()
        assert (str(find_kbuild()) in text) == is_expected


def test_host_compiler_answers_on_standard_output(tmp_path: Path) -> None:
    # ggml's build finds the version of the host compiler in this way, and ignores the failure.
    done = run_nvcc(".c", "-Xcompiler", "-dumpfullversion -dumpversion", cwd=tmp_path)

    assert done.stdout == succeed(run("g++", "-dumpfullversion", "-dumpversion"))
    assert "did not create an object of '.c'" in done.stderr


def test_programs_link_a_driver_that_they_do_not_call(objects: Path) -> None:
    succeed(run_nvcc(*FILES, "-lcuda", "-o", "linked", cwd=objects))


def test_toolkits_from_wheels_link_the_driver(tmp_path: Path) -> None:
    require_backend("cuda")
    (tmp_path / "a.cpp").write_text(
        "#include <cuda.h>\nint main() { CUdeviceptr p; return cuInit(0) + cuMemAlloc(&p, 4); }\n"
    )
    succeed(run_nvcc("a.cpp", "-lcuda", "-o", "a", cwd=tmp_path, backend="cuda"))

    assert "[libcuda.so.1]" in succeed(run("readelf", "-d", tmp_path / "a"))


def test_other_toolkits_on_the_command_line_are_ignored(objects: Path, tmp_path: Path) -> None:
    shutil.copy(objects / "main.cpp", tmp_path)
    (tmp_path / "cuda_runtime.h").write_text("#error another toolkit\n")
    for name in ("libcudart.so", "libcudart_static.a"):
        (tmp_path / name).write_text("/* empty */\n")
    inputs = ("main.cpp", objects / "float.o", objects / "double.o")

    options = ("-I", tmp_path, "-L", tmp_path, "-lcudart")
    succeed(run_nvcc(*inputs, *options, "-o", "program", cwd=tmp_path))

    assert succeed(run(tmp_path / "program")) == OUTPUT


@pytest.mark.slow
def test_older_standards_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "old.cu").write_text("static_assert(__cplusplus >= 201103L);\n" + KERNELS)

    succeed(run_nvcc("-std=c++11", "-c", "old.cu", "-DT=float", cwd=tmp_path))


def test_failure_leaves_no_object(tmp_path: Path) -> None:
    (tmp_path / "wrong.cu").write_text("__global__ void f() { undeclared(); }\n")
    (tmp_path / "wrong.o").write_bytes(b"from an earlier run")

    done = run_nvcc("-c", "wrong.cu", cwd=tmp_path)

    assert done.returncode == 4
    assert "wrong.cu:1" in done.stderr
    assert "undeclared" in done.stderr
    assert not (tmp_path / "wrong.o").exists()


def test_depfile_lists_what_both_passes_read(tmp_path: Path) -> None:
    (tmp_path / "host.h").write_text("")
    (tmp_path / "device.h").write_text("")
    (tmp_path / "a.cu").write_text(
        "#include <cstdio>\n"
        '#ifdef __CUDA_ARCH__\n#include "device.h"\n#else\n#include "host.h"\n#endif\n'
    )

    succeed(run_nvcc("-c", "a.cu", "-MD", "-MT", "here/a.o", "-MF", "all.dep", cwd=tmp_path))
    succeed(run_nvcc("-E", "a.cu", "-MMD", "-MF", "own.dep", cwd=tmp_path))

    target, _, files = (tmp_path / "all.dep").read_text().partition(": ")
    assert target == "here/a.o"
    assert set(files.split()) >= {"a.cu", "host.h", "device.h"}
    assert any(file.endswith("/cstdio") for file in files.split())
    own = (tmp_path / "own.dep").read_text()
    assert own.startswith("a.o: a.cu ")
    assert "host.h" in own
    assert "cstdio" not in own


@pytest.mark.slow
@needs_sccache
def test_sccache_hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    # As CMake calls it.
    words = ("-Xcompiler=-fPIC", "-MD", "-MT", "a.o", "-MF", "a.d", "-x", "cu", "-c", "a.cu")
    objects = []
    (tmp_path / "cache").mkdir()
    with serve_sccache(tmp_path / "cache", monkeypatch) as server:
        for hits in ({}, {"CUDA": 1}):
            (tmp_path / "a.d").unlink(missing_ok=True)
            # The server starts the compiler, so that it must be the installed command.
            command = (str(SCCACHE), KBUILD.with_name("kbuild-nvcc"), "--backend=cpu")
            succeed(run(*command, *words, "-o", "a.o", cwd=tmp_path))
            assert server.count()["hits"] == hits
            assert (tmp_path / "a.d").read_text().startswith("a.o: a.cu")
            objects.append((tmp_path / "a.o").read_bytes())

    assert objects[0] == objects[1]


def test_plain_c_program_calls_the_host_api(toolkit: Path, tmp_path: Path) -> None:
    # As autoconf's AC_CHECK_LIB does.
    (tmp_path / "check.c").write_text("char cudaMalloc(); int main(void) { return !cudaMalloc; }\n")

    options = (f"-L{toolkit / 'lib64'}", "-lcudart", "-o", "check")
    succeed(run("gcc", "check.c", *options, cwd=tmp_path))

    succeed(run(tmp_path / "check"))


@pytest.mark.parametrize(
    ("phase", "shown"), [("-cubin", "shared object"), ("-fatbin", "set(float)")]
)
def test_device_code_alone(objects: Path, tmp_path: Path, phase: str, shown: str) -> None:
    output = tmp_path / "image"

    succeed(run_nvcc(phase, "kernels.cu", "-DT=float", "-o", output, cwd=objects))

    assert shown in succeed(run_kbuild("inspect", output))


@pytest.mark.parametrize("phase", ["-c", pytest.param("-cubin", marks=pytest.mark.slow), "-E"])
def test_standard_input_is_a_source(objects: Path, tmp_path: Path, phase: str) -> None:
    line = f'"$0" nvcc --backend=cpu {phase} -x cu -DT=float - -o "$1" < "$2"'
    output = tmp_path / "output"

    succeed(run("sh", "-c", line, find_kbuild(), output, objects / "kernels.cu", cwd=tmp_path))

    assert b"float" in output.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


def test_ptx_is_a_device_image_as_text(
    objects: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, output = str(objects / "kernels.cu"), str(tmp_path / "a.ptx")

    code = main(["nvcc", "--backend=cpu", "-ptx", "-DT=float", source, "-o", output])

    assert code == 0
    assert "no PTX" in capsys.readouterr().err
    first, *others = Path(output).read_text().splitlines()
    assert first.startswith("// kbuild: a device image")
    assert base64.b64decode("".join(others)).startswith(b"\x7fELF")


def test_dry_run_runs_nothing(objects: Path, tmp_path: Path) -> None:
    words: Sequence[object] = ("--dryrun", objects / "kernels.cu", "-DT=float", "-o", "program")

    done = run_nvcc(*words, cwd=tmp_path)

    assert done.returncode == 0
    assert "#$ TOP=" in done.stderr
    assert "-o program" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_preprocessed_text_goes_to_the_output(objects: Path) -> None:
    text = succeed(run_nvcc("-E", "kernels.cu", "-DT=float", cwd=objects))

    assert "float pass_float(float x)" in text
    assert '# 1 "kernels.cu"' in text


def test_functions_of_stub_units_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache(tmp_path / "cache")))
    compiled: list[str] = []
    original = process.run

    def note(command: Command) -> CommandResult:
        compiled.extend(path.name for path in command.inputs if path.suffix == ".cpp")
        return original(command)

    monkeypatch.setattr("kbuild.nvcc.tools.run", note)

    def count_compiles(source: str, *words: str) -> int:
        Path("a.cu").write_text(source)
        compiled.clear()
        options = ("--backend=cpu", "-arch=native", *words)
        assert main(("nvcc", *options, "a.cu", "-o", "program")) == 0
        succeed(run("./program"))
        assert compiled.count("a.cu.host.cpp") == 1
        return compiled.count("registration.cpp")

    kernel = "template <class T> __global__ void k(T* p) { *p = 1; }\n"
    source = kernel + "int main() { int* p; return cudaMallocManaged(&p, 4), k<<<1, 1>>>(p), 0; }\n"
    assert count_compiles(source) == 1
    assert count_compiles(source.replace("= 1", "= 2")) == 0
    assert count_compiles(source, "-Xcompiler", "-fcf-protection=none") == 1
