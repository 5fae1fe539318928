"""Values: everything that a standard dataclass does works, although its functions exist later."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, field

import pytest

from kbuild.values import dataclass, list_fields, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point."""

    x: int
    y: int = 0
    tags: tuple[str, ...] = ()
    note: str = field(default="", compare=False)

    @property
    def total(self) -> int:
        return self.x + self.y


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """A class of which only `test_unpickled_value_is_complete` creates values."""

    x: int


@dataclass(slots=True)
class Counter:
    count: int = 0


@dataclass(frozen=True, slots=True)
class Base:
    x: int

    def __repr__(self) -> str:
        return "base"


class Special(Base):
    def __repr__(self) -> str:
        return "special"


def test_functions_do_not_exist_before_they_are_needed() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Unused:
        x: int

    assert "__dataclass_params__" not in vars(Unused)
    assert [f.name for f in dataclasses.fields(Unused)] == ["x"]
    assert "__dataclass_params__" in vars(Unused)


def test_fields_have_their_defaults() -> None:
    point = Point(x=1)

    assert (point.y, point.tags, point.note, point.total) == (0, (), "", 1)
    assert (Pair(1).first, Pair(1).second) == (1, 2)
    assert not hasattr(point, "__dict__")


def test_wrong_arguments_are_rejected() -> None:
    with pytest.raises(TypeError, match="missing 1 required"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Point(1)  # type: ignore[call-arg]


def test_values_compare_by_their_fields() -> None:
    assert Point(x=1, note="a") == Point(x=1, note="b")
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Pair(1)  # type: ignore[comparison-overlap]
    assert len({Point(x=1), Point(x=1), Point(x=2)}) == 2


def test_value_describes_itself() -> None:
    assert repr(Point(x=1)) == "Point(x=1, y=0, tags=(), note='')"
    assert repr(Special(1)) == "special"
    assert repr(Base(1)) == "base"


def test_rare_calls_generate_nothing() -> None:
    code = (
        "import sys; from kbuild.values import dataclass, list_fields, replace\n"
        "@dataclass(frozen=True, slots=True, kw_only=True)\n"
        "class A:\n  x: int\n  y: int = 2\n"
        "a = replace(A(x=1), y=3); b = A(x=1, y=3)\n"
        "assert a == b and hash(a) == hash(b) and a != A(x=1) and repr(a) == 'A(x=1, y=3)'\n"
        "assert [(f.name, f.is_required) for f in list_fields(A)] == [('x', True), ('y', False)]\n"
        "assert 'dataclasses' not in sys.modules, 'dataclasses'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_frequent_calls_do_the_same() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Frequent:
        x: int
        y: int = 0

    for x in range(1100):
        value = Frequent(x=x)
        assert (value.x, value.y) == (x, 0)
        assert value == Frequent(x=x)
        assert value != Frequent(x=x + 1)
        assert hash(value) == hash(Frequent(x=x))
        assert repr(value).endswith(f".Frequent(x={x}, y=0)")
        with pytest.raises(TypeError, match="'z'"):
            Frequent(x=1, z=2)  # type: ignore[call-arg]


def test_value_is_replaced() -> None:
    assert replace(Point(x=1, note="a"), y=5) == Point(x=1, y=5)
    assert replace(Base(1), x=2) == Base(2)
    assert repr(replace(Special(1), x=2)) == "special"
    assert replace(Counter(1), count=2).count == 2
    with pytest.raises(TypeError, match="'z'"):
        replace(Pair(1), z=2)  # type: ignore[call-arg]


def test_value_without_equality_is_equal_to_itself_only() -> None:
    @dataclass(frozen=True, slots=True, eq=False)
    class Name:
        text: str

    name = Name("a")
    assert name == name  # noqa: PLR0124 - the test
    assert name != Name("a")
    assert len({name, Name("a")}) == 2


def test_fields_are_listed() -> None:
    assert [(f.name, f.is_required) for f in list_fields(Point)] == [
        ("x", True),
        ("y", False),
        ("tags", False),
        ("note", False),
    ]
    assert [f.name for f in list_fields(Special)] == ["x"]
    assert list_fields(int) == ()


def test_value_cannot_change() -> None:
    point = Point(x=1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x


def test_functions_of_dataclasses_accept_the_class() -> None:
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.replace(Point(x=1), y=5) == Point(x=1, y=5)
    assert dataclasses.asdict(Pair(1)) == {"first": 1, "second": 2}
    assert Point.__doc__ == "A point."


def test_dataclass_can_inherit_from_a_value() -> None:
    @dataclass(frozen=True, slots=True)
    class Parent:
        x: int

    @dataclasses.dataclass(frozen=True)
    class Child(Parent):
        y: int = 2

    assert repr(Child(1)).endswith("Child(x=1, y=2)")
    assert dataclasses.replace(Child(1), x=3).x == 3


def test_value_can_be_copied_and_pickled() -> None:
    point = Point(x=1, tags=("a",))

    assert copy.copy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301 - the test's own data


def test_unpickled_value_is_complete() -> None:
    code = (
        "import pickle, sys; value = pickle.load(sys.stdin.buffer); "
        "print(value, value == type(value)(x=3), value == type(value)(x=4))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(Fresh(x=3)),
        capture_output=True,
        check=True,
        cwd=__file__.rpartition("tests/unit")[0],
    )

    assert done.stdout.decode().strip() == "Fresh(x=3) True False"


def test_class_whose_values_can_change_is_a_standard_dataclass() -> None:
    counter = Counter()
    counter.count += 1

    assert counter == Counter(1)
