"""Run the front ends of compilers, and ask for their steps."""
