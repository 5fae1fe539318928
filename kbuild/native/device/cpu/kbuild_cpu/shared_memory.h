/* The memory of `__shared__` variables.
 *
 * Each block has its own memory, with the same layout as the thread-local storage of the image, in which the
 * variables have their places.  An OS thread can have several blocks.  It adds the offset of the block to the
 * address of a place.  Compilers load the offset once per function, and keep the addresses in registers.  All
 * `extern` arrays are the block's dynamic memory. */
#ifndef KBUILD_CPU_SHARED_MEMORY_H
#define KBUILD_CPU_SHARED_MEMORY_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"
#if defined(KBUILD_CHECKED)
#include "checked_threads.h"
#endif

#pragma GCC system_header

/* For a block, this is a constant.  No function runs threads of two blocks. */
extern "C" {
extern KBUILD_CPU_IN_IMAGE __thread const struct kbuild_cpu_shared kbuild_cpu_shared;
}

namespace kbuild_cpu {

/* The variable with this place, whose memory is that of the block.  Compilers know that a pointer that they load leads
 * to none of the image's own variables, such as threadIdx.  They do not know it of one that was an integer. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline __T &in_block(__T &__place) {
#if defined(KBUILD_CHECKED)
    return *reinterpret_cast<__T *>(kbuild_cpu_check_find_shared(const_cast<const void *>(
        static_cast<const volatile void *>(__builtin_addressof(__place)))));
#else
    char *const __known = ::kbuild_cpu_shared.dynamic;
    const kbuild_uintptr __address =
        reinterpret_cast<kbuild_uintptr>(__builtin_addressof(__place)) + ::kbuild_cpu_shared.offset;
    return *reinterpret_cast<__T *>(
        __known +
        static_cast<__PTRDIFF_TYPE__>(__address - reinterpret_cast<kbuild_uintptr>(__known)));
#endif
}

/* Whether memory is that of the block, so that no other OS thread uses it. */
KBUILD_CPU_UNCHECKED __device__ inline bool is_in_block(const volatile void *__address) {
    const auto __place = reinterpret_cast<kbuild_uintptr>(__address);
    return __place - ::kbuild_cpu_shared.statics < ::kbuild_cpu_shared.static_bytes ||
           __place - reinterpret_cast<kbuild_uintptr>(::kbuild_cpu_shared.dynamic) <
               ::kbuild_cpu_shared.dynamic_bytes;
}

template <class __T>
__device__ inline __T &in_dynamic_memory() {
    return *reinterpret_cast<__T *>(::kbuild_cpu_shared.dynamic);
}

/* The type of a reference that is the name of such a variable tells it from variables that hide it. */
template <class __T>
__attribute__((always_inline, artificial)) __device__ constexpr __T &&name_shared(__T &__memory) {
    return static_cast<__T &&>(__memory);
}
template <class __T>
constexpr bool is_shared = false;
template <class __T>
constexpr bool is_shared<__T &&> = true;
/* The name of a variable of a namespace, which functions hide by a reference. */
template <class __T>
struct shared_name {};
template <class __T, class __Name>
constexpr bool is_name = false;
template <class __Name>
constexpr bool is_name<const shared_name<__Name>, __Name> = true;
/* What a qualified name means: the variable, or another one of a namespace with the same name. */
template <class __Name, class __T>
__device__ constexpr __T &choose_shared(const shared_name<__Name> &, __T &__memory) {
    return __memory;
}
template <class __Other, class __T>
__device__ constexpr __Other &choose_shared(__Other &__other, __T &) {
    return __other;
}

}  // namespace kbuild_cpu

#endif
