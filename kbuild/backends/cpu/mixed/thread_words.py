"""The words of the device language that need to know which thread runs, or that can stop it.

Functions of the device headers that read the index of the thread, and those that call the runtime,
must match one of these patterns. The tests compare them with the headers.
"""

from __future__ import annotations

from typing import Final

INDEX: Final = "threadIdx"
# Regular expressions for whole words: first, what needs other threads.
_WITH_OTHERS: Final = (
    r"__sync(?:threads|warp)\w*",
    r"__\w+_sync|(?:load_matrix|store_matrix|mma)_sync",
    r"__shfl\w*",
    r"kbuild_hip_\w+",  # the macros of HIP's warp operations
    r"__(?:any|all|ballot)(?=\s*\()",  # the C++ library has variables with these names
    r"__ballot\w+|__activemask",
    r"__match_(?:any|all)\w*",
    r"__reduce_\w+",
    r"__(?:lane|cluster|pipeline|builtin_amdgcn)_?\w*",
    r"SHFL_\w+|MatchAny|get_sreg_\w+|warp_shuffle_\w+",  # of CUB and libcu++
    # Groups come from these functions.
    r"this_(?:thread_block|grid|multi_grid|cluster)|this_thread(?=\s*\()",
    r"coalesced_threads|(?:tiled|labeled|binary)_partition|invoke_one\w*|memcpy_async|wait_prior",
)
_FUNCTIONS: Final = (
    *_WITH_OTHERS,
    # They let other threads run, for kernels that wait for a value.
    r"atomic[A-Z]\w*|__nv_atomic_\w+|__ldcv",
    r"atomic(?:_ref)?(?=\s*<)",  # of namespace cuda, in sources that use the namespace
    r"__threadfence\w*|__nanosleep|(?:wall_)?clock64|clock(?=\s*\()",
    # They report the thread.
    r"__trap|__assert_fail|surf\w+(?:read|write)",
)
FUNCTIONS: Final = "|".join(_FUNCTIONS)
# They return the errors of the thread, but host code calls them, too.
ERRORS: Final = "cudaGetLastError|cudaPeekAtLastError"
# Classes of groups have static functions.
NAMESPACES: Final = r"cooperative_groups|cuda(?=\s*::)|nvcuda|(?:thread_block|\w+_group)(?=\s*::)"
# What does not exist in host code. `tls_model` is an attribute of shared memory.
ONLY_IN_KERNELS: Final = "|".join(
    (*_WITH_OTHERS, "threadIdx|blockIdx|blockDim|gridDim|tls_model|cooperative_groups|nvcuda")
)
