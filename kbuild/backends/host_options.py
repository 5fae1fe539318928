"""Select the options of C++ compilers that also apply to device code.

Both passes of a mixed source see one program. So every option of the host that means something to
a preprocessor reaches the preprocessor of the device pass, and every option that selects a dialect
of C++ or a layout of types reaches its compiler. Options for optimization, warnings, and debug
information apply only to the host.

Source: "Option Summary" in the manual of gcc 14, and the command line reference of clang 19.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Instrumentation that a program must be linked for, and options for the host linker.
_HOST_ONLY: Final = (
    *("-flto", "-ffat-lto", "-fwhole-program", "-fuse-linker-plugin", "-fsanitize"),
    *("-fprofile", "-fcoverage", "-ftest-coverage", "--coverage"),
)
_MACHINE: Final = "-m"
_CODE_GENERATOR: Final = "-mllvm"  # its argument is the next word

# Options that write depfiles. kbuild writes its own.
_DEPFILE: Final = re.compile(r"-M(?:M?D|M|G|P)?|-M[FTQ].*|-Wp,-M.*")
_WITH_ARGUMENT: Final = frozenset(("-MF", "-MT", "-MQ"))
# Options that change neither a preprocessed text nor its macros. With -g3, the text would contain
# directives.
_NOT_FOR_PREPROCESSOR: Final = re.compile(
    r"-g.*|-save-temps.*|-pipe|-f(?:no-)?lto(?:=.*)?|-f(?:no-)?fat-lto-objects|-std=.*|-ansi|-W[al],.*"
)
_WARNINGS: Final = re.compile(r"-w|-W(?!p,).*")
# Those that are followed by a word.
_PAIRS: Final = frozenset(
    (
        *(
            "-o",
            "-D",
            "-U",
            "-I",
            "-include",
            "-imacros",
            "-isystem",
            "-iquote",
            "-idirafter",
            "-iprefix",
        ),
        *("-isysroot", "-iwithprefix", "-iwithprefixbefore", "-B", "-Xclang", "-Xpreprocessor"),
        *("-Xassembler", "-Xlinker", "-mllvm", "-target", "-arch", "--param"),
    )
)
_CODE_ONLY: Final = frozenset(("-mllvm", "-Xassembler", "-Xlinker", "--param"))
# Options that change the layout of types or the meaning of a character, without a macro or beside
# one. A device compiler must do the same.
_LAYOUT: Final = re.compile(
    r"-f(?:no-)?(?:pack-struct(?:=\d+)?|short-enums|short-wchar)"
    r"|-f(?:no-)?(?:un)?signed-(?:char|bitfields)"
    r"|-m(?:no-)?(?:ms-bitfields|align-double|96bit-long-double|128bit-long-double)"
    r"|-mlong-double-\d+"
)
_DIALECT: Final = re.compile(
    r"-f(?:no-)?(?:abi-version=.*|(?:wide-)?exec-charset=.*|permissive|ms-extensions|ms-compatibility"
    r"|plan9-extensions|operator-names|gnu-keywords|ext-numeric-literals|char8_t|coroutines|concepts"
    r"|concepts-ts|aligned-new.*|aligned-allocation|sized-deallocation|blocks|declspec"
    r"|delayed-template-parsing|relaxed-template-template-args|new-ttp-matching|rtti|implicit-templates"
    r"|(?:template|constexpr|bracket)-(?:backtrace-limit|depth|loop-limit|ops-limit|cache-depth|steps)=.*)"
    r"|-stdlib=.*"
)
_STANDARD: Final = re.compile(r"-std=(?:c|gnu)\+\+(\w+)")
# The first ones of the names that drafts had, and the oldest standards.
_DRAFTS: Final = {"0x": 11, "1y": 14, "1z": 17, "2a": 20, "2b": 23, "2c": 26, "98": 3, "03": 3}


def select_build_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that control optimization, debug information, and the preprocessor.

    Options such as `-march` are left out, because ARCHITECTURES selects the machines that an
    image is for.
    """
    return tuple(
        option
        for option in options
        if not option.startswith(_HOST_ONLY)
        and (not option.startswith(_MACHINE) or option == _CODE_GENERATOR)
    )


def drop_instrumentation(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options without those that instrument a program."""
    return tuple(option for option in options if not option.startswith(_HOST_ONLY))


def group_words(options: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield each option with the word that follows it, if it takes one."""
    words = iter(options)
    for word in words:
        if word in _PAIRS or word in _WITH_ARGUMENT:
            yield (word, *((argument,) if (argument := next(words, None)) is not None else ()))
        else:
            yield (word,)


def select_preprocessor_options(
    options: tuple[str, ...], *, has_warnings: bool = False
) -> tuple[str, ...]:
    """Return the options that can change a preprocessed text, in their order.

    These are the macros, directories, and headers, and all options that can define a macro, such as
    ``-fopenmp`` and ``-O2``. The standard is not among them, because both passes have the one of
    their target.

    Args:
        options: The options of the host compiler.
        has_warnings: Whether to return the options for warnings, too.
    """
    return tuple(
        word
        for group in group_words(options)
        if not _DEPFILE.fullmatch(group[0])
        and not _NOT_FOR_PREPROCESSOR.fullmatch(group[0])
        and group[0] not in _CODE_ONLY
        and (has_warnings or not _WARNINGS.fullmatch(group[0]))
        for word in group
    )


def select_text_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that can change the text of a host pass, and those for warnings.

    The host compiler compiles the text with all options of the host. So it includes the headers of
    ``-include`` itself, and the text only needs their macros.
    """
    selected = select_preprocessor_options(options, has_warnings=True)
    return tuple(
        word
        for option, *arguments in group_words(selected)
        for word in ("-imacros" if option == "-include" else option, *arguments)
    )


def select_dialect_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that change which C++ a compiler reads, and how it lays out types."""
    return tuple(o for o in options if _LAYOUT.fullmatch(o) or _DIALECT.fullmatch(o))


def find_layout_option(options: tuple[str, ...]) -> str | None:
    """Return an option that makes types differ from those of nvcc's device code, or None.

    Of options that contradict each other, the last one counts.
    """
    last = {_name_choice(option): option for option in options if _LAYOUT.fullmatch(option)}
    defaults = ("-fno-", "-mno-", "-fsigned", "-m128bit", "-mlong-double-80")
    return next((o for o in last.values() if not o.startswith(defaults)), None)


def _name_choice(option: str) -> str:
    """Return a name that options have in common if the last one of them counts."""
    name = option.partition("=")[0].replace("-fno-", "-f").replace("-mno-", "-m")
    name = name.replace("unsigned-", "signed-").replace("96bit", "128bit")
    return re.sub(r"\d+$", "", name) if name.startswith("-mlong-double") else name


def select_machine_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that select a machine or its instructions, without those that deny any."""
    return tuple(
        option
        for option in options
        if option.startswith(_MACHINE)
        and not option.startswith(("-mno-", "-mtune=", _CODE_GENERATOR))
        and not _LAYOUT.fullmatch(option)
    )


def find_standard(options: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the last option for a C++ standard, and its year; None without such an option."""
    found = [match for option in options if (match := _STANDARD.fullmatch(option))]
    if not found:
        return None
    name = found[-1][1]
    year = _DRAFTS.get(name) or (int(name) if name.isdigit() else 0)
    return found[-1][0], year
