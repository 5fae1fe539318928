"""Find host code in preprocessed kernel sources, which device compilers would silently drop.

This is about functions and variables with external linkage that the source file itself defines.
Headers can define what they like.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Final, Literal

from kbuild.cxx.source.declarations import CLASS_KEYS, Item, divide_declarations
from kbuild.cxx.source.locals import read_local
from kbuild.cxx.source.names import find_function_name, skip_angles, skip_group
from kbuild.cxx.source.tokens import UnclearTextError, split_source
from kbuild.values import dataclass

_MARKER: Final = re.compile(rb'^#(?: |line )(\d+)(?: "((?:\\.|[^"\\\n])*)".*)?$', re.MULTILINE)
_WORD: Final = re.compile(rb'"hidden"|[\w$]+|=')
_ATTRIBUTES: Final = frozenset(
    b"__attribute__ __attribute __declspec __location__ alignas __launch_bounds__ __cluster_dims__"
    b" __block_size__ __maxnreg__ __align__".split()
)
# Device code, as the attributes that the qualifiers expand to and as kbuild's own names for them.
# The CPU backend uses visibility and sections.
_DEVICE: Final = re.compile(
    rb"KBUILD_KERNEL|__(?:kbuild_)?(?:device|global|constant|shared|managed)__|device|global|constant|shared|managed"
    rb'|__device_builtin__|"hidden"|patchable_function_entry|section'
)
# Functions with these words have no external linkage, or are compiled where they are used.
_LOCAL: Final = frozenset(
    b"static inline __inline __inline__ constexpr consteval template typedef using friend extern"
    b" thread_local __thread static_assert asm __asm__ _Static_assert namespace concept".split()
)

_LAUNCH: Final = b"<<<"
_LAUNCHING_DEVICE: Final = frozenset((b"__global__", b"__device__"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCode:
    """A function or variable of the host."""

    kind: Literal["function", "variable"]
    name: str
    line: int


def needs_host_pass(source: bytes) -> bool:
    """Return whether a source, which is not preprocessed, contains code for the host.

    That is a function or variable with external linkage, or a launch outside of device code. The
    launches of kernels by kernels are device code.
    """
    if _LAUNCH not in source:
        return find_host_code(source) is not None
    try:
        tokens = split_source(source)
    except UnclearTextError:
        return True
    items = divide_declarations(tokens)
    return find_host_code(source) is not None or any(
        _LAUNCH in tokens.words[item.start : item.stop]
        and _LAUNCHING_DEVICE.isdisjoint(tokens.words[item.start : item.body])
        for item in items
        if item.kind != "directive"
    )


def find_host_code(text: bytes) -> HostCode | None:
    """Return the first host function or variable that the source defines; None if there is none.

    Args:
        text: The preprocessed source. Its first line marker names the source. Without markers, it
            is the source itself, in which macros are not expanded.
    """
    own, lines = _select_own(text)
    try:
        tokens = split_source(own)
    except UnclearTextError:  # a header opens a brace
        return None
    items = divide_declarations(tokens)
    exempt = {_identify(tokens.words, item) for item in items if _is_exempt(tokens.words, item)}
    for item in items:
        name = _find_name(tokens.words, item)
        if not name or _identify(tokens.words, item) in exempt:
            continue
        parameters = _count_parameters(tokens.words[item.start : item.body])
        if b"::" in name and _is_member_of_device_code(text, name, parameters):
            continue
        position = tokens.starts[item.start]
        start, line = lines[bisect_right(lines, (position, len(own))) - 1]
        return HostCode(
            kind="function" if item.kind == "function" else "variable",
            name=b"::".join((*item.scopes, name)).decode(errors="replace"),
            line=line + own.count(b"\n", start, position),
        )
    return None


def _is_exempt(words: list[bytes], item: Item) -> bool:
    """Return whether a declaration makes a function local, inline, or device code."""
    if item.kind not in ("function", "other"):
        return False
    head, attributes = _split_attributes(words[item.start : item.body or item.stop])
    before = head[: _find_list(head)]
    return any(w in _LOCAL - {b"extern"} or _DEVICE.fullmatch(w) for w in (*before, *attributes))


def _identify(words: list[bytes], item: Item) -> tuple[tuple[bytes, ...], bytes, int]:
    """Return what tells functions apart: the scope, the name, and the number of parameters."""
    head, _ = _split_attributes(words[item.start : item.body or item.stop])
    return item.scopes, find_function_name(head), _count_parameters(head)


def _select_own(text: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the source's own lines, and (position, line) of each part between line markers.

    For speed, the megabytes of headers are only searched for the source's name.
    """
    first = _MARKER.match(text)
    if first is None:
        return text, [(0, 1)]
    parts: list[bytes] = []
    lines: list[tuple[int, int]] = []
    size, quoted = 0, b' "%b"' % first[2]
    marker: re.Match[bytes] | None = first
    while marker is not None:
        following = _find_marker(text, marker.end(), b"\n#")
        part = text[marker.end() + 1 : following.start() if following else len(text)]
        lines.append((size, int(marker[1])))
        parts.append(part)
        size += len(part)
        if following is None or following[2] in (None, first[2]):
            marker = following
        else:
            marker = _find_marker(text, following.end(), quoted)
    return b"".join(parts), lines


