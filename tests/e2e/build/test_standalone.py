"""``kbuild build`` and ``kbuild clean``: configuration, profiles, locks, and progress."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.commands import KBUILD, ROOT, configure, find_kbuild, run, run_kbuild, succeed
from support.standalone import ARTIFACTS, StandaloneProject

CONFIGURED = "Build files have been written"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> StandaloneProject:
    """A project that has been built. Each test restores it."""
    project = StandaloneProject(root=tmp_path_factory.mktemp("standalone") / "project")
    project.write()
    output = succeed(run_kbuild("build", "-v", cwd=project.root))
    assert CONFIGURED in output
    return project


def test_second_build_does_nothing_and_prints_the_artifacts(built: StandaloneProject) -> None:
    result = run_kbuild("build", "-v", cwd=built.root)

    artifacts = [path for path in ARTIFACTS if path.endswith((".so", ".o"))]
    assert sorted(result.stdout.split()) == sorted(str(built.output / path) for path in artifacts)
    assert set(built.digest()) == set(ARTIFACTS)
    assert CONFIGURED not in result.stderr
    assert "nothing to do" in result.stderr


@pytest.mark.slow
def test_new_source_that_matches_a_pattern_is_built(built: StandaloneProject) -> None:
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


@pytest.mark.slow
def test_edited_manifest_configures_again(built: StandaloneProject) -> None:
    manifest = built.root / "kbuild.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace('kind = "object"', 'kind = "static"'))
    try:
        words = ("build", "-v", "object_kernels")
        printed = succeed(run_kbuild(*words, cwd=built.root))
    finally:
        manifest.write_text(text)

    assert CONFIGURED in printed
    assert "libobject_kernels.a" in printed
    succeed(run_kbuild("build", cwd=built.root))


@pytest.mark.slow
def test_debug_profile_has_its_own_directory(built: StandaloneProject) -> None:
    before = built.digest()

    printed = succeed(run_kbuild("build", "shared_kernels", "--profile", "debug", cwd=built.root))

    library = built.output / "debug" / "shared_kernels" / "libshared_kernels.so"
    assert str(library) in printed
    assert "__device_stub__onePi" in succeed(run("nm", library))
    assert built.digest() == before
    succeed(run_kbuild("clean", "--profile", "debug", cwd=built.root))
    assert not library.parent.parent.exists()
    assert built.digest() == before


def test_unknown_target_is_rejected(built: StandaloneProject) -> None:
    result = run_kbuild("build", "shared_kernel", cwd=built.root)

    assert result.returncode == 2
    assert "no target 'shared_kernel'; did you mean 'shared_kernels'?" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "clean"])
def test_command_waits_for_the_lock_and_says_so(
    built: StandaloneProject, command: str, tmp_path: Path
) -> None:
    root = tmp_path / "copy"
    output = root / "build" / "kbuild"
    shutil.copytree(built.root, root, ignore=shutil.ignore_patterns("build"))
    output.mkdir(parents=True)
    with (output / ".kbuild-lock").open("w") as lock:
        lock.write("1234")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = [str(KBUILD), command, *(["shared_kernels"] if command == "build" else [])]
        process = subprocess.Popen(
            words, cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        first = process.stderr.readline()
        assert process.poll() is None
        assert not (output / "cmake").exists()
    _, rest = process.communicate()

    assert first == f"kbuild: waiting for another kbuild (process 1234) to leave {output}\n"
    assert process.returncode == 0, rest
    assert (output / ARTIFACTS[0]).is_file() == (command == "build")


def test_clean_rejects_a_directory_that_it_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text('[target.k]\nsources = ["k.cu"]\n')
    kept = tmp_path / "other" / "precious"
    kept.parent.mkdir()
    kept.touch()

    result = run_kbuild("clean", "-o", kept.parent, cwd=tmp_path)

    assert result.returncode == 2
    assert "not removed" in result.stderr
    assert kept.is_file()


SMALL = '[target.k]\nsources = ["k.cu"]\narchitectures = ["x86-64"]\nverify = false\n'
PROFILE = "[profile.debug]\ndefinitions = ['X']\n"
SMALL_SOURCE = "__global__ void k(int* p) { *p = 3; }\n"


def build_small(root: Path, variables: dict[str, str]) -> bytes:
    """Build the `SMALL` manifest in ``root`` with these variables, and return the library."""
    command = [str(find_kbuild()), "build"]
    environment = os.environ | variables
    subprocess.run(command, cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (root / "build/kbuild/k/libk.so").read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the `SMALL` manifest that has been built. Tests leave the same files."""
    root = tmp_path_factory.mktemp("small")
    (root / "kbuild.toml").write_text(SMALL + PROFILE)
    (root / "k.cu").write_text(SMALL_SOURCE)
    build_small(root, {})
    return root


@pytest.mark.slow
def test_clean_removes_only_what_build_made(tmp_path: Path) -> None:
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


