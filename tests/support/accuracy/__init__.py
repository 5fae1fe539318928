"""How accurate the verifier is: broken artifacts that it must catch, sound ones that it must not.

`catalogue` lists both; `test_accuracy.py` and `benchmarks/verify` walk it.
"""
