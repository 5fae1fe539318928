// A kernel template that one source instantiates, and that others only declare or also define.
#pragma once
#ifdef HOST_ONLY
#include <kbuild/kernel.h>
#else
#include <cuda_runtime.h>
#define KBUILD_KERNEL __global__
#endif

namespace ns {
template <class T, int N>
KBUILD_KERNEL void fill(T* out, T value)
#ifdef WITH_BODY
{
    out[0] = value + N;
}
#else
    ;
#endif
#ifdef WITH_EXTERN
extern template KBUILD_KERNEL void fill<float, 8>(float*, float);
#endif
}  // namespace ns
