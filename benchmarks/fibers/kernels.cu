// Kernels for fibers: they are compiled with KBUILD_CPU_SPLIT=off.

__global__ void wait(int rounds)
{
    for (int i = 0; i < rounds; ++i)
        __syncthreads();
}

// With `waits`, each thread is suspended once.
__global__ void wait_once(bool waits)
{
    if (waits)
        __syncthreads();
}
