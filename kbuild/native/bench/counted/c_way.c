/* Launches with kbuild's host API in C. */
#include <kbuild/kbuild.h>

KBUILD_KERNEL void direct(int n, float a, const float *x, float *y);

/* Must match the declaration in ways.hpp. */
extern const struct launch_values {
    int grid, block;
    size_t bytes;
    void *stream;
    int n;
    float a;
    const float *x;
    float *y;
} *values;

int launch_by_c(void) {
    const struct launch_values *const v = values;
    const kbuild_launch_config config = {
        .grid = {(uint32_t)v->grid, 1, 1},
        .block = {(uint32_t)v->block, 1, 1},
        .shared_bytes = v->bytes,
        .stream = v->stream,
    };
    int n = v->n;
    float a = v->a;
    const float *x = v->x;
    float *y = v->y;
    void *arguments[] = {&n, &a, &x, &y};
    if (kbuild_launch(direct, &config, arguments)) return 1;
    return 0;
}
