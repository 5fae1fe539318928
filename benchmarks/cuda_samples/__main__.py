"""Build and run NVIDIA's CUDA samples with kbuild or with CMake's CUDA language."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from benchmarks.cuda_samples.execute import (
    check_sample,
    copy_sample,
    report_unbuilt,
    run_sample,
    strip_paths,
)
from benchmarks.cuda_samples.own_files import build_by_own_files, describe_driver, find_driver
from benchmarks.cuda_samples.page import render_page
from benchmarks.cuda_samples.project import (
    CMAKE,
    KBUILD,
    NVCC,
    Configuration,
    SampleBuild,
    build_samples,
    write_project,
)
from benchmarks.cuda_samples.results import Result, Run, read_run, write_run
from benchmarks.cuda_samples.samples import COMMIT, DIGEST, Sample, digest_sources, find_samples
from benchmarks.measure import describe_machine
from kbuild import __version__
from kbuild.backends import find_builder
from kbuild.toolchain.find import find_toolchain, gather_hints


def main() -> None:
    arguments = parse_arguments()
    root: Path = arguments.samples
    found = find_samples(root)
    if arguments.page:
        runs = [read_run(path) for path in arguments.results]
        arguments.page.write_text(render_page(found, runs))
        return
    selected = [sample for sample in found if sample.exclusion is None]
    print(f"{len(found)} samples, {len(selected)} of them selected")
    if arguments.list:
        show_list(found)
        return
    if arguments.only:
        selected = [sample for sample in selected if sample.name in arguments.only]
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or Path(temporary)
        run = try_samples(selected, root, work, arguments)
    counts = Counter(result.status for result in run.results)
    print(", ".join(f"{count} {status}" for status, count in counts.most_common()))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--samples", type=Path, required=True, metavar="DIR", help="a checkout of cuda-samples"
    )
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument(
        "--tool",
        choices=(KBUILD, CMAKE, NVCC),
        default=KBUILD,
        help="what builds the samples: kbuild; cmake, which is CMake's CUDA language; or nvcc, "
        "which is each sample's own CMakeLists.txt with kbuild-nvcc (default: %(default)s)",
    )
    parser.add_argument(
        "--driver", type=Path, default=find_driver(), help="the compiler of --tool nvcc"
    )
    parser.add_argument(
        "--architectures", nargs="+", help="what to compile for (default: 90 for cuda)"
    )
    parser.add_argument(
        "--check", action="store_true", help="run the samples with kbuild's checks, on the CPU"
    )
    parser.add_argument("--no-rdc", action="store_true", help="build no relocatable device code")
    parser.add_argument("--no-run", action="store_true", help="only build the samples")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="samples to try (default: all)")
    parser.add_argument("--list", action="store_true", help="only list the samples")
    parser.add_argument("--limit", type=float, default=120, help="seconds per run of a sample")
    parser.add_argument("--parallel", type=int, default=1, help="samples to run at a time")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--work", type=Path, help="keep the build in this directory")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where to write the results")
    parser.add_argument("--page", type=Path, help="write the docs page from RESULTS, and stop")
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS")
    arguments = parser.parse_args()
    if arguments.tool == NVCC and (arguments.architectures or arguments.no_rdc):
        parser.error("the samples' own files decide about architectures and RDC with --tool nvcc")
    if arguments.check and (arguments.backend, arguments.tool) != ("cpu", KBUILD):
        parser.error("--check needs --backend cpu and --tool kbuild")
    return arguments


def try_samples(
    samples: Sequence[Sample], root: Path, work: Path, arguments: argparse.Namespace
) -> Run:
    """Build and run the samples."""
    how, versions = find_configuration(arguments)
    print("; ".join(versions), flush=True)
    builds = build(work, samples, root, how, arguments.jobs)
    print(f"{sum(b.program is not None for b in builds.values())} of {len(samples)} build")
    run = Run(
        tool=how.tool,
        backend=how.backend,
        commit=COMMIT if digest_sources(root) == DIGEST else "",
        versions=versions,
        results=(),
    )

    def take_result(sample: Sample) -> Result | None:
        built = builds[sample.name]
        if built.program is None:
            result = report_unbuilt(sample, built.log)
        elif arguments.no_run:
            return None
        else:
            directory = copy_sample(sample, root, work / "copies")
            run_one = check_sample if how.is_checked else run_sample
            result = run_one(sample, built.program, directory, arguments.limit)
        result = replace(result, build_seconds=built.seconds)
        return strip_paths(result, root, work)

    with ThreadPoolExecutor(arguments.parallel) as pool:
        # In the order in which they end: a long sample must not hide what is known of the others.
        for future in as_completed([pool.submit(take_result, sample) for sample in samples]):
            result = future.result()
            if result is None:
                continue
            name = Path(result.directory).name
            print(
                f"{result.status:<10}{name:<32}{result.seconds:>8.2f} s  {result.detail}",
                *result.findings,
                sep="\n",
                flush=True,
            )
            run = replace(run, results=(*run.results, result))
            if arguments.output:  # keep what is known if a time limit ends the benchmark
                write_run(arguments.output, run)
    return run


def build(
    work: Path, samples: Sequence[Sample], root: Path, how: Configuration, jobs: int
) -> dict[str, SampleBuild]:
    """Build the samples, and return a build per name of a sample."""
    if how.tool == NVCC:
        return build_by_own_files(work, samples, root, how, jobs)
    write_project(work, samples, root, how)
    return build_samples(work, samples, how, jobs)


def find_configuration(arguments: argparse.Namespace) -> tuple[Configuration, tuple[str, ...]]:
    """Return how to build, and the versions of what builds and runs."""
    toolchain = find_toolchain(find_builder(arguments.backend), gather_hints())
    is_cuda = arguments.backend == "cuda"
    how = Configuration(
        tool=arguments.tool,
        backend=arguments.backend,
        architectures=tuple(arguments.architectures or (["90"] if is_cuda else [])),
        nvcc=toolchain.compiler if is_cuda else None,
        driver=arguments.driver.absolute() if arguments.tool == NVCC else None,
        has_rdc=not arguments.no_rdc,
        is_checked=arguments.check,
    )
    versions = [] if how.tool == CMAKE else [f"kbuild {__version__}"]
    if how.tool != KBUILD:
        versions.append(_read_first("cmake --version"))
    if how.tool == NVCC:
        versions.append(describe_driver(how))
    versions.append(f"{toolchain.compiler.name} {toolchain.version}")
    versions.append(_read_first("c++ --version"))
    if is_cuda:
        query = "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader"
        versions.append(_read_first(query) or "no GPU")
    return how, (*versions, describe_machine())


def _read_first(command: str) -> str:
    try:
        done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0].strip()


def show_list(samples: Sequence[Sample]) -> None:
    for sample in samples:
        why = sample.exclusion
        reason = f"{why.kind}: {why.line} ({why.evidence})" if why else "selected"
        print(f"{sample.directory:<60}{reason}")


if __name__ == "__main__":
    main()
