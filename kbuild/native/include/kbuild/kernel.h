/* KBUILD_KERNEL declares a kernel in a header that device code and host code share:
 *
 *     KBUILD_KERNEL void saxpy(int n, float a, const float *x, float *y);
 *
 * In device code and in mixed sources it means __global__.  In other host code, the address of the
 * declared function is the kernel's handle.  The handle is data, so it can be launched but not
 * called.  The attribute nothrow is needed because clang does not diagnose a wrong call if the call
 * might have to unwind. */
#ifndef KBUILD_KERNEL_H
#define KBUILD_KERNEL_H

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED)
#define KBUILD_KERNEL __global__
#else
#define KBUILD_KERNEL \
    __attribute__((nothrow, error("a kernel cannot be called on the host; launch it: " \
                                  "kbuild::launch(kernel, {grid, block}, args...)")))
#endif

#endif
