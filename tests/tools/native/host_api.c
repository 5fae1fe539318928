/* Uses of the host API in C99. */
#include <kbuild/kbuild.h>

KBUILD_KERNEL void saxpy(int n, float a, const float *x, float *y);

kbuild_error_t use(int n, float a, float *x, float *y)
{
    kbuild_launch_config config = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
    void *args[] = {&n, &a, &x, &y};
    kbuild_error_t error = kbuild_launch(saxpy, &config, args);
    if (error)
        return kbuild_error_message(error)[0];
    if (kbuild_malloc((void **)&x, 16) || kbuild_memcpy(x, y, 16, KBUILD_COPY_TO_DEVICE))
        return 1;
    return kbuild_free(x) + kbuild_synchronize();
}
