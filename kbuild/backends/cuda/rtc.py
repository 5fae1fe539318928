"""NVRTC: CUDA source text to a cubin, without nvcc.

Called through the bindings that ``cuda-core`` stands on: its ``Program`` takes no options in
NVRTC's own words, and gives either the cubin or the PTX that it was assembled from.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from kbuild import resources
from kbuild.backends.cuda import architectures
from kbuild.backends.cuda.build import find_runtimes
from kbuild.backends.interface.rtc import RtcOutput
from kbuild.errors import ConfigurationError, ToolError
from kbuild.toolchain.find import gather_hints

try:
    from cuda.bindings import nvrtc
    from cuda.core import Linker, LinkerOptions, ObjectCode
except ImportError as error:
    raise ConfigurationError(
        f"compiling CUDA at run time takes cuda-core ({error}); pip install 'kbuild[cuda]'"
    ) from error

_NAME: Final = "nvrtc"
_SUCCESS: Final = nvrtc.nvrtcResult.NVRTC_SUCCESS


def compile_source(
    text: str, file_name: str, arch: str, options: tuple[str, ...], expression: str | None
) -> RtcOutput:
    """See `RuntimeCompiler`."""
    real = architectures.parse(arch).real
    _refuse_architectures(options)
    words = (*_default_options(real, options), *options)
    version = ".".join(map(str, _check(nvrtc.nvrtcVersion())))
    program = _check(
        nvrtc.nvrtcCreateProgram(
            text.removeprefix("\ufeff").encode(), file_name.encode(), 0, [], []
        ),
        "reading the source",
    )
    try:
        if expression is not None:
            _check(nvrtc.nvrtcAddNameExpression(program, expression.encode()), expression)
        encoded = [word.encode() for word in words]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
        log = _read_text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
        if status != _SUCCESS:
            raise ToolError(f"{_NAME} {version} could not compile {file_name}:\n{log.strip()}")
        return RtcOutput(
            arch=real,
            image=_read(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN),
            assembly=_read_text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).encode(),
            suffix=".cubin",
            symbol=_find_symbol(program, expression),
            compiler=_NAME,
            version=version,
            command=(_NAME, *words, file_name),
            log=log,
        )
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def assemble(assembly: bytes, arch: str, options: tuple[str, ...]) -> tuple[bytes, str]:
    """See `RuntimeCompiler`; nvJitLink, or the driver's linker where there is none."""
    debug = any(option in ("-G", "--device-debug") for option in options)
    lines = any(option in ("-lineinfo", "--generate-line-info") for option in options)
    try:
        linker = Linker(
            ObjectCode.from_ptx(assembly),
            options=LinkerOptions(
                arch=arch,
                debug=debug or None,
                lineinfo=lines or None,
                ptxas_options=["-v", *_list_ptxas_options(options)],
            ),
        )
        image = linker.link("cubin")
    except Exception as error:
        raise ToolError(f"assembling for {arch} failed: {error}") from error
    return bytes(image.code), str(linker.get_info_log())


def _list_ptxas_options(options: tuple[str, ...]) -> Iterator[str]:
    """Those that NVRTC handed on when it compiled."""
    for word, following in pairwise((*options, "")):
        name, equals, value = word.partition("=")
        if name in ("-Xptxas", "-ptxas-options", "--ptxas-options"):
            yield from filter(None, (value if equals else following).split(","))


def _refuse_architectures(options: tuple[str, ...]) -> None:
    """The last one would win, and the code be another than its description."""
    for option in options:
        if option.lstrip("-").partition("=")[0] in ("arch", "gpu-architecture"):
            raise ConfigurationError(f"option {option}: say the architecture as `arch`")


def _default_options(real: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """What a user does not have to say: the architecture, and where headers are."""
    has_standard = any(option.lstrip("-").startswith("std=") for option in options)
    include = (resources.native_directory() / "include", *_find_toolkit())
    return (
        f"--gpu-architecture={real}",
        *(() if has_standard else ("-std=c++17",)),
        "-DKBUILD_DEVICE_CODE=1",
        "--ptxas-options=-v",
        *(f"-I{directory}" for directory in include),
    )


@cache
def _find_toolkit() -> tuple[Path, ...]:
    """The folders of the toolkit's headers; none where there is no toolkit."""
    found = find_runtimes(gather_hints())
    return found[0].include_directories if found else ()


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
