/* Loops over ranges around operations, for many threads; see regions.h.
 *
 * A loop over a range has a reference to the range, and two iterators.  Here, each thread has them.  The
 * expressions with operators of the iterators are in the generated code, so that the same ones are found. */
#ifndef KBUILD_CPU_REGIONS_RANGES_H
#define KBUILD_CPU_REGIONS_RANGES_H

#include "regions.h"

#pragma GCC system_header

/* The functions that a loop finds for a range without members: only those of its namespaces. */
namespace kbuild_cpu_range_lookup {
void begin() = delete;
void end() = delete;

/* `__Number` is that of the loop, so that each loop finds what is declared in front of it. */
template <int __Number, class __T>
KBUILD_CPU_ALWAYS_INLINE decltype(auto) __begin(__T &__range) {
    return begin(__range);
}
template <int __Number, class __T>
KBUILD_CPU_ALWAYS_INLINE decltype(auto) __end(__T &__range) {
    return end(__range);
}
}  // namespace kbuild_cpu_range_lookup

namespace kbuild_cpu::regions {

/* Whether a class has usable members `begin` and `end`: then a loop uses them. */
template <class __T, class = void, class = void>
constexpr bool has_range_members = false;
template <class __T>
constexpr bool has_range_members<__T, decltype(static_cast<void>(object<__T>().begin())),
                                 decltype(static_cast<void>(object<__T>().end()))> = true;

/* Whether a class lacks a member with the name `begin` or `end`, also one that is not usable: the name is not
 * ambiguous in a class that is derived from it. */
struct has_begin {
    int begin;
};
struct has_end {
    int end;
};
template <class __T, class __Member>
struct with_member : __T, __Member {};
template <class __T, class = void>
constexpr bool lacks_begin = false;
template <class __T>
constexpr bool lacks_begin<__T, decltype(static_cast<void>(&with_member<__T, has_begin>::begin))> =
    true;
template <class __T, class = void>
constexpr bool lacks_end = false;
template <class __T>
constexpr bool lacks_end<__T, decltype(static_cast<void>(&with_member<__T, has_end>::end))> = true;

template <class __T>
constexpr bool is_array = false;
template <class __T, unsigned long __Count>
constexpr bool is_array<__T[__Count]> = true;

template <class __T>
constexpr bool check_lookup() {
    if constexpr (is_array<__T> || has_range_members<__T>)
        return true;
    else if constexpr (__is_class(__T) && !__is_final(__T))
        return lacks_begin<remove_cv_t<__T>> || lacks_end<remove_cv_t<__T>>;
    else
        return __is_enum(__T);
}

template <int __Number, class __T>
KBUILD_CPU_ALWAYS_INLINE decltype(auto) begin_of(__T &__range) {
    static_assert(check_lookup<__T>(), "kbuild: the members of the range are not known");
    if constexpr (is_array<__T>)
        return +__range;
    else if constexpr (has_range_members<__T>)
        return __range.begin();
    else
        return ::kbuild_cpu_range_lookup::__begin<__Number>(__range);
}
template <int __Number, class __T>
KBUILD_CPU_ALWAYS_INLINE decltype(auto) end_of(__T &__range) {
    if constexpr (is_array<__T>)
        return +__range + sizeof(__range) / sizeof(*__range);
    else if constexpr (has_range_members<__T>)
        return __range.end();
    else
        return ::kbuild_cpu_range_lookup::__end<__Number>(__range);
}

/* What a thread keeps of a range: the temporary object that its initializer makes, or the place of an object. */
template <class __T>
struct kept_range {
    static_assert(!__is_aggregate(__T) || is_trivial_aggregate<__T>,
                  "kbuild: a member of the range can be a reference");
    using __type = __T;
    static KBUILD_CPU_ALWAYS_INLINE __T &get(__type &__range) { return __range; }
};
template <class __T>
struct kept_range<__T &> {
    class __type {
    public:
        KBUILD_CPU_ALWAYS_INLINE explicit __type(__T &__range)
            : range_(__builtin_addressof(__range)) {}
        KBUILD_CPU_ALWAYS_INLINE __T &get() const { return *range_; }

    private:
        __T *range_;
    };
    static KBUILD_CPU_ALWAYS_INLINE __T &get(__type &__range) { return __range.get(); }
};
template <class __T>
struct kept_range<__T &&> {
    static_assert(!is_same_v<__T, __T>, "kbuild: the range can be a part of a temporary object");
};

/* What tells the type of the initializer of a range: with `&`, if it is an object.  `__is_named` means that it is
 * surely no part of a temporary object, and no conversion of one. */
template <class __T, bool __is_named>
struct range_kind {
    static_assert(__is_named || !is_same_v<__T, remove_reference_t<__T> &>,
                  "kbuild: the range can be a temporary object");
    using __type = __T;
};
#if defined(__cpp_range_based_for) && __cpp_range_based_for >= 202211L
/* All temporary objects in the initializer live as long as the loop. */
template <class __T>
struct range_kind<__T, false> {
    static_assert(!is_same_v<__T, __T>, "kbuild: the range can refer to a temporary object");
};
#endif

/* What tells the type of an element that is a reference. */
template <class __T>
struct kind_of_element {
    using __type = remove_reference_t<__T>;
};

/* The copy that `auto` makes. */
template <class __T>
__T copied(__T);

template <int __Number, class __Kind, int __Most>
class range_loop {
    using __keeper = kept_range<typename __Kind::__type>;
    using __range = remove_reference_t<typename __Kind::__type>;

public:
    using __kept = typename __keeper::__type;
    using __first = decltype(copied(begin_of<__Number>(object<__range>())));
    using __last = decltype(copied(end_of<__Number>(object<__range>())));

    KBUILD_CPU_ALWAYS_INLINE slot_address place(int __number) { return ranges_.place(__number); }
    /* To be called when the range of a thread exists. */
    KBUILD_CPU_ALWAYS_INLINE void start(int __number) {
        auto &__of = __keeper::get(ranges_[__number]);
        ::new (begins_.place(__number)) __first(begin_of<__Number>(__of));
        ::new (ends_.place(__number)) __last(end_of<__Number>(__of));
    }
    KBUILD_CPU_ALWAYS_INLINE __first &begin(int __number) { return begins_[__number]; }
    KBUILD_CPU_ALWAYS_INLINE __last &end(int __number) { return ends_[__number]; }

private:
    slots<__kept, __Most> ranges_;
    slots<__first, __Most> begins_;
    slots<__last, __Most> ends_;
};

}  // namespace kbuild_cpu::regions

#endif
