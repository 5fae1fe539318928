// Has a variable of the name of one in kernels.hip.
__device__ float weights[4];

__global__ void read_other(float* out) { *out = weights[0]; }
