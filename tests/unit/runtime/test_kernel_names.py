from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.runtime.kernel_names import KernelName, KernelNotFoundError, NameIndex


def make_index(*pairs: tuple[str, str]) -> NameIndex:
    return NameIndex(KernelName(key=s, symbol=s, display=d) for s, d in pairs)


def test_symbol_takes_precedence_over_cpp_name() -> None:
    index = make_index(("scale", "scale"), ("_Z5scalePf", "scale(float*)"))
    assert index.find("scale") == "scale"
    assert index.find("scale(float*)") == "_Z5scalePf"


@pytest.mark.parametrize(
    "name", ["ns::f<int>", "void ns::f<int>(int*)", "ns::f<int>(int*)", "ns::f<int>(int *)", "_Zf"]
)
def test_template_is_found_with_and_without_return_type(name: str) -> None:
    assert make_index(("_Zf", "void ns::f<int>(int*)")).find(name) == "_Zf"


def test_ambiguous_name_lists_candidates() -> None:
    index = make_index(("_Z1fi", "f(int)"), ("_Z1ff", "f(float)"))
    with pytest.raises(KernelNotFoundError) as caught:
        index.find("f")
    assert str(caught.value) == "'f' matches 2 kernels: f(int) (_Z1fi), f(float) (_Z1ff)"


def test_unknown_name_suggests_or_lists_kernels() -> None:
    index = make_index(*((f"_Z4ker{i}v", f"ker{i}()") for i in range(20)))
    with pytest.raises(KernelNotFoundError, match=r"did you mean ker3\(\)"):
        index.find("kern3()")
    with pytest.raises(KernelNotFoundError, match=r"the kernels are ker0\(\), .* and 12 more"):
        index.find("zzz")


def test_error_is_key_error_and_configuration_error() -> None:
    with pytest.raises(KeyError):
        make_index().find("x")
    with pytest.raises(ConfigurationError):
        make_index().find("x")
