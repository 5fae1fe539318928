/* HIP's warp operations, for sources that include hip/hip_runtime.h.
 *
 * A warp has 64 lanes, as on the gfx9 processors, or 32 if the source is compiled with
 * -D__AMDGCN_WAVEFRONT_SIZE=32.  The names are macros, because the prelude of every source declares
 * CUDA's functions. */
#ifndef KBUILD_CPU_HIP_WARP_H
#define KBUILD_CPU_HIP_WARP_H

#include "warp.h"

#pragma GCC system_header

#if !defined(__AMDGCN_WAVEFRONT_SIZE)
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#define __AMDGCN_WAVEFRONT_SIZE__ __AMDGCN_WAVEFRONT_SIZE
#define KBUILD_CPU_WARP_SIZE __AMDGCN_WAVEFRONT_SIZE

#define KBUILD_CPU_HIP_CALL(function) \
    (kbuild_cpu_call{function, __file, __line, KBUILD_CPU_WARP_SIZE})

static_assert(KBUILD_CPU_WARP_SIZE == 32 || KBUILD_CPU_WARP_SIZE == 64,
              "kbuild: __AMDGCN_WAVEFRONT_SIZE must be 32 or 64");

constexpr int kbuild_hip_warpSize = KBUILD_CPU_WARP_SIZE;

/* Without a mask: the lanes that reach the call together.  As in HIP's headers, these are overloads, so
 * that programs can add some for their own types. */
