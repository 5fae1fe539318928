/* CUB's algorithms for devices: how programs call them.
 *
 * Every algorithm has a storage and its size before its arguments, for which it is called twice, or neither; and a stream
 * or an environment after its arguments, or neither.  Here, an algorithm is a function that has a call in front of its
 * own arguments, and one function finds out about the others. */
#ifndef KBUILD_CPU_CCCL_DEVICE_CALL_H
#define KBUILD_CPU_CCCL_DEVICE_CALL_H

#include <cuda/std/tuple>
#include <cuda/std/utility>

#if CCCL_VERSION >= 3005000 && _CCCL_HAS_CTK()
#include <cub/detail/env_dispatch.cuh>
/* What programs say in environments: CUB's headers also include it. */
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/__execution/tie_break.h>
#include <cuda/__execution/tune.h>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

#if CCCL_VERSION >= 3005000 && _CCCL_HAS_CTK()
template <class __T>
struct is_environment
    : ::cuda::std::bool_constant<::cuda::std::__is_callable_v<::cuda::get_stream_t, const __T &>> {
};
template <class... __T>
struct is_environment<::cuda::std::execution::env<__T...>> : ::cuda::std::true_type {};
template <class __Query, class __Value>
struct is_environment<::cuda::std::execution::prop<__Query, __Value>> : ::cuda::std::true_type {};

template <class __Env>
cudaStream_t find_stream(const __Env &__env) {
    return ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, __env).get();
}
template <class __Env, class __Run>
cudaError_t run_in_storage(const __Env &__env, cudaStream_t __stream, size_t __bytes, __Run __run) {
    auto __resource = ::cuda::__call_or(::cuda::mr::__get_memory_resource,
                                        detail::device_memory_resource{}, __env);
    const ::cuda::stream_ref __place{__stream};
    void *__storage = nullptr;
    cudaError_t __error =
        detail::temporary_storage::allocate(__place, __storage, __bytes, __resource);
    if (__error != cudaSuccess) return __error;
    __error = __run(__storage);
    const cudaError_t __freed =
        detail::temporary_storage::deallocate(__place, __storage, __bytes, __resource);
    return __error == cudaSuccess ? __freed : __error;
}
#else
/* Something that has a stream. */
inline cudaStream_t find_stream(cudaStream_t __stream) { return __stream; }
template <class __Env>
auto find_stream(const __Env &__env) -> decltype(cudaStream_t{__env.get()}) {
    return __env.get();
}
template <class __Env>
auto find_stream(const __Env &__env) -> decltype(cudaStream_t{__env.stream()}) {
    return __env.stream();
}
template <class __T, class = void>
struct is_environment : ::cuda::std::false_type {};
template <class __T>
struct is_environment<__T, decltype(void(kbuild_device::find_stream(
                               ::cuda::std::declval<const __T &>())))> : ::cuda::std::true_type {};

template <class __Env, class __Run>
cudaError_t run_in_storage(const __Env &, cudaStream_t __stream, size_t __bytes, __Run __run) {
    void *__storage = nullptr;
    cudaError_t __error = cudaMallocAsync(&__storage, __bytes, __stream);
    if (__error != cudaSuccess) return __error;
    __error = __run(__storage);
    const cudaError_t __freed = cudaFreeAsync(__storage, __stream);
    return __error == cudaSuccess ? __freed : __error;
}
#endif

/* A program can write a null pointer as a number. */
template <class __T>
const __T &as_environment(const __T &__env) {
    return __env;
}
inline cudaStream_t as_environment(int) { return nullptr; }
inline cudaStream_t as_environment(long) { return nullptr; }
inline cudaStream_t as_environment(decltype(nullptr)) { return nullptr; }
inline void *as_storage(long) { return nullptr; }
inline void *as_storage(void *__storage) { return __storage; }

