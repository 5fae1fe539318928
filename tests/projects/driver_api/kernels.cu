/* Kernels that the programs load from a file. */
__device__ int factor = 1;

extern "C" __global__ void scale(int *data, int count) {
    const int i = threadIdx.x;
    if (i < count) data[i] = data[i] * factor + i;
}

extern "C" __global__ void sample(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
}
