"""The fuzzer: forged input must never crash, hang, or exhaust kbuild. See ``python -m fuzz -h``."""
