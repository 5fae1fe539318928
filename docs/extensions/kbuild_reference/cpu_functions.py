"""The functions, headers, and features of CUDA that the CPU backend has, from its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.cpu.absent.headers import LIBRARIES
from kbuild.resources import native_directory
from kbuild_reference.markdown import format_table

_DEVICE: Final = native_directory() / "device" / "cpu" / "kbuild_cpu"
_HOST: Final = _DEVICE / "host"
_DRIVER: Final = _DEVICE / "driver"
_PAGES: Final = Path(__file__).parents[2] / "reference"
_ROW: Final = re.compile(r"\bX\((\w+)\)")
_RUNTIME: Final = "[runtime API](cuda-host-api.md)"
_DRIVER_PAGE: Final = "[driver API](cuda-driver-api.md)"
_NVML: Final = "[NVML](cuda-libraries.md#nvml)"
_LANGUAGE: Final = "[device language](cpu-device-language.md)"
# The header of a library, what finds its functions there, and its page.
_TOOLS: Final = (
    ("nvrtc.h", r"nvrtcResult (nvrtc\w+)\(", "[NVRTC](cuda-driver-api.md#nvrtc)"),
    (
        "nvJitLink.h",
        r"nvJitLinkResult (nvJitLink\w+)\(",
        "[nvJitLink](cuda-driver-api.md#linking-at-run-time)",
    ),
    ("nvml.h", r"nvmlReturn_t (nvml[A-Z]\w+?)(?:_v\d)?\(", _NVML),
    ("nvtx3/nvToolsExt.h", r"X\(\w+, (\w+),", "does nothing, as without a profiler"),
)
_LIBRARIES: Final = "[NVIDIA's libraries](cuda-libraries.md)"
# Functions of libraries that always return an error.
_REJECTED: Final = re.compile(r"GetResidual|GetSweeps|Distribution$")


def render(argument: str, _body: str) -> str:
    """Render a list of the driver's functions, or the table of everything."""
    lists = {
        "driver": _list_names(list_driver_functions()),
        "driver-missing": _list_names(list_missing_driver_functions()),
        "curand": _list_names(list_curand_functions()),
        "cusolver": _list_names(list_cusolver_functions()),
        "cusparse": _list_names(list_cusparse_functions()),
        "nvml-missing": _list_names(list_missing_nvml_functions()),
        "everything": format_table(("Name", "On the CPU", "More"), _list_rows()),
    }
    if argument not in lists:
        raise ValueError(f"unknown list {argument!r}; expected one of {', '.join(lists)}")
    return lists[argument]


def list_driver_functions() -> tuple[str, ...]:
    """Return the functions of the driver API that the backend has."""
    found = _ROW.findall((_DRIVER / "function_list.h").read_text())
    return tuple(sorted((*(f"cu{name}" for name in found), "cuGetProcAddress")))


def list_missing_driver_functions() -> tuple[str, ...]:
    """Return the functions of the driver API that are errors."""
    return tuple(f"cu{name}" for name in _ROW.findall((_DRIVER / "unsupported.h").read_text()))


def list_curand_functions() -> tuple[str, ...]:
    """Return the functions of cuRAND for host code."""
    source = native_directory() / "mathlibs" / "curand" / "generators.cpp"
    return tuple(
        sorted(re.findall(r"^curandStatus_t (curand\w+)\(", source.read_text(), re.MULTILINE))
    )


def list_cublas_functions() -> tuple[str, ...]:
    """Return the functions of cuBLAS, with all types, by the names that programs use."""
    headers = ("cublas_api.h", "kbuild_cpu/mathlibs/cublas_functions.h")
    text = "".join((_DEVICE.parent / header).read_text() for header in headers)
    patterns = re.findall(r"cublasStatus_t (cublas[\w#]+)\(", text.replace("##suffix", ""))
    patterns += _list_xt_patterns()
    names = {name.removesuffix("_v2") for pattern in patterns for name in _list_types(pattern)}
    return tuple(sorted(name for name in names if not name.endswith(("_64", "##name"))))


def _list_xt_patterns() -> Iterator[str]:
    """Yield the names of cuBLASXt's functions, with all types."""
    text = (_DEVICE.parent / "cublasXt.h").read_text()
    yield from re.findall(r"cublasStatus_t (cublasXt\w+)\(", text)
    of_all, of_complex = text.split("#define KBUILD_CUBLASXT_COMPLEX")
    for part, prefixes in ((of_all, "SDCZ"), (of_complex, "CZ")):
        for name in re.findall(r"define\(P##(\w+),", part):
            yield from (f"cublasXt{prefix}{name}" for prefix in prefixes)


