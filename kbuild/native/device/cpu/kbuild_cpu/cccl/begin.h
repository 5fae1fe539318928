/* Hides that this is a compiler of device code from CCCL, until end.h.
 *
 * CCCL's code for devices is PTX, and its code for hosts is C++, which also runs in kernels here.
 * Sources see the macros as always. */
#pragma GCC system_header

#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDACC__")
#pragma push_macro("__CUDA_ARCH__")
#undef __NVCC__
#undef __CUDACC__
#undef __CUDA_ARCH__
