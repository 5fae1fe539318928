// Prints the first numbers of eight sequences of cuRAND's generators, and a sum of normal numbers.
#include <curand_kernel.h>

#include <cstdio>

__global__ void draw(unsigned* philox, unsigned* xorwow, unsigned* mrg, float* normal)
{
    const unsigned i = threadIdx.x;
    curandStatePhilox4_32_10_t first;
    curand_init(1234, i, 0, &first);
    const uint4 numbers = curand4(&first);
    philox[4 * i] = numbers.x;
    philox[4 * i + 1] = numbers.y;
    philox[4 * i + 2] = numbers.z;
    philox[4 * i + 3] = numbers.w;
    curandState second;
    curand_init(1234, i, 0, &second);
    xorwow[i] = curand(&second);
    curandStateMRG32k3a third;
    curand_init(1234, i, 0, &third);
    mrg[i] = curand(&third);
    normal[i] = curand_normal(&second);
}

int main()
{
    unsigned *philox, *xorwow, *mrg;
    float* normal;
    cudaMallocManaged(&philox, 32 * sizeof(unsigned));
    cudaMallocManaged(&xorwow, 8 * sizeof(unsigned));
    cudaMallocManaged(&mrg, 8 * sizeof(unsigned));
    cudaMallocManaged(&normal, 8 * sizeof(float));
    draw<<<1, 8>>>(philox, xorwow, mrg, normal);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < 32; ++i) std::printf("%u%c", philox[i], i == 31 ? '\n' : ' ');
    for (int i = 0; i < 8; ++i) std::printf("%u%c", xorwow[i], i == 7 ? '\n' : ' ');
    for (int i = 0; i < 8; ++i) std::printf("%u%c", mrg[i], i == 7 ? '\n' : ' ');
}
