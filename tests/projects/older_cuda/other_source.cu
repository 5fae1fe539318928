/* The reference of a header belongs to each source. */
#include "textures.h"

__global__ void read_other(float *out) { *out = tex1Dfetch(linear, 3); }

float read_in_other_source(float *floats) {
    float *out, result = -1;
    cudaMalloc(&out, sizeof *out);
    if (cudaBindTexture(0, linear, floats, 16 * sizeof(float)) != cudaSuccess) return -2;
    read_other<<<1, 1>>>(out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaUnbindTexture(linear);
    return result;
}
