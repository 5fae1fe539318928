/* A barrier that counts phases, as one word: the number of the phase, how many arrivals a phase
 * needs, and how many are pending.  The word is zero before it is set.
 *
 * Threads of a block run one after another, but barriers in global memory can also serve threads of
 * other blocks. */
#ifndef KBUILD_CPU_ASYNC_PHASES_H
#define KBUILD_CPU_ASYNC_PHASES_H

#include "../scheduling.h"
#include "copies.h"

#include <stdint.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace kbuild_cpu {

/* Counts have 24 bits. */
constexpr uint64_t most_arrivals = (1u << 24) - 1;
constexpr int expected_bits = 24;
constexpr int phase_bits = 48;

inline uint64_t make_phases(uint64_t __expected) {
    return __expected | __expected << expected_bits;
}
inline uint64_t count_pending(uint64_t __word) { return __word & most_arrivals; }
inline uint64_t phase_number(uint64_t __word) { return __word >> phase_bits; }

inline uint64_t start_next_phase(uint64_t __word) {
    const uint64_t __expected = __word >> expected_bits & most_arrivals;
    return (phase_number(__word) + 1) << phase_bits | __expected << expected_bits | __expected;
}

struct no_completion {
    void operator()() const noexcept {}
};

/* Arrives, and returns the state before.  The last arrival of a phase calls the function, and starts
 * the next phase.  `__dropped` arrivals are not expected any more. */
template <class __Completion>
uint64_t arrive(uint64_t *__word, uint64_t __count, uint64_t __dropped, __Completion &__complete) {
    uint64_t __old = __atomic_load_n(__word, __ATOMIC_RELAXED);
    uint64_t __new = 0;
    do {
        __new = __old - __count - (__dropped << expected_bits);
    } while (!__atomic_compare_exchange_n(__word, &__old, __new, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    if (count_pending(__new) == 0) {
        __complete();
        __atomic_store_n(__word, start_next_phase(__new), __ATOMIC_RELEASE);
    }
    return __old;
}

inline bool is_over(const uint64_t *__word, uint64_t __phase) {
    return phase_number(__atomic_load_n(__word, __ATOMIC_ACQUIRE)) != __phase;
}
inline bool is_parity_over(const uint64_t *__word, bool __parity) {
    return (phase_number(__atomic_load_n(__word, __ATOMIC_ACQUIRE)) & 1) != __parity;
}

/* Lets other threads run if the result is false, because the caller usually asks again. */
inline bool poll(const uint64_t *__word, bool __is_over, kbuild_cpu_call __call) {
    if (__is_over)
        finish_copies_of(__word);
    else
        spin_call(__call, KBUILD_CPU_SPIN_LIMIT);
    return __is_over;
}

inline void wait_for_phase(const uint64_t *__word, uint64_t __phase, kbuild_cpu_call __call) {
    while (!poll(__word, is_over(__word, __phase), __call)) {
    }
}
inline void wait_for_parity(const uint64_t *__word, bool __parity, kbuild_cpu_call __call) {
    while (!poll(__word, is_parity_over(__word, __parity), __call)) {
    }
}

}  // namespace kbuild_cpu

#pragma GCC visibility pop
#endif
