/* The CUDA math API.  <math.h> provides the functions of the C library, with overloads for float. */
#ifndef KBUILD_CPU_MATH_H
#define KBUILD_CPU_MATH_H

#include "math/min_max.h"
#include "math/elementary.h"
#include "math/special.h"
#include "math/fast.h"
#include "math/rounding.h"
#include "math/conversions.h"
#include "math/simd.h"
#include "math/dpx.h"

#endif
