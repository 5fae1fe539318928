// The runtime's numbers are those of the host API, which the runtime's own headers do not include.
#include <cuda_runtime.h>

#include "memory/pools.hpp"
#include "streams/capture.hpp"
#include "streams/operation.hpp"
#include "streams/stream_table.hpp"

using namespace kbuild::cpu;

namespace {

template <class First, class Second>
constexpr bool are_equal(First first, Second second) {
    return static_cast<int>(first) == static_cast<int>(second);
}

static_assert(are_equal(KBUILD_CPU_NODE_KERNEL, cudaGraphNodeTypeKernel));
static_assert(are_equal(KBUILD_CPU_NODE_COPY, cudaGraphNodeTypeMemcpy));
static_assert(are_equal(KBUILD_CPU_NODE_FILL, cudaGraphNodeTypeMemset));
static_assert(are_equal(KBUILD_CPU_NODE_HOST, cudaGraphNodeTypeHost));
static_assert(are_equal(KBUILD_CPU_NODE_GRAPH, cudaGraphNodeTypeGraph));
static_assert(are_equal(KBUILD_CPU_NODE_EMPTY, cudaGraphNodeTypeEmpty));
static_assert(are_equal(KBUILD_CPU_NODE_WAIT, cudaGraphNodeTypeWaitEvent));
static_assert(are_equal(KBUILD_CPU_NODE_RECORD, cudaGraphNodeTypeEventRecord));
static_assert(are_equal(KBUILD_CPU_NODE_ALLOCATE, cudaGraphNodeTypeMemAlloc));
static_assert(are_equal(KBUILD_CPU_NODE_RELEASE, cudaGraphNodeTypeMemFree));
static_assert(are_equal(KBUILD_CPU_NODE_CONDITIONAL, cudaGraphNodeTypeConditional));

static_assert(are_equal(KBUILD_CPU_COPY_HOST_TO_HOST, cudaMemcpyHostToHost));
static_assert(are_equal(KBUILD_CPU_COPY_HOST_TO_DEVICE, cudaMemcpyHostToDevice));
static_assert(are_equal(KBUILD_CPU_COPY_DEVICE_TO_HOST, cudaMemcpyDeviceToHost));
static_assert(are_equal(KBUILD_CPU_COPY_DEVICE_TO_DEVICE, cudaMemcpyDeviceToDevice));
static_assert(are_equal(KBUILD_CPU_COPY_DEFAULT, cudaMemcpyDefault));

static_assert(are_equal(CaptureMode::global, cudaStreamCaptureModeGlobal));
static_assert(are_equal(CaptureMode::thread_local_, cudaStreamCaptureModeThreadLocal));
static_assert(are_equal(CaptureMode::relaxed, cudaStreamCaptureModeRelaxed));
static_assert(are_equal(ConditionalKind::if_else, cudaGraphCondTypeIf));
static_assert(are_equal(ConditionalKind::loop, cudaGraphCondTypeWhile));
static_assert(are_equal(ConditionalKind::choice, cudaGraphCondTypeSwitch));
static_assert(are_equal(non_blocking_stream, cudaStreamNonBlocking));

static_assert(are_equal(PoolAttribute::follow_event_dependencies,
                        cudaMemPoolReuseFollowEventDependencies));
static_assert(are_equal(PoolAttribute::allow_opportunistic, cudaMemPoolReuseAllowOpportunistic));
static_assert(are_equal(PoolAttribute::allow_internal_dependencies,
                        cudaMemPoolReuseAllowInternalDependencies));
static_assert(are_equal(PoolAttribute::release_threshold, cudaMemPoolAttrReleaseThreshold));
static_assert(are_equal(PoolAttribute::reserved_now, cudaMemPoolAttrReservedMemCurrent));
static_assert(are_equal(PoolAttribute::reserved_most, cudaMemPoolAttrReservedMemHigh));
static_assert(are_equal(PoolAttribute::used_now, cudaMemPoolAttrUsedMemCurrent));
static_assert(are_equal(PoolAttribute::used_most, cudaMemPoolAttrUsedMemHigh));

}  // namespace
