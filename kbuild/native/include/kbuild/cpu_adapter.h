/* The parts that every CPU device image contains besides its kernels.  The image's adapter unit
 * includes this header once. */
#ifndef KBUILD_CPU_ADAPTER_H
#define KBUILD_CPU_ADAPTER_H

#include <kbuild/cpu_image.h>
#include <kbuild/detail/cpu_checks.h>
#include <kbuild/detail/cpu_device_runtime.h>

#define KBUILD_CPU_IN_IMAGE __attribute__((visibility("hidden")))

/* The variables behind threadIdx, blockIdx, blockDim, and gridDim in the device headers, and those
 * that barriers need.  The symbols have these exact names because debuggers use symbol names. */
extern "C" {
KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 threadIdx;
KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 blockIdx;
KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 blockDim;
KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 gridDim;
/* Their names in the device headers. */
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 kbuild_cpu_index __asm__(
    KBUILD_CPU_INDEX_SYMBOL) __attribute__((alias("threadIdx")));
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 kbuild_cpu_block __asm__(
    KBUILD_CPU_BLOCK_SYMBOL) __attribute__((alias("blockIdx")));
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 kbuild_cpu_extent __asm__(
    KBUILD_CPU_EXTENT_SYMBOL) __attribute__((alias("blockDim")));
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_dim3 kbuild_cpu_grid __asm__(
    KBUILD_CPU_GRID_SYMBOL) __attribute__((alias("gridDim")));
KBUILD_CPU_IN_IMAGE __thread void *kbuild_cpu_runner;
KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_progress kbuild_cpu_progress;
KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_shared kbuild_cpu_shared;
KBUILD_CPU_IN_IMAGE __thread void *const *kbuild_cpu_arguments; /* of the launch */
KBUILD_CPU_IN_IMAGE const struct kbuild_cpu_device_api *kbuild_cpu_api;
KBUILD_CPU_IN_IMAGE const struct kbuild_cpu_device_api *kbuild_cpu_waits;
KBUILD_CPU_IN_IMAGE struct kbuild_cpu_checks kbuild_cpu_check_table; /* of an instrumented image */
KBUILD_CPU_IN_IMAGE extern const char kbuild_cpu_loops = 0; /* marks loops; nobody reads it */

KBUILD_CPU_IN_IMAGE void kbuild_cpu_yield(const struct kbuild_cpu_call *call, unsigned weight);
void kbuild_cpu_yield(const struct kbuild_cpu_call *call, unsigned weight) {
    kbuild_cpu_api->spin(kbuild_cpu_runner, call, weight);
}
/* Ends the launch for a thread of a kernel that runs all threads of a block together. */
KBUILD_CPU_IN_IMAGE __attribute__((noreturn)) void kbuild_cpu_fail_thread(
    const struct kbuild_cpu_call *call, const char *reason, unsigned x, unsigned y, unsigned z);
void kbuild_cpu_fail_thread(const struct kbuild_cpu_call *call, const char *reason, unsigned x,
                            unsigned y, unsigned z) {
    threadIdx.x = x;
    threadIdx.y = y;
    threadIdx.z = z;
    kbuild_cpu_api->fail(kbuild_cpu_runner, call, reason);
    __builtin_unreachable();
}

/* What assert() calls.  A failed assertion of a kernel ends the launch, and not the program. */
KBUILD_CPU_IN_IMAGE void kbuild_cpu_fail_assertion(const char *condition, const char *file,
                                                   unsigned line,
                                                   const char *function) __asm__("__assert_fail");
void kbuild_cpu_fail_assertion(const char *condition, const char *file, unsigned line,
                               const char *function) {
    kbuild_cpu_api->fail_assertion(kbuild_cpu_runner, condition, file, line, function);
}

/* What printf() calls in device code.  Its result is the number of arguments, -1 without a format, and -2 after
 * an error: CUDA C++ Programming Guide, "Formatted Output".  With _FORTIFY_SOURCE, headers of glibc call another
 * function.  The linker drops both if no kernel prints. */
#define KBUILD_CPU_PRINTS KBUILD_CPU_IN_IMAGE __attribute__((section(".text.kbuild_printf")))
int vprintf(const char *format, __builtin_va_list arguments);
KBUILD_CPU_PRINTS int kbuild_cpu_print(const char *format, ...) __asm__("printf");
KBUILD_CPU_PRINTS int kbuild_cpu_print_checked(int, const char *format,
                                               ...) __asm__("__printf_chk");

KBUILD_CPU_PRINTS int kbuild_cpu_print_all(const char *format, __builtin_va_list arguments) {
    if (!format) return -1;
    if (vprintf(format, arguments) < 0) return -2;
    int count = 0;
    for (const char *at = format; *at;) {
        if (*at++ != '%') continue;
        /* A width or a precision can be an argument, too. */
        for (; *at && __builtin_strchr("-+ #0123456789.*hljztLq", *at); ++at) count += *at == '*';
        if (!*at) break;
        count += *at++ != '%';
    }
    return count;
}

int kbuild_cpu_print(const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    const int count = kbuild_cpu_print_all(format, arguments);
    __builtin_va_end(arguments);
    return count;
}

int kbuild_cpu_print_checked(int, const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    const int count = kbuild_cpu_print_all(format, arguments);
    __builtin_va_end(arguments);
    return count;
}

/* The functions of the runtime that device code can call. */
#define KBUILD_CPU_DEVICE_FUNCTION(result, name, parameters, arguments) \
    result kbuild_cpu_##name parameters { return kbuild_cpu_api->runtime->name arguments; }
KBUILD_CPU_DEVICE_FUNCTIONS(KBUILD_CPU_DEVICE_FUNCTION)
#undef KBUILD_CPU_DEVICE_FUNCTION
}

namespace {

inline void attach(const struct kbuild_cpu_device_api *api) {
    kbuild_cpu_api = kbuild_cpu_waits = api;
    if (api->checks != nullptr) kbuild_cpu_check_table = *api->checks;
}

inline void builtins(struct kbuild_cpu_builtins *found) {
    *found = {&threadIdx,           &blockIdx,         &blockDim, &gridDim, &kbuild_cpu_runner,
              &kbuild_cpu_progress, &kbuild_cpu_shared};
}

/* Advances to the block that the calling OS thread runs next; returns false if there is none. */
inline bool start_next_block() {
    if (kbuild_cpu_progress.more_blocks == 0) return false;
    --kbuild_cpu_progress.more_blocks;
    ++blockIdx.x;
    return true;
}

}  // namespace

#endif
