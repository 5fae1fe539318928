/* cub::BlockStore in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_STORE_H
#define KBUILD_CPU_CCCL_BLOCK_STORE_H

#include "transfer.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <class __T, int __X, int __Items, CUB_NS_QUALIFIER::BlockStoreAlgorithm __Algorithm,
          int __Y, int __Z>
struct primitive<CUB_NS_QUALIFIER::BlockStore<__T, __X, __Items, __Algorithm, __Y, __Z>> {
    static constexpr bool is_striped = __Algorithm == CUB_NS_QUALIFIER::BLOCK_STORE_STRIPED;
    static constexpr bool meets = !is_striped &&
                                  __Algorithm != CUB_NS_QUALIFIER::BLOCK_STORE_DIRECT &&
                                  __Algorithm != CUB_NS_QUALIFIER::BLOCK_STORE_VECTORIZE;
    using __shape = block_shape<__X, __Y, __Z>;

    primitive() = default;
    primitive(typename CUB_NS_QUALIFIER::BlockStore<__T, __X, __Items, __Algorithm, __Y,
                                                    __Z>::TempStorage &) {}

    template <class __Iterator, class... __Limits>
    auto Store(__Iterator __iterator, __T (&__items)[__Items], __Limits... __limits) const {
        __T *const __first = __items;
        const auto __move = [=](int __number) {
            __T(&__own)[__Items] = *reinterpret_cast<__T(*)[__Items]>(__first);
            if constexpr (is_striped)
                CUB_NS_QUALIFIER::StoreDirectStriped<__shape::threads>(__number, __iterator, __own,
                                                                       __limits...);
            else
                CUB_NS_QUALIFIER::StoreDirectBlocked(__number, __iterator, __own, __limits...);
        };
        return transfer<__shape, meets, decltype(__move)>{__move};
    }
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int, int, BlockStoreAlgorithm, int, int>
class KBUILD_BLOCK_PRIMITIVE BlockStore;
CUB_NAMESPACE_END

#endif
