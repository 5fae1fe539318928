"""Say what to do about a name of a library of NVIDIA that a source uses and nothing declares."""

from __future__ import annotations

from typing import Final

from kbuild.backends.removed_names import find_unknown_names

# How the names of the libraries start that this backend has in part.
_LIBRARIES: Final = {
    ("cublas", "CUBLAS_"): "cuBLAS",
    ("cusolver", "CUSOLVER_"): "cuSOLVER",
    ("cusparse", "CUSPARSE_"): "cuSPARSE",
    ("cufft", "CUFFT_"): "cuFFT",
    ("curand", "CURAND_"): "cuRAND",
    ("nvml", "NVML_"): "NVML",
}


def find_absent_functions(log: str) -> str:
    """Return what to do about a log in which a compiler misses names of a library; or nothing."""
    for starts, library in _LIBRARIES.items():
        names = [name for name in find_unknown_names(log) if name.startswith(starts)]
        if names:
            listed = ", ".join(f"'{name}'" for name in names)
            return (
                f"unknown names of {library}: {listed}; include its header; if the source does, "
                f"the cpu backend's {library} lacks them: put what needs them below "
                "'#ifndef KBUILD_BACKEND_CPU', or build with the backend cuda; kbuild's reference "
                "page 'Does the CPU have X?' lists what there is"
            )
    return ""
