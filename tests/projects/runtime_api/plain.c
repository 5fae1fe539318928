/* A host program that knows only cudart and declares the kernel itself. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
void fill(int n, int value, int *out);

int main(void)
{
    int n = 1, value = 42, result = 0;
    int *out = 0;
    void *args[3];
    struct dim3 one;
    one.x = one.y = one.z = 1;
    args[0] = &n;
    args[1] = &value;
    args[2] = &out;
    if (cudaMalloc((void **)&out, sizeof *out) != cudaSuccess ||
        cudaLaunchKernel((const void *)fill, one, one, args, 0, 0) != cudaSuccess ||
        cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return result == 42 ? 0 : 1;
}
