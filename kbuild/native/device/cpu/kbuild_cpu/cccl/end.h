/* The end of what begin.h begins. */
#pragma GCC system_header

#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
