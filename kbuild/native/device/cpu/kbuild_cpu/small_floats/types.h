/* The class of a 16-bit format and of a pair of them.
 *
 * Included once per format, with macros for what differs: KBUILD_SMALL (the class),
 * KBUILD_SMALL2 (the pair), KBUILD_SMALL_RAW and KBUILD_SMALL2_RAW (their bits), KBUILD_SMALL_FORMAT
 * (the functions on bits), KBUILD_SMALL_OTHER (the class of the other format),
 * KBUILD_SMALL_HAS_CONVERSIONS, KBUILD_SMALL_HAS_OPERATORS, KBUILD_SMALL2_HAS_OPERATORS, and
 * KBUILD_SMALL_NAME, which makes the name of a function. */
#pragma GCC system_header

struct KBUILD_SMALL_OTHER;

struct __attribute__((aligned(2))) KBUILD_SMALL {
protected:
    unsigned short __x;

public:
    KBUILD_SMALL() = default;
    KBUILD_SMALL_MEMBER constexpr KBUILD_SMALL(const KBUILD_SMALL_RAW &__raw) : __x(__raw.x) {}
    KBUILD_SMALL_MEMBER KBUILD_SMALL &operator=(const KBUILD_SMALL_RAW &__raw) {
        __x = __raw.x;
        return *this;
    }
    KBUILD_SMALL_MEMBER void operator=(const KBUILD_SMALL_RAW &__raw) volatile { __x = __raw.x; }
    KBUILD_SMALL_MEMBER void operator=(const volatile KBUILD_SMALL_RAW &__raw) volatile {
        __x = __raw.x;
    }
    KBUILD_SMALL_MEMBER operator KBUILD_SMALL_RAW() const { return KBUILD_SMALL_RAW{__x}; }
    KBUILD_SMALL_MEMBER operator KBUILD_SMALL_RAW() const volatile { return KBUILD_SMALL_RAW{__x}; }

#if KBUILD_SMALL_HAS_CONVERSIONS
    /* Defined when both formats are. */
    KBUILD_SMALL_MEMBER explicit inline KBUILD_SMALL(const KBUILD_SMALL_OTHER __value);

    KBUILD_SMALL_MEMBER KBUILD_SMALL(const float __value)
        : __x(KBUILD_SMALL_FORMAT::round(__value)) {}
    KBUILD_SMALL_MEMBER KBUILD_SMALL(const double __value)
        : __x(KBUILD_SMALL_FORMAT::round(__value)) {}
#define KBUILD_SMALL_FROM(integer) \
    KBUILD_SMALL_MEMBER KBUILD_SMALL(const integer __value) \
        : __x(KBUILD_SMALL_FORMAT::round(kbuild_small::round_to_odd(__value))) {}
    KBUILD_SMALL_SOURCES(KBUILD_SMALL_FROM)
#undef KBUILD_SMALL_FROM

    KBUILD_SMALL_MEMBER operator float() const { return KBUILD_SMALL_FORMAT::widen(__x); }
#define KBUILD_SMALL_TO(integer) \
    KBUILD_SMALL_MEMBER operator integer() const { \
        return kbuild_small::to_integer<integer>(KBUILD_SMALL_FORMAT::widen(__x), \
                                                 kbuild_small::round_zero); \
    }
    KBUILD_SMALL_TARGETS(KBUILD_SMALL_TO)
#undef KBUILD_SMALL_TO
    KBUILD_SMALL_MEMBER constexpr operator bool() const { return (__x & 0x7FFF) != 0; }
#endif
};

struct __attribute__((aligned(4))) KBUILD_SMALL2 {
    KBUILD_SMALL x, y;

    KBUILD_SMALL2() = default;
    KBUILD_SMALL_MEMBER constexpr KBUILD_SMALL2(const KBUILD_SMALL &__a, const KBUILD_SMALL &__b)
        : x(__a), y(__b) {}
    KBUILD_SMALL_MEMBER KBUILD_SMALL2(const KBUILD_SMALL2_RAW &__raw)
        : x(KBUILD_SMALL_RAW{__raw.x}), y(KBUILD_SMALL_RAW{__raw.y}) {}
    KBUILD_SMALL_MEMBER operator KBUILD_SMALL2_RAW() const {
        return kbuild_small::cast_bits<KBUILD_SMALL2_RAW>(*this);
    }
};
