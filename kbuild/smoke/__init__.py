"""Smoke tests: load a built library and run its kernels."""

from kbuild.smoke.report import SmokeReport, SmokeResult
from kbuild.smoke.runner import report_rejected, run_smoke

__all__ = ["SmokeReport", "SmokeResult", "report_rejected", "run_smoke"]
