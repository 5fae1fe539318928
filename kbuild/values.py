"""Frozen dataclasses that are cheap to define.

`dataclasses.dataclass` generates and compiles six functions per class, which takes half a
millisecond to a millisecond. A build starts Python thousands of times, and each process uses few of
the classes that its modules define, and of most of these only the constructor. The decorator here
has a constructor compiled when it is first called, and `dataclasses` generate the other functions
when one of them is.

The modules that build edges import use it. Type checkers take it for the standard decorator.
"""

from __future__ import annotations

__all__ = ["dataclass"]

TYPE_CHECKING = False  # type checkers assume True; importing typing is slow
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
    from typing import Any
else:

    def dataclass(**options: Any) -> Callable[[type], type]:
        """Do what `dataclasses.dataclass` does, but generate functions when they are called."""
        return lambda original: _define(original, options)


class _Pending:
    """A class, and how to generate its functions.

    As the value of ``__dataclass_fields__``, it describes the fields when `dataclasses` asks for
    them, as `dataclasses.replace` does.
    """

    def __init__(self, namespace: dict[str, Any], options: dict[str, Any]) -> None:
        self._namespace = namespace
        self._options = options
        self.defined: type = object

    def __get__(self, instance: object, owner: type) -> Any:
        self.generate(eq=False, repr=False)
        return self.defined.__dataclass_fields__  # type: ignore[attr-defined]

    def generate(self, **chosen: bool) -> None:
        """Add some functions to the class, or all of them. Safe for threads.

        Args:
            chosen: Options of `dataclasses`. Without ``eq`` or ``repr``, the class keeps what it
                has. It also keeps its constructor, and what makes it frozen.
        """
        options = self._options
        if chosen:
            partial = {"init": False, "frozen": False, "match_args": False, **chosen}
            options = {**options, **partial, "slots": False}
            options["unsafe_hash"] = options.get("eq", True) and "__hash__" not in self._namespace
        full = vars(_generate(type(self.defined.__name__, (), self._namespace), options))
        full["__dataclass_params__"].frozen = self._options["frozen"]
        kept = {*self._namespace, *self._namespace["__annotations__"], "__slots__", "__doc__"}
        kept |= {"__dict__", "__weakref__"}
        for name in full.keys() - kept:
            setattr(self.defined, name, full[name])

    def add_constructor(self) -> None:
        """Add the constructor to the class. Safe for threads."""
        defaults = (self._namespace.get(name) for name in self._namespace["__annotations__"])
        if any(hasattr(default, "default_factory") for default in defaults):
            self.generate()
            return
        values: dict[str, Any] = {"_set": object.__setattr__}
        signature = "self, *, " if self._options.get("kw_only") else "self, "
        body = ""
        for name in self._namespace["__annotations__"]:
            signature += f"{name}, "
            if name in self._namespace:
                values[f"_default_{name}"] = self._namespace[name]
                signature = f"{signature[:-2]}=_default_{name}, "
            body += f"    _set(self, {name!r}, {name})\n"
        if "__post_init__" in self._namespace:
            body += "    self.__post_init__()\n"
        exec(f"def __init__({signature}) -> None:\n{body or '    pass'}", values)  # noqa: S102 - as dataclasses do
        values["__init__"].__qualname__ = f"{self.defined.__qualname__}.__init__"
        self.defined.__init__ = values["__init__"]  # type: ignore[misc]


def _define(original: type, options: dict[str, Any]) -> type:
    if original.__bases__ != (object,) or options.keys() - {"kw_only"} != {"frozen", "slots"}:
        return _generate(original, options)
    names = original.__annotations__
    namespace = {
        name: value
        for name, value in vars(original).items()
        if name not in ("__dict__", "__weakref__")
    }
    pending = _Pending(namespace, options)
    members = {name: value for name, value in namespace.items() if name not in names}
    members = {"__slots__": tuple(names), **_make_functions(pending), **members}
    pending.defined = type(original.__name__, (), members)
    pending.defined.__qualname__ = original.__qualname__
    return pending.defined


def _make_functions(pending: _Pending) -> dict[str, Any]:
    """Return functions that generate the real ones and call them."""

    def initialize(self: Any, *positional: Any, **named: Any) -> None:
        pending.add_constructor()
        self.__init__(*positional, **named)

    def refuse(self: Any, name: str, *value: Any) -> None:
        pending.generate()
        (setattr if value else delattr)(self, name, *value)

    def save(self: Any) -> Any:
        pending.generate()
        return self.__getstate__()

    def restore(self: Any, state: Any) -> None:
        pending.generate()
        self.__setstate__(state)

    def compare(self: Any, other: object) -> Any:
        pending.generate(repr=False)
        return self.__eq__(other)

    def hash_value(self: Any) -> int:
        pending.generate(repr=False)
        return hash(self)

    def describe(self: Any) -> str:
        pending.generate(eq=False)
        return repr(self)

    return {
        "__dataclass_fields__": pending,
        "__init__": initialize,
        "__setattr__": refuse,
        "__delattr__": refuse,
        "__getstate__": save,
        "__setstate__": restore,
        "__eq__": compare,
        "__hash__": hash_value,
        "__repr__": describe,
    }


def _generate(original: type, options: dict[str, Any]) -> type:
    from dataclasses import dataclass as generate  # noqa: PLC0415 - slow to import

    return generate(**options)(original)