def list_cusolver_functions() -> tuple[str, ...]:
    """Return the functions of cuSOLVER, with all types."""
    header = (_DEVICE.parent / "cusolverDn.h").read_text()
    patterns = re.findall(r"cusolverStatus_t (cusolverDn[\w#]+)\(", header)
    return tuple(sorted({name for pattern in patterns for name in _list_types(pattern)}))


def _list_types(pattern: str) -> Iterator[str]:
    """Yield the names for a pattern of the macro that declares functions for all types."""
    for prefix in "SDCZ":
        symmetric, orthogonal = ("sy", "or") if prefix in "SD" else ("he", "un")
        name = re.sub(r"\bP\b", prefix, pattern.replace("##", " "))
        name = re.sub(r"\bsy\b", symmetric, re.sub(r"\borth\b", orthogonal, name))
        yield name.replace(" ", "")


def list_cusparse_functions() -> tuple[str, ...]:
    """Return the functions of cuSPARSE."""
    header = (_DEVICE.parent / "cusparse.h").read_text()
    names = set(re.findall(r"\b(cusparse[A-Z]\w+)\(", header))
    for kind in re.findall(r"FACTORIZATION\(P, T, (csr\w+),", header):
        text = header.replace("##name", f"##{kind}")
        for pattern in re.findall(rf"cusparse##P##({kind}\w*?)(?:##)?(\w*)\(", text):
            names.update(f"cusparse{prefix}{''.join(pattern)}" for prefix in "SDCZ")
    return tuple(sorted(names))


def list_missing_nvml_functions() -> tuple[str, ...]:
    """Return the functions of NVML that always return an error."""
    text = (_DEVICE / "nvml" / "unsupported.h").read_text()
    found = re.findall(r"^ +X\((\w+?)(?:_v\d)?[,)]", text, re.MULTILINE)
    return tuple(sorted({f"nvmlDevice{name}" for name in found}))


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) + ".\n"


def _list_rows() -> Iterator[tuple[str, str, str]]:
    yield from sorted(_list_functions(), key=lambda row: row[0].lower())
    for library, headers in LIBRARIES.items():
        # A pattern of names is as clear as they are, with stars for its letters.
        names = re.sub(r"\\w\*|\(\?:[^()]*\)\*", "*", headers).replace("\\.", ".")
        yield f"{library} (`{re.sub(r'[()?:]', '', names)}`)", "error", "no library for the CPU"
    for cells in _list_features():
        yield cells[0], cells[1], _LANGUAGE


def _list_functions() -> Iterator[tuple[str, str, str]]:
    page = (_PAGES / "cuda-host-api.md").read_text()
    listed = page.split("## Functions")[1].split("## Differences")[0]
    for name in sorted(set(re.findall(r"`(cuda[A-Z]\w+)`", listed.split("Every other")[0]))):
        yield f"`{name}`", "yes", _RUNTIME
    for name in _ROW.findall((_HOST / "unsupported_api.h").read_text()):
        yield f"`cuda{name}`", "error", _RUNTIME
    for name in list_driver_functions():
        yield f"`{name}`", "yes", _DRIVER_PAGE
    for name in list_missing_driver_functions():
        yield f"`{name}`", "error", _DRIVER_PAGE
    libraries = (
        list_cublas_functions,
        list_curand_functions,
        list_cusolver_functions,
        list_cusparse_functions,
    )
    for name in (name for list_functions in libraries for name in list_functions()):
        yield f"`{name}`", "error" if _REJECTED.search(name) else "yes", _LIBRARIES
    for name, page in _list_tools():
        yield f"`{name}`", "error" if "OptiX" in name else "yes", page
    for name in list_missing_nvml_functions():
        yield f"`{name}`", "error", _NVML


def _list_tools() -> Iterator[tuple[str, str]]:
    """Yield the functions that compile, link, and annotate, with their pages."""
    for header, pattern, page in _TOOLS:
        for name in sorted(set(re.findall(pattern, (_DEVICE.parent / header).read_text()))):
            yield f"nvtx{name}" if header.startswith("nvtx") else name, page


def _list_features() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the tables about the device language."""
    for line in (_PAGES / "cpu-device-language.md").read_text().splitlines():
        cells = tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        name, result, *_ = (*cells, "", "")
        if re.match(r"(?:same|close|different|error)\b", result):
            yield name.replace("\\|", "|"), result
