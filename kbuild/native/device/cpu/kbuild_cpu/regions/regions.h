/* Kernels that are divided into regions.
 *
 * A region is a part of a kernel without barriers and warp operations.  It is a function of a thread, which
 * a loop calls for the threads of a set, one after another.  What the threads keep from one region to the
 * next is in arrays with an element per thread.  kbuild divides the kernels; see the package `regions` of the
 * backend.  As no thread stops within a region, compilers can vectorize it. */
#ifndef KBUILD_CPU_REGIONS_H
#define KBUILD_CPU_REGIONS_H

#include "../barrier.h"
#include "sets.h"
#if defined(KBUILD_CHECKED)
#include "../checked_threads.h"
#endif

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* The index of a thread, with one address in all regions.  An OS thread runs one divided block after the other. */
KBUILD_CPU_ALWAYS_INLINE const ::uint3 &keep_index(int __number, const ::uint3 &__own) {
    static thread_local ::uint3 __kept[1024];
    return __kept[__number] = __own;
}

/* The threads of a row that pass guards, which are comparisons at the start of a condition: the next ones, and
 * those that remain to be tried. */
class guarded_row : public row_part {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit guarded_row(const row_part &__of)
        : row_part{__of.threads, __of.base, __of.y, __of.z}, rest_(__of.threads) {}

    KBUILD_CPU_ALWAYS_INLINE bool begin() {
        threads = rest_;
        next_ = -1;
        return threads.begin < threads.end;
    }
    KBUILD_CPU_ALWAYS_INLINE void end() { rest_.begin = next_ < 0 ? threads.end : next_; }
    /* No others pass, of those that the guards before have left. */
    KBUILD_CPU_ALWAYS_INLINE void close() {
        if (next_ < 0) rest_.end = threads.end;
    }
    /* Those behind these remain to be tried by all guards. */
    KBUILD_CPU_ALWAYS_INLINE void leave_rest() {
        if (next_ < 0) next_ = threads.end;
    }

private:
    range rest_;
    int next_ = -1;
};

/* An index that consists of sums of some types.  Rounded sums need not grow by one from thread to thread. */
template <class __T>
struct rounded_index {
    __T __value;
};
template <class... __Sums, class __T>
KBUILD_CPU_ALWAYS_INLINE auto index_of(__T __index) {
    if constexpr ((is_integral_v<__Sums> && ...))
        return __index;
    else
        return rounded_index<__T>{__index};
}

/* Consecutive threads for which some indices grow by one from thread to thread.  If one of them wraps around in a
 * row, each thread before that place is a piece of its own. */
template <int __Count>
class pieces : public range {
public:
    KBUILD_CPU_ALWAYS_INLINE explicit pieces(const range &__threads)
        : range{__threads.begin, __threads.begin}, end_(__threads.end) {}

    KBUILD_CPU_ALWAYS_INLINE bool next() {
        begin = end;
        end = end_;
        return begin < end;
    }
    template <class __Index>
    KBUILD_CPU_ALWAYS_INLINE void __add(int __number, const row_part &__row,
                                        const __Index &__index) {
        const auto __first = __row.evaluate(__index, begin);
        if constexpr (is_integral_v<remove_cv_t<decltype(__first)>>) {
            first_[__number] = static_cast<long long>(__first);
            const auto __last = __row.evaluate(__index, end - 1);
            if (static_cast<unsigned long long>(__last) -
                    static_cast<unsigned long long>(__first) !=
                static_cast<unsigned long long>(end - 1 - begin))
                end = begin + 1;
        } else {
            first_[__number] = static_cast<long long>(__first.__value);
            end = begin + 1;
        }
    }
    KBUILD_CPU_ALWAYS_INLINE long long __get(int __number, int __x) const {
        return first_[__number] + (__x - begin);
    }

private:
    const int end_;
    long long first_[__Count];
};

/* A guard for which all threads of a row have the same result. */
template <class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_row(guarded_row &__of, const __Test &__test) {
    range &__in = __of.threads;
    if (__in.begin >= __in.end || __of.evaluate(__test, __in.begin)) return;
    __in.begin = __in.end;
    __of.close();
}

/* Whether two operands are compared as integers of at most 64 bits. */
template <class __T, class __Other>
constexpr bool are_integers =
    is_integral_v<__T> && is_integral_v<__Other> && sizeof(__T) <= 8 && sizeof(__Other) <= 8;

/* Finds the thread whose index has the value that a guard compares it with, as numbers of their common type.
 * Returns true if the index grows by one from thread to thread, as it usually does.  If it wraps around, or is a sum
 * of other numbers than integers, this tries thread after thread, leaves the first one that passes, and returns
 * false. */
