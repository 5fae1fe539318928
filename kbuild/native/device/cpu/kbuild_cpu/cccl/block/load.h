/* cub::BlockLoad in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_LOAD_H
#define KBUILD_CPU_CCCL_BLOCK_LOAD_H

#include "transfer.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <class __T, int __X, int __Items, CUB_NS_QUALIFIER::BlockLoadAlgorithm __Algorithm,
          int __Y, int __Z>
struct primitive<CUB_NS_QUALIFIER::BlockLoad<__T, __X, __Items, __Algorithm, __Y, __Z>> {
    static constexpr bool is_striped = __Algorithm == CUB_NS_QUALIFIER::BLOCK_LOAD_STRIPED;
    static constexpr bool meets = !is_striped &&
                                  __Algorithm != CUB_NS_QUALIFIER::BLOCK_LOAD_DIRECT &&
                                  __Algorithm != CUB_NS_QUALIFIER::BLOCK_LOAD_VECTORIZE;
    using __shape = block_shape<__X, __Y, __Z>;

    primitive() = default;
    primitive(typename CUB_NS_QUALIFIER::BlockLoad<__T, __X, __Items, __Algorithm, __Y,
                                                   __Z>::TempStorage &) {}

    template <class __Iterator, class... __Limits>
    auto Load(__Iterator __iterator, __T (&__items)[__Items], __Limits... __limits) const {
        __T *const __first = __items;
        const auto __move = [=](int __number) {
            __T(&__own)[__Items] = *reinterpret_cast<__T(*)[__Items]>(__first);
            if constexpr (is_striped)
                CUB_NS_QUALIFIER::LoadDirectStriped<__shape::threads>(__number, __iterator, __own,
                                                                      __limits...);
            else
                CUB_NS_QUALIFIER::LoadDirectBlocked(__number, __iterator, __own, __limits...);
        };
        return transfer<__shape, meets, decltype(__move)>{__move};
    }
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int, int, BlockLoadAlgorithm, int, int>
class KBUILD_BLOCK_PRIMITIVE BlockLoad;
CUB_NAMESPACE_END

#endif
