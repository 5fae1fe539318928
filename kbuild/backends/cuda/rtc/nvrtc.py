"""NVRTC: compile CUDA source text to a cubin without nvcc.

This module calls the bindings below ``cuda-core``. ``cuda.core.Program`` does not accept options
as NVRTC spells them, and it returns either the cubin or the PTX, but not both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from kbuild import resources
from kbuild.backends.cuda import architectures
from kbuild.backends.interface.rtc import LinkInput, LinkOutput, RtcOutput, RtcSource
from kbuild.demangle.names import demangle
from kbuild.errors import ConfigurationError, KbuildError, ToolError
from kbuild.formats.elf.file import Elf

try:
    from cuda.bindings import nvrtc
    from cuda.core import Linker, LinkerOptions, ObjectCode
except ImportError as error:
    raise ConfigurationError(
        f"compiling CUDA at run time needs cuda-core ({error}); pip install 'kbuild[cuda]'"
    ) from error

_NAME: Final = "nvrtc"
_DEBUG: Final = "--device-debug"
_SUCCESS: Final = nvrtc.nvrtcResult.NVRTC_SUCCESS


def read_version() -> str:
    """See `RuntimeCompiler`."""
    return ".".join(map(str, _check(nvrtc.nvrtcVersion())))


def compile_source(source: RtcSource) -> RtcOutput:
    """See `RuntimeCompiler`."""
    real = architectures.parse(source.arch).real
    _reject_architectures(source.options)
    options = (*((_DEBUG,) if source.debug else ()), *source.options)
    words = (*_default_options(real, source), *options)
    version = read_version()
    program = _check(
        nvrtc.nvrtcCreateProgram(
            source.text.removeprefix("\ufeff").encode(), source.file_name.encode(), 0, [], []
        ),
        "reading the source",
    )
    try:
        if source.expression is not None:
            name = source.expression
            _check(nvrtc.nvrtcAddNameExpression(program, name.encode()), name)
        encoded = [word.encode() for word in words]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
        log = _read_text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
        if status != _SUCCESS:
            raise ToolError(
                f"{_NAME} {version} could not compile {source.file_name}:\n{log.strip()}"
            )
        return RtcOutput(
            arch=real,
            image=_read(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN),
            assembly=_read_text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).encode(),
            suffix=".cubin",
            symbol=_find_symbol(program, source.expression),
            compiler=_NAME,
            version=version,
            command=(_NAME, *words, source.file_name),
            log=log,
            options=options,
        )
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def assemble(assembly: bytes, arch: str, options: tuple[str, ...]) -> tuple[bytes, str]:
    """See `RuntimeCompiler`: nvJitLink, or the driver's linker if it is not installed."""
    try:
        return _link((ObjectCode.from_ptx(assembly),), arch, options)
    except Exception as error:
        raise ToolError(f"assembling for {arch} failed: {error}") from error


def link(inputs: tuple[LinkInput, ...], arch: str, options: tuple[str, ...]) -> LinkOutput:
    """See `RuntimeCompiler`: nvJitLink, or the driver's linker if it is not installed."""
    _reject_several_definitions(inputs)
    real = architectures.parse(arch).real
    try:
        if any(found.kind == "bitcode" for found in inputs):
            image, log = _link_late(inputs, real, options)
        else:
            make = {"elf": ObjectCode.from_cubin, "ptx": ObjectCode.from_ptx}
            objects = tuple(make[found.kind](found.data, name=found.name) for found in inputs)
            image, log = _link(objects, real, options)
    except KbuildError:
        raise
    except Exception as error:
        names = ", ".join(found.name for found in inputs)
        raise ToolError(f"linking {names} for {arch} failed: {error}") from error
    return LinkOutput(image=image, suffix=".cubin", log=log)


