/* For KBUILD_CUDA_VERSION=12: the version of CUDA that kbuild's headers of the CPU are like. */
#ifndef KBUILD_CUDA_VERSION
#define KBUILD_CUDA_VERSION 12
#define KBUILD_CUDA_MINOR_VERSION 8
#endif
