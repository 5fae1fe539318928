"""Running targets: worker processes, limits, coverage, and the summary."""
