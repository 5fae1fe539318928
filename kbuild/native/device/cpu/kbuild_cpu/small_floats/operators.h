/* The operators of a class for a 16-bit format or for a pair.  Included once per class, with
 * KBUILD_SMALL_CLASS and with macros for the names of the functions: KBUILD_SMALL_CALL makes the
 * name of an arithmetic function, and KBUILD_SMALL_IS that of a comparison. */
#pragma GCC system_header

#define KBUILD_SMALL_OPERATOR static inline __attribute__((always_inline))
#define KBUILD_SMALL_ARITHMETIC(sign, call) \
    KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS operator sign(const KBUILD_SMALL_CLASS &__a, \
                                                           const KBUILD_SMALL_CLASS &__b) { \
        return call(__a, __b); \
    } \
    KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS &operator sign##=(KBUILD_SMALL_CLASS & __a, \
                                                               const KBUILD_SMALL_CLASS & __b) { \
        return __a = call(__a, __b); \
    }
KBUILD_SMALL_ARITHMETIC(+, KBUILD_SMALL_CALL(add))
KBUILD_SMALL_ARITHMETIC(-, KBUILD_SMALL_CALL(sub))
KBUILD_SMALL_ARITHMETIC(*, KBUILD_SMALL_CALL(mul))
KBUILD_SMALL_ARITHMETIC(/, KBUILD_SMALL_QUOTIENT)
#undef KBUILD_SMALL_ARITHMETIC

#define KBUILD_SMALL_STEP(sign, call) \
    KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS &operator sign(KBUILD_SMALL_CLASS & __a) { \
        return __a = call(__a, KBUILD_SMALL_UNIT); \
    } \
    KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS operator sign(KBUILD_SMALL_CLASS &__a, const int) { \
        const KBUILD_SMALL_CLASS __old = __a; \
        __a = call(__a, KBUILD_SMALL_UNIT); \
        return __old; \
    }
KBUILD_SMALL_STEP(++, KBUILD_SMALL_CALL(add))
KBUILD_SMALL_STEP(--, KBUILD_SMALL_CALL(sub))
#undef KBUILD_SMALL_STEP

KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS operator+(const KBUILD_SMALL_CLASS &__a) { return __a; }
KBUILD_SMALL_OPERATOR KBUILD_SMALL_CLASS operator-(const KBUILD_SMALL_CLASS &__a) {
    return KBUILD_SMALL_CALL(neg)(__a);
}

#define KBUILD_SMALL_COMPARISON(sign, call) \
    KBUILD_SMALL_OPERATOR bool operator sign(const KBUILD_SMALL_CLASS &__a, \
                                             const KBUILD_SMALL_CLASS &__b) { \
        return call(__a, __b); \
    }
KBUILD_SMALL_COMPARISON(==, KBUILD_SMALL_IS(eq))
KBUILD_SMALL_COMPARISON(!=, KBUILD_SMALL_IS(neu))
KBUILD_SMALL_COMPARISON(<, KBUILD_SMALL_IS(lt))
KBUILD_SMALL_COMPARISON(>, KBUILD_SMALL_IS(gt))
KBUILD_SMALL_COMPARISON(<=, KBUILD_SMALL_IS(le))
KBUILD_SMALL_COMPARISON(>=, KBUILD_SMALL_IS(ge))
#undef KBUILD_SMALL_COMPARISON
#undef KBUILD_SMALL_OPERATOR
