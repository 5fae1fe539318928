"""Smoke tests: does what was built load, and do its kernels run?"""

from kbuild.smoke.report import SmokeReport, SmokeResult
from kbuild.smoke.runner import run_smoke

__all__ = ["SmokeReport", "SmokeResult", "run_smoke"]
