"""Smoke tests: what was built is loaded, and its kernels run."""

from kbuild.smoke.report import SmokeReport, SmokeResult
from kbuild.smoke.runner import report_unsound, run_smoke

__all__ = ["SmokeReport", "SmokeResult", "report_unsound", "run_smoke"]
