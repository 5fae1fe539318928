"""The contents of the files from which edges read flags, with generator expressions for CMake.

CMake expands them when the project is complete, because the properties of the target and its
dependencies can change until then. `kbuild.stages.target.read_flags` reads the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.calls.record import CallRecord


def describe_device_flags(call: KernelCall) -> str:
    """Return the flags for device code.

    They are those of the build type and the keywords, and the include directories and definitions
    of the target and its dependencies. ``CMAKE_<LANG>_FLAGS`` are only for host code.
    """
    record, settings = call.record, call.settings
    include_directories = f"$<TARGET_PROPERTY:{call.target},INCLUDE_DIRECTORIES>"
    definitions = f"$<TARGET_PROPERTY:{call.target},COMPILE_DEFINITIONS>"
    options = (*settings.compile_options, *record.find_all("KBUILD_DEVICE_FLAGS"))
    lines = (
        *_list_build_options(record, call.language, "build_option"),
        # Without a build type, kernels are optimized, because device compilers do that by default.
        "$<$<CONFIG:>:build_option -O2\n>",
        *_list_values("option", options),
        *_list_values("include_directory", (*settings.include_directories, include_directories)),
        *_list_values("definition", (*settings.definitions, definitions)),
        *(_list_export_macro(call.target) if call.is_mixed else ()),
    )
    return "".join(lines)


def describe_host_flags(call: KernelCall) -> str:
    """Return the flags for device code, and the options of the project for its C++ sources.

    The options can define macros.
    """
    record, target = call.record, call.target
    preset = f"$<TARGET_PROPERTY:{target},CXX_VISIBILITY_PRESET>"
    inlines = f"$<TARGET_PROPERTY:{target},VISIBILITY_INLINES_HIDDEN>"
    options = (*record.find_all("CMAKE_CXX_FLAGS"), f"$<TARGET_PROPERTY:{target},COMPILE_OPTIONS>")
    lines = (
        *_list_build_options(record, "CXX", "host_option"),
        *_list_values("host_option", options),
        # A backend can compile the host text itself.
        f"$<$<BOOL:{preset}>:host_option -fvisibility={preset}\n>",
        f"$<$<BOOL:{inlines}>:host_option -fvisibility-inlines-hidden\n>",
    )
    return describe_device_flags(call) + "".join(lines)


def describe_libraries(call: KernelCall) -> str:
    """Return the plans of libraries, and the files, whose device code the target links."""
    return "".join(
        f"{key} $<JOIN:{read_late(call.target, name)},\n{key} >\n"
        for key, name in (
            ("plan", "_KBUILD_LINKED_PLANS"),
            ("file", "_KBUILD_LINKED_FILES"),
            ("call", "_KBUILD_RELOCATABLE_CALLS"),
        )
    )


def read_late(target: str, name: str) -> str:
    """Return a generator expression for a property that itself contains some."""
    return f"$<TARGET_GENEX_EVAL:{target},$<TARGET_PROPERTY:{target},{name}>>"


def _list_build_options(record: CallRecord, language: str, key: str) -> Iterator[str]:
    """List the options of the build types."""
    names = ("CMAKE_CONFIGURATION_TYPES", "CMAKE_BUILD_TYPE")
    for configuration in dict.fromkeys(word for name in names for word in record.find_all(name)):
        for option in record.find_all(f"CMAKE_{language}_FLAGS_{configuration.upper()}"):
            yield f"$<$<CONFIG:{configuration}>:{key} {option}\n>"


def _list_values(key: str, values: Iterable[str]) -> Iterator[str]:
    """List values, and the items that generator expressions expand to."""
    for value in values:
        # $<JOIN> would split other values at a comma.
        yield f"{key} $<JOIN:{value},\n{key} >\n" if "$<" in value else f"{key} {value}\n"


def _list_export_macro(target: str) -> Iterator[str]:
    """List the macro that CMake defines for the objects of a target that exports symbols."""
    kind = f"$<TARGET_PROPERTY:{target},TYPE>"
    symbol = f"$<TARGET_PROPERTY:{target},DEFINE_SYMBOL>"
    exports = f"$<BOOL:$<TARGET_PROPERTY:{target},ENABLE_EXPORTS>>"
    program = f"$<AND:$<STREQUAL:{kind},EXECUTABLE>,{exports}>"
    libraries = ",".join(f"$<STREQUAL:{kind},{name}_LIBRARY>" for name in ("SHARED", "MODULE"))
    yield (
        f"$<$<OR:{libraries},{program}>:definition "
        f"$<IF:$<BOOL:{symbol}>,{symbol},{make_c_identifier(target + '_EXPORTS')}>\n>"
    )


def make_c_identifier(name: str) -> str:
    """Return what CMake's ``string(MAKE_C_IDENTIFIER)`` makes of a name."""
    text = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return f"_{text}" if text[:1].isdigit() else text
