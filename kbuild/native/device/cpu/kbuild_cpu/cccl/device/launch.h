/* CUB's algorithms for devices: how they run.
 *
 * CUB's own kernels need hundreds of threads per block that exchange values, which is slow on a CPU.  Here, an
 * algorithm is a class with a function for one part of its input, and a kernel whose blocks have one thread runs
 * the parts.  So algorithms are launches like all others: in order in their stream, in graphs, and checked. */
#ifndef KBUILD_CPU_CCCL_DEVICE_LAUNCH_H
#define KBUILD_CPU_CCCL_DEVICE_LAUNCH_H

#include <cub/config.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_type.cuh>

#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

#include <cuda_runtime_api.h>

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

template <class __Algorithm, class... __Args>
__global__ void run_parts(__Args... __args) {
    __Algorithm::run(static_cast<size_t>(blockIdx.x), __args...);
}

/* The pointer of an iterator of contiguous memory, such as those of vectors, whose references are objects.  Other
 * arguments stay as they are. */
template <class __T, class = void>
struct unwrapping {
    using type = __T;
    static __T unwrap(__T __value) { return __value; }
};
template <class __T>
struct unwrapping<
    __T, ::cuda::std::void_t<typename ::cuda::std::iterator_traits<__T>::iterator_category>> {
    using type =
        decltype(THRUST_NS_QUALIFIER::try_unwrap_contiguous_iterator(::cuda::std::declval<__T>()));
    static type unwrap(__T __value) {
        return THRUST_NS_QUALIFIER::try_unwrap_contiguous_iterator(__value);
    }
};
template <class __T>
using unwrapped = typename unwrapping<__T>::type;
template <class __T>
unwrapped<__T> unwrap(__T __value) {
    return unwrapping<__T>::unwrap(__value);
}

template <class __Algorithm, class... __Args>
cudaError_t launch(cudaStream_t __stream, size_t __parts, __Args... __args) {
    if (__parts != 0)
        run_parts<__Algorithm, unwrapped<__Args>...>
            <<<static_cast<unsigned int>(__parts), 1, 0, __stream>>>(unwrap(__args)...);
    return cudaPeekAtLastError();
}

/* Parts of equal size.  Their number depends on nothing but the input, so that rounding does not either. */
struct parts {
    size_t count, size;
    size_t first(size_t __part) const { return __part * size; }
    size_t last(size_t __part, size_t __items) const {
        return __items - first(__part) < size ? __items : first(__part) + size;
    }
};
inline parts divide(size_t __items, size_t __least = 4096) {
    constexpr size_t __most = 256;
    const size_t __size =
        (__items + __most - 1) / __most < __least ? __least : (__items + __most - 1) / __most;
    return {(__items + __size - 1) / __size, __size};
}
template <class __Number>
size_t count_items(__Number __items) {
    return static_cast<long long>(__items) < 0 ? 0 : static_cast<size_t>(__items);
}

/* How a program calls an algorithm: see call.h.  Without storage, it asks for the size of the storage. */
struct call {
    void *storage;
    size_t *bytes;
    cudaStream_t stream;
};
template <class __Run>
cudaError_t with_storage(const call &__call, size_t __needed, __Run __run) {
    if (__call.storage == nullptr) {
        *__call.bytes = __needed;
        return cudaSuccess;
    }
    return *__call.bytes < __needed ? cudaErrorInvalidValue
                                    : __run(static_cast<char *>(__call.storage));
}
template <class __Algorithm, class... __Args>
cudaError_t run_all(const call &__call, size_t __parts, __Args... __args) {
    return with_storage(
        __call, 0, [=](char *) { return launch<__Algorithm>(__call.stream, __parts, __args...); });
}
template <class __Algorithm, class... __Args>
cudaError_t run_once(const call &__call, __Args... __args) {
    return run_all<__Algorithm>(__call, 1, __args...);
}

template <class __Iterator>
using value_of = typename ::cuda::std::iterator_traits<__Iterator>::value_type;
template <class __Iterator>
struct value_type_of {
    using type = value_of<__Iterator>;
};
/* Of an output iterator, whose values can have the type void. */
template <class __Out, class __T>
using value_or = ::cuda::std::_If<::cuda::std::is_void_v<value_of<__Out>>, __T, value_of<__Out>>;
/* The result of functions that have overloads with other arguments in the place of a number. */
template <class __Number>
using result = ::cuda::std::enable_if_t<::cuda::std::is_integral_v<__Number>, cudaError_t>;
template <class __Op, class __In, class __Init>
using accumulator = ::cuda::std::__accumulator_t<__Op, __In, __Init>;

}  // namespace kbuild_device
CUB_NAMESPACE_END

#include "call.h"

#endif
