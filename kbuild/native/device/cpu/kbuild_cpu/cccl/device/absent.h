/* CUB's algorithms for devices that this backend does not have.  Sources can mention them in templates. */
#ifndef KBUILD_CPU_CCCL_DEVICE_ABSENT_H
#define KBUILD_CPU_CCCL_DEVICE_ABSENT_H

#include "launch.h"

#pragma GCC system_header

CUB_NAMESPACE_BEGIN

#define KBUILD_CPU_ABSENT(name) \
    template <class... __Args> \
    static cudaError_t name(__Args &&...) { \
        static_assert(sizeof...(__Args) == ~0u, \
                      "kbuild: the cpu backend does not support this algorithm of CUB; call one " \
                      "of Thrust"); \
        return cudaErrorNotSupported; \
    }
struct DeviceBatchedTopK {
    KBUILD_CPU_ABSENT(MaxKeys)
    KBUILD_CPU_ABSENT(MaxPairs)
    KBUILD_CPU_ABSENT(MinKeys)
    KBUILD_CPU_ABSENT(MinPairs)
};
struct DeviceTopK {
    KBUILD_CPU_ABSENT(MaxKeys)
    KBUILD_CPU_ABSENT(MaxPairs)
    KBUILD_CPU_ABSENT(MinKeys)
    KBUILD_CPU_ABSENT(MinPairs)
};
struct DeviceFind {
    KBUILD_CPU_ABSENT(FindIf)
    KBUILD_CPU_ABSENT(LowerBound)
    KBUILD_CPU_ABSENT(LowerBoundSortedValues)
    KBUILD_CPU_ABSENT(UpperBound)
    KBUILD_CPU_ABSENT(UpperBoundSortedValues)
};
struct DeviceSegmentedScan {
    KBUILD_CPU_ABSENT(ExclusiveSegmentedScan)
    KBUILD_CPU_ABSENT(ExclusiveSegmentedSum)
    KBUILD_CPU_ABSENT(InclusiveSegmentedScan)
    KBUILD_CPU_ABSENT(InclusiveSegmentedScanInit)
    KBUILD_CPU_ABSENT(InclusiveSegmentedSum)
};
#undef KBUILD_CPU_ABSENT

CUB_NAMESPACE_END

#endif
