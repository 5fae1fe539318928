"""Runs jobs in processes, and survives their crashes and hangs."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import Any, Final

from fuzz.engine.model import Defect, Job, JobResult, Kind, Limits
from fuzz.engine.slot import Slot
from fuzz.engine.worker import run_worker
from fuzz.targets import TARGETS

_LIMITS: Final = Limits()
_POLL_SECONDS: Final = 0.2
# Alarms interrupt Python code. C code is killed some time later.
_GRACE: Final = 2.0
_MOST_RESTARTS: Final = 20
# fork: the worker starts with all modules loaded, and shares the memory of its slot.
_PROCESSES: Final = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run: executions of targets in ``jobs`` processes.

    ``seconds`` is the time for everything. ``count`` is the number of executions of each target.
    """

    targets: Sequence[str]
    seed: int = 1
    jobs: int = 1
    seconds: float | None = None
    count: int | None = None
    limits: Limits = _LIMITS


class _Worker:
    """A process that runs a job. ``restarts`` counts the crashes of its predecessors."""

    def __init__(self, job: Job, restarts: int = 0) -> None:
        self.job = job
        self.restarts = restarts
        self.started = time.monotonic()
        self.slot = Slot(TARGETS[job.target].largest)
        self.answer, theirs = _PROCESSES.Pipe(duplex=False)
        self.process: Any = _PROCESSES.Process(target=run_worker, args=(job, self.slot, theirs))
        self.process.start()
        theirs.close()

    def is_stuck(self) -> bool:
        return self.slot.running_seconds > self.job.limits.seconds + _GRACE

    def finish(self) -> JobResult:
        """Return the result; if the process crashed or hangs, a result with this defect."""
        is_stuck = not self.answer.poll()
        if is_stuck:
            self.process.kill()
        try:
            result: JobResult = self.answer.recv()
        except EOFError:
            result = self._describe_death(is_stuck)
        self.process.join()
        return result

    def _describe_death(self, is_stuck: bool) -> JobResult:
        self.process.join()
        kind: Kind = "hang" if is_stuck else "crash"
        details = "in C code" if is_stuck else f"exit code {self.process.exitcode}"
        defect = Defect(
            target=self.job.target,
            kind=kind,
            signature=f"{kind} {details}",
            details=details,
            data=self.slot.data,
        )
        return JobResult(
            target=self.job.target,
            executions=self.slot.executions,
            seconds=time.monotonic() - self.started,
            defects=(defect,),
        )

    def replace(self, result: JobResult) -> _Worker | None:
        """Return a worker for the rest of the job if this one crashed."""
        is_dead = any(d.kind == "crash" or d.details == "in C code" for d in result.defects)
        if not is_dead or self.restarts == _MOST_RESTARTS:
            return None
        job = self.job
        rest = replace(
            job,
            seed=f"{job.seed}:{self.restarts}",
            seconds=None if job.seconds is None else job.seconds - result.seconds,
            count=None if job.count is None else job.count - result.executions,
        )
        if (rest.seconds or 1) <= 0 or (rest.count or 1) <= 0:
            return None
        return _Worker(rest, self.restarts + 1)


def run_plan(plan: Plan, report: Callable[[JobResult], None]) -> tuple[JobResult, ...]:
    """Run a plan, and return the results of all jobs; ``report`` receives each one at once."""
    deadline = None if plan.seconds is None else time.monotonic() + plan.seconds
    queues = [_iterate_jobs(plan, number, deadline) for number in range(plan.jobs)]
    workers: dict[int, _Worker] = {}
    results: list[JobResult] = []

    def start_next(number: int) -> None:
        if job := next(queues[number], None):
            workers[number] = _Worker(job)

    try:
        for number in range(plan.jobs):
            start_next(number)
        while workers:
            ready = wait([worker.answer for worker in workers.values()], _POLL_SECONDS)
            for number, worker in list(workers.items()):
                if worker.answer not in ready and not worker.is_stuck():
                    continue
                result = worker.finish()
                results.append(result)
                report(result)
                del workers[number]
                if successor := worker.replace(result):
                    workers[number] = successor
                else:
                    start_next(number)
    finally:
        for worker in workers.values():
            worker.process.kill()
    return tuple(results)


def _iterate_jobs(plan: Plan, number: int, deadline: float | None) -> Iterator[Job]:
    """Yield the jobs of one of the processes, which run one after another.

    Each process starts with another target. A target gets its share of the time that is left.
    """
    first = number * len(plan.targets) // plan.jobs
    order = (*plan.targets[first:], *plan.targets[:first])
    for index, target in enumerate(order):
        seconds = None
        if deadline is not None:
            left = [TARGETS[name].weight for name in order[index:]]
            seconds = max(deadline - time.monotonic(), 0.0) * left[0] / sum(left)
        count = None if plan.count is None else -(-plan.count // plan.jobs)
        yield Job(
            target=target,
            seed=f"{plan.seed}:{target}:{number}",
            seconds=seconds,
            count=count,
            limits=plan.limits,
        )
