"""Declarations of the C and C++ API with their comments, from the public headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild_reference.markdown import escape, fence

# Where a name is looked up first; what differs by backend is read from the CPU's header.
_FIRST: Final = ("kbuild.hpp", "kbuild.h", "kernel.h", "module.h", "host_cpu.h")
_TRANSPARENT: Final = re.compile(r'\s*((inline\s+)?namespace\b[^;{]*|extern\s+"C")\s*\{\s*')
_RESERVED: Final = re.compile(r"\b__(?!VA_ARGS__|global__|attribute__|builtin)(?=[A-Za-z])")
# Macros differ by language and compiler: pages describe them in their own words.
_IGNORED: Final = re.compile(r"#|typedef\s+struct\s+\w+\s+\w+;")
_NOISE: Final = re.compile(
    r"__attribute__\s*\(\(.*?\)\)(?=\s|$)|\[\[gnu::\w+(?:,\s*gnu::\w+)*\]\]|"
    r"\b(?:static\s+inline|inline|constexpr\s+inline|static)\b",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One declaration with the comment above it."""

    name: str
    comment: str
    text: str
    namespace: str


def find_headers() -> list[Path]:
    """Return the public headers, those that are looked at first in front."""
    root = resources.native_directory() / "include" / "kbuild"
    headers = sorted(root.rglob("*.h*"))
    return sorted(headers, key=lambda path: (_rank(path), len(path.parts)))


def _rank(path: Path) -> int:
    if path.name in _FIRST:
        return _FIRST.index(path.name)
    return len(_FIRST) + (0 if "cpu" in path.name else 1)


@cache
def read_header(path: Path) -> tuple[Declaration, ...]:
    """Return the declarations of a header, in its order."""
    return tuple(_read(path.read_text(encoding="utf-8").splitlines()))


def render(argument: str, _body: str) -> str:
    """Render the declarations of a name, overloads together, and what the header says."""
    for path in find_headers():
        found = [item for item in read_header(path) if item.name == argument]
        if found:
            code = "\n".join(format_declaration(item) for item in found)
            comments = "\n\n".join(dict.fromkeys(c for item in found if (c := item.comment)))
            return fence("cpp", code) + "\n" + _format_comment(comments)
    raise ValueError(f"no public header declares {argument!r}")


def _format_comment(text: str) -> str:
    """Turn a comment into Markdown: lines indented by four become a code block."""
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        lines = part.splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            parts.append(fence("cpp", "\n".join(line[4:] for line in lines)))
        else:
            parts.append(escape(" ".join(line.strip() for line in lines)) + "\n")
    return "\n".join(parts)


def format_declaration(item: Declaration) -> str:
    """Format a declaration for readers: no bodies, no reserved names, no private members."""
    head, brace, body = item.text.partition("{")
    is_type = re.match(r"(?:template\s*<[^{]*>\s*)?(?:typedef\s+)?(?:struct|class|enum)\b", head)
    if not is_type or not brace:
        return _signature(item.text)
    if re.match(r"(typedef\s+)?enum\b", head):
        return _RESERVED.sub("", item.text)
    return _RESERVED.sub("", "\n".join([_clean(head) + " {", *_members(body), "};"]))


def _members(body: str) -> Iterator[str]:
    public = re.split(r"^\s*private:", body, flags=re.MULTILINE)[0]
    public = public.rstrip().removesuffix("};").removesuffix("}")
    public = re.sub(r"^\s*public:\s*$", "", public, flags=re.MULTILINE)
    for member in _read(public.splitlines()):
        if member.name.startswith("__"):
            continue
        if member.comment:
            yield from (f"    // {line}".rstrip() for line in member.comment.splitlines())
        code, remark = _split_remark(member.text)
        lines = _signature(code).splitlines()
        lines[-1] += f"  // {remark}" if remark else ""
        yield from (f"    {line}" for line in lines)


def _split_remark(text: str) -> tuple[str, str]:
    """Split a member and the comment that follows it on its line."""
    match = re.search(r"//(.*)$|/\*(.*?)\*/\s*$", text)
    return (text[: match.start()], (match[1] or match[2]).strip()) if match else (text, "")


