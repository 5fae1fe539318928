"""Build each sample alone, by its own CMakeLists.txt, with a compiler in the place of nvcc."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.cuda_samples.project import KEPT_LINES, NVCC, Configuration, SampleBuild
from benchmarks.cuda_samples.samples import Sample

_LOG = "build.log"


def find_driver() -> Path:
    """Return kbuild's compiler driver."""
    return Path(sysconfig.get_path("scripts")) / "kbuild-nvcc"


def build_by_own_files(
    directory: Path,
    samples: Sequence[Sample],
    root: Path,
    how: Configuration,
    jobs: int,
) -> dict[str, SampleBuild]:
    """Configure and build each sample's directory, ``jobs`` of them at a time.

    Returns:
        A build per name of a sample.
    """

    def build(sample: Sample) -> SampleBuild:
        built = _build(directory / "builds" / sample.directory, sample, root, how)
        state = "built" if built.program else "not built"
        print(f"{state:<10}{sample.name:<32}{built.seconds:>8.2f} s", flush=True)
        return built

    with ThreadPoolExecutor(jobs) as pool:
        return {s.name: b for s, b in zip(samples, pool.map(build, samples), strict=True)}


def _build(directory: Path, sample: Sample, root: Path, how: Configuration) -> SampleBuild:
    directory.mkdir(parents=True, exist_ok=True)
    source = root.resolve() / sample.directory
    environment = {**os.environ, "KBUILD_BACKEND": how.backend}
    definitions = [f"-DCMAKE_CUDA_COMPILER={how.driver}"] if how.driver else []
    if how.backend == "cpu":  # as in the project of all samples
        definitions += ["-DCMAKE_CXX_FLAGS=-O2", "-DCMAKE_CUDA_FLAGS=-O2"]
    steps = (
        ("cmake", "-S", str(source), "-B", str(directory), "-G", "Ninja", *definitions),
        ("cmake", "--build", str(directory), "-j", "1"),
    )
    path, seconds = directory / _LOG, 0.0
    for argv in steps:
        with path.open("w") as log:
            process = subprocess.Popen(
                argv, env=environment, stdout=log, stderr=subprocess.STDOUT, text=True
            )
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds += usage.ru_utime + usage.ru_stime
        if process.returncode:
            break
    program = directory / sample.name
    lines = path.read_text(errors="replace").splitlines()
    return SampleBuild(
        program=program if process.returncode == 0 and program.is_file() else None,
        log="\n".join(lines[-KEPT_LINES:]),
        seconds=round(seconds, 2),
    )


def describe_driver(how: Configuration) -> str:
    """Return the first line of the driver's version."""
    environment = {**os.environ, "KBUILD_BACKEND": how.backend}
    argv = (str(how.driver), "--version")
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{NVCC}: '{how.driver}' does not run:\n{done.stderr}")
    return done.stdout.splitlines()[0]