@pytest.mark.slow
def test_moved_and_copied_projects_are_built_again(tmp_path: Path) -> None:
    project, copy, moved = (tmp_path / name for name in ("project", "a longer name", "moved"))
    project.mkdir()
    (project / "kbuild.toml").write_text(SMALL)
    (project / "k.cu").write_text(SMALL_SOURCE)
    build_small(project, {})
    shutil.copytree(project, copy, symlinks=True)
    (copy / "k.cu").write_text(SMALL_SOURCE.replace("3", "5"))
    project.rename(moved)

    libraries = []
    for place in (copy, moved):
        result = run_kbuild("build", "-v", cwd=place)
        library = place / "build/kbuild/k/libk.so"
        assert result.stdout.strip() == str(library), result.stderr
        assert CONFIGURED in result.stderr
        libraries.append(library.read_bytes())
    assert libraries[0] != libraries[1]
    assert str(project).encode() not in b"".join(libraries)


@pytest.mark.slow
def test_changed_compiler_variable_compiles_again(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL)
    source = "#include <value.h>\n__global__ void k(int* p) { *p = VALUE; }\n"
    (tmp_path / "k.cu").write_text(source)
    for value in ("1", "2"):
        (tmp_path / value).mkdir()
        (tmp_path / value / "value.h").write_text(f"#define VALUE {value}\n")

    one, two, again = (build_small(tmp_path, {"CPATH": str(tmp_path / v)}) for v in "121")

    assert one == again != two


@pytest.mark.slow
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


@pytest.mark.slow
def test_manifest_with_an_older_time_is_noticed(tmp_path: Path) -> None:
    manifest = tmp_path / "kbuild.toml"
    (tmp_path / "k.cu").write_text("__global__ void k(int* p) { *p = VALUE; }\n")
    contents = []
    for value in (1, 2):
        manifest.write_text(f"{SMALL}definitions = ['VALUE={value}']\n")
        os.utime(manifest, ns=(value, value))
        contents.append(build_small(tmp_path, {}))

    assert contents[0] != contents[1]


@pytest.mark.slow
def test_build_from_another_directory_does_not_configure_again(small: Path) -> None:
    inner = small / "inner"
    inner.mkdir()
    build_small(small, {})

    for arguments in (("-f", "../kbuild.toml"), ("-f", "../kbuild.toml", "-o", "../build/kbuild")):
        again = run_kbuild("build", *arguments, cwd=inner)

        assert again.stdout == f"{small}/build/kbuild/k/libk.so\n"
        assert "Configuring done" not in again.stderr


@pytest.mark.slow
def test_renamed_and_removed_sources_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL.replace('"k.cu"', '"**/*.cu"'))
    (tmp_path / "inner").mkdir()
    (tmp_path / "one.cu").write_text("__global__ void one(int* p) { *p = 1; }\n")
    (tmp_path / "inner" / "two.cu").write_text("__global__ void two(int* p) { *p = 2; }\n")

    first = build_small(tmp_path, {})
    (tmp_path / "inner" / "two.cu").rename(tmp_path / "inner" / "new.cu")
    output = succeed(run_kbuild("build", cwd=tmp_path))
    (tmp_path / "inner" / "new.cu").unlink()
    last = build_small(tmp_path, {})

    assert "Compiling kernels of inner/new.cu" in output
    assert "Compiling kernels of one.cu" not in output
    assert b"_Z3twoPi" in first
    assert b"_Z3twoPi" not in last


@pytest.mark.parametrize("name", ["build.ninja", "CMakeCache.txt"])
def test_interrupted_configuration_is_repeated(small: Path, name: str) -> None:
    first = build_small(small, {})
    (small / "build/kbuild/cmake" / name).unlink()

    output = succeed(run_kbuild("build", "-v", cwd=small))

    assert CONFIGURED in output
    assert "Compiling" not in output
    assert build_small(small, {}) == first


@pytest.mark.slow
def test_profile_and_device_jobs_of_a_directory_can_change(small: Path) -> None:
    rules = small / "build/kbuild/cmake/CMakeFiles/rules.ninja"
    words = ("build", "-o", "build/kbuild")
    succeed(run_kbuild(*words, cwd=small))

    output = succeed(run_kbuild(*words, "--profile", "debug", "--device-jobs", "3", cwd=small))
    assert "Compiling" in output
    assert "pool kbuild_device_3" in rules.read_text()
    output = succeed(run_kbuild(*words, "--profile", "debug", cwd=small))
    assert "Compiling" not in output
    assert "pool kbuild_device_3" not in rules.read_text()


@pytest.mark.parametrize(
    ("line", "key", "expected", "code"),
    [
        ('architectures = ["sm_1"]', "architectures", "unknown architecture 'sm_1'", 2),
        ('runtime = "static"', "runtime", "shared", 2),
        ('host_compiler = "/no/such/g++"', "host_compiler", "compiler /no/such/g++ not found", 3),
    ],
)
def test_target_that_cannot_be_planned_is_one_message(
    tmp_path: Path, line: str, key: str, expected: str, code: int
) -> None:
    manifest = tmp_path / "kbuild.toml"
    (tmp_path / "k.cu").write_text(SMALL_SOURCE)
    manifest.write_text(f"[target.k]\nsources = ['k.cu']\n{line}\n")

    failed = run_kbuild("build", cwd=tmp_path)

    assert failed.returncode == code
    assert failed.stderr.startswith(f"kbuild: error: {manifest}: [target.k].{key}: ")
    assert expected in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
    assert not (tmp_path / "build").exists()