template <class __Index, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE bool find_value(guarded_row &__of, long long &__place,
                                         const __Index &__index, const __Value &__value,
                                         const __Test &__test) {
    range &__in = __of.threads;
    if (__in.begin >= __in.end) return false;
    const auto __first = __of.evaluate(__index, __in.begin),
               __last = __of.evaluate(__index, __in.end - 1);
    const auto __other = __of.evaluate(__value, __in.begin);
    if constexpr (are_integers<remove_cv_t<decltype(__first)>, remove_cv_t<decltype(__other)>>) {
        using __common = decltype(__first + __other);
        const auto __from = static_cast<__common>(__first), __to = static_cast<__common>(__last);
        const auto __begin = static_cast<unsigned long long>(__from);
        if (__from <= __to && static_cast<unsigned long long>(__to) - __begin ==
                                  static_cast<unsigned long long>(__in.end - 1 - __in.begin)) {
            const auto __searched = static_cast<unsigned long long>(static_cast<__common>(__other));
            __place = __in.begin + static_cast<long long>(__searched - __begin);
            __of.close();
            return true;
        }
    }
    while (__in.begin < __in.end && !__of.evaluate(__test, __in.begin)) ++__in.begin;
    if (__in.begin < __in.end) __in.end = __in.begin + 1;
    __of.leave_rest();
    return false;
}

/* Returns the first thread for which a test has another result than for the threads before.  This is probably the
 * one at a place, or the next one. */
template <class __Test>
KBUILD_CPU_ALWAYS_INLINE int find_change(const row_part &__of, const __Test &__test,
                                         long long __place, bool __before) {
    int __low = __of.threads.begin, __high = __of.threads.end;
    for (int __tries = 0; __low < __high; ++__tries) {
        int __probe = (__low + __high) / 2;
        if (__tries < 2)
            __probe = static_cast<int>(__place < __low     ? __low
                                       : __place >= __high ? __high - 1
                                                           : __place);
        if (__of.evaluate(__test, __probe) == __before)
            __place = __low = __probe + 1;
        else
            __place = (__high = __probe) - 1;
    }
    return __low;
}

/* Guards that the first threads of a row pass, or the last ones, or one. */
template <class __Index, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_below(guarded_row &__of, const __Index &__index,
                                          const __Value &__value, const __Test &__test) {
    long long __place;
    if (!find_value(__of, __place, __index, __value, __test)) return;
    __of.threads.end = find_change(__of, __test, __place, true);
    __of.close();
}
template <class __Index, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_from(guarded_row &__of, const __Index &__index,
                                         const __Value &__value, const __Test &__test) {
    long long __place;
    if (!find_value(__of, __place, __index, __value, __test)) return;
    __of.threads.begin = find_change(__of, __test, __place, false);
}
template <class __Index, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_at(guarded_row &__of, const __Index &__index,
                                       const __Value &__value, const __Test &__test) {
    long long __place;
    if (!find_value(__of, __place, __index, __value, __test)) return;
    range &__in = __of.threads;
    const bool __is_in = __in.begin <= __place && __place < __in.end &&
                         __of.evaluate(__test, static_cast<int>(__place));
    __in.begin = __is_in ? static_cast<int>(__place) : __in.end;
    __in.end = __in.begin + __is_in;
    __of.close();
}

/* Returns a number that is not negative; -1 for others, and for what is no integer. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE long long count_of(const __T &__value) {
    if constexpr (are_integers<__T, __T>) {
        if constexpr (static_cast<__T>(-1) < static_cast<__T>(1))
            if (__value < static_cast<__T>(0)) return -1;
        return static_cast<long long>(__value);
    } else {
        return -1;
    }
}

/* Returns the first thread whose index has a value as its rest of a division; -1 if this is not known.  The index grows
 * by one from thread to thread and is not negative, the value is one of those that the rest can have, and so is each of
 * these of the type of the rest, which is that of a variable, too. */
template <class __Index, class __Rest, class __Value>
KBUILD_CPU_ALWAYS_INLINE long long find_rest(const guarded_row &__of, const __Index &__index,
                                             const __Rest &__rest, long long __divisor,
                                             const __Value &__value) {
    const range &__in = __of.threads;
    const auto __own = __of.evaluate(__rest, __in.begin);
    const auto __other = __of.evaluate(__value, __in.begin);
    using __kind = remove_cv_t<decltype(__own)>;
    if constexpr (are_integers<__kind, __kind> && !is_same_v<__kind, bool>) {
        const long long __first = count_of(__of.evaluate(__index, __in.begin)),
                        __last = count_of(__of.evaluate(__index, __in.end - 1)),
                        __searched = count_of(__other);
        const bool __is_known = __divisor > 0 && __first >= 0 &&
                                __last - __first == __in.end - 1 - __in.begin && __searched >= 0 &&
                                __searched < __divisor &&
                                count_of(static_cast<__kind>(__divisor - 1)) == __divisor - 1;
        if (!__is_known) return -1;
        const long long __rest_of_first = __first % __divisor;
        return __in.begin + (__searched - __rest_of_first) +
               (__searched < __rest_of_first ? __divisor : 0);
    }
    return -1;
}

