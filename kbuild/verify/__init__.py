"""The verifier: rules that judge facts, and the engine that runs them."""

from kbuild.verify.engine import select_rules, verify
from kbuild.verify.policy.file import load_policy
from kbuild.verify.policy.model import Policy
from kbuild.verify.report import Finding, Report

__all__ = ["Finding", "Policy", "Report", "load_policy", "select_rules", "verify"]
