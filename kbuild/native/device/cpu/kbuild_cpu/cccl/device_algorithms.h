/* CUB's algorithms for devices, whose kernels are PTX.  Sources can include their headers, but kbuild rejects
 * calls of their functions. */
#pragma once
#pragma GCC system_header

#include <cub/config.cuh>

#include "../annotations.h"

CUB_NAMESPACE_BEGIN

struct KBUILD_NO_ALGORITHM DeviceAdjacentDifference;
struct KBUILD_NO_ALGORITHM DeviceBatchedTopK;
struct KBUILD_NO_ALGORITHM DeviceCopy;
struct KBUILD_NO_ALGORITHM DeviceFind;
struct KBUILD_NO_ALGORITHM DeviceFor;
struct KBUILD_NO_ALGORITHM DeviceHistogram;
struct KBUILD_NO_ALGORITHM DeviceMemcpy;
struct KBUILD_NO_ALGORITHM DeviceMerge;
struct KBUILD_NO_ALGORITHM DeviceMergeSort;
struct KBUILD_NO_ALGORITHM DevicePartition;
struct KBUILD_NO_ALGORITHM DeviceRadixSort;
struct KBUILD_NO_ALGORITHM DeviceReduce;
struct KBUILD_NO_ALGORITHM DeviceRunLengthEncode;
struct KBUILD_NO_ALGORITHM DeviceScan;
struct KBUILD_NO_ALGORITHM DeviceSegmentedRadixSort;
struct KBUILD_NO_ALGORITHM DeviceSegmentedReduce;
struct KBUILD_NO_ALGORITHM DeviceSegmentedScan;
struct KBUILD_NO_ALGORITHM DeviceSegmentedSort;
struct KBUILD_NO_ALGORITHM DeviceSelect;
struct KBUILD_NO_ALGORITHM DeviceTopK;
struct KBUILD_NO_ALGORITHM DeviceTransform;

CUB_NAMESPACE_END
