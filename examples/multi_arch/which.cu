// Writes the architecture that this image was compiled for.
__global__ void which(int* architecture)
{
#if defined(__CUDA_ARCH__)
    *architecture = __CUDA_ARCH__ / 10;
#elif defined(__gfx90a__)
    *architecture = 910; // gfx90a: the last digits are hexadecimal
#elif defined(__gfx1030__)
    *architecture = 1030;
#elif defined(__AVX2__)
    *architecture = 3;
#else
    *architecture = 1;
#endif
}
