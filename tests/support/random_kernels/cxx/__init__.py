"""Valid random kernels that use all of C++ around barriers and warp operations.

A kernel mixes features of `features`, and each one writes C++ and its meaning in Python side by
side. Python knows no types, references, or constructors: who writes a feature says there what
C++17 and CUDA demand. The results therefore do not depend on a C++ compiler.
"""
