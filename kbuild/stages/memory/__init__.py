"""Run only as many compilers at once as memory allows."""
