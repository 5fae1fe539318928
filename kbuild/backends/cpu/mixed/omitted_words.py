"""Insert words that nvcc does without.

- ``template`` before member templates: in ``c.f<true>(x)`` and ``C<T>::f<true>(x)``, where the type
  of ``c`` and ``T`` depend on a template parameter, C++ takes ``<`` for an operator. The word is
  also allowed where nothing depends on one.
- ``struct`` before the name of an outer class: in ``struct A { using pair = pair<int>; };``, g++
  says that the declaration changes the meaning of ``pair``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.model import Edit
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit

_ACCESS: Final = (".", "->")
_BEFORE_DESIGNATORS: Final = ("{", ",")
_CLASS_KEYS: Final = ("struct", "class", "union")
_ATTRIBUTES: Final = ("alignas", "__attribute__", "__declspec__")


def insert_omitted_words(code: Unit) -> Iterator[Edit]:
    """Yield the edits that insert the words."""
    templates = ((index, "template") for index in _list_member_templates(code))
    for index, word in (*templates, *_list_outer_classes(code)):
        start = code.starts[index]
        yield Edit(start=start, end=start, text=f"{word} ")


def _list_member_templates(code: Unit) -> Iterator[int]:
    """Yield the names of member templates.

    A member can be compared only if it is an object, and then a declaration in the text has another
    token than ``<`` or ``(`` after its name.
    """
    names: dict[str, list[int]] = {}
    for index in (*code.find(_ACCESS), *_list_qualified(code)):
        name = code.get(index + 1)
        if name.isidentifier() and name != "operator" and code.get(index + 2) == "<":
            names.setdefault(name, []).append(index + 1)
    for name, places in names.items():
        if all(_can_be_function(code, index) for index in code.find((name,))):
            yield from places


def _list_outer_classes(code: Unit) -> Iterator[tuple[int, str]]:
    """Yield the names of classes that get another meaning where they stand, and their keys."""
    for index in code.find(("using",)):
        name = code.get(index + 1)
        words = code.words[index + 2 : index + 5]
        if words not in (["=", name, "<"], ["=", name, ";"]):
            continue
        if _find_kind(code, index) == "class" and (key := _find_class_key(code, name)):
            yield index + 3, key


def _find_kind(code: Unit, index: int) -> str:
    around = find_scopes(code).around(code.starts[index])
    return around[-1].kind if around else "namespace"


def _find_class_key(code: Unit, name: str) -> str:
    """Return the key of the classes with a name; nothing if other types have the name, too."""
    keys = set()
    for index in code.find((name,)):
        key = _find_word_before(code, index)
        before = code.get(key)
        if before in _CLASS_KEYS and code.get(key - 1) not in ("<", ",", "enum"):
            keys.add(before)
        elif before == "enum" or (before == "using" and _find_kind(code, index) == "namespace"):
            return ""
    return keys.pop() if len(keys) == 1 else ""


def _find_word_before(code: Unit, index: int) -> int:
    """Return the index of the word before a name and attributes."""
    index -= 1
    while code.get(index) in (")", "]") and index in code.partners:
        index = code.partners[index] - 1
        index -= code.get(index) in _ATTRIBUTES
    return index


def _list_qualified(code: Unit) -> Iterator[int]:
    """Yield the colons behind template arguments in bodies: declarations cannot have the word."""
    for index in code.find(("::",)):
        if code.get(index - 1) == ">":
            around = find_scopes(code).around(code.starts[index])
            if around and around[-1].kind == "block":
                yield index


def _can_be_function(code: Unit, index: int) -> bool:
    """Return whether nothing at this mention of a name shows that it is an object or a type."""
    before = code.get(index - 1)
    is_designator = before == "." and code.get(index - 2) in _BEFORE_DESIGNATORS
    if before in ("::", "template", *_ACCESS) and not is_designator:
        return True
    return not is_designator and code.get(index + 1) in ("<", "(")
