/* Cooperative groups: the types of groups, and how to make them. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_GROUPS_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_GROUPS_H

#include "tiles.h"

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* Lets the first thread of the group call the function. */
template <class __Group, class __Function, class... __Arguments>
inline void invoke_one(const __Group &__group, __Function &&__function,
                       __Arguments &&...__arguments) {
    if (__group.thread_rank() == 0)
        static_cast<__Function &&>(__function)(static_cast<__Arguments &&>(__arguments)...);
}
template <class __Group, class __Function, class... __Arguments>
inline auto invoke_one_broadcast(const __Group &__group, __Function &&__function,
                                 __Arguments &&...__arguments) {
    typedef decltype(static_cast<__Function &&>(__function)(
        static_cast<__Arguments &&>(__arguments)...)) __result_t;
    __result_t __result{};
    if (__group.thread_rank() == 0)
        __result =
            static_cast<__Function &&>(__function)(static_cast<__Arguments &&>(__arguments)...);
    return __group.shfl(__result, 0);
}

KBUILD_CPU_GROUPS_END

#endif