/* Calls a function with some of the arguments in a tuple. */
template <class __F, class __Tuple, size_t __first, class __Indices>
struct some_arguments;
template <class __F, class __Tuple, size_t __first, size_t... __i>
struct some_arguments<__F, __Tuple, __first, ::cuda::std::index_sequence<__i...>> {
    static constexpr bool is_callable =
        ::cuda::std::is_invocable_v<__F, const call &,
                                    ::cuda::std::tuple_element_t<__first + __i, __Tuple> &...>;
    static cudaError_t apply(__F __f, const call &__call, __Tuple &__arguments) {
        return __f(__call, ::cuda::std::get<__first + __i>(__arguments)...);
    }
};
/* The arguments from the given one on, of which the last one can be the environment. */
template <class __F, class __Tuple, size_t __first>
struct own_arguments {
    static constexpr size_t count = ::cuda::std::tuple_size_v<__Tuple> - __first;
    template <size_t __count>
    using first_arguments =
        some_arguments<__F, __Tuple, __first, ::cuda::std::make_index_sequence<__count>>;
    static constexpr bool has_environment = [] {
        if constexpr (count == 0)
            return false;
        else if constexpr (is_environment<::cuda::std::remove_cvref_t<
                               ::cuda::std::tuple_element_t<__first + count - 1, __Tuple>>>::value)
            return true;
        else
            return !first_arguments<count>::is_callable;
    }();
    using type = first_arguments<count - has_environment>;
    static decltype(auto) environment(__Tuple &__arguments) {
        if constexpr (has_environment)
            return kbuild_device::as_environment(
                ::cuda::std::get<__first + count - 1>(__arguments));
        else
            return cudaStream_t{};
    }
};

template <class... __Args>
inline constexpr bool begins_with_storage = false;
template <class __Storage, class... __Args>
inline constexpr bool begins_with_storage<__Storage, size_t &, __Args...> =
    !::cuda::std::is_class_v<::cuda::std::remove_reference_t<__Storage>>;

template <class __F, class... __Args>
cudaError_t call_algorithm(__F __f, __Args &&...__args) {
    using __Tuple = ::cuda::std::tuple<__Args &&...>;
    __Tuple __arguments(static_cast<__Args &&>(__args)...);
    if constexpr (begins_with_storage<__Args...>) {
        using __Own = own_arguments<__F, __Tuple, 2>;
        if constexpr (__Own::type::is_callable) {
            void *const __storage = kbuild_device::as_storage(::cuda::std::get<0>(__arguments));
            size_t &__bytes = ::cuda::std::get<1>(__arguments);
            const call __call{__storage, &__bytes,
                              kbuild_device::find_stream(__Own::environment(__arguments))};
            const cudaError_t __error = __Own::type::apply(__f, __call, __arguments);
            if (__storage == nullptr && __bytes == 0) __bytes = 1;
            return __error;
        }
    }
    if constexpr (!begins_with_storage<__Args...> ||
                  !own_arguments<__F, __Tuple, 2>::type::is_callable) {
        using __Own = own_arguments<__F, __Tuple, 0>;
        decltype(auto) __env = __Own::environment(__arguments);
        const cudaStream_t __stream = kbuild_device::find_stream(__env);
        size_t __bytes = 0;
        const cudaError_t __error =
            __Own::type::apply(__f, call{nullptr, &__bytes, __stream}, __arguments);
        if (__error != cudaSuccess) return __error;
        const auto __run = [&](void *__storage) {
            return __Own::type::apply(__f, call{__storage, &__bytes, __stream}, __arguments);
        };
        /* Any address will do if there is no storage. */
        return __bytes == 0 ? __run(&__bytes)
                            : kbuild_device::run_in_storage(__env, __stream, __bytes, __run);
    }
}

}  // namespace kbuild_device
CUB_NAMESPACE_END

/* A public function over one that has a call in front. */
#define KBUILD_CPU_ALGORITHM(functions, name) \
    template <class... __Explicit, class... __Args> \
    static cudaError_t name(__Args &&...__args) { \
        return kbuild_device::call_algorithm( \
            [](const kbuild_device::call &__call, auto &...__own) \
                -> decltype(kbuild_device::functions::template name<__Explicit...>(__call, \
                                                                                   __own...)) { \
                return kbuild_device::functions::template name<__Explicit...>(__call, __own...); \
            }, \
            static_cast<__Args &&>(__args)...); \
    }
/* The same for functions with two numbers as template arguments. */
#define KBUILD_CPU_ALGORITHM_OF(functions, name) \
    template <int __a, int __b, class... __Explicit, class... __Args> \
    static cudaError_t name(__Args &&...__args) { \
        return kbuild_device::call_algorithm( \
            [](const kbuild_device::call &__call, auto &...__own) \
                -> decltype(kbuild_device::functions::template name<__a, __b, __Explicit...>( \
                    __call, __own...)) { \
                return kbuild_device::functions::template name<__a, __b, __Explicit...>(__call, \
                                                                                        __own...); \
            }, \
            static_cast<__Args &&>(__args)...); \
    }

#endif
