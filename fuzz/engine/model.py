"""The values that workers and the driver exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["exception", "hang", "memory", "crash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one execution: in seconds, and in bytes beyond what the worker starts with."""

    seconds: float = 5.0
    memory: int = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The work of one process: executions of a target until the time or the count is used up."""

    target: str
    seed: str
    seconds: float | None
    count: int | None
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A finding. Two findings of a target with the same ``signature`` count as one."""

    target: str
    kind: Kind
    signature: str
    details: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job. ``peak_bytes`` is the growth of the worker's resident memory."""

    target: str
    executions: int
    seconds: float
    defects: tuple[Defect, ...] = ()
    kept_inputs: int = 0
    peak_bytes: int = 0
