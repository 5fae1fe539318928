"""A case whose mistake happens only in some orders of blocks."""

import numpy as np


def test_order(module) -> None:
    module["order"][2, 1](np.zeros(1, np.int32))
