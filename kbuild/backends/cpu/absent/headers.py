"""Say what to do about a header that a source includes and this backend does not have.

``__has_include`` finds none of them, so that sources that ask take their other branch.
"""

from __future__ import annotations

import re
from typing import Final

# The libraries of NVIDIA whose functions have no version for the CPU, and their headers.
LIBRARIES: Final = {
    "cuDNN": r"cudnn\w*\.h",
    "cuDNN's front end": r"cudnn_frontend\w*(?:/\w+)*\.h",
    "NCCL": r"nccl\w*\.h",
    "NVSHMEM": r"nvshmem\w*(?:/\w+)*\.(?:h|cuh)",
    "NPP": r"npp\w*\.h",
    "nvJPEG": r"nvjpeg\w*\.h",
    "nvTIFF": r"nvtiff\w*\.h",
    "nvCOMP": r"nvcomp\w*(?:[./]\w+)*\.(?:h|hpp)",
    "cuSOLVER's functions for sparse matrices and several GPUs": r"cusolver(?:Sp|Rf|Mg)\w*\.h",
    "NVBLAS": r"nvblas\.h",
    "cuBLAS's first interface, without handles,": r"cublas\.h",
    "cuFFT's interface of FFTW": r"cufftw\.h",
    "cuSPARSELt": r"cusparseLt\w*\.h",
    "cuTENSOR": r"cutensor\w*\.h",
    "cuDSS": r"cudss\w*\.h",
    "cuFile": r"cufile\w*\.h",
    "libNVVM": r"nvvm\.h",
    "the compiler of PTX": r"nvPTXCompiler\.h",
    "nvFatbin": r"nvFatbin\.h",
    "CUPTI": r"cupti\w*(?:/\w+)*\.h",
    "TensorRT": r"NvInfer\w*\.h|NvOnnx\w*\.h",
    "OptiX": r"optix\w*\.h",
    "the Video Codec SDK": r"nvcuvid\.h|cuviddec\.h|nvEncodeAPI\.h",
    "cuFFTMp": r"cufftMp\.h",
    "interoperability with OpenGL": r"cuda_gl_interop\.h|cudaGL\.h",
    "interoperability with EGL": r"cuda_egl_interop\.h|cudaEGL\.h",
    "interoperability with VDPAU": r"cuda_vdpau_interop\.h|cudaVDPAU\.h",
}
_NAME: Final = r"fatal error: ['\u2018]?(?P<header>{})['\u2019]?(?:: No such file| file not found)"


def find_absent(log: str) -> str:
    """Return what to do about a log in which a compiler misses one of the headers; or nothing."""
    for library, headers in LIBRARIES.items():
        if found := re.search(_NAME.format(headers), log):
            header = found["header"]
            return (
                f"<{header}> belongs to {library}, which the cpu backend does not have; put what "
                f"needs it below '#if __has_include(<{header}>)', or build with the backend cuda; "
                "kbuild's reference page 'Does the CPU have X?' lists what there is"
            )
    return ""
