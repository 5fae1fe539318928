/* (a) Kernels launched by name from plain C, without kbuild's headers. */
#include <hip/hip_runtime_api.h>
#include <stdio.h>

void c_fill(unsigned char first, double value, float *out, short n);
void c_nothing(void);

static dim3 make_extent(unsigned x, unsigned y, unsigned z)
{
    dim3 extent;
    extent.x = x;
    extent.y = y;
    extent.z = z;
    return extent;
}

int main(void)
{
    unsigned char first = 200;
    double value = 2.25;
    float *out = NULL;
    short n = -5;
    void *args[4];
    hipError_t error = hipMalloc((void **)&out, 64);
    args[0] = &first;
    args[1] = &value;
    args[2] = &out;
    args[3] = &n;
    if (error == hipSuccess)
        error = hipLaunchKernel((const void *)c_fill, make_extent(2, 3, 4), make_extent(5, 6, 7), args, 96,
                                (hipStream_t)0x4560);
    if (error == hipSuccess)
        error = hipLaunchKernel((const void *)c_nothing, make_extent(1, 1, 1), make_extent(1, 1, 1), NULL, 0, NULL);
    if (error == hipSuccess)
        error = hipFree(out);
    printf("error %d\n", (int)error);
    return error == hipSuccess ? 0 : 3;
}