def test_target_that_cannot_be_planned_leaves_the_last_build(small: Path) -> None:
    manifest = small / "kbuild.toml"
    text = manifest.read_text()
    built = build_small(small, {})
    manifest.write_text("[target.k]\nsources = ['k.cu']\narchitectures = ['sm_1']\n")
    try:
        failed = run_kbuild("build", cwd=small)
    finally:
        manifest.write_text(text)

    assert failed.returncode == 2
    assert failed.stderr.startswith(f"kbuild: error: {manifest}: [target.k].architectures: ")
    assert len(failed.stderr.splitlines()) == 1
    assert build_small(small, {}) == built


def test_failure_of_cmake_shows_its_output(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(SMALL)
    (tmp_path / "k.cu").write_text("__global__ void k(int* p) { *p = 3; }\n")

    done = subprocess.run(
        [KBUILD, "build"],
        cwd=tmp_path,
        env=os.environ | {"CXX": "/bin/false"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 4
    assert "CMake Error" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("cmake failed with exit status 1")


@pytest.mark.slow
def test_artifacts_of_former_targets_and_kinds_are_removed(built: StandaloneProject) -> None:
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


@pytest.mark.parametrize(
    ("output", "code"), [("/dev/full", 2), pytest.param("closed pipe", 1, marks=pytest.mark.slow)]
)
def test_artifacts_cannot_be_printed(built: StandaloneProject, output: str, code: int) -> None:
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


@pytest.mark.slow
def test_terminal_shows_progress(built: StandaloneProject) -> None:
    built.set_value(7)

    output = run_on_terminal(built.root, {})

    assert re.search(r"\d+/\d+\b.*\d:\d\d:\d\d", output)
    assert not re.search(r"^\[\d+/\d+\] ", output, re.MULTILINE)


def test_continuous_integration_shows_plain_lines(built: StandaloneProject) -> None:
    built.set_value(8)

    output = run_on_terminal(built.root, {"CI": "true"})

    assert re.search(
        r"^\[\d+/\d+\] Compiling kernels of src/one.cu for x86-64", output, re.MULTILINE
    )
    assert "\x1b[" not in output


def run_on_terminal(directory: Path, variables: dict[str, str]) -> str:
    """Return what a build prints to a terminal."""
    own, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "CI"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [KBUILD, "build"],
        cwd=directory,
        env=environment | variables,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(own, 4096):
            parts.append(part)
    except OSError:  # the last process that writes to the terminal has ended
        pass
    os.close(own)
    assert process.wait() == 0, b"".join(parts)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_device_jobs_limit_a_ninja_pool(tmp_path: Path) -> None:
    rules = tmp_path / "build" / "CMakeFiles" / "rules.ninja"
    source = ROOT / "examples" / "c_host"
    directory = tmp_path / "build"

    succeed(configure(source, directory))
    assert re.search(r"pool kbuild_device_cpu\n  depth = [1-9]", rules.read_text())
    succeed(configure(source, directory, "KBUILD_DEVICE_JOBS=3"))
    assert re.search(r"pool kbuild_device_3\n  depth = 3", rules.read_text())
    failed = configure(source, directory, "KBUILD_DEVICE_JOBS=many")

    assert failed.returncode != 0
    assert "KBUILD_DEVICE_JOBS is" in failed.stderr


def test_bill_of_materials_names_sources_and_compilers(small: Path) -> None:
    library = next((small / "build/kbuild").glob("*/*.so"))
    words = ("sbom", library, "--build", small / "build", "-o", small / "bill.json")

    result = run_kbuild(*words, cwd=small)

    assert result.returncode == 0, result.stderr
    bill = json.loads((small / "bill.json").read_text())
    assert bill["specVersion"] == "1.6"
    (source,) = (c for c in bill["components"] if c.get("description") == "source of device code")
    digest = hashlib.sha256((small / "k.cu").read_bytes()).hexdigest()
    assert (source["name"], source["hashes"][0]["content"]) == ("k.cu", digest)
    (compiler,) = (c for c in bill["components"] if c["type"] == "application")
    assert compiler["scope"] == "excluded"
    assert "x86-64" in compiler["properties"][0]["value"]
    again = run_kbuild(*words[:-2], cwd=small)
    assert again.stdout == (small / "bill.json").read_text()
    (small / "bill.json").unlink()
    elsewhere = run_kbuild("sbom", library, "--build", small / "build/kbuild/project", cwd=small)
    assert elsewhere.returncode == 2
    assert "no build of target" in elsewhere.stderr
