"""Valid random kernels with barriers: their source in CUDA C++, and what they compute.

Each kernel is written twice at the same time, in C++ and as a Python generator that yields where a
thread waits. `interpreter` runs the generators. A program is valid: between two barriers, no thread
reads what another one writes, and each barrier is reached by all threads that have not exited.
"""
