# 1 "<kbuild>" 3
/* Kernels: what the backend writes around their bodies, as macros of one line each, so that the lines
 * of the source keep their numbers.  The body becomes a function without a name that is called for each
 * thread with copies of the kernel's parameters.  The kernel's symbol then runs all threads of a block.
 *
 * An unseen thread does not stop before its end, and nobody reads its index.  Then the inner loop
 * contains nothing but the body, so that compilers vectorize it.  Its variable has the type that the
 * body uses for the index in the grid; gcc splits only loops whose own variable is compared.  threadIdx
 * has an index that does not exist, so that a mistake is visible.  The other conditions state what gcc
 * must know about ranges.  Three nested loops around the body would prevent gcc from vectorizing it.
 *
 * Otherwise, each thread stores its index.  If a thread was suspended, the runtime has let other
 * threads run meanwhile, and starts the rest with another call. */
#define __kbuild_global__ __attribute__((patchable_function_entry(1, 1), used, visibility("default")))
#if !defined(__OPTIMIZE__)
#define __kbuild_inlined__ mutable
#elif defined(__clang__)
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
#define __kbuild_name__ [[maybe_unused]] static const auto &__kbuild_func__ = __func__; \
    [[maybe_unused]] static const auto &__kbuild_pretty_function__ = __PRETTY_FUNCTION__;
#define __kbuild_poison__ ::threadIdx.x = ::threadIdx.y = ::threadIdx.z = ~0u;
#define __kbuild_unseen_threads__(type, first) __kbuild_poison__ \
    const unsigned int __kbuild_width__ = ::blockDim.x, __kbuild_height__ = ::blockDim.y; \
    const unsigned int __kbuild_rows__ = __kbuild_height__ * ::blockDim.z; \
    const unsigned int __kbuild_first__ = first; \
    if (__kbuild_width__ > 1024 || __kbuild_first__ > 0x7FFFFFFFu - __kbuild_width__) __builtin_unreachable(); \
    unsigned int __kbuild_y__ = 0, __kbuild_z__ = 0; \
    for (unsigned int __kbuild_row__ = 0; __kbuild_row__ < __kbuild_rows__; ++__kbuild_row__) { \
        const type __kbuild_end__ = static_cast<type>(__kbuild_first__ + __kbuild_width__); \
        for (type __kbuild_i__ = static_cast<type>(__kbuild_first__); __kbuild_i__ < __kbuild_end__; ++__kbuild_i__) \
            [=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__ -> void
#define __kbuild_unseen_threads_end__ \
            (::uint3{static_cast<unsigned int>(__kbuild_i__) - __kbuild_first__, __kbuild_y__, __kbuild_z__}); \
        if (++__kbuild_y__ == __kbuild_height__) { __kbuild_y__ = 0; ++__kbuild_z__; } \
    }
#define __kbuild_each_thread__ \
    const auto __kbuild_suspensions__ = ::kbuild_cpu_progress.suspensions; \
    unsigned int __kbuild_x__ = ::kbuild_cpu_progress.start.x, __kbuild_y__ = ::kbuild_cpu_progress.start.y; \
    unsigned int __kbuild_z__ = ::kbuild_cpu_progress.start.z; \
    for (; __kbuild_z__ < ::blockDim.z; ++__kbuild_z__, __kbuild_y__ = 0) \
        for (; __kbuild_y__ < ::blockDim.y; ++__kbuild_y__, __kbuild_x__ = 0) \
            for (; __kbuild_x__ < ::blockDim.x; ++__kbuild_x__) { \
                ::threadIdx.x = __kbuild_x__; \
                ::threadIdx.y = __kbuild_y__; \
                ::threadIdx.z = __kbuild_z__;
#define __kbuild_threads__ __kbuild_each_thread__ \
                [=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__ -> void
#define __kbuild_threads_of_variable__ __kbuild_each_thread__ \
                [=](const ::uint3) __kbuild_inlined__ -> void
#define __kbuild_threads_end__ \
                (::uint3{__kbuild_x__, __kbuild_y__, __kbuild_z__}); \
                if (__builtin_expect(::kbuild_cpu_progress.suspensions != __kbuild_suspensions__, 0)) return; \
            }
