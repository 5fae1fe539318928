__device__ float weights[4];

__global__ void read_other(float* out)
{
    *out = weights[0];
}
