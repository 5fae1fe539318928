"""Link code that nvJitLink generates from LTO-IR.

``cuda.core.Linker`` writes options like ``-ftz=true``, which nvJitLink 13.5 rejects for such code.
Therefore, this module calls the bindings below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from kbuild.backends.interface.rtc import LinkInput
from kbuild.errors import ConfigurationError

try:
    from cuda.bindings import nvjitlink
except ImportError as error:
    raise ConfigurationError(
        f"linking LTO-IR at run time needs cuda-bindings ({error}); pip install 'kbuild[cuda]'"
    ) from error

_KINDS: Final = {
    "elf": nvjitlink.InputType.CUBIN,
    "ptx": nvjitlink.InputType.PTX,
    "bitcode": nvjitlink.InputType.LTOIR,
}
# Options of compilers for numbers, and those of nvJitLink.
_NUMBERS: Final = {"ftz": "ftz", "prec_div": "prec-div", "prec_sqrt": "prec-sqrt", "fmad": "fma"}
_FAST: Final = {"ftz": "1", "prec-div": "0", "prec-sqrt": "0", "fma": "1"}
_VALUES: Final = {"true": "1", "false": "0", "1": "1", "0": "0"}


def link(
    inputs: tuple[LinkInput, ...], options: tuple[str, ...], own: tuple[str, ...]
) -> tuple[bytes, str]:
    """Link images, some of which are LTO-IR.

    Args:
        inputs: The images.
        options: The options of the compiler.
        own: The options of the linker that do not depend on how code is generated.

    Returns:
        The image and the log.

    Raises:
        ConfigurationError: An input was compiled for other settings.
        nvjitlink.nvJitLinkError: The linker failed.
    """
    settings = read_settings(options)
    _reject_other_settings(inputs, settings)
    words = ["-lto", *own, *(f"-{name}={value}" for name, value in settings.items())]
    handle = nvjitlink.create(len(words), words)
    try:
        for found in inputs:
            kind = _KINDS[found.kind]
            nvjitlink.add_data(handle, kind, found.data, len(found.data), found.name)
        nvjitlink.complete(handle)
        image = _read(handle, nvjitlink.get_linked_cubin_size, nvjitlink.get_linked_cubin)
        log = _read(handle, nvjitlink.get_info_log_size, nvjitlink.get_info_log)
    except nvjitlink.nvJitLinkError as error:
        log = _read(handle, nvjitlink.get_error_log_size, nvjitlink.get_error_log)
        said = log.rstrip(b"\0").decode(errors="replace").strip()
        raise RuntimeError(f"{error}: {said}") from error
    finally:
        nvjitlink.destroy(handle)
    return image, log.rstrip(b"\0").decode(errors="replace")


def read_settings(options: tuple[str, ...]) -> dict[str, str]:
    """Return the options of nvJitLink for what compilers of CUDA sources were asked to generate.

    Source: nvJitLink's documentation.
    """
    settings: dict[str, str] = {}
    for word, following in pairwise((*options, "")):
        name, equals, value = word.lstrip("-").replace("-", "_").partition("=")
        value = value if equals else following
        if name == "use_fast_math":
            settings |= _FAST
        elif name in _NUMBERS and value in _VALUES:
            settings[_NUMBERS[name]] = _VALUES[value]
        elif name == "maxrregcount" and value.isdigit():
            settings["maxrregcount"] = value
    return settings


def _reject_other_settings(inputs: tuple[LinkInput, ...], settings: dict[str, str]) -> None:
    for found in inputs:
        if found.kind == "bitcode" and found.options is not None:
            others = sorted(_list_differences(read_settings(found.options), settings))
            if others:
                raise ConfigurationError(
                    f"{found.name} was compiled with other options ({', '.join(others)}) than "
                    "those of the compiler that links, which generates its code; compile all parts "
                    "with one KernelCompiler"
                )


def _list_differences(one: dict[str, str], other: dict[str, str]) -> Iterator[str]:
    return (name for name in {*one, *other} if one.get(name) != other.get(name))


def _read(
    handle: int, measure: Callable[[int], int], copy: Callable[[int, bytearray], None]
) -> bytes:
    content = bytearray(measure(handle))
    if content:
        copy(handle, content)
    return bytes(content)
