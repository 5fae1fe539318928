/* What a kernel source sees when it is compiled as C++ for the CPU.
 *
 * The backend includes this file first into every kernel source, so that sources need no
 * include of their own; cuda_runtime.h and hip/hip_runtime.h beside it lead here too.
 * CPU device code is plain C++: each header below gives one part of the device language.
 */
#ifndef KBUILD_CPU_DEVICE_H
#define KBUILD_CPU_DEVICE_H

#pragma GCC system_header

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "kbuild: the cpu backend compiles kernel sources as C++17 or later"
#endif

#define KBUILD_DEVICE_CODE 1

#include <kbuild/kernel.h>

#include "kbuild_cpu/qualifiers.h"
#include "kbuild_cpu/vector_types.h"
#include "kbuild_cpu/builtins.h"
#include "kbuild_cpu/barrier.h"
#include "kbuild_cpu/atomics.h"
#include "kbuild_cpu/math.h"
#include "kbuild_cpu/bits.h"
#include "kbuild_cpu/integers.h"
#include "kbuild_cpu/clock.h"
#include "kbuild_cpu/unsupported.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#endif
