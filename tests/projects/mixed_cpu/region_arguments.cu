#include "region_results.h"
constexpr int THREADS = 64;
__device__ float load(const float* p, int i) { return p[i]; }
__device__ const int& pick(const int& a, const int& b) { return a < b ? a : b; }
struct Temp { int value; __device__ Temp(int v) : value(v) {} __device__ ~Temp() { value = -1; } __device__ const int* get() const { return &value; } __device__ int copy() const { return value; } };
__device__ int block_sum(const int& own)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = own;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < THREADS; ++i)
        sum += part[i];
    __syncthreads();
    return sum + own;
}
__device__ int through(const int* p)
{
    __syncthreads();
    int x = *p;
    __syncthreads();
    return x + *p;
}
struct Two { int a, b; };
__device__ int both(const Two& x)
{
    __syncthreads();
    return x.a + x.b;
}
__device__ Two make(int a) { return {a, 2 * a}; }
__device__ int own(int i) { return i + int(threadIdx.x); }
__global__ void values(int* out) { out[threadIdx.x] = block_sum(own(3)) + block_sum(Temp(4).copy()); }
__global__ void picked(int* out) { int a = 5; out[threadIdx.x] = block_sum(pick(a, own(100))); }
__global__ void picked_temporary(int* out) { out[threadIdx.x] = block_sum(pick(own(1), own(2))); }
__global__ void pointers(int* out) { out[threadIdx.x] = through(Temp(own(7)).get()); }
__global__ void objects(int* out) { out[threadIdx.x] = both(make(own(1))) + both({1, 2}) + both(Two{own(1), 3}); }
int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    values<<<1, THREADS>>>(results);
    check("values", THREADS, [](int i) { return 64 * 3 + 2016 + i + 3 + 64 * 4 + 4; });
    picked<<<1, THREADS>>>(results);
    check("picked", THREADS, [](int i) { return 65 * 5; });
    picked_temporary<<<1, THREADS>>>(results);
    check("picked_temporary", THREADS, [](int i) { return 64 + 2016 + i + 1; });
    pointers<<<1, THREADS>>>(results);
    check("pointers", THREADS, [](int i) { return 2 * (i + 7); });
    objects<<<1, THREADS>>>(results);
    check("objects", THREADS, [](int i) { return 3 * (i + 1) + 3 + i + 1 + 3; });
    std::printf("done\n");
}
