/* nvcuda::experimental::awbarrier. */
#ifndef KBUILD_CPU_CUDA_AWBARRIER_H
#define KBUILD_CPU_CUDA_AWBARRIER_H

#include "cuda_awbarrier_primitives.h"

#include <stdint.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace nvcuda {
namespace experimental {

class KBUILD_NEEDS_BLOCK awbarrier {
public:
    class arrival_token {
    public:
        arrival_token() = default;
        uint32_t pending_count() const { return __mbarrier_token_pending_count(__token); }

    private:
        friend class awbarrier;
        explicit arrival_token(uint64_t __value) : __token(__value) {}
        uint64_t __token;
    };

    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;

    friend void init(awbarrier *__barrier, uint32_t __expected) {
        __mbarrier_init(&__barrier->__word, __expected);
    }

    arrival_token arrive() { return arrival_token(__mbarrier_arrive(&__word)); }
    arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&__word)); }
    bool timed_wait(arrival_token __token, uint32_t __nanoseconds, KBUILD_CPU_CALLER) {
        return __mbarrier_try_wait(&__word, __token.__token, __nanoseconds, __file, __line);
    }
    bool timed_wait_parity(bool __parity, uint32_t __nanoseconds, KBUILD_CPU_CALLER) {
        return __mbarrier_try_wait_parity(&__word, __parity, __nanoseconds, __file, __line);
    }
    void wait(arrival_token __token, KBUILD_CPU_CALLER) {
        while (!timed_wait(__token, 0, __file, __line)) {
        }
    }
    void arrive_and_wait(KBUILD_CPU_CALLER) { wait(arrive(), __file, __line); }

    static uint32_t max() { return __mbarrier_maximum_count(); }

private:
    uint64_t __word;
};

}  // namespace experimental
}  // namespace nvcuda

#pragma GCC visibility pop
#endif
