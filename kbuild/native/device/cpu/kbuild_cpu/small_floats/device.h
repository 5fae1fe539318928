/* What only device code does with a 16-bit format.  Included once per format with the macros that
 * types.h describes. */
#pragma GCC system_header

#define KBUILD_SMALL_ATOMIC_ADD(type, add) \
    KBUILD_SMALL_FUNCTION type atomicAdd(type *const __address, const type __value) { \
        return kbuild_cpu::atomic_update(__address, \
                                         [__value](type __old) { return add(__old, __value); }); \
    }
KBUILD_SMALL_ATOMIC_ADD(KBUILD_SMALL, __hadd)
KBUILD_SMALL_ATOMIC_ADD(KBUILD_SMALL2, __hadd2)
#undef KBUILD_SMALL_ATOMIC_ADD

#if defined(KBUILD_CPU_HIP_SHUFFLES)
KBUILD_CPU_HIP_SHUFFLES(KBUILD_SMALL)
KBUILD_CPU_HIP_SHUFFLES(KBUILD_SMALL2)
#else
KBUILD_CPU_SHUFFLES(KBUILD_SMALL)
KBUILD_CPU_SHUFFLES(KBUILD_SMALL2)
#endif
