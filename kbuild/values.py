"""Frozen dataclasses that are cheap to define.

`dataclasses.dataclass` generates and compiles six functions per class, which takes half a
millisecond. A build starts Python thousands of times, and each process uses few of the classes that
its modules define. The decorator here generates the functions when a class is first used.

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
        """Return `dataclasses.dataclass(**options)`, which works later for frozen classes."""
        return lambda original: _define(original, options)


class _Pending:
    """The description of a class whose functions are not generated yet.

    As the value of ``__dataclass_fields__``, it generates them when `dataclasses` asks for fields.
    """

    def __init__(self, namespace: dict[str, Any], options: dict[str, Any]) -> None:
        self._namespace = namespace
        self._options = options

    def __get__(self, instance: object, owner: type) -> Any:
        self.generate(owner)
        return vars(owner)["__dataclass_fields__"]

    def generate(self, owner: type) -> None:
        """Add the functions to the class; threads can do this at the same time."""
        full = _generate(type(owner.__name__, (), self._namespace), self._options)
        kept = {*self._namespace, *self._namespace["__annotations__"], "__slots__", "__doc__"}
        for name in vars(full).keys() - kept:
            setattr(owner, name, vars(full)[name])


def _define(original: type, options: dict[str, Any]) -> type:
    if original.__bases__ != (object,) or not (options.get("frozen") and options.get("slots")):
        return _generate(original, options)
    names = original.__annotations__
    namespace = {
        name: value
        for name, value in vars(original).items()
        if name not in ("__dict__", "__weakref__")
    }
    pending = _Pending(namespace, options)

    def initialize(self: Any, *positional: Any, **named: Any) -> None:
        pending.generate(type(self))
        self.__init__(*positional, **named)

    def restore(self: Any, state: Any) -> None:
        pending.generate(type(self))
        self.__setstate__(state)

    members = {name: value for name, value in namespace.items() if name not in names}
    members |= {"__slots__": tuple(names), "__dataclass_fields__": pending}
    members |= {"__init__": initialize, "__setstate__": restore}
    defined = type(original.__name__, (), members)
    defined.__qualname__ = original.__qualname__
    return defined


def _generate(original: type, options: dict[str, Any]) -> type:
    from dataclasses import dataclass as generate  # noqa: PLC0415 - slow to import

    return generate(**options)(original)
