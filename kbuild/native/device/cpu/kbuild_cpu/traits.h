/* What these headers need of <type_traits> and <limits>, which compilers read ten times as long. */
#ifndef KBUILD_CPU_TRAITS_H
#define KBUILD_CPU_TRAITS_H

#pragma GCC system_header

namespace kbuild_cpu {

template <bool, class __T>
struct enabled {};
template <class __T>
struct enabled<true, __T> {
    using __type = __T;
};
/* T, if the condition holds. */
template <bool __condition, class __T>
using enable_if_t = typename enabled<__condition, __T>::__type;

template <bool, class __T, class>
struct choice {
    using __type = __T;
};
template <class __T, class __Other>
struct choice<false, __T, __Other> {
    using __type = __Other;
};
template <bool __condition, class __T, class __Other>
using conditional_t = typename choice<__condition, __T, __Other>::__type;

/* clang 14 cannot mangle __is_same. */
template <class, class>
constexpr bool is_same_v = false;
template <class __T>
inline constexpr bool is_same_v<__T, __T> = true;

template <class __T>
struct unqualified {
    using __type = __T;
};
template <class __T>
struct unqualified<const __T> : unqualified<__T> {};
template <class __T>
struct unqualified<volatile __T> : unqualified<__T> {};
template <class __T>
struct unqualified<const volatile __T> : unqualified<__T> {};
template <class __T>
using remove_cv_t = typename unqualified<__T>::__type;

template <class __T>
struct unreferenced {
    using __type = __T;
};
template <class __T>
struct unreferenced<__T &> : unreferenced<__T> {};
template <class __T>
struct unreferenced<__T &&> : unreferenced<__T> {};
template <class __T>
using remove_reference_t = typename unreferenced<__T>::__type;

template <class __T>
constexpr bool is_integral_v = false;
template <class __T>
constexpr bool is_floating_point_v = false;

#define KBUILD_CPU_IS(kind, T) \
    template <> \
    inline constexpr bool is_##kind##_v<T> = true;
KBUILD_CPU_IS(integral, bool)
KBUILD_CPU_IS(integral, char)
KBUILD_CPU_IS(integral, signed char)
KBUILD_CPU_IS(integral, unsigned char)
KBUILD_CPU_IS(integral, wchar_t)
#if defined(__cpp_char8_t)
KBUILD_CPU_IS(integral, char8_t)
#endif
KBUILD_CPU_IS(integral, char16_t)
KBUILD_CPU_IS(integral, char32_t)
KBUILD_CPU_IS(integral, short)
KBUILD_CPU_IS(integral, unsigned short)
KBUILD_CPU_IS(integral, int)
KBUILD_CPU_IS(integral, unsigned int)
KBUILD_CPU_IS(integral, long)
KBUILD_CPU_IS(integral, unsigned long)
KBUILD_CPU_IS(integral, long long)
KBUILD_CPU_IS(integral, unsigned long long)
#if !defined(__STRICT_ANSI__)
KBUILD_CPU_IS(integral, __int128)
KBUILD_CPU_IS(integral, unsigned __int128)
#endif
KBUILD_CPU_IS(floating_point, float)
KBUILD_CPU_IS(floating_point, double)
KBUILD_CPU_IS(floating_point, long double)
#undef KBUILD_CPU_IS

template <class __T>
constexpr bool is_arithmetic_v = is_integral_v<__T> || is_floating_point_v<__T>;

/* The ends of the range of an integer type other than bool. */
template <class __T>
constexpr bool is_signed_v = static_cast<__T>(-1) < static_cast<__T>(0);
template <class __T>
constexpr __T greatest_v =
    static_cast<__T>(~0ull >> (8 * (sizeof(long long) - sizeof(__T)) + is_signed_v<__T>));
template <class __T>
constexpr __T least_v = static_cast<__T>(is_signed_v<__T> ? -greatest_v<__T> - 1 : 0);

}  // namespace kbuild_cpu

#endif
