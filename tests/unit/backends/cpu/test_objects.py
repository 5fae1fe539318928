"""Tests for what objects show of sources that cannot work."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.objects import reject_large_shared_memory
from kbuild.errors import SourceError
from kbuild.facts import Place, Symbol


def make_variable(name: str, size: int) -> Symbol:
    return Symbol(
        name=name,
        type="tls",
        binding="local",
        visibility="default",
        size=size,
        value=0,
        place=Place(section=1, offset=0),
        dynamic=False,
    )


IN_KERNEL = "_ZZ1kPiE21__kbuild_place_of_{}__"
IN_TEMPLATE = "_ZZZ1tIdEvPT_ENUlvE_clEvE21__kbuild_place_of_s__"
IN_NAMESPACE = "__kbuild_place_of_{}__"


@pytest.mark.parametrize(
    ("sizes", "where", "message"),
    [
        ({IN_KERNEL.format("s"): 49156}, "a.cu", "49156 bytes of __shared__ variables ('s')"),
        ({IN_TEMPLATE: 65540}, "a.hip", "65540 bytes of __shared__ variables ('s')"),
        (
            {IN_KERNEL.format("s"): 40000, IN_KERNEL.format("u"): 40000},
            "a.cu",
            "80000 bytes of __shared__ variables ('s', 'u')",
        ),
    ],
)
def test_too_much_shared_memory_is_an_error(
    sizes: dict[str, int], where: str, message: str
) -> None:
    with pytest.raises(SourceError) as caught:
        reject_large_shared_memory(where, [make_variable(*item) for item in sizes.items()])

    assert str(caught.value).startswith(f"{where}: {message}")


@pytest.mark.parametrize(
    ("sizes", "where"),
    [
        ({IN_KERNEL.format("s"): 49152, IN_TEMPLATE: 49152}, "a.cu"),
        ({IN_KERNEL.format("s"): 65536}, "a.hip"),
        ({IN_NAMESPACE.format("s"): 40000, IN_NAMESPACE.format("u"): 40000}, "a.cu"),
        ({"other": 80000}, "a.cu"),
    ],
)
def test_shared_memory_that_fits_is_accepted(sizes: dict[str, int], where: str) -> None:
    reject_large_shared_memory(where, [make_variable(*item) for item in sizes.items()])
