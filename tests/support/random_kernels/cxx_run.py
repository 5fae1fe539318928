r"""Compare many random kernels with what C++ and CUDA demand.

Run it from the directory of the tests::

    python -m support.random_kernels.cxx_run --seeds 0:1000 --options=-O1,-O3 --jobs 8

It prints a line for each wrong kernel, saves these kernels, and counts the execution models. With
16 processors, this compares up to 10000 kernels in six minutes::

    python -m support.random_kernels.cxx_run --seeds 500000:510000 --options=-O1,-O3 --alternate \
        --jobs 16 --batch 24 --minutes 5.7
"""
# ruff: noqa: T201 - a script

from __future__ import annotations

import argparse
import collections
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TypeAlias

from support.random_kernels.cxx.batches import ORDERS, Outcome, check_batch, make_batches
from support.random_kernels.cxx.generate import FEATURES, CxxKernel, generate_kernel
from support.random_kernels.cxx.program import render_program

_Outcomes: TypeAlias = list[Outcome]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kernels of a range of seeds, and return 1 if one of them is wrong."""
    chosen = _read_arguments(arguments)
    if chosen.split:
        os.environ["KBUILD_CPU_SPLIT"] = chosen.split
    start, _, stop = chosen.seeds.partition(":")
    last = int(stop) if stop else int(start) + chosen.count
    features = tuple(filter(None, chosen.features.split(",")))
    kernels = [
        generate_kernel(seed, features=features, has_rare=chosen.rare)
        for seed in range(int(start), last)
    ]
    chosen.save.mkdir(parents=True, exist_ok=True)
    wrong: set[str] = set()
    total: collections.Counter[str] = collections.Counter()
    by_feature: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as directory, ProcessPoolExecutor(chosen.jobs) as pool:
        jobs: dict[Future[_Outcomes], str] = {}
        options = chosen.options.split(",")
        for number, batch in enumerate(make_batches(kernels, chosen.batch)):
            for option in [options[number % len(options)]] if chosen.alternate else options:
                place = Path(directory) / option.strip("-")
                place.mkdir(exist_ok=True)
                job = pool.submit(
                    check_batch,
                    place,
                    batch,
                    compiler=chosen.compiler,
                    options=(option,),
                    orders=chosen.orders.split(","),
                )
                jobs[job] = option
        for job in _list_done(jobs, 60 * chosen.minutes):
            for each in job.result():
                total[each.execution if chosen.obstacles else each.execution.partition(":")[0]] += 1
                if each.problem:
                    name = each.kernel.kernel.name
                    if name not in wrong:
                        by_feature.update(each.kernel.features)
                    wrong.add(name)
                    print(f"{name} {jobs[job]} {each.execution}: {each.problem}", flush=True)
                    _save(chosen.save, each)
    print(f"{len(wrong)} of {len(kernels)} kernels are wrong; they are in {chosen.save}")
    print(f"{total.total()} results were compared")
    print("execution models:", dict(total.most_common()))
    print("features of wrong kernels:", dict(by_feature.most_common()))
    return int(bool(wrong))


def _list_done(jobs: Iterable[Future[_Outcomes]], seconds: float) -> Iterator[Future[_Outcomes]]:
    """Yield jobs that are done; those that have not started after a time are left out."""
    pending = {*jobs}
    try:
        for job in as_completed(pending, timeout=seconds):
            pending.discard(job)
            yield job
    except TimeoutError:
        yield from as_completed({job for job in pending if not job.cancel()})


def _read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cxx_run", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", default="0", help="the first seed, or FIRST:END (default: 0)")
    parser.add_argument("--count", type=int, default=100, help="how many seeds (default: 100)")
    parser.add_argument("--compiler", default="g++", help="default: g++")
    parser.add_argument(
        "--options", default="-O1", help="each one builds all kernels (default: -O1)"
    )
    parser.add_argument(
        "--alternate", action="store_true", help="build each kernel with one option, in turn"
    )
    parser.add_argument("--orders", default=",".join(ORDERS), help="values of KBUILD_SEED")
    parser.add_argument("--split", default="", help="the value of KBUILD_CPU_SPLIT")
    parser.add_argument("--jobs", type=int, default=1, help="default: 1")
    parser.add_argument(
        "--minutes", type=float, default=60, help="start nothing after this time (default: 60)"
    )
    parser.add_argument("--batch", type=int, default=6, help="kernels per program (default: 6)")
    parser.add_argument("--rare", action="store_true", help="add what ends programs or builds")
    parser.add_argument("--obstacles", action="store_true", help="count obstacles, too")
    parser.add_argument(
        "--features",
        default="",
        metavar="NAME,...",
        help=f"the features of all kernels, of {', '.join(FEATURES)} (default: some)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path(tempfile.gettempdir()) / "kbuild_random_kernels",
        help="the directory for wrong kernels",
    )
    return parser.parse_args(arguments)


def _save(directory: Path, outcome: Outcome) -> None:
    kernel: CxxKernel = outcome.kernel
    text = f"// {outcome.execution}; {outcome.problem}".replace("\n", " ")
    (directory / f"{kernel.kernel.name}.cu").write_text(f"{text}\n{render_program([kernel])}")


if __name__ == "__main__":
    raise SystemExit(main())
