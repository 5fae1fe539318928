"""The accuracy of the verifier: broken artifacts with errors, and sound ones without.

`catalog` lists both. `test_accuracy.py` and `benchmarks/verify` run it.
"""
