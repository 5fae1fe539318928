/* What the loops over the threads of a block use; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_THREADS_H
#define KBUILD_CPU_THREADS_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"

#pragma GCC system_header

extern "C" {
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_progress kbuild_cpu_progress;
extern KBUILD_CPU_IN_IMAGE __thread void *const *kbuild_cpu_arguments; /* of the launch */
}

namespace kbuild_cpu {

/* Returns the launch's object for a parameter that all threads of the grid share. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline __T *find_argument(unsigned long __index) {
    return static_cast<__T *>(kbuild_cpu_arguments[__index]);
}

/* Whether copies of objects are copies of their bytes, and have no end. */
template <class... __T>
constexpr bool are_bytes =
    (... && (__is_trivially_constructible(__T, const __T &) && __has_trivial_destructor(__T)));

/* A thread's object for a parameter: a copy of its bytes, as on a GPU.  Checks know no thread yet when it is made, so
 * it calls no function of the C library, which they replace. */
template <class __T>
class object_bytes {
public:
    KBUILD_CPU_UNCHECKED __device__ explicit object_bytes(const __T &__object)
        : copy_(reinterpret_cast<const __copy &>(__object)) {}
    __device__ __T &object() { return *__builtin_launder(reinterpret_cast<__T *>(&copy_)); }

private:
    struct __attribute__((may_alias)) __copy {
        alignas(__T) unsigned char __bytes[sizeof(__T)];
    };
    __copy copy_;
};

/* The same for the objects of a pack, which are the arguments of a function. */
template <class... __T>
class packed_bytes;

template <>
class packed_bytes<> {
public:
    template <class __F, class... __Object>
    __device__ void __call(const __F &__body, __Object &...__objects) {
        __body(__objects...);
    }
};

template <class __First, class... __Rest>
class packed_bytes<__First, __Rest...> {
public:
    KBUILD_CPU_UNCHECKED __device__ explicit packed_bytes(const __First &__first,
                                                          const __Rest &...__rest)
        : first_(__first), rest_(__rest...) {}
    template <class __F, class... __Object>
    __device__ void __call(const __F &__body, __Object &...__objects) {
        rest_.__call(__body, __objects..., first_.object());
    }

private:
    object_bytes<__First> first_;
    packed_bytes<__Rest...> rest_;
};

}  // namespace kbuild_cpu

#endif