def _signature(text: str) -> str:
    """Cut a function's body, and the initializers of a constructor."""
    depth = 0
    has_parameters = False
    for position, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            has_parameters = True
        elif depth == 0 and has_parameters:
            is_initializer = character == ":" and text[position - 1 : position + 2] == " : "
            if character == "{" or is_initializer or text[position - 1 :].startswith("\n    : "):
                text = text[:position]
                break
    return _RESERVED.sub("", f"{_clean(text).rstrip(';')};")


def _clean(text: str) -> str:
    text = _NOISE.sub("", text)
    lines = [re.sub(r"(?<=\S) {2,}(?!//)", " ", line).rstrip() for line in text.splitlines()]
    text = "\n".join(line for line in lines if line.strip())
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _read(lines: list[str]) -> Iterator[Declaration]:
    comment: list[str] = []
    spaces: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        stripped = line.strip()
        if not stripped:
            comment = []
            number += 1
        elif stripped.startswith(("//", "/*")):
            number, comment = _read_comment(lines, number)
        elif _TRANSPARENT.fullmatch(line):
            spaces.append(line.partition("{")[0].strip())
            comment, number = [], number + 1
        elif stripped.startswith("}") and spaces:
            spaces.pop()
            number += 1
        else:
            start = number
            number = _find_end(lines, start)
            text = "\n".join(lines[start:number])
            name = None if _IGNORED.match(stripped) else _find_name(text)
            if name and not any("detail" in space for space in spaces):
                yield Declaration(
                    name=name,
                    comment="\n".join(comment),
                    text=text.strip(),
                    namespace=spaces[-1] if spaces else "",
                )
            comment = []


def _read_comment(lines: list[str], number: int) -> tuple[int, list[str]]:
    """Return the line after a comment, and its text."""
    text: list[str] = []
    if lines[number].strip().startswith("//"):
        while number < len(lines) and lines[number].strip().startswith("//"):
            text.append(re.sub(r"^\s*///?<? ?", "", lines[number]))
            number += 1
        return number, text
    while number < len(lines):
        line = lines[number]
        text.append(re.sub(r"^\s*(/\*\*?| \*(?!/)|\*(?!/)) ?|\s*\*/.*$", "", line))
        number += 1
        if "*/" in line:
            break
    return number, [line for line in text if line is not None]


def _find_end(lines: list[str], number: int) -> int:
    """Return the line after the declaration that starts at ``number``."""
    if lines[number].lstrip().startswith("#"):
        while lines[number].endswith("\\"):
            number += 1
        return number + 1
    depth = 0
    has_block = False
    while number < len(lines):
        code = re.sub(r'"(\\.|[^"\\])*"|//.*|/\*.*?\*/', "", lines[number])
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
        has_block |= "{" in code
        number += 1
        end = code.rstrip()
        if depth <= 0 and (end.endswith(";") or (has_block and end.endswith("}"))):
            break
    return number


def _find_name(text: str) -> str | None:
    patterns = (
        r"#\s*define\s+(\w+)",
        r"(?:template\s*<.*?>\s*)?(?:enum|struct|class)\s+(?:class\s+)?(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?[{:]",
        r"(?:class)\s+\[\[\w+\]\]\s+(\w+)",
        r"using\s+(\w+)\s*=",
        r"typedef\s+[^;{]*?\b(\w+)\s*;",
    )
    for pattern in patterns:
        match = re.match(pattern, text.strip(), re.DOTALL)
        if match:
            return match[1]
    head = _NOISE.sub(" ", text.partition("{")[0])
    head = re.sub(r"^\s*template\s*<.*?>\s*(?=[\w\[])", "", head, count=1, flags=re.DOTALL)
    if pointer := re.match(r"[\w\s*]*\(\*\s*(\w+)\s*\)\s*\(", head):
        return pointer[1]
    match = re.search(r"(~?\w+|operator\s*\w+)\s*\(", head)
    if match:
        return match[1]
    match = re.search(r"(\w+)\s*(?:=[^;]*|\[[^\]]*\])?;", head + (";" if "{" in text else ""))
    return match[1] if match else None
