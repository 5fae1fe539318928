"""Read a command line of nvcc into an invocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, cast

from kbuild.errors import ConfigurationError
from kbuild.model import CompressionMode
from kbuild.nvcc.command_line.architectures import read_images, requests_link_time_code
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions
from kbuild.nvcc.command_line.phases import (
    check_architectures,
    check_inputs,
    choose_link_output,
    choose_phase,
    read_inputs,
)
from kbuild.nvcc.command_line.tool_options import (
    list_device_options,
    list_host_options,
    list_linker_options,
    list_preprocessor_options,
    list_tool_options,
)
from kbuild.nvcc.command_line.words import divide
from kbuild.nvcc.invocation import DependencyFile, Invocation

_DEPENDENCIES: Final = (
    "--generate-dependencies",
    "--generate-nonsystem-dependencies",
    "--generate-dependencies-with-compile",
    "--generate-nonsystem-dependencies-with-compile",
)
_HIGHEST_LEVEL: Final = 3
_DEFAULT_COMPRESSION: Final = "balance"
_LINK_TIME: Final = "-dlto"


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
    given = line.options
    if given.has("--version") or given.has("--help"):
        return _read_question(given)
    for one in given:
        _check(one)
    phase = choose_phase(given)
    output = given.find_path("--output-file")
    invocation = Invocation(
        phase=phase,
        inputs=read_inputs(
            line.inputs, given.find_value("--x"), phase, is_relocatable=_is_relocatable(given)
        ),
        output=output,
        output_directory=given.find_path("--output-directory"),
        architectures=tuple(dict.fromkeys(image.name for image in read_images(given))),
        relocatable=_is_relocatable(given),
        preprocessor=tuple(list_preprocessor_options(given)),
        standard=(given.find_value("--std") or "").removeprefix("c++") or None,
        optimization=_read_level(given),
        has_debug=given.has("--debug"),
        device_options=_read_device_options(given),
        host_options=tuple(list_host_options(given, line.to_compiler)),
        libraries=given.list_values("--library"),
        library_directories=given.list_values("--library-path"),
        linker_options=list_linker_options(given, line.to_linker),
        link_output=choose_link_output(given),
        device_linker_options=list_tool_options(given, "--nvlink-options"),
        archiver_options=list_tool_options(given, "--archive-options"),
        is_shared=given.has("--shared"),
        links_device_code=not given.has("--no-device-link"),
        runtime=_read_runtime(given),
        host_compiler=given.find_value("--compiler-bindir"),
        dependencies=_read_dependencies(given, output if phase == "dependencies" else None),
        jobs=given.find_number("--threads", 1),
        kept=_read_kept(given),
        is_verbose=given.has("--verbose") or given.has("--verbose2"),
        is_dry_run=given.has("--dryrun"),
        backend=given.find_value("--backend"),
        cuda_version=given.find_value("--cuda-version"),
        is_checked=given.has("--check"),
        has_weak_instances=given.find_value("--static-global-template-stub") == "false",
        compression=_read_compression(given),
        hides_entities=given.find_value("--device-entity-has-hidden-visibility") == "true",
        enables_tiles=given.has("--enable-tile"),
        notes=tuple(dict.fromkeys(one.describe_loss() for one in given if one.is_lost)),
    )
    check_inputs(invocation)
    check_architectures(invocation)
    return invocation


def _read_question(given: GivenOptions) -> Invocation:
    """Read a command line that only asks for information."""
    return Invocation(
        asks_for_version=given.has("--version"),
        asks_for_help=given.has("--help"),
        backend=given.find_value("--backend"),
        cuda_version=given.find_value("--cuda-version"),
    )


def _read_device_options(given: GivenOptions) -> tuple[str, ...]:
    link_time = (_LINK_TIME,) if requests_link_time_code(given) else ()
    return tuple(dict.fromkeys((*list_device_options(given), *link_time)))


def _read_runtime(given: GivenOptions) -> Literal["static", "shared", "none"]:
    chosen = given.find_value("--cudart") or "static"
    return cast("Literal['static', 'shared', 'none']", chosen)


def _is_relocatable(given: GivenOptions) -> bool:
    """Return whether device code is linked. nvcc links code that it optimizes later, too."""
    return given.find_value("--relocatable-device-code") == "true" or any(
        map(given.has, ("--device-c", "--device-link", "--dlink-time-opt", "--lto"))
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


def _read_level(given: GivenOptions) -> str | None:
    if not given.has("--optimize"):
        return None
    return str(min(given.find_number("--optimize", 0), _HIGHEST_LEVEL))


def _read_compression(given: GivenOptions) -> CompressionMode:
    if given.has("--no-compress"):
        return "none"
    mode = given.find_value("--compress-mode") or "default"
    return cast("CompressionMode", _DEFAULT_COMPRESSION if mode == "default" else mode)


def _read_dependencies(given: GivenOptions, output: Path | None) -> DependencyFile | None:
    path = given.find_path("--dependency-output")
    if not any(map(given.has, _DEPENDENCIES)):
        if path is not None:
            raise ConfigurationError(
                f"option '-MF {path}' without -M, -MM, -MD, or -MMD; add one of them"
            )
        return None
    target = given.find_value("--dependency-target-name")
    return DependencyFile(
        path=path or output,
        targets=(target,) if target else (),
        has_system_headers=not any(
            given.has(name) for name in _DEPENDENCIES if "nonsystem" in name
        ),
        has_phony_targets=given.has("--generate-dependency-targets"),
    )


def _read_kept(given: GivenOptions) -> Path | None:
    if not (given.has("--keep") or given.has("--save-temps")):
        return None
    return given.find_path("--keep-dir") or Path()
