/* What the headers of nvcc include of the C and the C++ library, so that a source needs no other header here
 * than there. Kernel sources are like nvcc's device pass, which includes more than its host pass. */
#ifndef KBUILD_CPU_LIBRARY_H
#define KBUILD_CPU_LIBRARY_H

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A source that has only these names of namespace std needs no other part of the C++ library. */
#include <cstddef>
#include <cstdlib>

#if defined(KBUILD_DEVICE_CODE)
#include <assert.h>
#include <stdio.h>
#endif

#if !defined(KBUILD_WITHOUT_LIBRARY)
#include <cmath>
#include <utility>
#if defined(KBUILD_EXTENDED_LAMBDA)
#include <functional>
#endif
#if defined(KBUILD_DEVICE_CODE)
#include <new>
#endif
#elif !defined(KBUILD_WITHOUT_MATH)
/* Nothing names the special functions of C++17, which are half of what compilers read for <cmath>. */
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#endif

#endif
