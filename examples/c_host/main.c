/* A plain C host program.  It declares the kernels as functions and launches them by name. */
#include <kbuild/kbuild.h>
#include <stdio.h>

void vector_add(int n, const double *a, const double *b, double *sum);
void vector_scale(int n, double factor, double *values);

enum { COUNT = 1000 };

static int report(kbuild_error_t error)
{
    fprintf(stderr, "c_host: %s\n", kbuild_error_message(error));
    return 1;
}

int main(void)
{
    static double a[COUNT], b[COUNT], sum[COUNT];
    const size_t bytes = sizeof a;
    const kbuild_launch_config config = { .grid = { (COUNT + 127) / 128, 1, 1 }, .block = { 128, 1, 1 } };
    int n = COUNT;
    double factor = 0.5;
    void *device_a, *device_b, *device_sum;
    kbuild_error_t error;

    for (int i = 0; i < COUNT; i++) {
        a[i] = i;
        b[i] = 3.0 * i;
    }
    if ((error = kbuild_malloc(&device_a, bytes))) { /* the first call that needs a device */
        printf("c_host: skipped: %s\n", kbuild_error_message(error));
        return 77;
    }
    if ((error = kbuild_malloc(&device_b, bytes)) || (error = kbuild_malloc(&device_sum, bytes)) ||
        (error = kbuild_memcpy(device_a, a, bytes, KBUILD_COPY_TO_DEVICE)) ||
        (error = kbuild_memcpy(device_b, b, bytes, KBUILD_COPY_TO_DEVICE)))
        return report(error);

    void *add_args[] = { &n, &device_a, &device_b, &device_sum };
    void *scale_args[] = { &n, &factor, &device_sum };
    if ((error = kbuild_launch(vector_add, &config, add_args)) ||
        (error = kbuild_launch(vector_scale, &config, scale_args)) ||
        (error = kbuild_synchronize()) ||
        (error = kbuild_memcpy(sum, device_sum, bytes, KBUILD_COPY_TO_HOST)))
        return report(error);
    kbuild_free(device_a);
    kbuild_free(device_b);
    kbuild_free(device_sum);

    for (int i = 0; i < COUNT; i++) {
        if (sum[i] != 2.0 * i) {
            fprintf(stderr, "c_host: element %d is %g\n", i, sum[i]);
            return 1;
        }
    }
    printf("c_host: %d elements are correct\n", COUNT);
    return 0;
}
