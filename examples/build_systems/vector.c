#include "vector.h"

#include <vector_kernels_kernels.h>

int add_vectors(int n, const double *a, const double *b, double *sum)
{
    const struct kbuild_launch_config config = { .grid = { (n + 127) / 128, 1, 1 }, .block = { 128, 1, 1 } };
    const size_t bytes = (size_t)n * sizeof(double);
    void *device = 0;
    double *d_a, *d_b, *d_sum;
    kbuild_error_t error = kbuild_malloc(&device, 3 * bytes);

    if (error) return error;
    d_a = device;
    d_b = d_a + n;
    d_sum = d_b + n;
    if (!(error = kbuild_memcpy(d_a, a, bytes, KBUILD_COPY_TO_DEVICE)) &&
        !(error = kbuild_memcpy(d_b, b, bytes, KBUILD_COPY_TO_DEVICE)) &&
        !(error = launch_vector_add(&config, n, d_a, d_b, d_sum)))
        error = kbuild_memcpy(sum, d_sum, bytes, KBUILD_COPY_TO_HOST);
    kbuild_free(device);
    return error;
}