def _link_late(
    inputs: tuple[LinkInput, ...], arch: str, options: tuple[str, ...]
) -> tuple[bytes, str]:
    from kbuild.backends.cuda.rtc import late_link  # noqa: PLC0415 - only LTO-IR needs it

    debug, lines = _asks_for_debug(options), _asks_for_lines(options)
    ptxas = ",".join(("-v", *_list_ptxas_options(options)))
    own = (
        *(f"-arch={arch}", f"-Xptxas={ptxas}", "-no-cache"),
        *(("-g",) if debug else ()),
        *(("-lineinfo",) if lines else ()),
    )
    return late_link.link(inputs, options, own)


def _asks_for_debug(options: tuple[str, ...]) -> bool:
    return any(option in ("-G", _DEBUG) for option in options)


def _asks_for_lines(options: tuple[str, ...]) -> bool:
    return any(option in ("-lineinfo", "--generate-line-info") for option in options)


def _reject_several_definitions(inputs: tuple[LinkInput, ...]) -> None:
    """Raise ToolError if two inputs define a symbol.

    nvJitLink 13.5 prints this error, but then succeeds with a damaged image.
    """
    owners: dict[str, LinkInput] = {}
    for found in inputs:
        for symbol in Elf(found.data).symbols if found.kind == "elf" else ():
            if symbol.binding == "global" and symbol.place is not None and symbol.name:
                owner = owners.setdefault(symbol.name, found)
                if owner is not found:
                    what = f"{owner.name} and {found.name} both define {demangle(symbol.name)!r}"
                    raise ToolError(f"{what}; make all but one static, inline, or extern")


def _link(
    objects: tuple[ObjectCode, ...], arch: str, options: tuple[str, ...]
) -> tuple[bytes, str]:
    linker = Linker(
        *objects,
        options=LinkerOptions(
            arch=arch,
            debug=_asks_for_debug(options) or None,
            lineinfo=_asks_for_lines(options) or None,
            ptxas_options=["-v", *_list_ptxas_options(options)],
            no_cache=True,  # see _default_options
        ),
    )
    image = linker.link("cubin")
    return bytes(image.code), str(linker.get_info_log())


def _list_ptxas_options(options: tuple[str, ...]) -> Iterator[str]:
    """Yield the options that NVRTC passed to ptxas when it compiled."""
    for word, following in pairwise((*options, "")):
        name, equals, value = word.partition("=")
        if name in ("-Xptxas", "-ptxas-options", "--ptxas-options"):
            yield from filter(None, (value if equals else following).split(","))


def _reject_architectures(options: tuple[str, ...]) -> None:
    """Reject options that would make the code differ from its description."""
    for option in options:
        if option.lstrip("-").partition("=")[0] in ("arch", "gpu-architecture"):
            raise ConfigurationError(f"option {option}: pass the architecture as `arch` instead")


def _default_options(real: str, source: RtcSource) -> tuple[str, ...]:
    """Return the options that users do not have to give.

    Where a driver is installed, NVRTC keeps compiled code in the driver's cache, but not the log,
    which contains warnings and spills.
    """
    has_standard = any(option.lstrip("-").startswith("std=") for option in source.options)
    include = (resources.native_directory() / "include", *source.include_directories)
    return (
        f"--gpu-architecture={real}",
        *(() if has_standard else ("-std=c++17",)),
        "-DKBUILD_DEVICE_CODE=1",
        *("--ptxas-options=-v", "--no-cache"),
        *(f"-I{directory}" for directory in include),
    )


def _find_symbol(program: Any, expression: str | None) -> str | None:
    if expression is None:
        return None
    name: bytes = _check(nvrtc.nvrtcGetLoweredName(program, expression.encode()))
    return name.decode()


def _read(program: Any, size: Any, get: Any) -> bytes:
    content = bytes(_check(size(program)))
    _check(get(program, content))  # writes into it
    return content


def _read_text(program: Any, size: Any, get: Any) -> str:
    return _read(program, size, get).rstrip(b"\0").decode(errors="replace")


def _check(result: tuple[Any, ...], what: str = "asking NVRTC") -> Any:
    status, *values = result
    if status != _SUCCESS:
        raise ToolError(f"{what}: {status.name}")
    return tuple(values) if len(values) > 1 else (values[0] if values else None)
