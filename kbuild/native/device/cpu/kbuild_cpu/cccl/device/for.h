/* cub::DeviceFor and cub::DeviceTransform. */
#ifndef KBUILD_CPU_CCCL_DEVICE_FOR_H
#define KBUILD_CPU_CCCL_DEVICE_FOR_H

#include "launch.h"

#include <cuda/std/tuple>

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

struct call_each {
    template <class __Number, class __Op>
    static void run(size_t __part, parts __parts, __Number __items, __Op __op) {
        const size_t __last = __parts.last(__part, static_cast<size_t>(__items));
        for (size_t __i = __parts.first(__part); __i < __last; ++__i)
            (void)__op(static_cast<__Number>(__i));
    }
};
template <class __Number, class __Op>
cudaError_t call_all(__Number __items, __Op __op, cudaStream_t __stream) {
    const parts __parts = divide(count_items(__items), 256);
    return launch<call_each>(__stream, __parts.count, __parts, __items, __op);
}
template <class __In, class __Op>
struct on_element {
    __In first;
    __Op op;
    template <class __Number>
    void operator()(__Number __i) {
        (void)op(first[__i]);
    }
};
template <class __In, class __Op>
struct on_copy {
    __In first;
    __Op op;
    template <class __Number>
    void operator()(__Number __i) {
        const value_of<__In> __copy = first[__i];
        (void)op(__copy);
    }
};

template <class __Ins, class __Out, class __Op, class __Predicate>
struct transform_element {
    __Ins ins;
    __Out out;
    __Op op;
    __Predicate predicate;
    template <class __Number>
    void operator()(__Number __i) {
        ::cuda::std::apply(
            [&](auto &...__in) {
                if (predicate(__in[__i]...)) out[__i] = op(__in[__i]...);
            },
            ins);
    }
};
struct always {
    template <class... __T>
    bool operator()(const __T &...) const {
        return true;
    }
};
template <class __Out, class __Value>
struct fill_element {
    __Out out;
    __Value value;
    template <class __Number>
    void operator()(__Number __i) {
        out[__i] = value;
    }
};
template <class __Out, class __Make>
struct generate_element {
    __Out out;
    __Make make;
    template <class __Number>
    void operator()(__Number __i) {
        out[__i] = make();
    }
};

}  // namespace kbuild_device

struct DeviceFor {
    template <class __Number, class __Op, class __Env = kbuild_device::no_environment>
    static cudaError_t Bulk(__Number __items, __Op __op, __Env __env = {}) {
        return kbuild_device::call_all(__items, __op, kbuild_device::find_stream(__env));
    }
    template <class __In, class __Number, class __Op, class __Env = kbuild_device::no_environment>
    static cudaError_t ForEachN(__In __first, __Number __items, __Op __op, __Env __env = {}) {
        return Bulk(__items,
                    kbuild_device::on_element<kbuild_device::unwrapped<__In>, __Op>{
                        kbuild_device::unwrap(__first), __op},
                    __env);
    }
    template <class __In, class __Op, class __Env = kbuild_device::no_environment>
    static cudaError_t ForEach(__In __first, __In __last, __Op __op, __Env __env = {}) {
        return ForEachN(__first, static_cast<long long>(__last - __first), __op, __env);
    }
    template <class __In, class __Number, class __Op, class __Env = kbuild_device::no_environment>
    static cudaError_t ForEachCopyN(__In __first, __Number __items, __Op __op, __Env __env = {}) {
        return Bulk(__items,
                    kbuild_device::on_copy<kbuild_device::unwrapped<__In>, __Op>{
                        kbuild_device::unwrap(__first), __op},
                    __env);
    }
    template <class __In, class __Op, class __Env = kbuild_device::no_environment>
    static cudaError_t ForEachCopy(__In __first, __In __last, __Op __op, __Env __env = {}) {
        return ForEachCopyN(__first, static_cast<long long>(__last - __first), __op, __env);
    }
#define KBUILD_CPU_WITH_STORAGE(name) \
    template <class... __Args> \
    static cudaError_t name(void *__storage, size_t &__bytes, __Args... __args) { \
        return kbuild_device::with_storage(__storage, __bytes, 0, \
                                           [=](char *) { return name(__args...); }); \
    }
    KBUILD_CPU_WITH_STORAGE(Bulk)
    KBUILD_CPU_WITH_STORAGE(ForEachN)
    KBUILD_CPU_WITH_STORAGE(ForEach)
    KBUILD_CPU_WITH_STORAGE(ForEachCopyN)
    KBUILD_CPU_WITH_STORAGE(ForEachCopy)
#undef KBUILD_CPU_WITH_STORAGE
};

struct DeviceTransform {
    template <class... __Ins, class __Out, class __Number, class __Predicate, class __Op,
              class __Env = kbuild_device::no_environment>
    static cudaError_t TransformIf(::cuda::std::tuple<__Ins...> __ins, __Out __out,
                                   __Number __items, __Predicate __predicate, __Op __op,
                                   __Env __env = {}) {
        return DeviceFor::Bulk(
            static_cast<long long>(__items),
            kbuild_device::transform_element<
                ::cuda::std::tuple<kbuild_device::unwrapped<__Ins>...>,
                kbuild_device::unwrapped<__Out>, __Op, __Predicate>{
                ::cuda::std::apply(
                    [](auto... __in) {
                        return ::cuda::std::tuple<kbuild_device::unwrapped<__Ins>...>(
                            kbuild_device::unwrap(__in)...);
                    },
                    __ins),
                kbuild_device::unwrap(__out), __op, __predicate},
            __env);
    }
    template <class __In, class __Out, class __Number, class __Predicate, class __Op,
              class __Env = kbuild_device::no_environment>
    static cudaError_t TransformIf(__In __in, __Out __out, __Number __items,
                                   __Predicate __predicate, __Op __op, __Env __env = {}) {
        return TransformIf(::cuda::std::tuple<__In>(__in), __out, __items, __predicate, __op,
                           __env);
    }
    template <class __In, class __Out, class __Number, class __Op,
              class __Env = kbuild_device::no_environment>
    static cudaError_t Transform(__In __in, __Out __out, __Number __items, __Op __op,
                                 __Env __env = {}) {
        return TransformIf(__in, __out, __items, kbuild_device::always{}, __op, __env);
    }
    template <class __In, class __Out, class __Number, class __Op,
              class __Env = kbuild_device::no_environment>
    static cudaError_t TransformStableArgumentAddresses(__In __in, __Out __out, __Number __items,
                                                        __Op __op, __Env __env = {}) {
        return Transform(__in, __out, __items, __op, __env);
    }
    template <class __Out, class __Number, class __Value,
              class __Env = kbuild_device::no_environment>
    static cudaError_t Fill(__Out __out, __Number __items, __Value __value, __Env __env = {}) {
        return DeviceFor::Bulk(
            static_cast<long long>(__items),
            kbuild_device::fill_element<kbuild_device::unwrapped<__Out>, __Value>{
                kbuild_device::unwrap(__out), __value},
            __env);
    }
    template <class __Out, class __Number, class __Make,
              class __Env = kbuild_device::no_environment>
    static cudaError_t Generate(__Out __out, __Number __items, __Make __make, __Env __env = {}) {
        return DeviceFor::Bulk(
            static_cast<long long>(__items),
            kbuild_device::generate_element<kbuild_device::unwrapped<__Out>, __Make>{
                kbuild_device::unwrap(__out), __make},
            __env);
    }
};

CUB_NAMESPACE_END

#endif
