/* Sets of threads, in the order in which these run in a region; see regions.h. */
#ifndef KBUILD_CPU_REGIONS_SETS_H
#define KBUILD_CPU_REGIONS_SETS_H

#include "../builtins.h"
#include "../threads.h"
#include "../traits.h"

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu::regions {

#define KBUILD_CPU_ALWAYS_INLINE __attribute__((always_inline)) inline
/* The functions of sets access no memory of the program. */
#if defined(KBUILD_CHECKED)
#define KBUILD_CPU_SEPARATE __attribute__((noinline, no_sanitize("thread")))
#else
#define KBUILD_CPU_SEPARATE __attribute__((noinline))
#endif
#if defined(__clang__)
#define KBUILD_CPU_OUTLINED __attribute__((noinline, cold, minsize))
#else
#define KBUILD_CPU_OUTLINED __attribute__((noinline, cold))
#endif

/* The arrays of all threads of a kernel together. They are on the first stack, for which
 * fibers/stacks.hpp of the runtime reserves twice as much. */
constexpr unsigned long most_bytes = 2048 * 1024;

/* Returns the largest number of threads of a block, from the launch bounds, in whole groups of 64. */
constexpr int find_most(long long __bound) {
    return __bound > 0 && __bound < 1024 ? static_cast<int>((__bound + 63) / 64 * 64) : 1024;
}

/* Consecutive threads. */
struct range {
    int begin;
    int end;
};

/* Returns the first of some threads of a row. Compilers must know that no index of them wraps around. */
KBUILD_CPU_ALWAYS_INLINE int begin_of(const range &__threads) {
    if (__threads.begin < 0 || __threads.begin > 1024) __builtin_unreachable();
    return __threads.begin;
}

/* In the place of threadIdx, outside of regions. */
struct no_thread {};

/* The threads of a block in the order in which they run. Each thread has a number. */
class block {
public:
    KBUILD_CPU_ALWAYS_INLINE block()
        : width(static_cast<int>(::blockDim.x)),
          height(static_cast<int>(::blockDim.y)),
          rows(static_cast<int>(::blockDim.y * ::blockDim.z)),
          threads(width * rows),
#if defined(KBUILD_CHECKED)
          order(0) { /* the blocks of checked kernels have another order, and not their threads */
    }
#else
          order(::kbuild_cpu_progress.order) {
    }
#endif

    const int width, height, rows, threads;
    const unsigned order; /* 0: from the first thread to the last one; see KBUILD_SEED */
    /* The lanes for which others have waited in a warp operation, and that operation; see warp.h. */
    mutable bool has_awaited = false;
    mutable unsigned awaited[32];
    mutable kbuild_cpu_call awaiting;

    /* Returns the thread that runs as number `turn`, if the order is not 0. */
    int thread_of(int __turn) const {
        if (order == 1) return threads - 1 - __turn;
        unsigned __step = order % static_cast<unsigned>(threads) | 1;
        while (!is_coprime(__step)) __step += 2;
        return static_cast<int>((order / 7 + static_cast<unsigned long>(__turn) * __step) %
                                static_cast<unsigned long>(threads));
    }

private:
    bool is_coprime(unsigned __a) const {
        unsigned __b = static_cast<unsigned>(threads);
        while (__b != 0) {
            const unsigned __rest = __a % __b;
            __a = __b;
            __b = __rest;
        }
        return __a == 1;
    }
};

/* All threads of a block. */
class every_thread {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit every_thread(const block &__of) : of(__of) {}

    const block &of;

    KBUILD_CPU_ALWAYS_INLINE int __size() const { return of.threads; }
    KBUILD_CPU_ALWAYS_INLINE bool has_whole_warps() const { return of.threads % 32 == 0; }
    KBUILD_CPU_ALWAYS_INLINE bool has(int) const { return true; }
    KBUILD_CPU_ALWAYS_INLINE int first() const { return 0; }
    unsigned lanes(int __warp) const {
        const int __rest = of.threads - __warp * 32;
        return __rest >= 32 ? ~0u : (1u << __rest) - 1;
    }
};

/* Some threads of a block. The derived class says which ones: `has`. */
template <class __Set>
class some_threads {
public:
    const block &of;

    int __size() const { return count_; }
    int first() const { return begin_; }
    bool has_whole_warps() const {
        return begin_ % 32 == 0 && end_ % 32 == 0 && end_ - begin_ == count_;
    }
    /* Returns the next threads, or an empty range. `turn` belongs to the set, and is 0 at first. */
    range next(int &__turn) const {
        if (count_ == 0) return {0, 0};
        if (__builtin_expect(of.order != 0, 0)) return take_in_order(__turn);
        int __begin = __turn < begin_ ? begin_ : __turn;
        while (__begin < end_ && !contains(__begin)) ++__begin;
        if (__begin >= end_) return {0, 0};
        int __end = end_;
        if (__begin != begin_ || end_ - begin_ != count_)
            for (__end = __begin + 1; __end < end_ && contains(__end);) ++__end;
        __turn = __end;
        return {__begin, __end};
    }
    KBUILD_CPU_SEPARATE unsigned lanes(int __warp) const {
        const int __first = __warp * 32, __begin = begin_ > __first ? begin_ : __first,
                  __end = end_ < __first + 32 ? end_ : __first + 32;
        if (__begin >= __end) return 0;
        if (end_ - begin_ == count_) return ~0u >> (32 - (__end - __begin)) << (__begin - __first);
        unsigned __lanes = 0;
        for (int __i = __begin; __i < __end; ++__i)
            __lanes |= static_cast<unsigned>(contains(__i)) << (__i & 31);
        return __lanes;
    }

protected:
    some_threads(const block &__of, int __count, int __begin, int __end)
        : of(__of), count_(__count), begin_(__begin), end_(__end) {}

    int count_, begin_, end_;

private:
    friend class set_view;
    bool contains(int __number) const { return static_cast<const __Set *>(this)->has(__number); }
    __attribute__((noinline, cold)) range take_in_order(int &__turn) const {
        while (__turn < of.threads) {
            const int __number = of.thread_of(__turn++);
            if (contains(__number)) return {__number, __number + 1};
        }
        return {0, 0};
    }
};

/* Threads of a block of at most __Most threads, which can be put in and removed. */
template <int __Most>
class thread_set : public some_threads<thread_set<__Most>> {
    using __base = some_threads<thread_set>;
    using __base::begin_;
    using __base::count_;
    using __base::end_;

public:
    using __base::of;

    /* Has all threads. */
    KBUILD_CPU_SEPARATE explicit thread_set(const block &__of)
        : __base(__of, __of.threads, 0, __of.threads) {
        memset(active_, 1, static_cast<unsigned long>(count_));
    }
    /* Has the threads of another set, or none of them. */
    template <class __Set>
    KBUILD_CPU_SEPARATE thread_set(const __Set &__other, bool __is_copy)
        : __base(__other.of, 0, 0, 0) {
        if (__is_copy) {
            for (int __i = 0; __i < of.threads; ++__i) active_[__i] = __other.has(__i);
            update();
        } else {
            for (int __i = 0; __i < of.threads; ++__i) active_[__i] = false;
        }
    }

    bool has(int __number) const { return active_[__number] != 0; }
    KBUILD_CPU_ALWAYS_INLINE void put(int __number, bool __is_active) {
        active_[__number] = __is_active;
    }
    KBUILD_CPU_ALWAYS_INLINE void remove(int __number) { active_[__number] = 0; }
    /* Has the threads of a set that are not in a part of it. */
    template <class __Set, class __Part>
    KBUILD_CPU_SEPARATE void assign_rest(const __Set &__whole, const __Part &__part) {
        for (int __i = 0; __i < of.threads; ++__i)
            active_[__i] = __whole.has(__i) & !__part.has(__i);
        update();
    }
    /* To be called after threads were put in or removed. */
    KBUILD_CPU_SEPARATE void update() {
        int __count = 0;
        for (int __i = 0; __i < of.threads; ++__i) __count += active_[__i];
        count_ = __count;
        begin_ = 0;
        end_ = of.threads;
        if (__count == 0 || __count == of.threads) return;
        const auto *const __first =
            static_cast<const unsigned char *>(memchr(active_, 1, sizeof active_));
        begin_ = static_cast<int>(__first - active_);
        /* Most sets are ranges. */
        const int __behind = begin_ + __count;
        if (memchr(active_ + begin_, 0, static_cast<unsigned long>(__count)) == nullptr)
            end_ = __behind;
        else
            while (active_[end_ - 1] == 0) --end_;
    }

private:
    friend class set_view;
    alignas(64) unsigned char active_[__Most];
};

/* The set of a caller of a device function. The function has one instance for all kinds of sets, so that its
 * shared memory exists once. */
class set_view : public some_threads<set_view> {
public:
    explicit set_view(const every_thread &__all)
        : some_threads(__all.of, __all.__size(), 0, __all.__size()), active_(nullptr) {}
    template <int __Most>
    explicit set_view(const thread_set<__Most> &__set)
        : some_threads(__set.of, __set.count_, __set.begin_, __set.end_),
          active_(__set.count_ == of.threads ? nullptr : __set.active_) {}

    bool has(int __number) const { return active_ == nullptr || active_[__number] != 0; }

private:
    const unsigned char *active_; /* null: all threads */
};

/* Threads of a row, as indices in it, and the number of the row's first thread. */
struct row_part {
    range threads;
    int base;
    unsigned int y, z;

    /* What compilers must know. */
    KBUILD_CPU_ALWAYS_INLINE bool has_limits() const {
        if (base < 0 || base > 1023 || threads.begin < 0 || threads.end > 1024)
            __builtin_unreachable();
        return true;
    }
    template <class __Function>
    KBUILD_CPU_ALWAYS_INLINE auto evaluate(const __Function &__function, int __x) const {
        return __function(::uint3{static_cast<unsigned int>(__x), y, z}, base + __x);
    }
};

/* Returns a thread as a part of its row. */
__attribute__((noinline, cold)) inline row_part find_row(const block &__of, int __number) {
    const int __row = __number / __of.width, __base = __row * __of.width;
    return {{__number - __base, __number - __base + 1},
            __base,
            static_cast<unsigned int>(__row % __of.height),
            static_cast<unsigned int>(__row / __of.height)};
}

/* Walks through the rows, or parts of them, in which a set has threads.  Compilers see one function for all
 * regions of such sets. */
template <class __Set>
class row_walk : public row_part {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit row_walk(const __Set &__set)
        : row_part{{0, 0}, 0, 0, 0}, set_(__set) {}
    KBUILD_CPU_ALWAYS_INLINE bool next() { return advance() && has_limits(); }

private:
    KBUILD_CPU_SEPARATE bool advance() {
        const block &__of = set_.of;
        if (base + __of.width < part_.end) {
            base += __of.width;
            if (++y == static_cast<unsigned int>(__of.height)) {
                y = 0;
                ++z;
            }
        } else {
            part_ = set_.next(turn_);
            if (part_.begin >= part_.end) return false;
            const int __row = __of.rows == 1 ? 0 : part_.begin / __of.width;
            base = __row * __of.width;
            y = static_cast<unsigned int>(__row % __of.height);
            z = static_cast<unsigned int>(__row / __of.height);
        }
        threads.begin = part_.begin > base ? part_.begin - base : 0;
        threads.end = part_.end - base < __of.width ? part_.end - base : __of.width;
        return true;
    }

    const __Set &set_;
    range part_ = {0, 0};
    int turn_ = 0;
};

/* All threads are whole rows, unless the order is another one. */
template <>
class row_walk<every_thread> : public row_part {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit row_walk(const every_thread &__set)
        : row_part{{0, __set.of.width}, 0, 0, 0}, of_(__set.of) {
        if (of_.width < 1 || of_.width > 1024 || of_.height < 1 || of_.height > 1024)
            __builtin_unreachable();
    }
    KBUILD_CPU_ALWAYS_INLINE bool next() {
        if (__builtin_expect(of_.order != 0, 0)) {
            if (turn_ == of_.threads) return false;
            /* One by one, so that compilers keep them in registers. */
            const row_part __taken = find_row(of_, of_.thread_of(turn_++));
            threads.begin = __taken.threads.begin;
            threads.end = __taken.threads.end;
            base = __taken.base;
            y = __taken.y;
            z = __taken.z;
        } else if (turn_++ != 0) {
            base += of_.width;
            if (++y == static_cast<unsigned int>(of_.height)) {
                y = 0;
                ++z;
            }
        }
        return base < of_.threads && has_limits();
    }

private:
    const block &of_;
    int turn_ = 0;
};

#if defined(KBUILD_CHECKED)
/* Behind a region, the first thread stands for all. */
template <class __Set>
class checked_walk : public row_walk<__Set> {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit checked_walk(const __Set &__set)
        : row_walk<__Set>(__set), first_(__set.first()) {}
    checked_walk(const checked_walk &) = delete;
    KBUILD_CPU_ALWAYS_INLINE ~checked_walk() {
        kbuild_cpu_check_enter_thread(static_cast<unsigned>(first_));
    }

private:
    const int first_;
};
template <class __Set>
KBUILD_CPU_ALWAYS_INLINE checked_walk<__Set> walk(const __Set &__set) {
    return checked_walk<__Set>(__set);
}
#else
template <class __Set>
KBUILD_CPU_ALWAYS_INLINE row_walk<__Set> walk(const __Set &__set) {
    return row_walk<__Set>(__set);
}
#endif

}  // namespace kbuild_cpu::regions

#endif
