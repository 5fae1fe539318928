/* The functions of wmma in which lanes wait, for kernels that are divided into regions; see `collective`. */
#ifndef KBUILD_CPU_WMMA_REGIONS_H
#define KBUILD_CPU_WMMA_REGIONS_H

#include "../regions/warp.h"
#include "operations.h"

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace kbuild_cpu::regions {

/* What a lane brings to a load or a store: its fragment, and where the matrix is. */
template <class __Fragment, class __T>
struct matrix_transfer {
    __Fragment *__part;
    __T *__matrix;
    unsigned __stride;
    nvcuda::wmma::layout_t __layout;

    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        const kbuild_cpu_call __call = __of.__caller;
        check_lanes(__call, __set, __live, ~0u);
        for (int __number = 0; __number < __set.of.threads; ++__number)
            if (__set.has(__number)) __of.__entries[__number].move(__number % 32);
    }
    void move(int __lane) const {
        if constexpr (std::is_const_v<__Fragment>)
            store_part(__lane, __matrix, *__part, __stride, __layout);
        else
            load_part(__lane, *__part, __matrix, __stride, __layout);
    }
};

}  // namespace kbuild_cpu::regions

namespace nvcuda {
namespace wmma {

template <class __Use, int __M, int __N, int __K, class __T, class __Layout>
kbuild_cpu::regions::collective<
    kbuild_cpu::regions::matrix_transfer<fragment<__Use, __M, __N, __K, __T, __Layout>,
                                         const typename kbuild_cpu::stored_type<__T>::type>>
load_matrix_sync__kbuild_split(kbuild_cpu::regions::no_frame,
                               fragment<__Use, __M, __N, __K, __T, __Layout> &,
                               const typename kbuild_cpu::stored_type<__T>::type *, unsigned,
                               layout_t = {});
template <class __Frame, class __Use, int __M, int __N, int __K, class __T, class __Layout>
void load_matrix_sync__kbuild_split(const __Frame __call,
                                    kbuild_cpu::regions::thread_number __number,
                                    fragment<__Use, __M, __N, __K, __T, __Layout> &__to,
                                    const typename kbuild_cpu::stored_type<__T>::type *__from,
                                    unsigned __stride, layout_t __layout = {}, KBUILD_CPU_CALLER) {
    __call.__of.__bring(__number, {__builtin_addressof(__to), __from, __stride, __layout},
                        KBUILD_CPU_CALL("load_matrix_sync"));
}

template <int __M, int __N, int __K, class __T>
kbuild_cpu::regions::collective<
    kbuild_cpu::regions::matrix_transfer<const fragment<accumulator, __M, __N, __K, __T>, __T>>
store_matrix_sync__kbuild_split(kbuild_cpu::regions::no_frame, __T *,
                                const fragment<accumulator, __M, __N, __K, __T> &, unsigned,
                                layout_t);
template <class __Frame, int __M, int __N, int __K, class __T>
void store_matrix_sync__kbuild_split(const __Frame __call,
                                     kbuild_cpu::regions::thread_number __number, __T *__to,
                                     const fragment<accumulator, __M, __N, __K, __T> &__from,
                                     unsigned __stride, layout_t __layout, KBUILD_CPU_CALLER) {
    __call.__of.__bring(__number, {__builtin_addressof(__from), __to, __stride, __layout},
                        KBUILD_CPU_CALL("store_matrix_sync"));
}
/* A temporary object does not exist when all threads have come. */
template <int __M, int __N, int __K, class __T>
void store_matrix_sync__kbuild_split(kbuild_cpu::regions::no_frame, __T *,
                                     const fragment<accumulator, __M, __N, __K, __T> &&, unsigned,
                                     layout_t) = delete;

}  // namespace wmma
}  // namespace nvcuda

#pragma GCC visibility pop
#endif
