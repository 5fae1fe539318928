"""Frozen dataclasses that are cheap to define.

`dataclasses.dataclass` generates and compiles six functions per class, which takes half a
millisecond to a millisecond. A build starts Python thousands of times, and each process uses few of
the classes that its modules define, and of most of these only the constructor, a few times. The
decorator here has a constructor compiled when it is called often, and `dataclasses` generate the
other functions when one of them is. `replace` needs none of them, nor the module `dataclasses`,
which imports slowly.

The modules that build edges import use them. Type checkers take them for the standard functions.
"""

from __future__ import annotations

__all__ = ["Field", "dataclass", "list_fields", "replace"]

TYPE_CHECKING = False  # type checkers assume True; importing typing is slow
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from dataclasses import dataclass, replace
    from typing import Any
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """Do what `dataclasses.replace` does."""
        pending = vars(type(value)).get("__dataclass_fields__")
        if not isinstance(pending, _Pending):
            from dataclasses import replace as generic  # noqa: PLC0415 - slow to import

            return generic(value, **changes)
        for name in pending.names:
            if name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)

    def dataclass(**options: Any) -> Callable[[type], type]:
        """Do what `dataclasses.dataclass` does, but generate functions when they are called."""
        return lambda original: _define(original, options)


class Field:
    """A field of a dataclass.

    Attributes:
        name: Its name.
        is_required: Whether it has no default.
        metadata: What else the class says about it.
    """

    __slots__ = ("is_required", "metadata", "name")

    def __init__(self, name: str, metadata: Mapping[str, Any], *, is_required: bool) -> None:
        self.name = name
        self.is_required = is_required
        self.metadata = metadata


def list_fields(kind: type) -> tuple[Field, ...]:
    """Return the fields of a dataclass; empty for other types."""
    pending = vars(kind).get("__dataclass_fields__")
    if isinstance(pending, _Pending) and pending.is_plain:
        defaults = pending.defaults
        return tuple([Field(name, {}, is_required=name not in defaults) for name in pending.names])
    return tuple(_list_described(kind)) if hasattr(kind, "__dataclass_fields__") else ()


def _list_described(kind: Any) -> Iterator[Field]:
    from dataclasses import MISSING, fields  # noqa: PLC0415 - slow to import

    for field in fields(kind):
        is_required = field.default is MISSING and field.default_factory is MISSING
        yield Field(field.name, field.metadata, is_required=is_required)


# After so many calls, generating a function costs less than working without it. For the other
# functions, `dataclasses` is imported.
_CONSTRUCTOR_CALLS = 16
_OTHER_CALLS = 1000


class _Pending:
    """A class, and how to generate its functions.

    As the value of ``__dataclass_fields__``, it describes the fields when `dataclasses` asks for
    them, as `dataclasses.replace` does.
    """

    def __init__(self, namespace: dict[str, Any], options: dict[str, Any]) -> None:
        self._namespace = namespace
        self._options = options
        self._calls: dict[str, int] = {}
        self.names = tuple(namespace["__annotations__"])
        self.defaults = {name: namespace[name] for name in self.names if name in namespace}
        self.is_plain = "__post_init__" not in namespace and not any(
            hasattr(default, "default_factory") for default in self.defaults.values()
        )
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

    def is_rare(self, function: str, limit: int = _OTHER_CALLS) -> bool:
        """Count a call, and return whether generic code can do what a generated function does.

        It cannot if the class has more than fields with values as defaults.
        """
        calls = self._calls[function] = self._calls.get(function, 0) + 1
        return self.is_plain and calls <= limit

    def read(self, value: object) -> tuple[Any, ...]:
        """Return the fields of a value."""
        return tuple([getattr(value, name) for name in self.names])

    def write(self, value: object, contents: Mapping[str, Any]) -> bool:
        """Set the fields of a value, and return whether the contents were those of all fields."""
        if len(contents) != len(self.names) or any(name not in contents for name in self.names):
            return False
        for name in self.names:
            object.__setattr__(value, name, contents[name])
        return True

    def add_constructor(self) -> None:
        """Add the constructor to the class. Safe for threads."""
        if any(hasattr(default, "default_factory") for default in self.defaults.values()):
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
    if original.__bases__ != (object,) or options.keys() - {"kw_only", "eq"} != {"frozen", "slots"}:
        return _generate(original, options)
    names = original.__annotations__
    namespace = {
        name: value
        for name, value in vars(original).items()
        if name not in ("__dict__", "__weakref__")
    }
    pending = _Pending(namespace, options)
    members = {name: value for name, value in namespace.items() if name not in names}
    functions = _make_functions(pending)
    if not options.get("eq", True):  # values are equal to themselves only
        del functions["__eq__"], functions["__hash__"]
    members = {"__slots__": tuple(names), **functions, **members}
    pending.defined = type(original.__name__, (), members)
    pending.defined.__qualname__ = original.__qualname__
    return pending.defined


def _make_functions(pending: _Pending) -> dict[str, Any]:
    """Return functions that do what the real ones do, or generate them and call them."""

    def initialize(self: Any, *positional: Any, **named: Any) -> None:
        is_rare = not positional and pending.is_rare("__init__", _CONSTRUCTOR_CALLS)
        if not (is_rare and pending.write(self, {**pending.defaults, **named})):
            pending.add_constructor()
            self.__init__(*positional, **named)

    def refuse(self: Any, name: str, *value: Any) -> None:
        pending.generate()
        (setattr if value else delattr)(self, name, *value)

    return {
        "__dataclass_fields__": pending,
        "__init__": initialize,
        "__setattr__": refuse,
        "__delattr__": refuse,
        **_make_readers(pending),
    }


def _make_readers(pending: _Pending) -> dict[str, Any]:
    """Return the functions that do not change a value, and the one that restores it."""

    def save(self: Any) -> list[Any]:
        return list(pending.read(self))

    def restore(self: Any, state: list[Any]) -> None:
        pending.write(self, dict(zip(pending.names, state, strict=True)))

    def compare(self: Any, other: object) -> Any:
        if not pending.is_rare("__eq__"):
            pending.generate(repr=False)
            return self.__eq__(other)
        if other.__class__ is not self.__class__:
            return NotImplemented
        return pending.read(self) == pending.read(other)

    def hash_value(self: Any) -> int:
        if not pending.is_rare("__hash__"):
            pending.generate(repr=False)
            return hash(self)
        return hash(pending.read(self))

    def describe(self: Any) -> str:
        if not pending.is_rare("__repr__"):
            pending.generate(eq=False)
            return repr(self)
        values = zip(pending.names, pending.read(self), strict=True)
        return f"{self.__class__.__qualname__}({', '.join(f'{n}={v!r}' for n, v in values)})"

    return {
        "__getstate__": save,
        "__setstate__": restore,
        "__eq__": compare,
        "__hash__": hash_value,
        "__repr__": describe,
    }


def _generate(original: type, options: dict[str, Any]) -> type:
    from dataclasses import dataclass as generate  # noqa: PLC0415 - slow to import

    return generate(**options)(original)
