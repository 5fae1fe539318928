/* The functions that the CPU runtime provides to device code.  Part of the image ABI; see
 * kbuild/cpu_image.h. */
#ifndef KBUILD_DETAIL_CPU_DEVICE_API_H
#define KBUILD_DETAIL_CPU_DEVICE_API_H

struct kbuild_cpu_device_api {
    void (*barrier)(void *__runner);
    /* These two end the launch with an error, and do not return. */
    void (*trap)(void *__runner);
    void (*fail_assertion)(void *__runner, const char *__condition, const char *__file,
                           unsigned __line, const char *__function);
};

/* Which threads and blocks have not started, on the OS thread that runs a block.  A kernel runs the
 * threads of the block from `start` on, in order.  The runtime increments `suspensions` each time a
 * thread stops before its end, so that another thread can run on this OS thread.  Unless the runtime
 * sets it to 0 meanwhile, `more_blocks` blocks follow, with increasing blockIdx.x. */
struct kbuild_cpu_progress {
    struct {
        unsigned x, y, z;
    } start;
    unsigned suspensions;
    unsigned more_blocks;
};

#endif
