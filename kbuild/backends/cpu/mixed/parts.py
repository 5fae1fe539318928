"""Select the parts of the device language that a source uses.

The prelude declares CUDA's device language and host API, and includes what the headers of nvcc
include. Compilers and kbuild need longer to read all of it than to read most kernels, so the
backend leaves out parts. A part remains if the source, a header of the project, or an option
mentions one of its names. If kbuild cannot know which names there are, all parts remain. Headers of
the device language that a source includes contain what they need.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kbuild import files, resources
from kbuild.backends.cpu.toolchain import NAME
from kbuild.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.interface.build import CompileUnit
    from kbuild.backends.interface.mixed import HostUnit

# The words of the language, and the names that no part declares.
_ALWAYS: Final = re.compile(
    r"__(?:global|device|host|constant|managed|shared|launch_bounds|grid_constant|forceinline|noinline|"
    r"inline|restrict|align|attribute|CUDACC|CUDA_ARCH|NVCC|FILE|LINE|FUNCTION|func|GNUC|clang)__"
    r"|__(?:inline|restrict|func|cplusplus)|__syncthreads(?:_count|_and|_or)?|__nanosleep"
    r"|__threadfence(?:_block|_system)?"
)
_RESERVED: Final = re.compile(r"\b__\w+")
_WARP: Final = re.compile(
    r"__(?:shfl(?:_up|_down|_xor)?|any|all|ballot|match_any|match_all|reduce_\w+|uni)_sync"
    r"|__activemask|__syncwarp"
)
_ATOMICS: Final = re.compile(
    r"\batomic[A-Z]|\b__nv_atomic|\b__NV_|\b__(?:ld(?:g|c[agsv]|lu)|st(?:wb|cg|cs|wt))\b"
)
# What namespace std has from the C library, in headers that are short. <cmath> overloads `abs`, and
# so it is not one of these names.
_C_NAMES: Final = (
    r"(?:(?:nullptr|ptrdiff|size|max_align|u?int(?:(?:_least|_fast)?(?:8|16|32|64)|max|ptr))_t"
    r"|v?f?printf|v?sn?printf|f?puts|f?putc|putchar|perror|FILE|f(?:open|close|flush|read|write|seek|gets|getc|eof)"
    r"|ftell|rewind|getc|getchar|remove|rename|sscanf"
    r"|mem(?:cpy|move|set|cmp|chr)|str(?:len|n?cmp|n?cpy|n?cat|r?chr|str|tok|error|spn|cspn|pbrk)"
    r"|malloc|calloc|realloc|free|abort|_?exit|_Exit|quick_exit|atexit|at_quick_exit|getenv|system"
    r"|ato(?:i|f|l|ll)|strto(?:l|ll|ul|ull|d|f|ld)|s?rand|qsort|bsearch)\b"
)
# `new` also with a place, which needs <new>. A list without a type is a std::initializer_list.
_LIBRARY: Final = re.compile(
    rf"\bstd\b(?!::{_C_NAMES})"
    r"|\bnew\s*\(|_GLIBCXX|_LIBCPP|\b__cpp_lib_"
    r"|\bauto\b[^;(){}]*=\s*\{|\bfor\s*\([^;(){}]*:\s*\{"
)
# How the names of <math.h> and of CUDA's functions for floating-point numbers start.
_MATH: Final = re.compile(
    r"\b(?:abs|a?(?:sin|cos|tan)|canon|r?cbrt|ceil|compound|copysign|cyl_|[df](?:add|div|fma|mul|sqrt|sub)|"
    r"double_t|drem|erf|exp|f32|f64|fabs|fdi|fini|float_t|floor|fm|fp|frexp|u?from|[lt]?gamma|[gs]etpay|HUGE|"
    r"r?hypot|INF|is(?:can|eq|fin|gre|inf|les|nan|nor|sig|sub|unord|zero)|[jy][01n]|ldexp|l?log|ilogb|"
    r"l?l?r(?:int|ound)|M_|MATH|math_|MAXFLOAT|mod|S?NAN|nan|near|next|r?norm|pow|rem|root|r?sqrt|scal|sign|"
    r"total|trunc|FP_)"
)
# Those that do not start with two underscores.
_INTRINSICS: Final = re.compile(r"\bcuda(?:Graph|Grid|Trigger)")
_TEXTURES: Final = re.compile(r"\b(?:tex|surf)|cuda(?:Texture|Surface|Boundary)")
# The rest of the host API: arrays, textures, pools, graphs, and functions that do not exist here.
_API: Final = re.compile(
    r"\bcuda(?:\w*(?:Array|Async(?:Register|Unregister)|Batch|Captur|Channel|Driver[EF]|Export|External|Graph|Handle|"
    r"Ipc|Jit|KernelSet|Libr|Logs|MemPool|MemRange|Mipmap|NodeP|Notif|NvSci|Pool|Surf|Tex|UserObj|Capabil|FlushGPU|"
    r"Function_t|GetFuncBy|ViewDesc|MemcpyAttr|MemsetParams)|MallocAsync|FreeAsync)"
    r"|\bcu[A-Z]|\bcuda\.h\b"  # the driver API
)
# Macros can make any name of two parts, and a statement of PTX can become any function. kbuild does
# not look for the next header of a name.
_OBSCURE: Final = re.compile(r"##|\b(?:__)?asm\b|\bhip|\binclude_next\b")
PARTS: Final = ("LIBRARY", "MATH", "WARP", "ATOMICS", "INTRINSICS", "TEXTURES", "API")

# Also in a comment, which can select a part that the source does not use.
_INCLUDE: Final = re.compile(
    r"(?:#|%:)(?:[ \t]|\\\n|/\*.*?\*/)*(?:include|import)\b"
    r"""(?:[ \t]|/\*.*?\*/)*(?:(["<])([^">\n]+)[">])?"""
)
# Headers of the C library and of POSIX. Those of the C++ library have no suffix.
_C_HEADER: Final = re.compile(
    r"(?:alloca|assert|ctype|errno|fcntl|fenv|float|getopt|inttypes|libgen|limits|locale|malloc|math|pthread|"
    r"setjmp|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|strings|time|unistd|wchar|sys/\w+)\.h"
)
# kbuild's headers, but not those that change headers of CCCL, which use all parts.
_OWN: Final = re.compile(r"[^/]+$|cooperative_groups/|kbuild/")
# Options that include files, or that change where headers are found.
_HEADER_OPTIONS: Final = ("-I", "-i", "-X", "-Wp", "-nostd", "--", "@", "-stdlib")
_MOST_FILES: Final = 64


def list_part_options(unit: CompileUnit | HostUnit, options: tuple[str, ...]) -> Iterator[str]:
    """Yield the options that leave out the parts that the source of a pass does not use.

    Args:
        unit: The pass.
        options: The options of the pass, without the target's macros and directories.
    """
    directories = tuple(map(Path, unit.include_directories))
    used = _find_parts(unit.source, directories, (*options, *unit.definitions))
    yield from (f"-DKBUILD_WITHOUT_{part}" for part in PARTS if part not in used)


def _find_parts(
    source: Path, directories: tuple[Path, ...], options: tuple[str, ...]
) -> frozenset[str]:
    """Return the parts that a source uses; all of them if kbuild does not know."""
    if any(option.startswith(_HEADER_OPTIONS) for option in options):
        return frozenset(PARTS)
    spoken = (option for option in options if not option.startswith("-std="))
    used = set(select_parts("\n".join(spoken)))
    pending, known = [source], {source}
    while pending:
        path = pending.pop()
        try:
            text = files.read_file(path).decode(errors="replace")
        except InputError:
            return frozenset(PARTS)
        used |= select_parts(text)
        for quote, name in _INCLUDE.findall(text):
            found = _find_header(name, quote, path.parent, directories)
            if found is None or len(known) > _MOST_FILES:
                return frozenset(PARTS)
            if found != Path() and found not in known:
                known.add(found)
                pending.append(found)
        if len(used) == len(PARTS):
            break
    return frozenset(used)


def select_parts(text: str) -> frozenset[str]:
    """Return the parts of the device language that declare names of a text."""
    if _OBSCURE.search(text):
        return frozenset(PARTS)
    patterns = {
        "LIBRARY": _LIBRARY,
        "MATH": _MATH,
        "ATOMICS": _ATOMICS,
        "INTRINSICS": _INTRINSICS,
        "TEXTURES": _TEXTURES,
        "API": _API,
    }
    used = {part for part, pattern in patterns.items() if pattern.search(text)}
    for name in set(_RESERVED.findall(text)):
        if _ALWAYS.fullmatch(name):
            continue
        if _WARP.fullmatch(name):
            used.add("WARP")
        elif not _ATOMICS.match(name):
            used |= {"INTRINSICS", "MATH"}
    return frozenset(used)


def _find_header(
    name: str, quote: str, directory: Path, directories: tuple[Path, ...]
) -> Path | None:
    """Return the file of a header of the project; an empty path for a header that needs no part.

    None means that kbuild does not know the header.
    """
    native = resources.native_directory()
    own = (native / "device" / NAME, native / "include")
    for place in (*((directory,) if quote == '"' else ()), *own, *directories):
        if (place / name).is_file():
            return place / name if place not in own else Path() if _OWN.match(name) else None
    return Path() if name.isidentifier() or _C_HEADER.fullmatch(name) else None