/* Guards that each thread at a distance passes. */
template <class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_place(guarded_row &__of, long long __place,
                                          const __Test &__test) {
    range &__in = __of.threads;
    if (__place >= __in.end) {
        __in.begin = __in.end;
        __of.close();
        return;
    }
    if (__place >= 0 && __of.evaluate(__test, static_cast<int>(__place)))
        __in.begin = static_cast<int>(__place);
    else
        while (__in.begin < __in.end && !__of.evaluate(__test, __in.begin)) ++__in.begin;
    if (__in.begin < __in.end) __in.end = __in.begin + 1;
    __of.leave_rest();
}
template <class __Index, class __Rest, class __Divisor, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_rest(guarded_row &__of, const __Index &__index,
                                         const __Rest &__rest, const __Divisor &__divisor,
                                         const __Value &__value, const __Test &__test) {
    if (__of.threads.begin >= __of.threads.end) return;
    const long long __by = count_of(__of.evaluate(__divisor, __of.threads.begin));
    guard_place(__of, __by > 0 ? find_rest(__of, __index, __rest, __by, __value) : -1, __test);
}
/* Bits up to the highest one are the rest of a division. */
template <class __Index, class __Rest, class __Bits, class __Value, class __Test>
KBUILD_CPU_ALWAYS_INLINE void guard_bits(guarded_row &__of, const __Index &__index,
                                         const __Rest &__rest, const __Bits &__bits,
                                         const __Value &__value, const __Test &__test) {
    if (__of.threads.begin >= __of.threads.end) return;
    const long long __last = count_of(__of.evaluate(__bits, __of.threads.begin));
    const bool __is_rest = __last >= 0 && __last < 0x7FFFFFFF && (__last & (__last + 1)) == 0;
    guard_place(__of, __is_rest ? find_rest(__of, __index, __rest, __last + 1, __value) : -1,
                __test);
}

/* The index of most guards. */
struct thread_index {
    KBUILD_CPU_ALWAYS_INLINE unsigned int operator()(const ::uint3 &__index, int) const {
        return __index.x;
    }
};

template <class __Kernel>
KBUILD_CPU_ALWAYS_INLINE void run_kernel(__Kernel &__kernel) {
    ::kbuild_cpu_progress.runs_whole_block = 1;
#if defined(KBUILD_CHECKED)
    kbuild_cpu_check_begin_threads();
#endif
    __kernel();
}

/* Ends the launch because of a thread. */
[[noreturn]] KBUILD_CPU_ALWAYS_INLINE void fail_thread(const block &__of, int __number,
                                                       const kbuild_cpu_call &__call,
                                                       const char *__reason) {
    const int __row = __number / __of.width;
    kbuild_cpu_fail_thread(&__call, __reason, static_cast<unsigned int>(__number % __of.width),
                           static_cast<unsigned int>(__row % __of.height),
                           static_cast<unsigned int>(__row / __of.height));
}

template <class __Set, class __Live>
__attribute__((noinline, cold)) void reject_barrier(const kbuild_cpu_call &__call,
                                                    const __Set &__set, const __Live &__live) {
    int __number = 0;
    while (!__live.has(__number) || __set.has(__number)) ++__number;
    fail_thread(__set.of, __number, __call,
                "other threads of the block wait at this barrier, and this one does not reach it");
}

/* Fails if other lanes have waited for one of these in a warp operation. */
template <class __Set>
__attribute__((noinline, cold)) void check_awaited(const __Set &__set) {
    for (int __warp = 0; __warp * 32 < __set.of.threads; ++__warp) {
        const unsigned __lanes = __set.lanes(__warp) & __set.of.awaited[__warp];
        if (__lanes == 0) continue;
        fail_thread(__set.of, __warp * 32 + __builtin_ctz(__lanes), __set.of.awaiting,
                    "the mask contains this lane, which does not call the function");
    }
}

/* Checks that all threads that have not exited reach a barrier. */
template <class __Set, class __Live>
KBUILD_CPU_ALWAYS_INLINE void check_barrier(const kbuild_cpu_call &__call, const __Set &__set,
                                            const __Live &__live) {
    if (__builtin_expect(__set.of.has_awaited, 0)) check_awaited(__set);
    if (__builtin_expect(__set.__size() != __live.__size() && __set.__size() != 0, 0))
        reject_barrier(__call, __set, __live);
#if defined(KBUILD_CHECKED)
    if (__set.__size() != 0)
        kbuild_cpu_check_pass_barrier(&__call, static_cast<unsigned>(__set.first()),
                                      static_cast<unsigned>(__set.__size()));
#endif
}

