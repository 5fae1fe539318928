/* For sources that include this HIP header. */
#pragma once
#include "hip_runtime.h"
#include "../kbuild_cpu/cooperative_groups/groups.h"

namespace cooperative_groups {

typedef thread_group tiled_group;

template <class __Group>
inline bool is_valid(const __Group &__group) {
    return __group.is_valid();
}

}  // namespace cooperative_groups