#define KBUILD_CPU_HIP_SHUFFLE(name, index, T) \
    inline T KBUILD_NEEDS_BLOCK kbuild_hip_##name(T __value, KBUILD_CPU_SHUFFLE_##index __from, \
                                                  int __width = KBUILD_CPU_WARP_SIZE, \
                                                  KBUILD_CPU_CALLER) { \
        const kbuild_cpu_call __call = KBUILD_CPU_HIP_CALL(#name); \
        return kbuild_cpu::shuffle_value( \
            __call, kbuild_cpu::converge(__call), __value, \
            kbuild_cpu::shuffle_##index(kbuild_cpu::lane_of(__call), __from, __width)); \
    }
#define KBUILD_CPU_HIP_SHUFFLES(T) \
    KBUILD_CPU_HIP_SHUFFLE(__shfl, index, T) \
    KBUILD_CPU_HIP_SHUFFLE(__shfl_up, up, T) \
    KBUILD_CPU_HIP_SHUFFLE(__shfl_down, down, T) \
    KBUILD_CPU_HIP_SHUFFLE(__shfl_xor, lanes, T)

KBUILD_CPU_SHUFFLE_TYPES(KBUILD_CPU_HIP_SHUFFLES)
#if defined(__CUDA_FP16_H__)
KBUILD_CPU_HIP_SHUFFLES(__half)
KBUILD_CPU_HIP_SHUFFLES(__half2)
#endif
#if defined(__CUDA_BF16_H__)
KBUILD_CPU_HIP_SHUFFLES(__nv_bfloat16)
KBUILD_CPU_HIP_SHUFFLES(__nv_bfloat162)
#endif

#define KBUILD_CPU_HIP_MASKED_SHUFFLE(name, index) \
    template <class __Mask, class __T> \
    inline __T KBUILD_NEEDS_BLOCK kbuild_hip_##name##_sync( \
        __Mask __mask, __T __value, KBUILD_CPU_SHUFFLE_##index __from, \
        int __width = KBUILD_CPU_WARP_SIZE, KBUILD_CPU_CALLER) { \
        static_assert(sizeof(__Mask) == 8, "the mask of a HIP warp operation must have 64 bits"); \
        const kbuild_cpu_call __call = KBUILD_CPU_HIP_CALL(#name "_sync"); \
        return kbuild_cpu::shuffle_value( \
            __call, __mask, __value, \
            kbuild_cpu::shuffle_##index(kbuild_cpu::lane_of(__call), __from, __width)); \
    }

KBUILD_CPU_HIP_MASKED_SHUFFLE(__shfl, index)
KBUILD_CPU_HIP_MASKED_SHUFFLE(__shfl_up, up)
KBUILD_CPU_HIP_MASKED_SHUFFLE(__shfl_down, down)
KBUILD_CPU_HIP_MASKED_SHUFFLE(__shfl_xor, lanes)

#undef KBUILD_CPU_HIP_MASKED_SHUFFLE

inline unsigned long long KBUILD_NEEDS_BLOCK kbuild_hip___ballot(int __predicate,
                                                                 KBUILD_CPU_CALLER) {
    const kbuild_cpu_call __call = KBUILD_CPU_HIP_CALL("__ballot");
    return kbuild_cpu::ballot(__call, kbuild_cpu::converge(__call), __predicate != 0);
}
inline int KBUILD_NEEDS_BLOCK kbuild_hip___any(int __predicate, KBUILD_CPU_CALLER) {
    const kbuild_cpu_call __call = KBUILD_CPU_HIP_CALL("__any");
    return kbuild_cpu::ballot(__call, kbuild_cpu::converge(__call), __predicate != 0) != 0;
}
inline int KBUILD_NEEDS_BLOCK kbuild_hip___all(int __predicate, KBUILD_CPU_CALLER) {
    const kbuild_cpu_call __call = KBUILD_CPU_HIP_CALL("__all");
    return kbuild_cpu::ballot(__call, kbuild_cpu::converge(__call), __predicate == 0) == 0;
}
inline unsigned long long KBUILD_NEEDS_BLOCK kbuild_hip___activemask(KBUILD_CPU_CALLER) {
    return kbuild_cpu::converge(KBUILD_CPU_HIP_CALL("__activemask"));
}
inline unsigned long long KBUILD_NEEDS_BLOCK kbuild_hip___ballot_sync(unsigned long long __mask,
                                                                      int __predicate,
                                                                      KBUILD_CPU_CALLER) {
    return kbuild_cpu::ballot(KBUILD_CPU_HIP_CALL("__ballot_sync"), __mask, __predicate != 0);
}
inline int KBUILD_NEEDS_BLOCK kbuild_hip___any_sync(unsigned long long __mask, int __predicate,
                                                    KBUILD_CPU_CALLER) {
    return kbuild_cpu::ballot(KBUILD_CPU_HIP_CALL("__any_sync"), __mask, __predicate != 0) != 0;
}
inline int KBUILD_NEEDS_BLOCK kbuild_hip___all_sync(unsigned long long __mask, int __predicate,
                                                    KBUILD_CPU_CALLER) {
    return kbuild_cpu::ballot(KBUILD_CPU_HIP_CALL("__all_sync"), __mask, __predicate == 0) == 0;
}
template <class __T>
inline unsigned long long KBUILD_NEEDS_BLOCK kbuild_hip___match_any_sync(unsigned long long __mask,
                                                                         __T __value,
                                                                         KBUILD_CPU_CALLER) {
    return kbuild_cpu::match_any(KBUILD_CPU_HIP_CALL("__match_any_sync"), __mask, __value);
}
template <class __T>
inline unsigned long long KBUILD_NEEDS_BLOCK kbuild_hip___match_all_sync(unsigned long long __mask,
                                                                         __T __value,
                                                                         int *__is_equal,
                                                                         KBUILD_CPU_CALLER) {
    const auto __same =
        kbuild_cpu::match_all(KBUILD_CPU_HIP_CALL("__match_all_sync"), __mask, __value);
    *__is_equal = __same != 0;
    return __same;
}
inline void KBUILD_NEEDS_BLOCK kbuild_hip___syncwarp(unsigned long long __mask = ~0ull,
                                                     KBUILD_CPU_CALLER) {
    kbuild_cpu::exchange(KBUILD_CPU_HIP_CALL("__syncwarp"), __mask);
}
inline unsigned int KBUILD_NEEDS_BLOCK __lane_id() {
    return kbuild_cpu::thread_number() % KBUILD_CPU_WARP_SIZE;
}

#define warpSize kbuild_hip_warpSize
#define __shfl kbuild_hip___shfl
#define __shfl_up kbuild_hip___shfl_up
#define __shfl_down kbuild_hip___shfl_down
#define __shfl_xor kbuild_hip___shfl_xor
#define __shfl_sync kbuild_hip___shfl_sync
#define __shfl_up_sync kbuild_hip___shfl_up_sync
#define __shfl_down_sync kbuild_hip___shfl_down_sync
#define __shfl_xor_sync kbuild_hip___shfl_xor_sync
#define __ballot kbuild_hip___ballot
#define __any kbuild_hip___any
#define __all kbuild_hip___all
#define __activemask kbuild_hip___activemask
#define __ballot_sync kbuild_hip___ballot_sync
#define __any_sync kbuild_hip___any_sync
#define __all_sync kbuild_hip___all_sync
#define __match_any_sync kbuild_hip___match_any_sync
#define __match_all_sync kbuild_hip___match_all_sync
#define __syncwarp kbuild_hip___syncwarp

#endif
