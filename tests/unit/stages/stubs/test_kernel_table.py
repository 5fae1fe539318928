"""Tests for the kernel table of several sources."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.errors import SourceError
from kbuild.model import DeviceImage, Kernel, Linkage, Param
from kbuild.stages.stubs.kernel_table import build_kernel_table


def kernel(name: str, linkage: Linkage = "external", size: int = 8) -> Kernel:
    param = Param(index=0, offset=0, size=size)
    return Kernel(name=name, display=f"{name}(int*)", linkage=linkage, params=(param,))


def source(
    name: str, *images: tuple[str, tuple[Kernel, ...]]
) -> tuple[str, tuple[DeviceImage, ...]]:
    return name, tuple(
        DeviceImage(
            source=name,
            arch=arch,
            kind="elf",
            path=Path(name),
            sha256="0",
            size=1,
            kernels=kernels,
        )
        for arch, kernels in images
    )


def test_rows_contain_the_index_of_their_container() -> None:
    table = build_kernel_table(
        (source("a.cu", ("v1", (kernel("k"),))), source("b.cu", ("v1", (kernel("l"),))))
    )

    assert [(row.handle, row.container) for row in table] == [("k", 0), ("l", 1)]


def test_rows_are_in_the_order_of_their_containers() -> None:
    """Registration depends on it, because it reads the rows once."""
    weak = kernel("t", "weak")
    table = build_kernel_table(
        tuple(
            source(f"{i}.cu", ("v1", (kernel(f"z{9 - i}"), weak, kernel(f"a{i}"))))
            for i in range(5)
        )
    )

    containers = [row.container for row in table]
    assert containers == sorted(containers)
    assert len(table) == 11


def test_error_names_both_sources_of_a_kernel() -> None:
    with pytest.raises(SourceError, match=r"'k\(int\*\)' is defined in both a.cu and b.cu"):
        build_kernel_table(
            (source("a.cu", ("v1", (kernel("k"),))), source("b.cu", ("v1", (kernel("k"),))))
        )


def test_template_of_two_sources_is_registered_once() -> None:
    weak = kernel("k", "weak")

    table = build_kernel_table((source("a.cu", ("v1", (weak,))), source("b.cu", ("v1", (weak,)))))

    assert [(row.handle, row.container) for row in table] == [("k", 0)]


def test_template_with_two_layouts_is_an_error() -> None:
    with pytest.raises(SourceError, match=r"one parameter layout in a\.cu and another in b\.cu"):
        build_kernel_table(
            (
                source("a.cu", ("v1", (kernel("k", "weak", 8),))),
                source("b.cu", ("v1", (kernel("k", "weak", 4),))),
            )
        )


def test_static_kernels_with_the_same_name_get_different_handles() -> None:
    static = kernel("k", "internal")

    table = build_kernel_table(
        (source("a.cu", ("v1", (static,))), source("b.cu", ("v1", (static,))))
    )

    assert [(row.handle, row.device_name) for row in table] == [("k", "k"), ("k.1", "k")]


def test_kernel_that_one_architecture_lacks_is_an_error() -> None:
    with pytest.raises(SourceError, match="defined for v2 but not for v1"):
        build_kernel_table(
            (source("a.cu", ("v1", (kernel("k"),)), ("v2", (kernel("k"), kernel("l")))),)
        )


def test_layout_that_depends_on_the_architecture() -> None:
    with pytest.raises(SourceError, match="one parameter layout for v1 and another for v2"):
        build_kernel_table(
            (source("a.cu", ("v1", (kernel("k", size=8),)), ("v2", (kernel("k", size=4),))),)
        )


def test_bitcode_without_a_list_of_kernels_is_left_out() -> None:
    name, (image,) = source("a.cu", ("sm_90", (kernel("k"),)))
    bitcode = replace(image, arch="lto_90", kind="bitcode", kernels=())

    table = build_kernel_table(((name, (bitcode, image)),))

    assert [row.handle for row in table] == ["k"]
