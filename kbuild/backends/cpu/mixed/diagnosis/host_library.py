"""Find the functions of the C and C++ libraries that device code cannot call with nvcc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.diagnosis.functions import Function, find_functions
from kbuild.cxx.lines import locate
from kbuild.cxx.unit import Unit

# Source: a trial of each name with nvcc 13.5, which says that it is undefined in device code.
_C_NAMES: Final = frozenset(
    (
        *("abort", "atexit", "exit", "_Exit", "getenv", "quick_exit", "system"),
        *("atof", "atoi", "atol", "atoll", "strtod", "strtof", "strtol", "strtoul"),
        *("drand48", "rand", "random", "srand", "srandom"),
        *("aligned_alloc", "calloc", "realloc", "bsearch", "qsort"),
        *("fclose", "fflush", "fgets", "fopen", "fprintf", "fputc", "fputs", "fread", "fscanf"),
        *("fwrite", "getchar", "perror", "putchar", "puts", "remove", "rename", "scanf"),
        *("snprintf", "sprintf", "sscanf", "vprintf", "vsnprintf"),
        *("memcmp", "memmove", "strcasecmp", "strcat", "strcmp", "strcpy", "strdup", "strerror"),
        *("strlen", "strncat", "strncmp", "strncpy", "strtok", "tolower", "toupper"),
        *("isalnum", "isalpha", "isdigit", "islower", "ispunct", "isspace", "isupper"),
        *("clock_gettime", "difftime", "gettimeofday", "gmtime", "localtime", "mktime"),
        *("nanosleep", "sleep", "strftime", "time", "usleep"),
        *("close", "getpid", "open", "pthread_create", "read", "write"),
    )
)
# Headers of libstdc++ whose functions have no device code, apart from those that are constexpr.
_HEADER: Final = re.compile(
    r".*/bits/(?:stl_\w+|move|basic_string|std_function|unique_ptr|shared_ptr\w*"
    r"|unordered_(?:map|set)|forward_list|random)\.h"
    r"|.*/(?:bits/)?ostream(?:\.h)?"
)
_STREAM: Final = ("basic_ostream", "operator<<", "endl")
_ALIASES: Final = {
    "string": ("basic_string",),
    **dict.fromkeys(("cout", "cerr", "clog"), _STREAM),
}


def find_library_functions(code: Unit, indices: tuple[range, ...]) -> Iterator[Function]:
    """Yield the functions of libraries that some tokens can name."""
    words = {code.words[i] for part in indices for i in part}
    for function in find_functions(code, words & _C_NAMES):
        if not any(function.owner) and locate(code.text, function.start).is_system:
            yield function
    names = {code.words[i] for part in indices for i in part if _is_standard(code, i)}
    names = {each for name in names for each in _ALIASES.get(name, (name,))}
    for function in find_functions(code, names | _list_members(code, names)):
        is_named = function.name in names and function.owner[-1:] != (function.name,)
        if function.owner[:1] != ("std",) or function.space != "host":
            continue
        if (is_named or names & {*function.owner}) and _is_in_header(code, function):
            yield function


def _is_standard(code: Unit, index: int) -> bool:
    """Return whether a token is a name in ``std``, and not in ``cuda::std``."""
    is_name = code.words[index].isidentifier() and code.get(index - 1) == "::"
    return is_name and code.get(index - 2) == "std" and code.get(index - 3) != "::"


def _list_members(code: Unit, names: set[str]) -> set[str]:
    """Return what can be names of member functions of the classes with some names."""
    members: set[str] = set()
    for index in code.find(names):
        if code.get(index - 1) in ("class", "struct"):
            end = code.find_declaration_end(index) or index
            close = code.partners.get(end - 1, end)
            if code.get(end - 1) == "{":
                members.update(code.words[i] for i in range(end, close) if code.get(i + 1) == "(")
                members.add("operator")
    return {word for word in members if word.isidentifier()}


def _is_in_header(code: Unit, function: Function) -> bool:
    return _HEADER.fullmatch(locate(code.text, function.start).file) is not None
