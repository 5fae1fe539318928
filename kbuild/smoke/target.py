"""Read the file of a smoke test, and explain why the kernels of other tools cannot be tested."""

from __future__ import annotations

from pathlib import Path

from kbuild.errors import InputError
from kbuild.formats.target_note import SECTION
from kbuild.inspect import inspect_path
from kbuild.runtime.loading.shared_object import NoKernelsError, SharedObject, read_shared_object
from kbuild.verify.wording import plural


def read_target(path: Path) -> SharedObject:
    """Return the kernel targets in the shared object at ``path``.

    Raises:
        InputError: The file is not a shared object with kernels of kbuild.  If it has kernels
            of another tool, the message counts them.
    """
    try:
        return read_shared_object(path)
    except NoKernelsError as error:
        count = _count_kernels(path)
        if count == 0:
            raise
        raise InputError(_explain(path, count)) from error


def _count_kernels(path: Path) -> int:
    images = (image for facts in inspect_path(path) for image in facts.images)
    return len({kernel.name for image in images for kernel in image.kernels})


def _explain(path: Path, count: int) -> str:
    return (
        f"{path}: the file has {plural(count, 'kernel')}, but no {SECTION} section that says how "
        "to launch kernels: another tool built the file, or the section was removed; build the "
        "kernels with kbuild_add_kernels or `kbuild build`, or test them through functions of the "
        "file (`kbuild verify` checks files of any tool)"
    )
