/* What the headers of nvcc include of the C and the C++ library. */
#ifndef KBUILD_CPU_LIBRARY_H
#define KBUILD_CPU_LIBRARY_H

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A source that has only these names of namespace std needs no other part of the C++ library. */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if !defined(KBUILD_WITHOUT_LIBRARY)
#include <cmath>
#include <new>
#include <utility>
#elif !defined(KBUILD_WITHOUT_MATH)
/* Nothing names the special functions of C++17, which are half of what compilers read for <cmath>. */
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#endif

#endif
