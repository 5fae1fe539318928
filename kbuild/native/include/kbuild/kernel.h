/* KBUILD_KERNEL declares a kernel, in headers that device code and host code share:
 *
 *     KBUILD_KERNEL void saxpy(int n, float a, const float *x, float *y);
 *
 * In device code it is __global__. On the host the declared function's address is the
 * kernel's handle, which is data: it can be launched, but not called. (nothrow: clang does
 * not diagnose calls that might have to unwind.) */
#ifndef KBUILD_KERNEL_H
#define KBUILD_KERNEL_H

#if defined(KBUILD_DEVICE_CODE)
#define KBUILD_KERNEL __global__
#else
#define KBUILD_KERNEL                                                                      \
    __attribute__((nothrow, error("a kernel is launched, not called: kbuild::launch(kernel, " \
                                  "{grid, block}, args...)")))
#endif

#endif
