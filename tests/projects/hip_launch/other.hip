// Some variables have the same names as in kernels.hip.
__device__ float weights[4];
__managed__ int calls = 7;

__global__ void read_other(float* out) { *out = weights[0] + calls; }
