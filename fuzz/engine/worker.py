"""One process that runs a target on many inputs."""

from __future__ import annotations

import gc
import random
import resource
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Final

from fuzz.engine.coverage import LineCounter
from fuzz.engine.judge import execute, limit_process, shrink
from fuzz.engine.model import Defect, Job, JobResult
from fuzz.engine.slot import Slot
from fuzz.target import Target
from fuzz.targets import TARGETS

# Once inputs that reach new lines are known, half of the inputs are made from them.
_FROM_KEPT: Final = 0.5
_MOST_KEPT: Final = 2000


def run_job(job: Job, slot: Slot) -> JobResult:
    """Run the executions of a job in this process, and return its result."""
    target = TARGETS[job.target]
    started = time.monotonic()
    size = _measure_peak()
    lines = LineCounter()
    defects: dict[str, Defect] = {}
    kept: list[bytes] = []
    with limit_process(job.limits):
        lines.start()
        for data in _make_inputs(target, job, kept, started):
            before = lines.count
            defect = execute(target, data, job.limits, slot)
            if defect is not None and defect.signature not in defects:
                if defect.kind == "exception":
                    defect = shrink(defect, lambda d: execute(target, d, job.limits, slot))
                defects[defect.signature] = defect
            elif lines.count > before and len(kept) < _MOST_KEPT:
                kept.append(data)
    return JobResult(
        target=job.target,
        executions=slot.executions,
        seconds=time.monotonic() - started,
        defects=tuple(defects.values()),
        kept_inputs=len(kept),
        peak_bytes=_measure_peak() - size,
    )


def _make_inputs(target: Target, job: Job, kept: list[bytes], started: float) -> Iterator[bytes]:
    """Yield the seeds, and then inputs that are made from them and from the kept inputs."""
    seeds = target.read_seeds()
    chance = random.Random(job.seed)  # noqa: S311 - the same inputs for the same seed
    for count in range(job.count if job.count is not None else 1 << 62):
        if job.seconds is not None and time.monotonic() - started > job.seconds:
            return
        if count < len(seeds):
            yield seeds[count]
        else:
            pool = kept if kept and chance.random() < _FROM_KEPT else seeds
            yield target.mutate(chance, pool)[: target.largest]


def _measure_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run_worker(job: Job, slot: Slot, answer: Connection) -> None:
    """Do the same as `run_job` in a child process."""
    gc.freeze()
    answer.send(run_job(job, slot))
    answer.close()
