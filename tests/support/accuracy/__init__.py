"""The accuracy of the verifier: broken artifacts with errors, and sound ones without.

`catalogue` lists both. `test_accuracy.py` and `benchmarks/verify` run it.
"""