/* Whether operators for values of this type are built in: it is a number or a pointer, and neither a class nor
 * an enumeration. */
template <class __T>
constexpr bool is_number_or_pointer = is_integral_v<__T> || is_floating_point_v<__T>;
template <class __T>
constexpr bool is_number_or_pointer<__T *> = true;
template <class __T>
constexpr bool is_number_or_pointer<__T *__restrict__> = true;
template <class __T>
constexpr bool is_built_in = is_number_or_pointer<remove_cv_t<__T>>;
/* What arithmetic never rounds. */
template <class __T>
constexpr bool is_exact =
    !is_same_v<remove_cv_t<__T>, float> && !is_same_v<remove_cv_t<__T>, double> &&
    !is_same_v<remove_cv_t<__T>, long double>;
template <class __T>
constexpr bool is_exact<__T &> = is_exact<__T>;
template <class __T>
constexpr bool is_built_in<__T &> = is_built_in<__T>;
template <class __T>
constexpr bool is_built_in<__T &&> = is_built_in<__T>;

/* Another operand of `&&` beside guards, which are evaluated before it. No class can have an operator of its own. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE constexpr enable_if_t<is_built_in<__T>, __T> condition(__T __value) {
    return __value;
}

/* Whether an expression is a constant expression. It is an argument of a call, because g++ 12 takes each conversion to
 * `void` for a constant expression. */
template <class __T>
constexpr bool is_constant(__T) {
    return true;
}

/* What checks that calls make no objects with a destructor, which would end too early: the result of a call, and an
 * argument.  Nothing but a conversion by a function makes a number of an argument that was one. */
template <class __T>
constexpr bool is_undestroyed = __has_trivial_destructor(remove_reference_t<__T>);
template <class __T>
enable_if_t<is_undestroyed<__T>, __T &&> undestroyed(__T &&__result);
template <class __T>
struct converted_number {
    operator __T() const;
};
template <class __T, bool __IsNumber>
struct passed_type {
    using __type = __T &&;
};
template <class __T>
struct passed_type<__T, true> {
    using __type = converted_number<__T>;
};
template <class __T>
constexpr bool is_arithmetic = is_integral_v<__T> || is_floating_point_v<__T>;
template <class __T>
typename passed_type<__T, is_arithmetic<remove_cv_t<remove_reference_t<__T>>>>::__type passed(
    __T &&__argument);

/* The type of a function. */
template <class __Result, class... __Parameters>
using function_of = __Result(__Parameters...);
/* A constant that is what an argument of a type is: an object, or a value. */
template <class __T>
constexpr __T zero_object{};
template <class __T>
constexpr __T &&zero() {
    return static_cast<__T &&>(
        const_cast<remove_reference_t<__T> &>(zero_object<remove_cv_t<remove_reference_t<__T>>>));
}

/* The same for what a subscript belongs to. */
template <class __T>
struct base;
template <class __T>
constexpr bool is_array_or_pointer = false;
template <class __T>
constexpr bool is_array_or_pointer<__T *> = true;
template <class __T>
constexpr bool is_array_or_pointer<__T *const> = true;
template <class __T>
constexpr bool is_array_or_pointer<__T *__restrict__> = true;
template <class __T>
constexpr bool is_array_or_pointer<__T *__restrict__ const> = true;
template <class __T>
constexpr bool is_array_or_pointer<__T[]> = true;
template <class __T, unsigned long __Count>
constexpr bool is_array_or_pointer<__T[__Count]> = true;
template <class __T>
constexpr bool is_array_or_pointer<__T &> = is_array_or_pointer<__T>;
template <class __T>
constexpr bool is_array_or_pointer<__T &&> = is_array_or_pointer<__T>;
template <class __T>
inline constexpr bool is_built_in<base<__T>> = is_array_or_pointer<__T>;
/* Whether the name of an object stands for an address, and reads no memory. */
template <class __T>
constexpr bool stands_for_address = false;
template <class __T>
constexpr bool stands_for_address<__T (&&)[]> = true;
template <class __T, unsigned long __Count>
constexpr bool stands_for_address<__T (&&)[__Count]> = true;

/* The same for a function that takes an argument. It must be the only one with its name, and take this argument by
 * value. No argument can lead to another function, in the namespace of a class. */
