/* cuda::stream_ref, by the runtime API. */
#ifndef KBUILD_CPU_CCCL_STREAM_REF_H
#define KBUILD_CPU_CCCL_STREAM_REF_H

#include <cuda/std/__exception/cuda_error.h>
#include <cuda/std/cstddef>

#include <cuda_runtime_api.h>

#pragma GCC system_header

_CCCL_BEGIN_NAMESPACE_CUDA

class stream_ref {
public:
    using value_type = ::cudaStream_t;

    stream_ref() = default;
    constexpr stream_ref(value_type __stream) noexcept : __stream_{__stream} {}
    stream_ref(int) = delete;
    stream_ref(::cuda::std::nullptr_t) = delete;

    friend constexpr bool operator==(const stream_ref &__a, const stream_ref &__b) noexcept {
        return __a.__stream_ == __b.__stream_;
    }
    friend constexpr bool operator!=(const stream_ref &__a, const stream_ref &__b) noexcept {
        return __a.__stream_ != __b.__stream_;
    }

    [[nodiscard]] constexpr value_type get() const noexcept { return __stream_; }
    void sync() const { __expect(::cudaStreamSynchronize(__stream_), "cannot wait for a stream"); }
    void wait() const { sync(); }
    void wait(stream_ref __other) const {
        if (*this == __other) return;
        ::cudaEvent_t __event;
        __expect(::cudaEventCreateWithFlags(&__event, cudaEventDisableTiming),
                 "cannot record an event");
        const ::cudaError_t __recorded = ::cudaEventRecord(__event, __other.__stream_);
        const ::cudaError_t __waited = ::cudaStreamWaitEvent(__stream_, __event, 0);
        __expect(::cudaEventDestroy(__event), "cannot record an event");
        __expect(__recorded, "cannot record an event");
        __expect(__waited, "cannot wait for a stream");
    }
    [[nodiscard]] bool is_done() const {
        const ::cudaError_t __result = ::cudaStreamQuery(__stream_);
        if (__result != ::cudaErrorNotReady) __expect(__result, "cannot query a stream");
        return __result == ::cudaSuccess;
    }
    [[nodiscard]] bool ready() const { return is_done(); }
    [[nodiscard]] int priority() const {
        int __result = 0;
        __expect(::cudaStreamGetPriority(__stream_, &__result), "cannot query a stream");
        return __result;
    }

private:
    static void __expect(::cudaError_t __result, const char *__what) {
        if (__result == ::cudaSuccess) return;
        throw ::cuda::cuda_error(__result, __what);
    }

    ::cudaStream_t __stream_{nullptr};
};

_CCCL_END_NAMESPACE_CUDA

#endif
