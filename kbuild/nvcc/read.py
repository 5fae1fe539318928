"""Read a command line of nvcc into an invocation."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, cast

from kbuild.errors import ConfigurationError
from kbuild.nvcc.architectures import read_images
from kbuild.nvcc.invocation import DependencyFile, Invocation
from kbuild.nvcc.phases import check_architectures, check_inputs, choose_phase, read_inputs
from kbuild.nvcc.words import CommandLine, GivenOption, divide

# The warnings of -Werror that the host compiler knows as well.
_HOST_ERRORS: Final = {
    "all-warnings": "-Werror",
    "deprecated-declarations": "-Werror=deprecated-declarations",
}
_HOST_SPELLINGS: Final = {"--profile": "-pg", "--no-exceptions": "-fno-exceptions"}
_PREPROCESSOR: Final = {
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
}
_PER_THREAD: Final = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"
_DEPENDENCIES: Final = (
    "--generate-dependencies",
    "--generate-nonsystem-dependencies",
    "--generate-dependencies-with-compile",
    "--generate-nonsystem-dependencies-with-compile",
)
_HIGHEST_LEVEL: Final = 3


def read_invocation(words: Sequence[str], environment: Mapping[str, str]) -> Invocation:
    """Read the words after the program's name.

    Args:
        words: The words.
        environment: The variables of the environment, of which ``NVCC_PREPEND_FLAGS`` and
            ``NVCC_APPEND_FLAGS`` contain more words.

    Raises:
        ConfigurationError: nvcc would reject the command line, or kbuild does not support it.
    """
    line = divide(words, environment)
    given = _Given(line)
    if given.has("--version") or given.has("--help"):
        return Invocation(
            asks_for_version=given.has("--version"), asks_for_help=given.has("--help")
        )
    for one in line.options:
        _check(one)
    phase = choose_phase(line.options)
    output = given.find_path("--output-file")
    invocation = Invocation(
        phase=phase,
        inputs=read_inputs(
            line.inputs, given.find("--x"), phase, is_relocatable=given.is_relocatable()
        ),
        output=output,
        output_directory=given.find_path("--output-directory"),
        architectures=tuple(dict.fromkeys(image.name for image in read_images(line.options))),
        relocatable=given.is_relocatable(),
        preprocessor=tuple(_list_preprocessor_options(line.options, given)),
        standard=(given.find("--std") or "").removeprefix("c++") or None,
        optimization=_read_level(given),
        has_debug=given.has("--debug"),
        device_options=tuple(_list_device_options(line.options)),
        host_options=tuple(_list_host_options(line, given)),
        libraries=given.list_values("--library"),
        library_directories=given.list_values("--library-path"),
        linker_options=_list_linker_options(given, line.to_linker),
        device_linker_options=_list_tool_options(given, "--nvlink-options"),
        archiver_options=_list_tool_options(given, "--archive-options"),
        is_shared=given.has("--shared"),
        links_device_code=not given.has("--no-device-link"),
        runtime=cast("Literal['static', 'shared', 'none']", given.find("--cudart") or "static"),
        host_compiler=given.find("--compiler-bindir"),
        dependencies=_read_dependencies(given, output if phase == "dependencies" else None),
        jobs=given.find_number("--threads", 1),
        kept=_read_kept(given),
        is_verbose=given.has("--verbose") or given.has("--verbose2"),
        is_dry_run=given.has("--dryrun"),
        backend=given.find("--backend"),
    )
    check_inputs(invocation)
    check_architectures(invocation)
    return invocation


class _Given:
    """The options of a command line by name."""

    def __init__(self, line: CommandLine) -> None:
        self._by_name: dict[str, list[GivenOption]] = {}
        for one in line.options:
            self._by_name.setdefault(one.option.name, []).append(one)

    def has(self, name: str) -> bool:
        return name in self._by_name

    def find(self, name: str) -> str | None:
        """Return the value of an option, of which the last one counts."""
        found = self._by_name.get(name)
        return found[-1].value if found else None

    def find_path(self, name: str) -> Path | None:
        value = self.find(name)
        return Path(value) if value else None

    def find_number(self, name: str, default: int) -> int:
        value = self.find(name)
        return default if value is None else int(value, 0)

    def list_values(self, name: str) -> tuple[str, ...]:
        return tuple(value for one in self._by_name.get(name, ()) for value in one.split())

    def is_relocatable(self) -> bool:
        """Return whether device code is linked. nvcc links code that it optimizes later, too."""
        return (
            self.find("--relocatable-device-code") == "true"
            or self.has("--device-c")
            or self.has("--dlink-time-opt")
            or self.has("--lto")
        )


def _check(given: GivenOption) -> None:
    """Check an option that does not depend on others."""
    option = given.option
    if option.outcome.effect == "error":
        raise ConfigurationError(
            f"kbuild does not support option '{given.text}'; {option.outcome.note}"
        )
    if option.kind == "number":
        _check_number(given)
    if not given.has_value:
        return
    values = given.split() if option.kind == "list" else (given.value,)
    for value in values:
        if option.choices and value not in option.choices:
            raise ConfigurationError(
                f"option '{given.text}': unknown value '{value}'; expected one of "
                f"{', '.join(option.choices)}"
            )


def _check_number(given: GivenOption) -> None:
    try:
        number = int(given.value, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise ConfigurationError(
            f"option '{given.text}': '{given.value}' is not a number that is 0 or larger; "
            "write one, or pass an option of the host compiler with -Xcompiler"
        )


def _list_preprocessor_options(options: Iterable[GivenOption], given: _Given) -> Iterator[str]:
    for one in options:
        name = _PREPROCESSOR.get(one.option.name)
        if name is not None:
            for value in _split_for_preprocessor(one):
                yield from (f"{name}{value}",) if len(name) == len("-I") else (name, value)
    if given.find("--default-stream") == "per-thread":
        yield _PER_THREAD


def _split_for_preprocessor(given: GivenOption) -> tuple[str, ...]:
    """Return the names in a list. nvcc writes macros within double quotes for a shell."""
    values = given.split()
    if given.option.quoting != "escapes":
        return values
    quoted = (value.replace('"', r"\"") for value in values)
    return _split_for_shell((f'"{value}"' for value in quoted), given.text)


def _list_device_options(options: Iterable[GivenOption]) -> Iterator[str]:
    for one in options:
        if one.option.receiver in ("device", "both"):
            yield _spell(one)


def _spell(given: GivenOption) -> str:
    name = given.option.short[0]
    return f"{name}={given.value}" if given.has_value else name


def _list_host_options(line: CommandLine, given: _Given) -> Iterator[str]:
    """Yield the options of the host compiler in nvcc's order."""
    own = given.list_values("--compiler-options")
    yield from _split_for_shell((*own, *line.to_compiler), "-Xcompiler")
    for one in line.options:
        name = one.option.name
        if one.option.receiver in ("host", "both"):
            yield _spell(one)
        elif name in _HOST_SPELLINGS:
            yield _HOST_SPELLINGS[name]
        elif name == "--frandom-seed":
            yield f"-frandom-seed={one.value}"
        elif name == "--Werror":
            yield from (_HOST_ERRORS[kind] for kind in one.split() if kind in _HOST_ERRORS)


