/* Objects that consist of numbers and pointers, which no function of a program makes; see regions.h. */
#ifndef KBUILD_CPU_REGIONS_NUMBER_OBJECTS_H
#define KBUILD_CPU_REGIONS_NUMBER_OBJECTS_H

#include "regions.h"

#pragma GCC system_header

namespace std {
template <class>
struct tuple_size;
}

namespace kbuild_cpu::regions {

/* Initializes a member of any type. */
struct any_value {
    template <class __T>
    operator __T() const;
};
template <int>
using value_at = any_value;
template <int...>
struct places {};
template <class __Places, int __Next>
struct add_place;
template <int... __Places, int __Next>
struct add_place<places<__Places...>, __Next> {
    using __type = places<__Places..., __Next>;
};
template <int __Count>
struct first_places {
    using __type =
        typename add_place<typename first_places<__Count - 1>::__type, __Count - 1>::__type;
};
template <>
struct first_places<0> {
    using __type = places<>;
};

/* Whether braces with some values initialize an aggregate, and whether the next member takes two of them: it is an
 * array, or an object of a class. */
template <class __T, class __Places, class = void>
constexpr bool takes_values = false;
template <class __T, int... __Places>
constexpr bool takes_values<__T, places<__Places...>,
                            decltype(static_cast<void>(__T{value_at<__Places>()...}))> = true;
template <class __T, class __Places, class = void>
constexpr bool takes_lists = false;
template <class __T, int... __Places>
constexpr bool takes_lists<__T, places<__Places...>,
                           decltype(static_cast<void>(
                               __T{value_at<__Places>()..., {any_value(), any_value()}}))> = true;

constexpr int most_members = 8;
/* Returns the number of members of an aggregate; -1 if some of them can have parts, or if there are too many. */
template <class __T, int __Count = 0>
constexpr int count_members() {
    if constexpr (__Count > most_members ||
                  takes_lists<__T, typename first_places<__Count>::__type>)
        return -1;
    else if constexpr (takes_values<__T, typename first_places<__Count + 1>::__type>)
        return count_members<__T, __Count + 1>();
    else
        return __Count;
}

/* A member of a constant is one, too, unless it is mutable. */
template <class... __Members>
constexpr bool are_constant_numbers =
    ((is_built_in<__Members> && is_same_v<const __Members, __Members>) && ...);
template <class... __Members>
struct constant_numbers {
    static constexpr bool __value = are_constant_numbers<__Members...>;
};
template <class __T>
auto list_members(__T &__of, first_places<1>) {
    auto &[__a] = __of;
    return constant_numbers<decltype(__a)>();
}
template <class __T>
auto list_members(__T &__of, first_places<2>) {
    auto &[__a, __b] = __of;
    return constant_numbers<decltype(__a), decltype(__b)>();
}
template <class __T>
auto list_members(__T &__of, first_places<3>) {
    auto &[__a, __b, __c] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c)>();
}
template <class __T>
auto list_members(__T &__of, first_places<4>) {
    auto &[__a, __b, __c, __d] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c), decltype(__d)>();
}
template <class __T>
auto list_members(__T &__of, first_places<5>) {
    auto &[__a, __b, __c, __d, __e] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c), decltype(__d),
                            decltype(__e)>();
}
template <class __T>
auto list_members(__T &__of, first_places<6>) {
    auto &[__a, __b, __c, __d, __e, __f] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c), decltype(__d),
                            decltype(__e), decltype(__f)>();
}
template <class __T>
auto list_members(__T &__of, first_places<7>) {
    auto &[__a, __b, __c, __d, __e, __f, __g] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c), decltype(__d),
                            decltype(__e), decltype(__f), decltype(__g)>();
}
template <class __T>
auto list_members(__T &__of, first_places<8>) {
    auto &[__a, __b, __c, __d, __e, __f, __g, __h] = __of;
    return constant_numbers<decltype(__a), decltype(__b), decltype(__c), decltype(__d),
                            decltype(__e), decltype(__f), decltype(__g), decltype(__h)>();
}

template <class __T, class = void>
constexpr bool has_elements = false;
template <class __T>
constexpr bool has_elements<__T, decltype(static_cast<void>(sizeof(::std::tuple_size<__T>)))> =
    true;

/* Whether an object consists of numbers and pointers that only a mistake changes if it is constant, and whether braces
 * around numbers and pointers make it without a function of a program. */
template <class __T>
constexpr bool consists_of_numbers() {
    if constexpr (!__is_class(__T) || !is_trivial_aggregate<__T> || has_elements<const __T>)
        return false;
    else if constexpr (__is_empty(__T))
        return true;
    else if constexpr (count_members<__T>() > 0)
        return decltype(list_members(object<const __T>(),
                                     first_places<count_members<__T>()>()))::__value;
    else
        return false;
}

/* A member of an object of a class that consists of numbers; and such a class. */
template <class __T, class __Member>
struct member;
template <class __T, class __Number, class __Class>
inline constexpr bool is_built_in<member<__T, __Number __Class::*>> =
    consists_of_numbers<__T>() && is_built_in<__Number>;
template <class __T>
struct members;
template <class __T>
inline constexpr bool is_built_in<members<__T>> = consists_of_numbers<remove_cv_t<__T>>();
/* The type of such an object, one of whose members is used with operands. */
template <class __T, class... __Operands>
struct read_object
    : numbers_or_pointers<__T,
                          ((is_built_in<__Operands> || is_array_or_pointer<__Operands>) && ...)> {};
/* The number 1, of any type. */
struct one {
    template <class __T, class = enable_if_t<is_arithmetic<__T>, void>>
    constexpr operator __T() const {
        return 1;
    }
};

/* Places for a constant that all threads make of the same numbers.  If it consists of numbers, it is in one place. */
template <class __T, int __Most>
class common_slots {
public:
    using __type = remove_cv_t<__T>;
    KBUILD_CPU_ALWAYS_INLINE common_slots() {}
    KBUILD_CPU_ALWAYS_INLINE __type &operator[](int __number) {
        return slots_[is_common ? 0 : __number];
    }
    KBUILD_CPU_ALWAYS_INLINE slot_address place(int __number) {
        return slots_.place(is_common ? 0 : __number);
    }

private:
    static constexpr bool is_common = consists_of_numbers<__type>();
    slots<__type, is_common ? 1 : __Most> slots_;
};

}  // namespace kbuild_cpu::regions

#endif
