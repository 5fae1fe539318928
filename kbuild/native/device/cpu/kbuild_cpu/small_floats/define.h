/* Defines everything for one 16-bit format, with the macros that types.h describes. */
#pragma GCC system_header

#include "types.h"
#include "functions.h"
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "device.h"
#endif

#if KBUILD_SMALL_HAS_OPERATORS
#define KBUILD_SMALL_CLASS KBUILD_SMALL
#define KBUILD_SMALL_CALL(name) __h##name
#define KBUILD_SMALL_QUOTIENT __hdiv
#define KBUILD_SMALL_IS(name) __h##name
#define KBUILD_SMALL_UNIT KBUILD_SMALL_NAME(__ushort_as_, )(KBUILD_SMALL_FORMAT::one)
#include "operators.h"
#undef KBUILD_SMALL_UNIT
#undef KBUILD_SMALL_IS
#undef KBUILD_SMALL_QUOTIENT
#undef KBUILD_SMALL_CALL
#undef KBUILD_SMALL_CLASS
#endif

#if KBUILD_SMALL2_HAS_OPERATORS
#define KBUILD_SMALL_CLASS KBUILD_SMALL2
#define KBUILD_SMALL_CALL(name) __h##name##2
#define KBUILD_SMALL_QUOTIENT __h2div
#define KBUILD_SMALL_IS(name) __hb##name##2
#define KBUILD_SMALL_UNIT \
    KBUILD_SMALL_NAME2(__, 2, 2)(KBUILD_SMALL_NAME(__ushort_as_, )(KBUILD_SMALL_FORMAT::one))
#include "operators.h"
#undef KBUILD_SMALL_UNIT
#undef KBUILD_SMALL_IS
#undef KBUILD_SMALL_QUOTIENT
#undef KBUILD_SMALL_CALL
#undef KBUILD_SMALL_CLASS
#endif

#undef KBUILD_SMALL
#undef KBUILD_SMALL2
#undef KBUILD_SMALL_RAW
#undef KBUILD_SMALL2_RAW
#undef KBUILD_SMALL_FORMAT
#undef KBUILD_SMALL_OTHER
#undef KBUILD_SMALL_NAME
#undef KBUILD_SMALL_NAME2
#undef KBUILD_SMALL_HAS_CONVERSIONS
#undef KBUILD_SMALL_HAS_OPERATORS
#undef KBUILD_SMALL2_HAS_OPERATORS
