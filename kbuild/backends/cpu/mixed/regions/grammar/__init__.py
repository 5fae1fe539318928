"""What kbuild reads in expressions: what is allowed there, and nothing else."""
