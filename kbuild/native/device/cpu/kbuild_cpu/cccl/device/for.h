/* cub::DeviceFor and cub::DeviceTransform. */
#ifndef KBUILD_CPU_CCCL_DEVICE_FOR_H
#define KBUILD_CPU_CCCL_DEVICE_FOR_H

#include "launch.h"

#include <thrust/detail/raw_reference_cast.h>

#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/tuple>

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_for.cuh>
#include <cub/device/dispatch/tuning/tuning_transform.cuh>
#endif

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
cudaError_t call_all(const call &__call, __Number __items, __Op __op) {
    const parts __parts = divide(count_items(__items), 256);
    return run_all<call_each>(__call, __parts.count, __parts, __items, __op);
}
/* As CUB's, an element is *(first + i), so that the iterator exists as long as its reference: a reference can
 * refer to the iterator. */
template <class __In, class __Op>
struct on_element {
    __In first;
    __Op op;
    template <class __Number>
    void operator()(__Number __i) {
        (void)op(THRUST_NS_QUALIFIER::raw_reference_cast(*(first + __i)));
    }
};
template <class __In, class __Op>
struct on_copy {
    __In first;
    __Op op;
    template <class __Number>
    void operator()(__Number __i) {
        const value_of<__In> __copy = *(first + __i);
        (void)op(__copy);
    }
};

/* Calls the function with the index of an element, and its place in each dimension. */
template <class __Mapping, class __Op>
struct on_place {
    using extents_type = typename __Mapping::extents_type;
    using index_type = typename extents_type::index_type;
    extents_type extents;
    __Op op;
    template <class __Number>
    void operator()(__Number __i) {
        call_with(static_cast<index_type>(__i),
                  ::cuda::std::make_index_sequence<extents_type::rank()>{});
    }

private:
    template <size_t... __d>
    void call_with(index_type __i, ::cuda::std::index_sequence<__d...>) {
        constexpr bool __is_right =
            ::cuda::std::is_same_v<typename __Mapping::layout_type, ::cuda::std::layout_right>;
        constexpr size_t __rank = sizeof...(__d);
        ::cuda::std::array<index_type, __rank> __places{};
        index_type __rest = __i;
        for (size_t __k = 0; __k < __rank; ++__k) {
            const size_t __dimension = __is_right ? __rank - 1 - __k : __k;
            __places[__dimension] = static_cast<index_type>(__rest % extents.extent(__dimension));
            __rest = static_cast<index_type>(__rest / extents.extent(__dimension));
        }
        (void)op(__i, __places[__d]...);
    }
};

