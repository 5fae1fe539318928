#include "toy_runtime.h"

#include <stdlib.h>
#include <string.h>

enum { TOY_OK, TOY_NO_KERNEL, TOY_NO_MEMORY };

struct row {
    char symbol[64];
    float factor;
};

static const struct kbuild_module *toy_module;

void toy_register(const struct kbuild_module *module)
{
    toy_module = module;
}

void toy_unregister(const struct kbuild_module *module)
{
    if (toy_module == module)
        toy_module = 0;
}

/* Finds the kernel with this handle in the first image of its container. */
static const struct row *find(const void *handle)
{
    for (uint64_t i = 0; toy_module && i < toy_module->kernel_count; i++) {
        const struct kbuild_kernel *kernel = &toy_module->kernels[i];
        if (kernel->handle != handle)
            continue;
        const char *image = (const char *)toy_module->containers[kernel->container].data + 16;
        uint32_t count;
        memcpy(&count, image + 4, sizeof count);
        const struct row *rows = (const struct row *)(image + 8);
        for (uint32_t j = 0; j < count; j++)
            if (strcmp(rows[j].symbol, kernel->device_name) == 0)
                return &rows[j];
    }
    return 0;
}

static int device_count(int *count)
{
    *count = 1;
    return TOY_OK;
}

static int resolve(const void *handle)
{
    return find(handle) ? TOY_OK : TOY_NO_KERNEL;
}

static int launch(const void *handle, const struct kbuild_launch_config *config, void *const *args)
{
    const struct row *row = find(handle);
    if (!row)
        return TOY_NO_KERNEL;
    float *x = *(float *const *)args[0];
    const uint64_t threads = (uint64_t)config->grid.x * config->block.x;
    for (uint64_t i = 0; i < threads && i < (uint64_t) * (const int *)args[1]; i++)
        x[i] *= row->factor;
    return TOY_OK;
}

static int allocate(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return *pointer ? TOY_OK : TOY_NO_MEMORY;
}

static int release(void *pointer)
{
    free(pointer);
    return TOY_OK;
}

static int copy(void *to, const void *from, size_t bytes, enum kbuild_copy_direction direction)
{
    (void)direction;
    memcpy(to, from, bytes);
    return TOY_OK;
}

static int synchronize(void)
{
    return TOY_OK;
}

static const char *error_message(int code)
{
    return code == TOY_NO_KERNEL ? "no such kernel" : "out of memory";
}

struct kbuild_runtime toy_runtime = {
    device_count, resolve, launch, allocate, release, copy, synchronize, error_message,
};
