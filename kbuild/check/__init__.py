"""Checks of kernels without a GPU: what the runtime found, and what counts.

The runtime of the CPU finds mistakes while an instrumented program runs
(``native/cpu/checks``), and writes a file per process. This package joins them into one report.
"""