template <class __Function, int __Number, class... __Arguments>
struct taken;
template <class __T>
constexpr bool is_plain = is_integral_v<__T> || is_floating_point_v<__T> || is_same_v<__T, void>;
template <class __T>
constexpr bool is_plain<__T *> = is_plain<remove_cv_t<__T>>;
template <class __T>
constexpr bool is_plain<__T *__restrict__> = is_plain<remove_cv_t<__T>>;
template <class __T, unsigned long __Count>
constexpr bool is_plain<__T[__Count]> = is_plain<remove_cv_t<__T>>;
template <class __T>
constexpr bool is_plain<__T &> = is_plain<remove_cv_t<__T>>;
template <int __Number, class __First, class... __Others>
constexpr bool takes_value() {
    if constexpr (__Number == 0)
        return is_plain<remove_cv_t<__First>> && is_same_v<remove_reference_t<__First>, __First>;
    else
        return takes_value<__Number - 1, __Others...>();
}
template <class __Result, class... __Parameters, int __Number, class... __Arguments>
inline constexpr bool is_built_in<taken<__Result(__Parameters...), __Number, __Arguments...>> =
    takes_value<__Number, __Parameters...>() &&
    (is_plain<remove_cv_t<remove_reference_t<__Arguments>>> && ...);
template <class __Result, class... __Parameters, int __Number, class... __Arguments>
inline constexpr bool
    is_built_in<taken<__Result(__Parameters...) noexcept, __Number, __Arguments...>> =
        is_built_in<taken<__Result(__Parameters...), __Number, __Arguments...>>;

/* A type that has a property. Generated code names the member at each place that needs it: compilers report a member
 * that does not exist for each place, but an assertion in a template only once. */
template <class __T, bool __HasProperty>
struct numbers_or_pointers {
    using has_only_numbers_or_pointers = __T;
};
template <class __T>
struct numbers_or_pointers<__T, false> {};
/* The type of a variable that is used with operands. */
template <class __T, class... __Operands>
struct read
    : numbers_or_pointers<__T, is_built_in<__T> &&
                                   ((is_built_in<__Operands> || is_array_or_pointer<__Operands>) &&
                                    ...)> {};
/* The type of a subscript that is evaluated once for consecutive threads. */
template <class __Base>
using subscript = read<long long, base<__Base>>;

/* An object of a type, in expressions that nobody evaluates. */
template <class __T>
__T &object();

/* Returns a copy; for the type of a parameter that threads change. */
template <class __T>
__T copy(__T __value);

