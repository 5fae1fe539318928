/* The headers of this backend that override CCCL's are for these versions of it.  The macro accepts any
 * version, such as one that is newer than this kbuild. */
#ifndef KBUILD_CPU_CCCL_VERSION_H
#define KBUILD_CPU_CCCL_VERSION_H

#if __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#elif __has_include(<thrust/version.h>)
#include <thrust/version.h>
#define CCCL_VERSION THRUST_VERSION
#endif

#pragma GCC system_header

#define KBUILD_CPU_QUOTE(...) #__VA_ARGS__
#define KBUILD_CPU_PRAGMA(...) _Pragma(KBUILD_CPU_QUOTE(__VA_ARGS__))
#define KBUILD_CPU_REJECT_CCCL(...) KBUILD_CPU_PRAGMA(GCC error KBUILD_CPU_QUOTE(__VA_ARGS__))

#if defined(CCCL_VERSION) && !defined(KBUILD_UNTESTED_CCCL)
#if CCCL_VERSION < 3000000 || CCCL_VERSION > 3005999
// The words of a message.
// clang-format off
KBUILD_CPU_REJECT_CCCL(kbuild: the cpu backend does not support CCCL CCCL_VERSION; expected 3.0 to 3.5
(3000000 to 3005999); install it with 'pip install nvidia-cuda-cccl==13.3.5.*', name its include directory
with -I, or define KBUILD_UNTESTED_CCCL)
// clang-format on
#endif
#endif

#undef KBUILD_CPU_REJECT_CCCL
#undef KBUILD_CPU_PRAGMA
#undef KBUILD_CPU_QUOTE

#endif
