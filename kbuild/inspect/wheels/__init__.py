"""Read the facts of a wheel as a whole. The extra ``publish`` installs the libraries for it."""

from kbuild.inspect.wheels.read import read_wheel

__all__ = ["read_wheel"]