template <class __Out>
struct one_output {
    __Out out;
    template <class __Number, class __Value>
    void store(__Number __i, __Value &&__value) {
        *(out + __i) = static_cast<__Value &&>(__value);
    }
};
template <class... __Outs>
struct one_output<::cuda::std::tuple<__Outs...>> {
    ::cuda::std::tuple<__Outs...> out;
    template <class __Number, class __Value>
    void store(__Number __i, __Value &&__value) {
        ::cuda::std::apply(
            [&](auto &...__each) {
                ::cuda::std::tuple<decltype(__each[__i])...>(__each[__i]...) =
                    static_cast<__Value &&>(__value);
            },
            out);
    }
};
template <class __Ins, class __Out, class __Op, class __Predicate>
struct transform_element {
    __Ins ins;
    one_output<__Out> out;
    __Op op;
    __Predicate predicate;
    template <class __Number>
    void operator()(__Number __i) {
        ::cuda::std::apply(
            [&](auto &...__in) {
                if (predicate(__in[__i]...)) out.store(__i, op(__in[__i]...));
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
template <class __Value>
struct constant {
    __Value value;
    __Value operator()() const { return value; }
};
template <class... __T>
auto unwrap_all(::cuda::std::tuple<__T...> __iterators) {
    return ::cuda::std::apply(
        [](auto... __each) { return ::cuda::std::tuple<unwrapped<__T>...>(unwrap(__each)...); },
        __iterators);
}
template <class __Out>
auto unwrap_all(__Out __out) {
    return unwrap(__out);
}

struct loops {
    template <class __Number, class __Op>
    static result<__Number> Bulk(const call &__call, __Number __items, __Op __op) {
        return call_all(__call, __items, __op);
    }
    template <class __In, class __Number, class __Op>
    static result<__Number> ForEachN(const call &__call, __In __first, __Number __items,
                                     __Op __op) {
        return call_all(__call, __items, on_element<unwrapped<__In>, __Op>{unwrap(__first), __op});
    }
    template <class __In, class __Op>
    static cudaError_t ForEach(const call &__call, __In __first, __In __last, __Op __op) {
        return ForEachN(__call, __first, static_cast<long long>(__last - __first), __op);
    }
    template <class __In, class __Number, class __Op>
    static result<__Number> ForEachCopyN(const call &__call, __In __first, __Number __items,
                                         __Op __op) {
        return call_all(__call, __items, on_copy<unwrapped<__In>, __Op>{unwrap(__first), __op});
    }
    template <class __In, class __Op>
    static cudaError_t ForEachCopy(const call &__call, __In __first, __In __last, __Op __op) {
        return ForEachCopyN(__call, __first, static_cast<long long>(__last - __first), __op);
    }
    template <class __Mapping, class __Op>
    static cudaError_t ForEachInLayout(const call &__call, __Mapping __mapping, __Op __op) {
        using __Extents = typename __Mapping::extents_type;
        const __Extents __extents = __mapping.extents();
        size_t __items = 1;
        for (size_t __d = 0; __d < __Extents::rank(); ++__d)
            __items *= static_cast<size_t>(__extents.extent(__d));
        return call_all(__call, static_cast<typename __Extents::index_type>(__items),
                        on_place<__Mapping, __Op>{__extents, __op});
    }
    template <class __Extents, class __Op>
    static cudaError_t ForEachInExtents(const call &__call, __Extents __extents, __Op __op) {
        using __Mapping = ::cuda::std::layout_right::mapping<__Extents>;
        return ForEachInLayout(__call, __Mapping{__extents}, __op);
    }
};
struct transforms {
    template <class... __Ins, class __Out, class __Number, class __Predicate, class __Op>
    static result<__Number> TransformIf(const call &__call, ::cuda::std::tuple<__Ins...> __ins,
                                        __Out __out, __Number __items, __Predicate __predicate,
                                        __Op __op) {
        using __Outs = decltype(unwrap_all(__out));
        return call_all(
            __call, static_cast<long long>(__items),
            transform_element<::cuda::std::tuple<unwrapped<__Ins>...>, __Outs, __Op, __Predicate>{
                unwrap_all(__ins), {unwrap_all(__out)}, __op, __predicate});
    }
    template <class __In, class __Out, class __Number, class __Predicate, class __Op>
    static result<__Number> TransformIf(const call &__call, __In __in, __Out __out,
                                        __Number __items, __Predicate __predicate, __Op __op) {
        return TransformIf(__call, ::cuda::std::tuple<__In>(__in), __out, __items, __predicate,
                           __op);
    }
    template <class __In, class __Out, class __Number, class __Op>
    static result<__Number> Transform(const call &__call, __In __in, __Out __out, __Number __items,
                                      __Op __op) {
        return TransformIf(__call, __in, __out, __items, always{}, __op);
    }
    template <class __In, class __Out, class __Number, class __Op>
    static result<__Number> TransformStableArgumentAddresses(const call &__call, __In __in,
                                                             __Out __out, __Number __items,
                                                             __Op __op) {
        return Transform(__call, __in, __out, __items, __op);
    }
    template <class __Out, class __Number, class __Make>
    static result<__Number> Generate(const call &__call, __Out __out, __Number __items,
                                     __Make __make) {
        return Transform(__call, ::cuda::std::tuple<>{}, __out, __items, __make);
    }
    template <class __Out, class __Number, class __Value>
    static result<__Number> Fill(const call &__call, __Out __out, __Number __items,
                                 __Value __value) {
        return Generate(__call, __out, __items, constant<__Value>{__value});
    }
};

}  // namespace kbuild_device

struct DeviceFor {
    KBUILD_CPU_ALGORITHM(loops, Bulk)
    KBUILD_CPU_ALGORITHM(loops, ForEach)
    KBUILD_CPU_ALGORITHM(loops, ForEachN)
    KBUILD_CPU_ALGORITHM(loops, ForEachCopy)
    KBUILD_CPU_ALGORITHM(loops, ForEachCopyN)
    KBUILD_CPU_ALGORITHM(loops, ForEachInExtents)
    KBUILD_CPU_ALGORITHM(loops, ForEachInLayout)
};
struct DeviceTransform {
    KBUILD_CPU_ALGORITHM(transforms, Transform)
    KBUILD_CPU_ALGORITHM(transforms, TransformIf)
    KBUILD_CPU_ALGORITHM(transforms, TransformStableArgumentAddresses)
    KBUILD_CPU_ALGORITHM(transforms, Generate)
    KBUILD_CPU_ALGORITHM(transforms, Fill)
};

CUB_NAMESPACE_END

#endif
