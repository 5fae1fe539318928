// A library of mixed sources, with device variables of all linkages.
#if defined(__HIPCC__) || defined(KBUILD_BACKEND_HIP)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

__device__ float exported_scale = 2;
static __device__ int own_count;

__global__ void scale_all(float* data, const int& size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) data[i] *= exported_scale;
    if (i == 0) own_count += 1;
}

void scale_all_on_device(float* data, const int* size) { scale_all<<<1, 32>>>(data, *size); }
