"""``kbuild build`` and ``kbuild clean``: profiles, configuring again, locks, progress."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kbuild.cli.quick_build import FILE
from support.commands import KBUILD, ROOT, configure, run, run_kbuild, succeed
from support.standalone import ARTIFACTS, StandaloneProject

CONFIGURED = "Build files have been written"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> StandaloneProject:
    """A project that has been built; tests leave it so."""
    project = StandaloneProject(root=tmp_path_factory.mktemp("standalone") / "project")
    project.write()
    output = succeed(run_kbuild("build", cwd=project.root))
    assert CONFIGURED in output
    assert (project.output / FILE).is_file()  # the next one need not look at much
    return project


def test_artifacts_are_printed_and_complete(built: StandaloneProject) -> None:
    result = run_kbuild("build", cwd=built.root)

    artifacts = [path for path in ARTIFACTS if path.endswith((".so", ".o"))]
    assert sorted(result.stdout.split()) == sorted(str(built.output / path) for path in artifacts)
    assert set(built.digest()) == set(ARTIFACTS)
    assert CONFIGURED not in result.stderr
    assert "no work to do" in result.stderr


def test_new_source_is_found(built: StandaloneProject) -> None:
    source = built.root / "src" / "three.cu"
    source.write_text("__global__ void three(int* p) { *p = 3; }\n")
    try:
        output = succeed(run_kbuild("build", "shared_kernels", cwd=built.root))
        symbols = succeed(run("nm", "-D", built.output / ARTIFACTS[0]))
    finally:
        source.unlink()

    assert "_Z5threePi" in symbols
    assert "Compiling kernels of src/three.cu" in output
    assert "Compiling kernels of src/two.cu" not in output
    succeed(run_kbuild("build", cwd=built.root))
    assert "_Z5threePi" not in succeed(run("nm", "-D", built.output / ARTIFACTS[0]))


def test_manifest_edit_configures_again(built: StandaloneProject) -> None:
    manifest = built.root / "kbuild.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace('kind = "object"', 'kind = "static"'))
    try:
        words = ("build", "object_kernels")
        printed = succeed(run_kbuild(*words, cwd=built.root))
    finally:
        manifest.write_text(text)

    assert CONFIGURED in printed
    assert "libobject_kernels.a" in printed
    succeed(run_kbuild("build", cwd=built.root))


def test_debug_profile_lies_beside_the_release(built: StandaloneProject) -> None:
    before = built.digest()

    printed = succeed(run_kbuild("build", "shared_kernels", "--profile", "debug", cwd=built.root))

    library = built.output / "debug" / "shared_kernels" / "libshared_kernels.so"
    assert str(library) in printed
    assert "__device_stub__onePi" in succeed(run("nm", library))
    assert built.digest() == before
    succeed(run_kbuild("clean", "--profile", "debug", cwd=built.root))
    assert not library.parent.parent.exists()
    assert built.digest() == before


def test_unknown_target(built: StandaloneProject) -> None:
    result = run_kbuild("build", "shared_kernel", cwd=built.root)

    assert result.returncode == 2
    assert "no target 'shared_kernel'; did you mean 'shared_kernels'?" in result.stderr


@pytest.mark.parametrize("command", ["build", "clean"])
def test_second_waits_and_says_so(built: StandaloneProject, command: str, tmp_path: Path) -> None:
    root = tmp_path / "copy"
    output = root / "build" / "kbuild"
    shutil.copytree(built.root, root, ignore=shutil.ignore_patterns("build"))
    output.mkdir(parents=True)
    with (output / ".kbuild-lock").open("w") as lock:
        lock.write("1234")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [KBUILD, command], cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        first = process.stderr.readline()
        assert process.poll() is None
        assert not (output / "cmake").exists()
    _, rest = process.communicate()

    assert first == f"kbuild: waiting for another kbuild (process 1234) to leave {output}\n"
    assert process.returncode == 0, rest
    assert (output / ARTIFACTS[0]).is_file() == (command == "build")


def test_clean_leaves_what_it_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text('[target.k]\nsources = ["k.cu"]\n')
    kept = tmp_path / "other" / "precious"
    kept.parent.mkdir()
    kept.touch()

    result = run_kbuild("clean", "-o", kept.parent, cwd=tmp_path)

    assert result.returncode == 2
    assert "not removed" in result.stderr
    assert kept.is_file()


SMALL = '[target.k]\nsources = ["k.cu"]\narchitectures = ["x86-64"]\nverify = false\n'


def build_small(root: Path, variables: dict[str, str]) -> bytes:
    """The library of the folder's `SMALL` manifest, built with these variables."""
    command = [str(KBUILD), "build"]
    environment = os.environ | variables
    subprocess.run(command, cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (root / "build/kbuild/k/libk.so").read_bytes()


def test_clean_takes_no_more_than_build_made(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL)
    (tmp_path / "k.cu").write_text("__global__ void k(int* p) { *p = 3; }\n")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    built = run_kbuild("build", "-o", ".", cwd=tmp_path)
    assert built.stdout.strip() == str(tmp_path / "k" / "libk.so"), built.stderr
    succeed(run_kbuild("clean", "-o", ".", cwd=tmp_path))

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "precious").touch()
    refused = run_kbuild("build", "-o", ".", cwd=tmp_path)
    assert refused.returncode == 2
    assert "kbuild build did not make it" in refused.stderr
    assert (tmp_path / "k" / "precious").is_file()