def _find_marker(text: bytes, position: int, needle: bytes) -> re.Match[bytes] | None:
    """Return the next line marker that contains ``needle``, from the end of a marker on."""
    while (hit := text.find(needle, position)) >= 0:
        line = hit + 1 if needle[:1] == b"\n" else text.rfind(b"\n", 0, hit) + 1
        if marker := _MARKER.match(text, line):
            return marker
        position = hit + len(needle)
    return None


def _find_name(words: list[bytes], item: Item) -> bytes:
    """Return the name of the host function or variable that an item defines; else empty."""
    if item.in_class or b"" in item.scopes or item.kind not in ("function", "other"):
        return b""
    head, _ = _split_attributes(words[item.start : item.body or item.stop])
    if not head or _is_exempt(words, item):
        return b""
    if item.kind == "function":
        return _name_function(head)
    is_type = head[0] in (*CLASS_KEYS, b"enum")
    return b"" if is_type or b"extern" in head[: _find_list(head)] else _name_variable(head)


def _find_list(head: list[bytes]) -> int:
    """Return the index of the parameters, or of what follows a variable's name."""
    return next((i for i, word in enumerate(head) if word in (b"(", b"=", b"{")), len(head))


def _split_attributes(words: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Separate attributes from the other words."""
    rest: list[bytes] = []
    attributes: list[bytes] = []
    index = 0
    while index < len(words):
        is_double = words[index : index + 2] == [b"[", b"["]
        if words[index] in _ATTRIBUTES and words[index + 1 : index + 2] == [b"("]:
            end = skip_group(words, index + 1)
        elif is_double:
            end = skip_group(words, index)
        else:
            rest.append(words[index])
            index += 1
            continue
        attributes += words[index:end]
        index = end
    return rest, attributes


def _name_function(head: list[bytes]) -> bytes:
    start = head.index(b"operator") if b"operator" in head else None
    if start is not None:
        stop = head.index(b"(", start + 2)
        return b"".join(head[start:stop])
    return _qualified(head, find_function_name(head))


def _qualified(head: list[bytes], name: bytes) -> bytes:
    """Add the classes and namespaces in front of the name of a function."""
    index = next((i for i, pair in enumerate(pairwise(head)) if pair == (name, b"(")), 0)
    while index > 1 and head[index - 1] == b"::":
        index -= 2
        name = b"%b::%b" % (head[index], name)
    return name


def _name_variable(head: list[bytes]) -> bytes:
    words = head[:-1] if head[-1] == b";" else head
    local = read_local(words)
    before = words[: _find_list(words)]
    is_constant = b"const" in before and (b"*" not in before or before[-2:-1] == [b"const"])
    if local is None or b"(" in before or is_constant or words[_find_list(words) :][:1] == [b"("]:
        return b""
    return min(local.names, key=head.index, default=b"")


def _is_member_of_device_code(text: bytes, name: bytes, parameters: int) -> bool:
    """Return whether a class, in any file, declares a member function as device code or inline."""
    last = re.escape(name.rpartition(b"::")[2])
    for match in re.finditer(rb"(?<![\w.>:])%b\s*(?=\()" % last, text):
        start = max(text.rfind(end, 0, match.start()) for end in (b";", b"{", b"}")) + 1
        before = _WORD.findall(text[start : match.start()])
        stop = text.find(b";", match.end())
        words = split_source(_cut_list(text[match.end() : stop])).words
        is_special = any(word in _LOCAL or _DEVICE.fullmatch(word) for word in before)
        if is_special and b"=" not in before and _count_parameters(words) == parameters:
            return True
    return False


def _cut_list(text: bytes) -> bytes:
    """Return the parenthesized list at the start of a text; empty if it does not end."""
    depth = 0
    for match in re.finditer(rb"[()]", text):
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return text[: match.end()]
    return b""


def _count_parameters(head: list[bytes]) -> int:
    """Return the number of parameters in the first list; -1 if there is no list."""
    if b"(" not in head:
        return -1
    index = head.index(b"(")
    words = head[index + 1 : skip_group(head, index) - 1]
    count, index = int(words not in ([], [b"void"])), 0
    while index < len(words):
        if words[index] in (b"(", b"[", b"{"):
            index = skip_group(words, index)
        elif words[index] == b"<":
            index = skip_angles(words, index)
        else:
            count += words[index] == b","
            index += 1
    return count
