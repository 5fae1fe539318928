"""The last step of an invocation, and the files that it can start from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.backends.interface.nvcc import LinkOutput
from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.given import GivenOptions
from kbuild.nvcc.invocation import Input, InputKind, Invocation, Phase

# Of several phases, nvcc ends with the first one in this order.
_PHASES: Final[dict[str, Phase]] = {
    "--generate-dependencies": "dependencies",
    "--generate-nonsystem-dependencies": "dependencies",
    "--preprocess": "preprocess",
    "--ptx": "ptx",
    "--cubin": "cubin",
    "--fatbin": "fatbin",
    "--cuda": "host-source",
    "--compile": "compile",
    "--device-c": "compile",
    "--device-w": "compile",
    "--device-link": "device-link",
    "--lib": "archive",
    "--link": "link",
}
# Options that nvcc rejects together, or that request what kbuild does not write; and what to do.
_CONFLICTS: Final = (
    ("--device-c", "--device-w", "remove one of them"),
    ("--lib", "--link", "remove one of them"),
)
_KINDS: Final[dict[str, InputKind]] = {
    ".cu": "cu",
    ".c": "c",
    ".i": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
    ".ii": "c++",
    ".o": "object",
    ".obj": "object",
    ".a": "archive",
    ".lib": "archive",
    ".so": "shared",
    ".ptx": "device",
    ".cubin": "device",
    ".fatbin": "device",
}
_LANGUAGES: Final[dict[str, InputKind]] = {"cu": "cu", "c++": "c++", "c": "c"}
_LINKING: Final[tuple[Phase, ...]] = ("link", "device-link", "archive")
# The phases that read files of device code. Some of them are inputs of -dc, too.
_DEVICE_PHASES: Final[dict[str, tuple[Phase, ...]]] = {
    ".ptx": ("device-link", "cubin", "fatbin", "compile"),
    ".cubin": ("device-link", "fatbin", "compile"),
    ".fatbin": ("device-link",),
}
_DEVICE_OPTIONS: Final = {"compile": "-dc", "device-link": "-dlink"}


def choose_phase(options: GivenOptions) -> Phase:
    """Return the last step to run.

    Raises:
        ConfigurationError: Options contradict each other.
    """
    for names in _CONFLICTS:
        first, second = (options.find(name) for name in names[:2])
        if first and second:
            raise ConfigurationError(
                f"option '{first.text}' together with '{second.text}'; {names[2]}"
            )
    rdc = options.find("--relocatable-device-code")
    contrary = rdc and options.find("--device-w" if rdc.value == "true" else "--device-c")
    if rdc and contrary:
        raise ConfigurationError(
            f"option '{contrary.text}' together with '{rdc.text}'; remove one of them"
        )
    for name, phase in _PHASES.items():
        if options.has(name):
            is_link = phase in ("cubin", "fatbin") and options.has("--device-link")
            return "device-link" if is_link else phase
    return "link"


def choose_link_output(options: GivenOptions) -> LinkOutput:
    """Return what a device link writes. nvcc prefers a cubin, too."""
    if not options.has("--device-link"):
        return "object"
    requested: tuple[LinkOutput, ...] = ("cubin", "fatbin")
    return next((kind for kind in requested if options.has(f"--{kind}")), "object")


def read_inputs(
    words: Iterable[str], language: str | None, phase: Phase, *, is_relocatable: bool
) -> tuple[Input, ...]:
    """Return the inputs with their kinds.

    Args:
        words: The inputs.
        language: The value of ``-x``, which applies to all inputs, or None.
        phase: The last step to run.
        is_relocatable: Whether device code is relocatable.

    Raises:
        ConfigurationError: The kind of an input is unknown, or the phase does not read it.
    """
    inputs = tuple(Input(path=Path(word), kind=_find_kind(word, language)) for word in words)
    for one in inputs:
        _check_kind(one, phase, is_relocatable=is_relocatable)
    return inputs


def _check_kind(one: Input, phase: Phase, *, is_relocatable: bool) -> None:
    if one.kind != "device":
        return
    phases = _DEVICE_PHASES[one.path.suffix]
    if phase not in phases or (phase == "compile" and not is_relocatable):
        names = ", ".join(_DEVICE_OPTIONS.get(name, f"-{name}") for name in phases)
        raise ConfigurationError(f"input '{one.path}' is device code; use {names}")


def _find_kind(word: str, language: str | None) -> InputKind:
    if language is not None:
        return _LANGUAGES[language]
    kind = _KINDS.get("".join(word.rpartition(".")[1:]))  # a name can be a suffix alone
    if kind is None:
        raise ConfigurationError(
            f"input '{word}' has an unknown suffix; name the language with -x cu, -x c++, or -x c, "
            f"and a library with -l"
        )
    return kind


def check_inputs(invocation: Invocation) -> None:
    """Check the number of inputs.

    Raises:
        ConfigurationError: There is no input, or there are several for one output.
    """
    inputs = invocation.inputs
    if not inputs:
        raise ConfigurationError("no input files; name a source, an object, or a library")
    if invocation.output and len(inputs) > 1 and invocation.phase not in _LINKING:
        raise ConfigurationError(
            f"option '-o {invocation.output}' with {len(inputs)} inputs, '{inputs[0].path}' and "
            f"'{inputs[1].path}'; call kbuild-nvcc once per input, or use -odir"
        )


def check_architectures(invocation: Invocation) -> None:
    """Check that a phase with one image per output gets one architecture.

    Raises:
        ConfigurationError: There are several.
    """
    phase, names = invocation.phase, invocation.architectures
    if phase == "device-link" and invocation.link_output == "cubin":
        phase = "cubin"
    numbers = {name.partition("-")[0] for name in names if name != "native"}
    several = phase == "ptx" and (len(numbers) > 1 or "all" in numbers)
    # `80` is a cubin and PTX in one name, of which -cubin writes only the first one.
    is_virtual = phase == "cubin" and any(name.endswith("-virtual") for name in names)
    several = several or (phase == "cubin" and (len(names) > 1 or "all" in numbers))
    if several or is_virtual:
        what = "one architecture" if phase == "ptx" else "one real architecture"
        raise ConfigurationError(
            f"option '-{phase}' with the architectures {', '.join(names)}; it writes {what}: "
            "select it with -arch=sm_90, or use -fatbin"
        )
