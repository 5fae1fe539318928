"""A backend from outside of kbuild: its kernels multiply an array by a constant.

A source has one line per kernel, such as ``scale = 2.5``, for ``void scale(float*, int)``.
"""

from kbuild.backends import register

register("toy", "build", "read", package=__name__)
