"""Divide kernels with barriers into regions, each with its own loop over the threads of a block.

`analyze` decides whether and how a kernel is divided, and `write` makes the edits. The C++ that the
edits use is in ``kbuild_cpu/regions``.
"""
