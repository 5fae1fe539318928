"""Count how the CPU backend executes the kernels of collections of CUDA sources."""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.census.compile import Compile, Result, compile_source
from benchmarks.measure import describe_machine

PLAIN, REGIONS, FIBERS = "plain loop", "regions", "fibers"
# How many names of a reason are shown.
SHOWN_NAMES = 3
LONGEST_ERROR = 110


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "collections",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="compile every .cu file below DIR",
    )
    parser.add_argument("-I", action="append", default=[], dest="include", metavar="DIR")
    parser.add_argument("-D", action="append", default=[], dest="define", metavar="NAME[=VALUE]")
    parser.add_argument("--std", default="17", metavar="N", help="C++ standard (default: 17)")
    parser.add_argument(
        "-O", default="3", choices="123s", dest="level", help="level of optimization (default: 3)"
    )
    parser.add_argument(
        "--no-times",
        action="store_true",
        help="count only, and do not compile with KBUILD_CPU_SPLIT=off",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="compile N files at a time (default: 1)"
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="compile at most N files of each collection"
    )
    parser.add_argument(
        "--timeout", type=float, default=60, metavar="S", help="seconds per compile (default: 60)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="also write all results as JSON to FILE"
    )
    arguments = parser.parse_args()
    options = [
        f"-O{arguments.level}",
        f"-std=c++{arguments.std}",
        *(f"-I{Path(directory).resolve()}" for directory in arguments.include),
        *(f"-D{definition}" for definition in arguments.define),
    ]
    print(f"{describe_machine()}; {' '.join(options)}", flush=True)
    compiles = [
        Compile(collection=root.resolve().name, root=root, source=source, options=tuple(options),
                timeout=arguments.timeout, is_timed=not arguments.no_times)
        for root in arguments.collections
        for source in list_sources(root, arguments.limit)
    ]  # fmt: skip
    results = compile_all(compiles, arguments.jobs)
    if arguments.output:
        write_results(arguments.output, results)
    for line in describe(results):
        print(line)


def list_sources(root: Path, limit: int | None) -> list[Path]:
    """Return the .cu files below a directory, or files at equal distances if there are too many."""
    found = sorted(root.rglob("*.cu"))
    if limit is None or len(found) <= limit:
        return found
    return [found[index * len(found) // limit] for index in range(limit)]


def compile_all(compiles: Sequence[Compile], jobs: int) -> list[Result]:
    # Each worker counts the processor time of its own children.
    context = multiprocessing.get_context("fork")
    with (
        tempfile.TemporaryDirectory() as directory,
        ProcessPoolExecutor(jobs, mp_context=context) as pool,
    ):
        objects = [Path(directory) / f"{number}.o" for number in range(len(compiles))]
        results = []
        for result in pool.map(compile_source, compiles, objects):
            results.append(result)
            print(f"{len(results)} of {len(compiles)}: {result.name}", file=sys.stderr, flush=True)
        return results


def describe(results: Sequence[Result]) -> Iterator[str]:
    yield from describe_models(results)
    yield from describe_reasons(results)
    yield from describe_failures(results)
    yield from describe_times(results)


def describe_models(results: Sequence[Result]) -> Iterator[str]:
    yield ""
    yield (
        f"{'collection':<20}{'files':>7}{'compiled':>10}{'kernels':>9}{'plain':>7}{'regions':>9}"
        f"{'fibers':>8}{'divided':>10}"
    )
    groups = collections.defaultdict(list)
    for result in results:
        groups[result.collection].append(result)
    for name, group in [*groups.items(), ("all", list(results))]:
        models = collections.Counter(model_of(reason) for _, _, reason in list_kernels(group))
        waiting = models[REGIONS] + models[FIBERS]
        divided = f"{models[REGIONS] / waiting:.1%}" if waiting else "-"
        yield (
            f"{name:<20}{len(group):>7}{sum(not r.error for r in group):>10}{models.total():>9}"
            f"{models[PLAIN]:>7}{models[REGIONS]:>9}{models[FIBERS]:>8}{divided:>10}"
        )
    yield "divided: the share of regions among the kernels that are not plain loops"


def list_kernels(results: Sequence[Result]) -> Iterator[tuple[Result, str, str]]:
    """Yield the kernels of all files. Instances of a template count once."""
    for result in results:
        for name, execution in sorted(set(result.kernels)):
            yield result, name, execution


def model_of(execution: str) -> str:
    return execution.partition(":")[0]


def describe_reasons(results: Sequence[Result]) -> Iterator[str]:
    yield ""
    yield f"{'kernels':>7}  {'files':>5}  reason for fibers"
    names: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    files: dict[str, set[Path]] = collections.defaultdict(set)
    examples: dict[str, str] = {}
    for result, kernel, execution in list_kernels(results):
        if model_of(execution) != FIBERS:
            continue
        reason = execution.partition(": ")[2] or "(unknown)"
        form = re.sub(r"'[^']*'", "'...'", reason)
        names[form][", ".join(re.findall(r"'([^']*)'", reason))] += 1
        files[form].add(result.source)
        examples.setdefault(form, f"{result.name}: {kernel}")
    for form in sorted(names, key=lambda form: (-names[form].total(), form)):
        yield f"{names[form].total():>7}  {len(files[form]):>5}  {form}"
        if "'...'" in form:
            shown = names[form].most_common(SHOWN_NAMES)
            yield f"{'':>16}{', '.join(f'{name} ({count})' for name, count in shown)}"
        yield f"{'':>16}such as {examples[form]}"


def describe_failures(results: Sequence[Result]) -> Iterator[str]:
    failed = [result for result in results if result.error]
    yield ""
    yield f"{len(failed)} of {len(results)} files do not compile"
    for result in failed:
        yield f"  {result.name}: {result.error[:LONGEST_ERROR]}"


def describe_times(results: Sequence[Result]) -> Iterator[str]:
    pairs = [result for result in results if result.without_regions]
    yield ""
    if not pairs:
        yield "no times were compared"
        return
    with_regions = sum(result.seconds for result in pairs)
    without = sum(result.without_regions for result in pairs)
    ratios = [result.seconds / result.without_regions for result in pairs]
    yield (
        f"processor time of {len(pairs)} files with kernels that wait: {with_regions:.1f} s, and "
        f"{without:.1f} s with KBUILD_CPU_SPLIT=off"
    )
    yield (
        f"ratio: {with_regions / without:.2f} in total, {statistics.geometric_mean(ratios):.2f} "
        f"geometric mean, {max(ratios):.2f} at most"
    )
    for result in sorted(pairs, key=lambda pair: pair.without_regions / pair.seconds)[:5]:
        yield f"  {result.seconds:.1f} s / {result.without_regions:.1f} s  {result.name}"


def write_results(path: Path, results: Sequence[Result]) -> None:
    files = [
        {
            "collection": result.collection,
            "file": result.name,
            "error": result.error,
            "seconds": result.seconds,
            "seconds_without_regions": result.without_regions,
            "kernels": [
                {"name": name, "execution": execution} for name, execution in result.kernels
            ],
        }
        for result in results
    ]
    path.write_text(json.dumps(files, indent=1) + "\n")


if __name__ == "__main__":
    main()
