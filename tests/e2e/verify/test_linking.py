"""Rules about links of host code and kernels, on files of real compilers and linkers."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild import resources
from kbuild.backends import BACKENDS, find_backend
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import inspect_path
from kbuild.inspect.paths import inspect_content
from kbuild.verify import Report, verify
from support.commands import run_kbuild
from support.files.hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    INCLUDE,
    SCALE,
    SCALE_PARAMS,
    Design,
    build_host,
    build_image,
    build_object,
    link_shared,
    run,
)
from support.files.mutations import section_range
from support.kernel_libraries import BuildKernelLibrary

LINKERS = ("bfd", "gold", "lld")
DECLARATION = f'void scale(float *, float, int) __asm__("{SCALE}");\n'
CALLER = DECLARATION + "int main(void) { scale(0, 1, 2); return 0; }\n"
TAIL_CALLER = DECLARATION + (
    "void f(float *p) { scale(p, 1, 2); }\nint main(void) { f(0); return 0; }\n"
)
CONDITIONAL_CALLER = DECLARATION + (
    "void f(float *p) { if (p) scale(p, 1, 2); }\nint main(void) { f(0); return 0; }\n"
)
LAUNCHER = DECLARATION + (
    "static const void *volatile kernel;\n"
    "int main(void) { kernel = (const void *)scale; return 0; }\n"
)
AARCH64 = ("clang", "--target=aarch64-linux-gnu", "-ffreestanding", "-fPIC")


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    directory = tmp_path_factory.mktemp("images")
    kernels = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}
    images = tuple(build_image(directory, arch, kernels) for arch in ARCHITECTURES)
    return Design(images=images, visibility="default")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("linking")


@pytest.fixture(scope="module")
def kernels(directory: Path, design: Design) -> Path:
    """Return the object of a target with exported handles."""
    return build_object(directory, design, "kernels")


@pytest.fixture(scope="module")
def hidden_kernels(directory: Path, design: Design) -> Path:
    return build_object(directory, replace(design, visibility="hidden"), "hidden")


@pytest.fixture(scope="module")
def library(directory: Path, kernels: Path) -> Path:
    return link_shared([kernels], directory / "libkernels.so")


@pytest.fixture(scope="module")
def symbolic_library(directory: Path, kernels: Path) -> Path:
    return link_shared([kernels], directory / "libsymbolic.so", "-Wl,-Bsymbolic")


def judge(*paths: Path) -> Report:
    report = verify(tuple(facts for path in paths for facts in inspect_path(path)))
    assert not report.rules_errored
    return report


def found(*paths: Path) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity) for finding in judge(*paths).findings]


def link_program(output: Path, *inputs: object, linker: str = "bfd") -> Path:
    run("gcc", f"-fuse-ld={linker}", *inputs, "-o", output)
    return output


def test_artifact_of_an_unknown_backend(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(kernels) == []
    monkeypatch.setitem(BACKENDS, "cpu", find_backend("unknown"))

    report = judge(kernels)

    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("KB601", "error")
    assert "kernel target demo: unknown backend 'cpu'" in finding.message


# KB405: libraries that nothing but a program brings together.


def test_two_libraries_of_a_program_export_one_kernel(
    tmp_path: Path, kernels: Path, hidden_kernels: Path
) -> None:
    first = link_shared([kernels], tmp_path / "libfirst.so")
    second = link_shared([kernels], tmp_path / "libsecond.so")
    hidden = link_shared([hidden_kernels], tmp_path / "libhidden.so")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")

    def judge_closure(name: str, *libraries: Path) -> tuple[int, list[tuple[str, str]]]:
        words = ("-Wl,--no-as-needed", *libraries, "-Wl,-rpath,$ORIGIN")
        program = link_program(tmp_path / name, tmp_path / "main.c", *words)
        result = run_kbuild("verify", "--closure", "--format", "json", program)
        found = json.loads(result.stdout)["findings"]
        return result.returncode, [(f["rule"], Path(f["path"]).name) for f in found]

    assert judge_closure("both", first, second) == (1, [("KB405", "libsecond.so")])
    assert judge_closure("one", first, hidden) == (0, [])


# KB309: calls.


@pytest.mark.parametrize("source", [CALLER, TAIL_CALLER, CONDITIONAL_CALLER])
@pytest.mark.parametrize("options", [("-fPIC",), ("-fno-pie",), ("-fPIC", "-fno-plt")])
def test_object_that_calls_a_kernel(
    tmp_path: Path, kernels: Path, library: Path, source: str, options: tuple[str, ...]
) -> None:
    host = build_host(tmp_path, "host", source, *options)
    archive = tmp_path / "libhost.a"
    run("ar", "rcs", archive, host, kernels)
    together = tmp_path / "together.o"
    run("ld", "-r", host, kernels, "-o", together)

    assert found(host) == []
    for files in ((host, library), (host, kernels), (archive,), (together,)):
        assert found(*files) == [("KB309", "error")]
    (finding,) = judge(archive).findings
    assert finding.path == f"{archive}!host.o"
    assert finding.symbol == SCALE


def test_only_objects_can_call_hidden_kernels(tmp_path: Path, hidden_kernels: Path) -> None:
    host = build_host(tmp_path, "host", CALLER)
    assert found(host, hidden_kernels) == [("KB309", "error")]
    assert found(host, link_shared([hidden_kernels], tmp_path / "libhidden.so")) == []


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("mode", [("-fPIC", "-pie"), ("-fno-pie", "-no-pie")])
def test_program_that_calls_a_kernel(
    tmp_path: Path, library: Path, linker: str, mode: tuple[str, str]
) -> None:
    host = build_host(tmp_path, "host", CALLER, mode[0])
    program = link_program(tmp_path / "program", mode[1], host, library, linker=linker)
    assert found(program, library) == [("KB309", "error")]
    assert found(program) == []


@pytest.mark.parametrize("linker", LINKERS)
def test_library_calls_its_own_kernel(tmp_path: Path, kernels: Path, linker: str) -> None:
    host = build_host(tmp_path, "host", CALLER, "-fPIC")
    both = link_shared([host, kernels], tmp_path / "libboth.so", linker=linker)
    assert found(both) == [("KB309", "error")]


@pytest.mark.parametrize("options", [("-static",), ("-pie",), ("-no-pie",)])
def test_calls_inside_a_program_are_not_judged(
    tmp_path: Path, hidden_kernels: Path, options: tuple[str, ...]
) -> None:
    host = build_host(tmp_path, "host", CALLER, "-fPIC")
    report = judge(link_program(tmp_path / "program", *options, host, hidden_kernels))
    assert report.findings == ()
    assert "KB309" in {note.rule for note in report.rules_skipped}


@pytest.mark.parametrize("linker", LINKERS)
def test_launch_is_not_reported_as_a_call(
    tmp_path: Path, library: Path, kernels: Path, linker: str
) -> None:
    host = build_host(tmp_path, "host", LAUNCHER, "-fPIC")
    program = link_program(tmp_path / "program", "-pie", host, library, linker=linker)
    for files in ((host, library), (host, kernels), (program, library)):
        report = judge(*files)
        assert report.findings == ()
        assert {"KB309", "KB503"} <= set(report.rules_run)


def test_function_with_the_name_of_a_kernel_can_be_called(tmp_path: Path, library: Path) -> None:
    other = CALLER + "void scale(float *p, float a, int n) { (void)p, (void)a, (void)n; }\n"
    host = build_host(tmp_path, "host", other, "-fPIC", "-fno-inline")
    assert found(host, library) == []


def test_call_on_aarch64(tmp_path: Path, design: Design) -> None:
    kernels = build_object(tmp_path, design, compiler=AARCH64)
    hosts = []
    for name, text in (("call", CALLER), ("jump", TAIL_CALLER), ("launch", LAUNCHER)):
        (tmp_path / f"{name}.c").write_text(text)
        hosts.append(tmp_path / f"{name}.o")
        run(*AARCH64, "-O2", "-c", tmp_path / f"{name}.c", "-o", hosts[-1])
    assert [found(host, kernels) for host in hosts] == [
        [("KB309", "error")],
        [("KB309", "error")],
        [],
    ]
    link = ("ld.lld", "-m", "aarch64linux")
    library, program, copying = (tmp_path / name for name in ("libk.so", "calls", "copies"))
    run(*link, "-shared", kernels, "-o", library)
    run(*link, "-e", "main", hosts[0], library, "-o", program)
    assert found(program, library) == [("KB309", "error")]
    fixed = (*AARCH64[:-1], "-fno-pic", "-fdirect-access-external-data")
    run(*fixed, "-O2", "-c", tmp_path / "launch.c", "-o", tmp_path / "fixed.o")
    run(*link, "-e", "main", tmp_path / "fixed.o", library, "-o", copying)
    assert found(copying, library) == [("KB501", "warning")]


# KB501 and KB502: copies and -Bsymbolic.


@pytest.mark.parametrize("linker", LINKERS)
def test_copied_handle(tmp_path: Path, library: Path, symbolic_library: Path, linker: str) -> None:
    host = build_host(tmp_path, "host", LAUNCHER, "-fno-pie")
    program = link_program(tmp_path / "program", "-no-pie", host, library, linker=linker)
    assert found(program, library) == [("KB501", "warning")]
    assert found(program, symbolic_library) == [("KB501", "error"), ("KB502", "warning")]
    assert found(program) == []


@pytest.mark.parametrize("linker", LINKERS)
def test_symbolic_library(tmp_path: Path, kernels: Path, hidden_kernels: Path, linker: str) -> None:
    def link(compiled: Path, option: str) -> Path:
        return link_shared([compiled], tmp_path / "libk.so", option, linker=linker)

    assert found(link(kernels, "-Wl,-Bsymbolic")) == [("KB502", "warning")]
    assert found(link(kernels, "-Wl,-Bsymbolic-functions")) == []
    assert found(link(hidden_kernels, "-Wl,-Bsymbolic")) == []


# KB503: text relocations.

ADDRESS_TAKER = (
    "void *handle_0 RELRO = 0;",
    "void *handle_0 RELRO = 0;\nconst void *address(void) { return &handle_0; }",
)


def test_four_byte_address_in_a_stub_unit(tmp_path: Path, design: Design) -> None:
    shared = replace(design, c=(ADDRESS_TAKER,))
    static = replace(shared, visibility="hidden")
    fixed = ("gcc", "-fno-pic")
    assert found(build_object(tmp_path, shared)) == []
    unit = build_object(tmp_path, shared, compiler=fixed)
    assert found(unit) == [("KB503", "error")]
    refused = subprocess.run(
        ["gcc", "-shared", unit, "-o", tmp_path / "libk.so"], capture_output=True, check=False
    )
    assert refused.returncode != 0
    assert found(build_object(tmp_path, static, compiler=fixed)) == [("KB503", "info")]


def test_four_byte_address_in_a_host_object(tmp_path: Path, library: Path, kernels: Path) -> None:
    host = build_host(tmp_path, "host", LAUNCHER, "-fno-pie")
    assert found(host) == []
    assert found(host, library) == [("KB503", "info")]
    assert found(host, kernels) == [("KB503", "info")]


@pytest.mark.parametrize("linker", LINKERS)
def test_text_relocation_in_a_library(tmp_path: Path, design: Design, linker: str) -> None:
    large = ("gcc", "-fno-pic", "-mcmodel=large")
    unit = build_object(tmp_path, replace(design, c=(ADDRESS_TAKER,)), compiler=large)
    assert found(unit) == []
    library = link_shared([unit], tmp_path / "libk.so", "-Wl,-z,notext", linker=linker)
    assert found(library) == [("KB503", "error")]


# Damaged link information. The mutations are in accuracy/units/linked.py.


@pytest.fixture(scope="module")
def sound(directory: Path, kernels: Path, library: Path) -> dict[str, bytes]:
    """Return a library, its object, and an object and a program that launch its kernels."""
    host = build_host(directory, "sound", LAUNCHER, "-fPIC")
    program = link_program(directory / "program", "-pie", host, library)
    return {path.name: path.read_bytes() for path in (library, host, program, kernels)}


@lru_cache(maxsize=8)
def read(name: str, data: bytes) -> tuple[ArtifactFacts, ...]:
    """Verify the damaged file together with the sound ones, which are read only once."""
    return inspect_content(name, data)


def read_all(files: dict[str, bytes]) -> tuple[ArtifactFacts, ...]:
    return tuple(facts for name, data in files.items() for facts in read(name, data))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_flipped_bytes_in_link_information_never_crash(
    sound: dict[str, bytes], data: st.DataObject
) -> None:
    name, sections = data.draw(
        st.sampled_from(
            (
                ("kernels.o", (".symtab", ".rela.data.rel.ro", ".rela.note.kbuild")),
                ("sound.o", (".symtab", ".rela.text.startup")),
                ("program", (".dynamic", ".dynsym", ".rela.dyn")),
                ("libkernels.so", (".dynamic", ".dynsym", ".rela.dyn")),
            )
        )
    )
    mutated = bytearray(sound[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = section_range(sound[name], data.draw(st.sampled_from(sections)))
        mutated[data.draw(st.integers(place.start, place.stop - 1))] = data.draw(
            st.integers(0, 255)
        )
    try:
        files = read_all({**sound, name: bytes(mutated)})
    except InputError:
        return
    assert not verify(files).rules_errored


# The launch fails as KB501 says.

FILL = "__global__ void fill(int *to) { *to = 7; }\n"
FILL_HOST = """\
#include <kbuild/kbuild.h>
#include <stdio.h>
void fill(int *to) __asm__("_Z4fillPi");
int main(void)
{
    const kbuild_launch_config config = { { 1, 1, 1 }, { 1, 1, 1 }, 0, NULL, { 0, 0, 0 }, 0, 0 };
    int value = 0, *to = &value;
    void *arguments[] = { &to };
    kbuild_error_t error = kbuild_launch((const void *)fill, &config, arguments);
    if (!error)
        error = kbuild_synchronize();
    printf("%d %s", value, kbuild_error_message(error));
    return 0;
}
"""


def test_broken_copy_fails_to_launch(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary
) -> None:
    library = build_kernel_library({"fill.cu": FILL})
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    (unit,) = library.parent.glob("**/*_stub.c")
    include = ("-I", str(INCLUDE))
    host = build_host(tmp_path, "host", FILL_HOST, "-fno-pie", *include)
    outcomes = []
    for options in ((), ("-Wl,-Bsymbolic",)):
        shared = tmp_path / f"libfill{len(options)}.so"
        run("gcc", "-shared", "-fPIC", *options, *include, unit, runtime, "-o", shared)
        paths = ",".join(f"-rpath,{directory}" for directory in (tmp_path, runtime.parent))
        program = link_program(
            tmp_path / "program", "-no-pie", host, shared, runtime, f"-Wl,{paths}"
        )
        output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        outcomes.append(
            (found(program, shared)[0], output.split()[0], "no kernel is registered" in output)
        )
    assert outcomes == [
        (("KB501", "warning"), "7", False),
        (("KB501", "error"), "0", True),
    ]
