"""``kbuild run --check`` and ``kbuild smoke --check``: exit codes, reports, and wrong options."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from kbuild.check.rules import CHECKS
from support.commands import run, run_kbuild

# Reports do not depend on optimization, which takes half of the time of a build.
RUN: Final = ("run", "--check", "-O", "0")
RACY = """\
#include <cstdlib>
__global__ void reverse(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
#if !defined(RACY)
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main(int argc, char**) {
    int* out;
    cudaMalloc(&out, 64 * sizeof *out);
    if (argc < 3) reverse<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return argc > 1 ? 7 : 0;
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checked") / "reverse.cu"
    path.write_text(RACY)
    return path


def test_findings_make_the_exit_code_1(source: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    options = ("-D", "RACY", "--report", report, "--format", "json")
    done = run_kbuild(*RUN, *options, source)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "error KC201 race-in-block in kernel reverse(int*)" in done.stderr
    document = json.loads(report.read_text())
    assert document["schema"] == "kbuild.check/1"
    assert document["ok"] is False
    (race,) = [found for found in document["findings"] if found["rule"] == "KC201"]
    assert {race["access"]["line"], race["other"]["line"]} == {4, 8}
    assert race["access"]["thread"] != race["other"]["thread"]
    assert "'tile' (256 bytes)" in race["memory"]


@pytest.mark.slow  # test_check_ends.py compares exit codes, too
def test_without_findings_the_exit_code_is_that_of_the_program(source: Path) -> None:
    assert run_kbuild(*RUN, source).returncode == 0
    assert run_kbuild(*RUN, source, "--", "fail").returncode == 7


def test_a_program_without_launches_fails(source: Path) -> None:
    racy = (*RUN, "-D", "RACY")  # the program of the test before
    done = run_kbuild(*racy, source, "--", "launch", "nothing")
    assert done.returncode == 7  # that of the program, unless it is 0
    assert "KC701 no-launch" in done.stderr
    allowed = run_kbuild(*racy, "--require-launches", "0", source, "--", "a", "b")
    assert allowed.returncode == 7


ALONE = """\
#include <cstdio>
#include <cstdlib>
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
int read_first(const int* values);
extern "C" void copy_first(int* to, const int* values);
struct AtEnd {
    ~AtEnd() { std::puts("destroyed"); }
} at_end;
int main(int count, char**) {
    int* out;
    cudaMalloc(&out, 64 * sizeof *out);
    std::atexit([] { std::puts("first handler"); });
    fill<<<1, count == 1 ? 64 : 65>>>(out);
    cudaDeviceSynchronize();
    std::atexit([] { std::puts("last handler"); });
    int first = 0;
    if (count > 2) copy_first(&first, out);
    if (count > 2) std::printf("%d\\n", first + read_first(out));
    cudaGraph_t graph;  // nobody destroys it, but its memory does not leak
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams parameters = {};
    parameters.bytesize = 64;
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t node;
    if (cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters) != cudaSuccess) return 8;
    cudaFree(out);
    return 7;
}
"""


@pytest.mark.parametrize("driver", ["run", pytest.param("nvcc", marks=pytest.mark.slow)])
def test_findings_end_a_program_that_runs_alone_with_1(tmp_path: Path, driver: str) -> None:
    """All exit handlers still run. Without findings, the exit code is the program's."""
    program = tmp_path / "alone"
    texts = {
        "alone.cu": ALONE,
        "read.cpp": "int read_first(const int* values) { return *values; }\n",
        "copy.c": "#include <string.h>\n"
        "void copy_first(int* to, const int* values) { memcpy(to, values, sizeof *to); }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    sources = [tmp_path / name for name in texts]
    words = {
        "run": (*RUN, "--build-only", "-o", program, *sources),
        "nvcc": ("nvcc", "--backend", "cpu", "-arch=native", "--check", *sources, "-o", program),
    }
    assert run_kbuild(*words[driver]).returncode == 0
    done = run(program, "wrong")
    assert done.returncode == 1
    assert done.stdout.split("\n") == ["last handler", "first handler", "destroyed", ""]
    assert "kbuild: KC101: kernel fill(int*)" in done.stderr
    assert run(program).returncode == 7
    reading = run(program, "wrong", "read")  # also of sources without device code
    assert reading.stderr.count("kbuild: KC106: host code accesses memory of the device") == 2
    assert "read.cpp:1\n" in reading.stderr
    assert "copy.c:2\n" in reading.stderr
    assert "KB408" not in run_kbuild("verify", program).stdout
    unknown = run("env", "KBUILD_CHECK=memory,raec", program)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr == (
        "kbuild: error: KBUILD_CHECK=memory,raec: unknown check 'raec'; expected some of "
        f"{', '.join(CHECKS)}\n"
    )


# With an argument, threads use everything that has a lock while the process forks, and so do its
# children. A child that waits for a lock of its parent's threads is ended by SIGALRM.
FORKING = """\
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
__global__ void add(int* sum) {
    __shared__ int part;
    if (threadIdx.x == 0) part = threadIdx.x + 1;
    __syncthreads();
    atomicAdd(sum, part);
}
bool work() {
    int *sum, *plain, result = 0;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaMallocAsync(&sum, sizeof *sum, stream);
    cudaMemsetAsync(sum, 0, sizeof *sum, stream);
    for (int i = 0; i < 3; ++i) add<<<2, 64, 0, stream>>>(sum);
    cudaEventRecord(event, stream);
    cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFreeAsync(sum, stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaMalloc(&plain, 4096);
    cudaFree(plain);
    return result == 3 * 2 * 64;
}
int fork_often() {
    std::atomic<bool> stop{false}, failed{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            while (!stop) failed = failed || !work();
        });
    for (int i = 0; i < 25; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            std::exit(work() ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failed = failed || status != 0;
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    return failed;
}
int main(int count, char**) {
    if (count > 1) return fork_often();
    int* out;
    cudaMalloc(&out, 64 * sizeof *out);
    fill<<<1, 65>>>(out);
    cudaDeviceSynchronize();
    if (fork() == 0) {
        fill<<<1, 64>>>(out);
        cudaFree(out);
        return 0;
    }
    wait(nullptr);
    cudaFree(out);
}
"""


@pytest.mark.slow  # test_check_ends.py has processes that fork
def test_forked_processes_report_only_their_own_launches(tmp_path: Path) -> None:
    source, report = tmp_path / "fork.cu", tmp_path / "report.json"
    source.write_text(FORKING)
    options = ("--report", report, "--format", "json")
    assert run_kbuild(*RUN, *options, source).returncode == 1
    document = json.loads(report.read_text())
    assert [kernel["launches"] for kernel in document["kernels"]] == [2]
    assert [found["count"] for found in document["findings"]] == [1]

    forks = run_kbuild(*RUN, source, "--", "often")
    assert forks.returncode == 0, forks.stderr
    assert "no findings" in forks.stderr


@pytest.mark.parametrize("name", ["sarif", "junit", "github", "text"])
def test_reports_name_the_line(source: Path, tmp_path: Path, name: str) -> None:
    report = tmp_path / "report"
    run_kbuild(*RUN, "-D", "RACY", "--report", report, "--format", name, source)
    text = report.read_text()
    if name == "sarif":
        (run,) = json.loads(text)["runs"]
        places = [r["locations"][0]["physicalLocation"] for r in run["results"]]
        assert {place["region"]["startLine"] for place in places} == {4, 8}
    elif name == "junit":
        assert text.count("<failure ") == 2
    else:
        assert "KC201" in text
        assert "reverse.cu" in text


def test_suppressions_hide_findings_until_a_date(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "suppressions.toml"
    table = '[[suppressions]]\nrule = "{}"\nreason = "known"\nexpires = {}\nkernels = "reverse"\n'
    file.write_text(table.format("KC201", "2999-01-01") + table.format("KC402", "2999-01-01"))
    options = ("-D", "RACY", "--suppressions", file)
    done = run_kbuild(*RUN, *options, source)
    assert done.returncode == 0, done.stderr
    assert "suppressed until 2999-01-01: KC201 race-in-block in reverse(int*): known" in done.stderr

    file.write_text(table.format("KC201", "2020-01-01"))
    done = run_kbuild(*RUN, *options, source)
    assert done.returncode == 1
    assert "KC702 expired-suppression" in done.stderr

    file.write_text(table.format("KC999", "2999-01-01"))
    done = run_kbuild(*RUN, *options, source)
    assert done.returncode == 2
    assert "unknown rule 'KC999'" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--report", "r"), "--report has no effect without --check"),
        (("--check", "--format", "json"), "add --report FILE"),
        (("--check", "--report", "missing/r"), "there is no directory"),
        (("--check", "--backend", "cuda"), "compute-sanitizer"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_wrong_options(source: Path, words: tuple[str, ...], message: str) -> None:
    done = run_kbuild("run", *words, source)
    assert done.returncode in (2, 3)
    if "cuda" not in words or done.returncode == 2:
        assert message in done.stderr


# The last block accesses memory out of bounds if it runs before the first one.
ORDER_CASES = """
import numpy

def test_order(module):
    module['order'][2, 1](numpy.zeros(1, 'int32'))
"""


def test_smoke_reports_findings_and_skips_files_without_checks(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(int* out) { out[threadIdx.x] = 1; }\n"
        "__global__ void order(int* out) {\n"
        "    int before = atomicAdd(out, 1);\n"
        "    if (blockIdx.x == 1 && before == 0) atomicAdd(out + 1, 1);\n"
        "}\n"
    )
    (tmp_path / "kbuild.toml").write_text(
        '[target.checked]\nsources = ["k.cu"]\narchitectures = ["x86-64"]\ncheck = true\n'
        '[target.plain]\nsources = ["k.cu"]\narchitectures = ["x86-64"]\n'
    )
    (tmp_path / "cases.py").write_text(
        "import numpy\n\ndef test_k(module):\n    module['k'][1, 40](numpy.zeros(32, 'int32'))\n"
    )
    built = run_kbuild("build", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    library = "build/kbuild/{0}/lib{0}.so"
    checked = run_kbuild("smoke", "--check", library.format("checked"), "cases.py", cwd=tmp_path)
    assert checked.returncode == 1
    assert "KC101 out-of-bounds in kernel k(int*)" in checked.stderr

    file = tmp_path / "suppressions.toml"
    options = ("smoke", "--check", library.format("checked"), "cases.py", "--suppressions", file)
    table = '[[suppressions]]\nrule = "{}"\nreason = "known"\nexpires = {}\n'
    file.write_text(table.format("KC101", "2999-01-01"))
    suppressed = run_kbuild(*options, cwd=tmp_path)
    assert suppressed.returncode == 0, suppressed.stderr
    assert "suppressed until 2999-01-01: KC101 out-of-bounds in k(int*): known" in suppressed.stderr
    file.write_text(table.format("KC101", "2020-01-01"))
    expired = run_kbuild(*options, cwd=tmp_path)
    assert expired.returncode == 1
    assert "KC702 expired-suppression" in expired.stderr
    file.write_text(table.format("KC999", "2999-01-01"))
    unknown = run_kbuild(*options, cwd=tmp_path)
    assert unknown.returncode == 2
    assert "unknown rule 'KC999'" in unknown.stderr

    (tmp_path / "cases.py").write_text(ORDER_CASES)
    once = run_kbuild("smoke", "--check", library.format("checked"), "cases.py", cwd=tmp_path)
    assert once.returncode == 0, once.stderr
    orders = ("smoke", "--check", "--schedules", "2", library.format("checked"), "cases.py")
    twice = run_kbuild(*orders, cwd=tmp_path)
    assert twice.returncode == 1
    assert "only in some orders, as KBUILD_SEED=1" in twice.stderr
    unchecked = run_kbuild("smoke", *orders[2:], cwd=tmp_path)
    assert unchecked.returncode == 2
    assert "--schedules has no effect without --check; add --check" in unchecked.stderr
    file.write_text(table.format("KC999", "2999-01-01"))
    unchecked = run_kbuild("smoke", *options[2:], cwd=tmp_path)
    assert unchecked.returncode == 2
    assert "--suppressions has no effect without --check; add --check" in unchecked.stderr

    plain = run_kbuild("smoke", "--check", library.format("plain"), cwd=tmp_path)
    assert plain.returncode == 77
    assert "CHECK ON" in plain.stderr


# Allocations can fail beside an object with a destructor. So the image needs the part of the C++
# library that allocates memory at its start.
ALLOCATING = """\
struct Values {
    int* first = new int[2]();
    __device__ ~Values() { delete[] first; }
};
__global__ void allocate(int* out) {
    Values values, others;
    *out = values.first[0] + others.first[1];
}
int main() {
    int* out;
    cudaMallocManaged(&out, sizeof *out);
    allocate<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
"""


@pytest.mark.slow
def test_the_cxx_library_can_be_linked_statically(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "allocate.cu"
    source.write_text(ALLOCATING)
    compiler = tmp_path / "g++"
    compiler.write_text('#!/bin/sh\nexec /usr/bin/g++ -static-libstdc++ "$@"\n')
    compiler.chmod(0o755)

    monkeypatch.setenv("CXX", str(compiler))
    done = run_kbuild(*RUN, source)

    assert (done.returncode, "1 launch of 1 kernel checked" in done.stderr) == (0, True), (
        done.stderr
    )


CLANG_PROGRAM = """\
struct Large { int values[64]; };
__global__ void add(float* sums) { sums[threadIdx.x] += 1; }
__global__ void copy(Large* to, const Large* from) { *to = *from; }
__global__ void fill(int* out) { if (threadIdx.x != 63) out[threadIdx.x] = 1; }
int add_all(const int* numbers, int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += numbers[i];
    return sum;
}
int main()
{
    float* sums;
    int *out, results[64];
    cudaMalloc(&sums, 128);
    cudaMalloc(&out, 512);
    add<<<1, 32>>>(sums);
    fill<<<1, 64>>>(out);
    cudaMemcpy(results, out, 256, cudaMemcpyDeviceToHost);
    const int sum = add_all(results, 64);
    copy<<<1, 1>>>((Large*)out, (Large*)(out + 65));
    cudaDeviceSynchronize();
    cudaFree(sums);
    cudaFree(out);
    return sum == 0;
}
"""


def test_clang_does_not_leave_out_accesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These are the read of a sum, those of an array of the host, and copies of objects."""
    # From version 16 on, copies call other functions.
    names = (*(f"clang++-{version}" for version in range(21, 13, -1)), "clang++")
    clang = next(filter(None, map(shutil.which, names)), None)
    if clang is None:
        pytest.skip("clang is not installed")
    monkeypatch.setenv("CXX", clang)
    source = tmp_path / "sum.cu"
    source.write_text(CLANG_PROGRAM)
    done = run_kbuild("run", "--check", source)
    assert {"KC101", "KC401", "KC403"} <= set(re.findall(r"error (KC\d+)", done.stderr))
