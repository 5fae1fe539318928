# 1 "<kbuild>" 3
#define __kbuild_global__ __attribute__((patchable_function_entry(1, 1), used, visibility("default")))
#if defined(__clang__)
#define __kbuild_inlined__ __attribute__((always_inline)) mutable
#else
#define __kbuild_inlined__ mutable __attribute__((always_inline))
#endif
#define __kbuild_blockIdx__ const ::uint3 blockIdx = ::blockIdx; \
    if (blockIdx.x > 2097150 || blockIdx.y > 65534 || blockIdx.z > 65534) __builtin_unreachable();
#define __kbuild_blockDim__ const ::dim3 blockDim = ::blockDim; \
    if (blockDim.x - 1 > 1023 || blockDim.y - 1 > 1023 || blockDim.z - 1 > 63) __builtin_unreachable();
#define __kbuild_gridDim__ const ::dim3 gridDim = ::gridDim; \
    if (gridDim.x - 1 > 2097150 || gridDim.y - 1 > 65534 || gridDim.z - 1 > 65534) __builtin_unreachable();
#define __kbuild_name__ static const auto &__kbuild_function__ = __PRETTY_FUNCTION__;
#define __kbuild_unseen_threads__(index) ::kbuild_cpu::for_each_unseen_thread<index>( \
    [=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__ -> void
#define __kbuild_threads__ ::kbuild_cpu::for_each_thread( \
    [=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__ -> void
#define __kbuild_threads_of_variable__ ::kbuild_cpu::for_each_thread( \
    [=](const ::uint3) __kbuild_inlined__ -> void
#define __kbuild_threads_end__ );
