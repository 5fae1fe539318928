from __future__ import annotations

import pytest

from kbuild.verify import wording
from kbuild.verify.report import Instance
from kbuild.verify.wording import ARCHITECTURES, EXAMPLES, KERNELS, PLACES, fill_message
from support.facts.build_facts import SCALE

ONE = (Instance(SCALE, "sm_90", "a.cu"),)
MANY = tuple(Instance(f"k{n}", f"sm_{n % 2}", f"container {n // 2}") for n in range(10))
FIRST_OF_MANY = (
    "lost: k0 on sm_0 (container 0), k1 on sm_1 (container 0), k2 on sm_0 (container 1) and 7 more."
)


@pytest.mark.parametrize(
    ("template", "one", "many"),
    [
        (KERNELS, "ns::scale(float*, float, int)", "k0, k1, k2 and 7 more"),
        (ARCHITECTURES, "sm_90", "sm_0, sm_1"),
        (PLACES, "a.cu", "container 0, container 1, container 2 and 2 more"),
        (
            f"lost: {EXAMPLES}.",
            "lost: ns::scale(float*, float, int) on sm_90 (a.cu).",
            FIRST_OF_MANY,
        ),
        ("nothing to fill", "nothing to fill", "nothing to fill"),
    ],
)
def test_message_shows_the_first_instances(template: str, one: str, many: str) -> None:
    assert fill_message(template, ONE) == one
    assert fill_message(template, MANY) == many


@pytest.mark.parametrize(
    ("instance", "shown"),
    [
        (Instance("k", None, None), "k"),
        (Instance(None, "sm_90", None), "sm_90"),
        (Instance(None, "sm_90", "a.cu"), "sm_90 (a.cu)"),
        (Instance(None, None, "a.cu"), "a.cu"),
    ],
)
def test_example_shows_what_is_known(instance: Instance, shown: str) -> None:
    assert fill_message(EXAMPLES, (instance,)) == shown


@pytest.mark.parametrize("template", [KERNELS, EXAMPLES])
def test_names_that_are_not_shown_are_not_demangled(
    template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def record(name: str) -> str:
        asked.append(name)
        return name

    monkeypatch.setattr(wording, "demangle", record)
    fill_message(template, MANY)
    assert asked == ["k0", "k1", "k2"]