template <class __T>
constexpr bool is_list = false;
}  // namespace kbuild_cpu::regions
namespace std {
template <class>
class initializer_list;
}
namespace kbuild_cpu::regions {
template <class __T>
inline constexpr bool is_list<::std::initializer_list<__T>> = true;

/* Whether nobody can tell a variable from its copy: it is a number, or an aggregate without functions that could
 * know its address. */
template <class __T, class = void>
constexpr bool is_movable = false;
template <class __T>
constexpr bool is_movable<__T, typename __T::__kbuild_movable> = true;
template <class __T>
constexpr bool is_trivial_aggregate =
    __is_aggregate(__T) && __is_trivially_constructible(__T) && __is_trivially_copyable(__T);
template <class __T>
constexpr bool can_move =
    !(__is_class(__T) || __is_union(__T)) || is_trivial_aggregate<__T> || is_movable<__T>;
template <class __T, unsigned long __Count>
constexpr bool can_move<__T[__Count]> = can_move<__T>;

/* Whether a variable can be in an array with an element per thread, which is not destroyed. */
template <class __T>
constexpr bool can_keep = __has_trivial_destructor(__T) && !is_list<__T>;
template <class __T, unsigned long __Count>
constexpr bool can_keep<__T[__Count]> = can_move<__T>;

/* The type of an argument that is a lambda, which the argument itself makes and which constructs no object. */
template <class __T>
struct made {};
/* Whether an object is a copy of an argument, bit by bit. An object without data knows nothing, either. */
template <class __T, class __Argument>
constexpr bool is_copied_from = __is_trivially_copyable(__T) && __is_empty(__T);
template <class __T, class __Argument>
constexpr bool is_copied_from<__T, __Argument &> =
    __is_trivially_copyable(__T) && is_same_v<remove_cv_t<__Argument>, __T> &&
    __is_trivially_constructible(__T, __Argument &);
template <class __T>
constexpr bool is_copied_from<__T, made<__T>> = __is_trivially_copyable(__T);

/* Copies the first value of a variable to its place. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE enable_if_t<can_move<__T>, void> keep(__T &__place, const __T &__value) {
    __place = __value;
}
template <class __T, unsigned long __Count>
KBUILD_CPU_ALWAYS_INLINE enable_if_t<can_move<__T>, void> keep(__T (&__place)[__Count],
                                                               const __T (&__value)[__Count]) {
    for (unsigned long __i = 0; __i < __Count; ++__i) keep(__place[__i], __value[__i]);
}

#if defined(KBUILD_CHECKED)
/* Copies the value that a checked thread leaves at the end of a region.  Compilers insert calls before stores, but not
 * into assembly. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE void keep_copy(__T &__place, remove_cv_t<__T> __value) {
#if defined(__x86_64__)
    if constexpr (is_built_in<__T> && sizeof(__T) <= 8)
        __asm__("mov %1, %0" : "=m"(__place) : "r"(__value));
    else
#endif
        __place = __value;
}
#endif

/* Places for a variable of each thread, which is constructed where it stays. */
struct slot_address {
    void *__address;
};
}  // namespace kbuild_cpu::regions
__attribute__((returns_nonnull)) KBUILD_CPU_ALWAYS_INLINE void *operator new(
    unsigned long, ::kbuild_cpu::regions::slot_address __to) noexcept {
    return __to.__address;
}
namespace kbuild_cpu::regions {
/* The type of a variable with an initializer. Members of an aggregate can refer to temporary objects, which live
 * as long as a variable, but not as long as its slot. */
template <class __T, bool = !__is_aggregate(__T) || is_trivial_aggregate<__T>>
struct listed {
    using has_no_references = __T;
};
template <class __T>
struct listed<__T, false> {};
/* The only member of an aggregate is initialized as a variable is by the expression behind `=`. */
template <class __T>
struct holder {
    __T __value;
};
template <class __T>
struct kind_of_slot {
    using __type = __T;
    using __holder = holder<typename listed<__T>::has_no_references>;
    static constexpr bool is_class = __is_class(__T) || __is_union(__T);
    slot_address place;
};
template <class __T>
struct element {
    using __type = __T;
};
template <class __T>
struct element<const __T> {
    using __type = __T;
};
/* The compilers disagree on which conversions a restricted pointer allows. */
template <class __T>
struct element<__T *__restrict__> {
    using __type = __T *;
};
template <class __T>
struct element<__T *__restrict__ const> {
    using __type = __T *;
};
/* Memory for objects that need no constructor is an array of them, which compilers understand best. That of others
 * is bytes. No union: what is written through an address, and read as a member, has been mixed up by g++ 12. */
template <class __T, int __Most, bool = __is_trivially_constructible(__T)>
struct slot_memory {
    KBUILD_CPU_ALWAYS_INLINE __T *at(int __number) { return __objects + __number; }
    __T __objects[__Most];
};
template <class __T, int __Most>
struct slot_memory<__T, __Most, false> {
    KBUILD_CPU_ALWAYS_INLINE __T *at(int __number) {
        return reinterpret_cast<__T *>(__bytes + __number * sizeof(__T));
    }
    alignas(__T) unsigned char __bytes[sizeof(__T) * __Most];
};
template <class __T, int __Most>
class slots {
public:
    using __type = typename element<__T>::__type;
    static_assert(can_keep<__type>, "kbuild: threads cannot keep a variable of this type");