def _list_tool_options(given: _Given, name: str) -> tuple[str, ...]:
    return _split_for_shell(map(_protect, given.list_values(name)), name)


def _list_linker_options(given: _Given, forwarded: Iterable[str]) -> tuple[str, ...]:
    words = (*map(_protect, given.list_values("--linker-options")), *forwarded)
    return _split_for_shell((f"-Xlinker {word}" for word in words), "-Xlinker")


def _protect(value: str) -> str:
    """Protect what nvcc protects from the shell in options of tools, other than host compilers."""
    return re.sub(r"(['$])", r"\\\1", value)


def _split_for_shell(values: Iterable[str], option: str) -> tuple[str, ...]:
    """Split values into words. nvcc inserts them into a command for a shell."""
    text = " ".join(values)
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ConfigurationError(
            f"option '{option}': a quote in '{text}' is not closed; close it"
        ) from None


def _read_level(given: _Given) -> str | None:
    if not given.has("--optimize"):
        return None
    return str(min(given.find_number("--optimize", 0), _HIGHEST_LEVEL))


def _read_dependencies(given: _Given, output: Path | None) -> DependencyFile | None:
    path = given.find_path("--dependency-output")
    if not any(map(given.has, _DEPENDENCIES)):
        if path is not None:
            raise ConfigurationError(
                f"option '-MF {path}' without -M, -MM, -MD, or -MMD; add one of them"
            )
        return None
    target = given.find("--dependency-target-name")
    return DependencyFile(
        path=path or output,
        targets=(target,) if target else (),
        has_system_headers=not any(
            given.has(name) for name in _DEPENDENCIES if "nonsystem" in name
        ),
        has_phony_targets=given.has("--generate-dependency-targets"),
    )


def _read_kept(given: _Given) -> Path | None:
    if not (given.has("--keep") or given.has("--save-temps")):
        return None
    return given.find_path("--keep-dir") or Path()
