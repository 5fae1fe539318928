/* Device code that another source completes. */
extern __device__ int twice(int x);
extern __device__ int offset;

extern "C" __global__ void apply(int *data) { data[threadIdx.x] = twice(data[threadIdx.x]) + offset; }