    KBUILD_CPU_ALWAYS_INLINE slots() {}
    KBUILD_CPU_ALWAYS_INLINE __type &operator[](int __number) { return *memory_.at(__number); }
    KBUILD_CPU_ALWAYS_INLINE slot_address place(int __number) { return {memory_.at(__number)}; }
    KBUILD_CPU_ALWAYS_INLINE __type &construct(int __number) {
        return *::new (place(__number)) __type;
    }
    /* The same with an expression behind `=`, which the initializer has twice: in the braces of a class, and in
     * the parentheses of another type. */
    template <class __Initializer>
    KBUILD_CPU_ALWAYS_INLINE __type &construct(int __number, const __Initializer &__initializer) {
        __initializer(kind_of_slot<__type>{place(__number)});
        return (*this)[__number];
    }
    /* The value of an object of this type, which can also be a pointer with `__restrict__`. */
    template <class __Value>
    KBUILD_CPU_ALWAYS_INLINE void copy(int __number, const __Value &__value) {
        static_assert(
            is_same_v<remove_cv_t<decltype(::kbuild_cpu::regions::copy(__value))>, __type>,
            "kbuild: the value has another type than its slot");
        ::new (place(__number)) __type(__value);
    }
    /* The same for a parameter. `__Argument` is the type of the argument, with `&` if it is an object. */
    template <class __Argument, class __Value>
    KBUILD_CPU_ALWAYS_INLINE void bring(int __number, const __Value &__value) {
        static_assert(can_move<__type> || is_copied_from<__type, __Argument>,
                      "kbuild: the parameter can refer to itself");
        copy(__number, __value);
    }

private:
    slot_memory<__type, __Most> memory_;
};

/* A call of a device function that is divided, too. All threads of a set bring their arguments, which are in
 * a frame with an array for each parameter. Then `__run` executes the function for them, and leaves the results in
 * the frame. kbuild writes a class with both for each function, and functions that have its parameters: one tells
 * the class, and the other one puts the arguments of a thread into the frame. */
struct no_frame {};
/* No argument of the source has this type. */
struct thread_number {
    int __number;
    KBUILD_CPU_ALWAYS_INLINE operator int() const { return __number; }
};
template <class __Callee, class __Result>
struct divided_call {
    struct __callee {
        template <class __Set, class __Live, class __Frame>
        KBUILD_CPU_ALWAYS_INLINE static void __run(const __Set &__set, const __Live &__live,
                                                   __Frame &__of) {
            __Callee::__run(set_view(__set), set_view(__live), __of);
        }
    };
    template <int __Most>
    using __frame = typename __Callee::template __frame<__Result, __Most>;
};
template <class __Result, int __Most>
struct frame_results {
    KBUILD_CPU_ALWAYS_INLINE __Result get(int __number) { return __values[__number]; }
    /* By value, as `return` makes the result: from a volatile object, too. */
    KBUILD_CPU_ALWAYS_INLINE void put(int __number, __Result __value) {
        __values.copy(__number, __value);
    }
    static_assert(can_move<__Result>, "kbuild: the result can refer to itself");
    slots<__Result, __Most> __values;
};
template <int __Most>
struct frame_results<void, __Most> {
    KBUILD_CPU_ALWAYS_INLINE void get(int) {}
};

/* A frame, and the types of the arguments of a call, with `&` for objects. */
template <int __Number, class... __Arguments>
struct argument_at {
    using __type = void;
};
template <class __First, class... __Others>
struct argument_at<0, __First, __Others...> {
    using __type = __First;
};
template <int __Number, class __First, class... __Others>
struct argument_at<__Number, __First, __Others...> : argument_at<__Number - 1, __Others...> {};
template <class __Frame, class... __Arguments>
struct call_frame {
    __Frame &__of;
    template <int __Number>
    using __argument = typename argument_at<__Number, __Arguments...>::__type;
};

/* A function of the device headers that all threads of a set call at once. It is declared as kbuild declares a
 * divided function: as `NAME__kbuild_split`, once with `no_frame`, and once with a `call_frame`, into which it puts
 * what a thread brings, an object of `__Entry`. Then `__Entry::run` executes the function for all of them. */
template <class __Entry>
struct collective {
    template <class __Result, int __Most>
    struct __frame : frame_results<__Result, __Most> {
        KBUILD_CPU_ALWAYS_INLINE void __bring(int __number, const __Entry &__entry,
                                              const kbuild_cpu_call &__from) {
            __entries.copy(__number, __entry);
            __caller = __from;
        }
        slots<__Entry, __Most> __entries;
        kbuild_cpu_call __caller;
    };
    template <class __Result, int __Most>
    static void __run(const set_view __set, const set_view __live,
                      __frame<__Result, __Most> &__of) {
        __Entry::run(__set, __live, __of);
    }
};

/* The type of an array's elements for a parameter. */
template <class __T>
struct frame_element {
    using __type = __T;
};
template <class __T>
struct frame_element<const __T> : frame_element<__T> {};
template <class __T>
struct frame_element<__T[]> {
    using __type = __T *;
};
template <class __T, unsigned long __Count>
struct frame_element<__T[__Count]> {
    using __type = __T *;
};

/* Whether a reference to T refers to an argument itself, and not to a temporary object. */
template <class __T, class __Argument>
struct refers_to {
    static constexpr bool __binds = false;
};
template <class __T, class __Object>
struct refers_to<__T, __Object &> {
    using __to = remove_cv_t<__T>;
    using __from = remove_cv_t<__Object>;
    static constexpr bool is_derived() {
        if constexpr (__is_class(__to) && __is_class(__from))
            return __is_base_of(__to, __from);
        else
            return false;
    }
    static constexpr bool __binds = is_same_v<__to, __from> || is_derived();
};
/* Whether the reference is to a temporary object that is a copy of the argument, or its value as another number. */
template <class __T, class __Argument>
constexpr bool is_converted = is_same_v<remove_cv_t<__T>, remove_cv_t<__Argument>> ||
                              (is_built_in<__T> && is_built_in<__Argument>);
template <class __T, class __Lambda>
constexpr bool is_converted<__T, made<__Lambda>> = is_same_v<remove_cv_t<__T>, __Lambda>;
template <class __T, unsigned long>
using argument = __T;
template <class __T, unsigned long>
using made_argument = made<__T>;
/* The same for an argument that can refer to a temporary object, unless it is a number, or an object without data. */
template <class __T>
struct checked_number {
    static_assert(is_integral_v<__T> || is_floating_point_v<__T> || __is_empty(__T),
                  "kbuild: the argument can refer to a temporary object");
    using __type = __T;
};
template <class __T, unsigned long>
using number_argument = typename checked_number<__T>::__type;
/* Returns a number for what a reference can refer to: not for bit-fields, and not for members of packed classes. */
template <class __T>
char (&bind_argument(__T &))[1];
template <class __T>
char (&bind_argument(const __T &&))[1];

/* What a reference refers to: an object, or a temporary one, which nobody else knows. */
template <class __T>
class lent {
public:
    KBUILD_CPU_ALWAYS_INLINE lent() {}
    KBUILD_CPU_ALWAYS_INLINE __T &operator*() const { return *object_; }
    /* `__Argument` is the type of the argument, with `&` if it is an object. */
    template <class __Argument>
    KBUILD_CPU_ALWAYS_INLINE __T &put(__T &__object) {
        static_assert(is_same_v<__Argument, remove_reference_t<__Argument>> ||
                          is_same_v<__Argument, remove_reference_t<__Argument> &>,
                      "kbuild: the parameter can refer to a part of a temporary object");
        object_ = __builtin_addressof(__object);
        if constexpr (!refers_to<__T, __Argument>::__binds) {
            static_assert((!is_same_v<remove_cv_t<__T>, __T> ||
                           is_same_v<__Argument, remove_reference_t<__Argument>>) &&
                              is_converted<__T, __Argument>,
                          "kbuild: what the parameter refers to is not known");
            static_assert(
                can_move<remove_cv_t<__T>> || is_copied_from<remove_cv_t<__T>, __Argument>,
                "kbuild: the parameter refers to a temporary object");
            ::new (slot_address{static_cast<void *>(__builtin_addressof(copy_))})
                remove_cv_t<__T>(__object);
            object_ = __builtin_addressof(copy_);
        }
        return *object_;
    }

private:
    __T *object_;
    union {
        remove_cv_t<__T> copy_;
    };
};

/* The same for a parameter that is a reference. */
template <class __T>
struct frame_reference;
template <class __T>
struct frame_reference<__T &> {
    using __type = lent<__T>;
};

/* What the threads bring to an operation, with room for whole warps. In a warp with threads that bring
 * something, the others have the value 0, as those that have exited. */
template <int __Most>
struct operands {
    template <class __T>
    KBUILD_CPU_ALWAYS_INLINE __T *values() {
        static_assert(sizeof(__T) <= 8 && __is_trivially_copyable(__T),
                      "kbuild: warp operations exchange values of at most 8 bytes");
        return reinterpret_cast<__T *>(__storage + before);
    }
    template <class __Set>
    KBUILD_CPU_ALWAYS_INLINE void begin(const __Set &__set) {
        if (!__set.has_whole_warps())
            memset(__storage + before, 0,
                   static_cast<unsigned long>((__set.of.threads + 31) / 32 * 32 * 8));
    }
    static constexpr int before = 32 * 8; /* so that shuffles can read what they do not use */
    alignas(64) unsigned char __storage[before + (__Most + 32) * 8];
    unsigned votes[__Most / 32];
    unsigned long sum;
};

/* Each operation is a class with the name of the function. Every thread calls `put` with its operand. Then
 * `finish` runs once, and returns what `get` needs, which every thread calls for its result. */
struct __syncthreads {
    template <class __Set, class __Live>
    KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live,
                                                KBUILD_CPU_CALLER) {
        check_barrier(KBUILD_CPU_CALL("__syncthreads"), __set, __live);
    }
};
#define KBUILD_CPU_BLOCK_VOTE(name, vote, result) \
    struct name { \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                                 int __predicate) { \
            __operands.__storage[__operands.before + __number] = vote; \
        } \
        template <class __Set, class __Live, int __Most> \
        static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands, \
                           KBUILD_CPU_CALLER) { \
            check_barrier(KBUILD_CPU_CALL(#name), __set, __live); \
            unsigned long __sum = 0; \
            for (int __i = 0; __i < __set.of.threads; ++__i) \
                __sum += __set.has(__i) ? __operands.__storage[__operands.before + __i] : 0; \
            __operands.sum = __sum; \
        } \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static int get(operands<__Most> &__operands, int) { \
            return static_cast<int>(result); \
        } \
    };

KBUILD_CPU_BLOCK_VOTE(__syncthreads_count, __predicate != 0, __operands.sum)
KBUILD_CPU_BLOCK_VOTE(__syncthreads_or, __predicate != 0, __operands.sum != 0)
KBUILD_CPU_BLOCK_VOTE(__syncthreads_and, __predicate == 0, __operands.sum == 0)

#undef KBUILD_CPU_BLOCK_VOTE

}  // namespace kbuild_cpu::regions

#endif