def test_moved_and_copied_projects_are_built_anew(tmp_path: Path) -> None:
    project = StandaloneProject(root=tmp_path / "project")
    project.write()
    succeed(run_kbuild("build", "shared_kernels", cwd=project.root))
    copy = StandaloneProject(root=tmp_path / "a longer name")
    shutil.copytree(project.root, copy.root, symlinks=True)
    copy.set_value(5)
    project.root.rename(tmp_path / "moved")
    moved = StandaloneProject(root=tmp_path / "moved")

    for place in (copy, moved):
        result = run_kbuild("build", "shared_kernels", cwd=place.root)
        assert result.stdout.strip() == str(place.output / ARTIFACTS[0]), result.stderr
        assert CONFIGURED in result.stderr
    libraries = [(p.output / ARTIFACTS[0]).read_bytes() for p in (copy, moved)]
    assert libraries[0] != libraries[1]
    assert str(tmp_path / "project").encode() not in b"".join(libraries)


def test_variables_that_compilers_read_are_part_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL)
    source = "#include <value.h>\n__global__ void k(int* p) { *p = VALUE; }\n"
    (tmp_path / "k.cu").write_text(source)
    for value in ("1", "2"):
        (tmp_path / value).mkdir()
        (tmp_path / value / "value.h").write_text(f"#define VALUE {value}\n")

    one, two, again = (build_small(tmp_path, {"CPATH": str(tmp_path / v)}) for v in "121")

    assert one == again != two


def test_edited_compiler_script_compiles_again(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL)
    (tmp_path / "k.cu").write_text("__global__ void k(int* p) { *p = VALUE; }\n")
    script = tmp_path / "cxx"
    contents = []
    for value in (1, 2):
        script.write_text(f'#!/bin/sh\nexec g++ -DVALUE={value} "$@"\n')
        script.chmod(0o755)
        contents.append(build_small(tmp_path, {"CXX": str(script)}))

    assert contents[0] != contents[1]


def test_what_a_target_was_before_goes(built: StandaloneProject) -> None:
    manifest = built.root / "kbuild.toml"
    text = manifest.read_text()
    before = built.digest()
    renamed = text.replace("[target.shared_kernels]", "[target.other_kernels]")
    manifest.write_text(renamed.replace('kind = "object"', 'kind = "static"'))
    try:
        succeed(run_kbuild("build", cwd=built.root))
        left = {str(p.relative_to(built.output)) for p in built.output.glob("*/*") if p.is_file()}
    finally:
        manifest.write_text(text)
    succeed(run_kbuild("build", cwd=built.root))

    assert "other_kernels/libother_kernels.so" in left
    assert left.isdisjoint(name for name in ARTIFACTS if name.endswith((".so", ".o")))
    assert built.digest() == before


@pytest.mark.parametrize(("output", "code"), [("/dev/full", 2), ("closed pipe", 1)])
def test_output_that_cannot_be_written(built: StandaloneProject, output: str, code: int) -> None:
    succeed(run_kbuild("build", cwd=built.root))
    readable, writable = os.pipe()
    os.close(readable)
    target = os.open(output, os.O_WRONLY) if output == "/dev/full" else writable

    done = subprocess.run(
        [KBUILD, "build"],
        cwd=built.root,
        stdout=target,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_progress_on_a_terminal(built: StandaloneProject) -> None:
    built.set_value(7)

    output = run_on_terminal(built.root, {})

    assert re.search(r"\d+/12\b.*\d:\d\d:\d\d", output)  # so many of so many, the time left
    assert not re.search(r"^\[\d+/\d+\] ", output, re.MULTILINE)


def test_plain_lines_in_continuous_integration(built: StandaloneProject) -> None:
    built.set_value(8)

    output = run_on_terminal(built.root, {"CI": "true"})

    assert re.search(
        r"^\[\d+/\d+\] Compiling kernels of src/one.cu for x86-64", output, re.MULTILINE
    )
    assert "\x1b[" not in output


def run_on_terminal(folder: Path, variables: dict[str, str]) -> str:
    """What a build prints that finds itself on one."""
    own, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "CI"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [KBUILD, "build"],
        cwd=folder,
        env=environment | variables,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(own, 4096):
            parts.append(part)
    except OSError:  # so ends what a terminal's last writer left
        pass
    os.close(own)
    assert process.wait() == 0, b"".join(parts)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_device_jobs_are_a_pool(tmp_path: Path) -> None:
    rules = tmp_path / "build" / "CMakeFiles" / "rules.ninja"
    source = ROOT / "examples" / "c_host"
    folder = tmp_path / "build"

    succeed(configure(source, folder))
    assert re.search(r"pool kbuild_device_cpu\n  depth = [1-9]", rules.read_text())
    succeed(configure(source, folder, "KBUILD_DEVICE_JOBS=3"))
    assert re.search(r"pool kbuild_device_3\n  depth = 3", rules.read_text())
    failed = configure(source, folder, "KBUILD_DEVICE_JOBS=many")

    assert failed.returncode != 0
    assert "KBUILD_DEVICE_JOBS is" in failed.stderr
