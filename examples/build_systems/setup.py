"""A Python extension with setuptools. Run `kbuild build` first."""

import shlex
import subprocess  # noqa: TID251

from setuptools import Extension, setup


def read_options(kind: str) -> list[str]:
    """Return the options of the compiler or linker."""
    return shlex.split(
        subprocess.check_output(["kbuild", "config", kind, "vector_kernels"], text=True)  # noqa: S603, S607
    )


setup(
    name="vectors",
    version="0.1",
    ext_modules=[
        Extension(
            "vectors",
            ["vectors.c", "vector.c"],
            extra_compile_args=read_options("--cflags"),
            extra_link_args=read_options("--libs"),
        )
    ],
)
