"""Names in host code that are known not to demand an instance of a kernel.

The headers of the language, of the operating system, and of the toolkits' C libraries declare
functions and types that never instantiate a kernel. Headers that are not listed can, for example
those of Thrust, CUB, libcu++, and CUTLASS.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.cxx.source.words import KEYWORDS

_HEADER: Final = re.compile(
    r"""
      (?:cuda|cuda_runtime|cuda_runtime_api|device_launch_parameters|builtin_types|driver_types
        |vector_types|vector_functions|math_constants|math_functions|device_functions
        |cuda_(?:fp16|bf16|fp8|fp6|fp4)|curand\w*|cublas\w*|cufft\w*|cusparse\w*|cusolver\w*|nvml
        |npp\w*|nvjpeg\w*|nvrtc|nccl|mma|cooperative_groups|cuda_profiler_api|cudaProfiler
        |nvToolsExt\w*|cuda_awbarrier\w*|cuda_pipeline\w*|cuda_\w+_interop|cuda\w+Typedefs
        |sm_\d+_\w+|cudnn\w*|texture_\w+|surface_\w+|mpi|omp|drvapi\w*)\.h
    | (?:cooperative_groups|nvtx3|crt|GL|sys|linux|netinet|arpa|hip/hip_|hipblas|rocblas)/?[\w./]*
    # PyTorch, without the headers that contain kernels or use Thrust
    | (?:torch/[\w/]+|ATen/(?!native/)[\w/]+|c10/(?!cuda/CUDAAlgorithm)[\w/]+
        |pybind11/[\w/]+|Python)\.h
    | ATen/cuda/(?:Atomic|detail/(?:IndexUtils|TensorInfo|OffsetCalculator|IntegerDivider))\.cuh
    | kbuild/[\w/]+\.h(?:pp)?
    | (?:assert|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign
        |stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|tgmath|threads|time
        |uchar|wchar|wctype|unistd|pthread|fcntl|dlfcn|dirent|getopt|malloc|memory|semaphore|poll
        |sched|libgen|glob|regex|pwd|alloca|windows|direct|io|immintrin|x86intrin|emmintrin
        |xmmintrin|execinfo|termios|values|error|endian|byteswap|features|complex)\.h
    | [a-z_]+  # the C++ library
    """,
    re.VERBOSE,
)

_NAME: Final = re.compile(
    rb"""
      (?:cuda|cu|hip|cublas|cufft|cusparse|cusolver|curand|nccl|MPI_|omp_|pthread_|nvtx)[A-Z_]\w*
    | CU(?:DA)?_\w+ | std | \w+_t | __\w+
    | [cfsv]?n?printf | v[fs]n?printf | puts | putchar | fputs | perror | scanf | sscanf | fscanf
    | malloc | calloc | realloc | free | aligned_alloc | posix_memalign
    | mem(?:set|cpy|cmp|move) | str(?:len|cmp|ncmp|cpy|ncpy|cat|chr|rchr|str|dup|tol|toul|tod|tof)
    | ato[ifl] | atoll | exit | abort | atexit | getenv | system | rand | srand | drand48 | srand48
    | time | clock | gettimeofday | clock_gettime | fopen | fclose | fread | fwrite | fgets | fflush
    | getchar | argc | argv | assert | size_t | FILE | stderr | stdout | stdin | NULL | EXIT_\w+
    | RAND_MAX | CLOCKS_PER_SEC | (?:INT|UINT|LONG|FLT|DBL|CHAR|SHRT)_\w+ | M_PI | dim3
    | f?(?:abs|min|max|mod|ma) | labs | sqrtf? | powf? | expf? | log2?f? | sinf? | cosf? | tanf?
    | ceilf? | floorf? | roundf? | fabsf | fmaxf | fminf | isnan | isinf
    | (?:char|short|int|long|float|double|uchar|ushort|uint|ulong|longlong|ulonglong)[1-4]
    | (?:long|double|ulong|longlong|ulonglong)4_(?:16|32)a
    | make_\w+ | uint | uchar | ushort | ulong | half2? | TORCH_CHECK | torch | at | c10
    """,
    re.VERBOSE,
)


def is_known_header(name: str) -> bool:
    """Return whether nothing that a system header declares demands an instance of a kernel."""
    return _HEADER.fullmatch(name) is not None


def is_known_name(name: bytes) -> bool:
    """Return whether a name that the project does not declare demands no instance of a kernel."""
    return name in KEYWORDS or _NAME.fullmatch(name) is not None
