/* Calls of the runtime that can suspend a thread. */
#ifndef KBUILD_CPU_SCHEDULING_H
#define KBUILD_CPU_SCHEDULING_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"
#include "traits.h"

#if !defined(KBUILD_DEVICE_CODE) && !defined(KBUILD_MIXED_DEVICE)
#include <sched.h>
#endif

#pragma GCC system_header

/* The image's attach function sets the first two, and each launch sets the third one.  The two are the same
 * functions: an object refers to kbuild_cpu_waits where a thread can wait for other threads of its block, and to
 * kbuild_cpu_api where the runtime needs the index of the thread.  kbuild reads this in the object, and compiles
 * kernels again whose loop must store the index, or that need fibers; see mixed/waits/review.py of the backend. */
extern "C" {
extern __attribute__((visibility("hidden"))) const struct kbuild_cpu_device_api *kbuild_cpu_api;
extern __attribute__((visibility("hidden"))) const struct kbuild_cpu_device_api *kbuild_cpu_waits;
extern __attribute__((visibility("hidden"))) const char kbuild_cpu_loops;
extern KBUILD_CPU_IN_IMAGE __thread void *const kbuild_cpu_runner;
__attribute__((visibility("hidden"))) void kbuild_cpu_yield(const struct kbuild_cpu_call *__call,
                                                            unsigned __weight);
__attribute__((visibility("hidden"), noreturn)) void kbuild_cpu_fail_thread(
    const struct kbuild_cpu_call *__call, const char *__reason, unsigned __x, unsigned __y,
    unsigned __z);
}

/* The last parameters of a function that can wait: where it is called.  Reports name the line. */
#define KBUILD_CPU_CALLER const char *__file = __builtin_FILE(), unsigned __line = __builtin_LINE()
#define KBUILD_CPU_CALL(function) (kbuild_cpu_call{function, __file, __line, 32})

namespace kbuild_cpu {

/* Descriptions of calls are passed by value, because checks instrument variables whose address is taken.
 *
 * Returns the sum of the values of all threads that have reached the barrier. */
KBUILD_CPU_UNCHECKED __device__ inline kbuild_uint64 block_barrier(kbuild_cpu_call __call,
                                                                   kbuild_uint64 __value = 0) {
    return *kbuild_cpu_waits->barrier(kbuild_cpu_runner, &__call, __value);
}

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
/* A turn of a loop in which a thread waits. */
KBUILD_CPU_UNCHECKED __device__ inline void spin_call(kbuild_cpu_call __call, unsigned __weight) {
    kbuild_cpu_waits->spin(kbuild_cpu_runner, &__call, __weight);
}
/* A call that can be a turn of such a loop.  The loop is marked if it is one; see waits/loops.py of the backend. */
KBUILD_CPU_UNCHECKED __device__ inline void yield_call(kbuild_cpu_call __call, unsigned __weight) {
    kbuild_cpu_yield(&__call, __weight);
}
/* Says that the caller can be in such a loop, which is not known. */
KBUILD_CPU_UNCHECKED __device__ inline void may_wait() {
    __asm__ volatile("" : : "r"(&kbuild_cpu_waits));
}
/* What kbuild puts into loops in which a thread can wait for memory that another thread changes: a mark, which
 * matters to kernels with atomic functions or fences, or a wait.  Neither exists if the loop surely ends.  Constant
 * expressions have no other threads. */
KBUILD_CPU_UNCHECKED __device__ inline void refer_to_loops() {
    __asm__ volatile("" : : "r"(&kbuild_cpu_loops));
}
template <bool __ends = false>
KBUILD_CPU_UNCHECKED __device__ constexpr bool mark_loop() {
    if constexpr (!__ends) {
        if (!__builtin_is_constant_evaluated()) refer_to_loops();
    }
    return false;
}
template <bool __ends = false>
KBUILD_CPU_UNCHECKED __device__ constexpr bool wait_in_loop() {
    if constexpr (!__ends) {
        if (!__builtin_is_constant_evaluated())
            spin_call(kbuild_cpu_call{"a loop that waits for another thread", nullptr, 0, 32}, 1);
    }
    return false;
}
#else
/* Host code also runs device functions, in its own threads; see "Thrust, CUB, and libcu++" in the documentation. */
inline void spin_call(kbuild_cpu_call, unsigned) { sched_yield(); }
inline void yield_call(kbuild_cpu_call, unsigned) { sched_yield(); }
inline void may_wait() {}
template <bool = false>
constexpr bool mark_loop() {
    return false;
}
template <bool = false>
constexpr bool wait_in_loop() {
    return false;
}
#endif
/* Whether all threads of a block meet at the barrier of a group, so that none can wait in a loop with it. */
template <class __T, class = void>
constexpr bool is_block = false;
template <class __T>
constexpr bool is_block<__T, typename remove_reference_t<__T>::__kbuild_block> = true;
/* The same for a loop that ends if a function finds the atomicCAS of CUDA; see atomics.h. */
struct update {};
struct updated {};
struct not_updated {};
template <class __T, class __Find>
auto find_update(__Find *__find, int)
    -> decltype((*__find)(static_cast<__T *>(nullptr), __T(), update()));
template <class, class __Find>
not_updated find_update(__Find *, long);
template <class __T, class __Find>
constexpr bool is_update =
    is_same_v<decltype(find_update<remove_reference_t<__T>>(static_cast<__Find *>(nullptr), 0)),
              updated>;
template <bool __ends, class __T, class __Find>
KBUILD_CPU_UNCHECKED __device__ inline bool mark_loop(__Find) {
    return mark_loop<__ends && is_update<__T, __Find>>();
}
template <bool __ends, class __T, class __Find>
KBUILD_CPU_UNCHECKED __device__ inline bool wait_in_loop(__Find) {
    return wait_in_loop<__ends && is_update<__T, __Find>>();
}
/* Whether operators for values of these types are built in: they are not those of a class or an enumeration. */
template <class... __Types>
constexpr bool are_scalars =
    (!(__is_class(remove_reference_t<__Types>) || __is_union(remove_reference_t<__Types>) ||
       __is_enum(remove_reference_t<__Types>)) &&
     ...);
/* Whether a loop over a range has pointers, whose operators are built in. */
template <class __T>
constexpr bool is_pointer = false;
template <class __T>
constexpr bool is_pointer<__T *> = true;
template <class __T, unsigned long __Count>
constexpr bool begins_with_pointer(__T (*)[__Count], int) {
    return true;
}
template <class __T>
constexpr auto begins_with_pointer(__T *__range, int) -> decltype(__range->begin(), true) {
    return is_pointer<decltype(__range->begin())>;
}
template <class __T>
constexpr bool begins_with_pointer(__T *, long) {
    return false;
}
template <class __T>
constexpr bool has_pointers =
    begins_with_pointer(static_cast<remove_reference_t<__T> *>(nullptr), 0);

[[noreturn]] __device__ inline void fail_call(kbuild_cpu_call __call, const char *__reason) {
    kbuild_cpu_api->fail(kbuild_cpu_runner, &__call, __reason);
    __builtin_unreachable();
}

/* Atomic functions call this if they have changed nothing, because the thread might wait for a
 * value that another thread writes. */
__attribute__((noinline, cold)) __device__ inline void spin() {
    yield_call(kbuild_cpu_call{"an atomic function that changes nothing", nullptr, 0, 32}, 1);
}

}  // namespace kbuild_cpu

#endif
