"""Smoke tests: load a built library and run its kernels."""

from kbuild.smoke.report import SmokeReport, SmokeResult, add_failure
from kbuild.smoke.runner import report_rejected, run_smoke
from kbuild.smoke.target import read_target

__all__ = [
    "SmokeReport",
    "SmokeResult",
    "add_failure",
    "read_target",
    "report_rejected",
    "run_smoke",
]
