/* The functions of kbuild/cpu_runtime.h that device code can call.  Part of the image ABI; see
 * kbuild/cpu_image.h.
 *
 * X(result, name, parameters, arguments) is expanded for each one.  Images define them as calls
 * through a table of the runtime, because an image refers to no symbol of the runtime.  In device code,
 * the address of a kernel is that of its function.  What a launch, a copy, or a fill does is done after
 * the running kernel, and before its launch counts as done.  Errors belong to the calling device
 * thread. */
#ifndef KBUILD_DETAIL_CPU_DEVICE_RUNTIME_H
#define KBUILD_DETAIL_CPU_DEVICE_RUNTIME_H

#include <kbuild/cpu_runtime.h>

#define KBUILD_CPU_DEVICE_FUNCTIONS(X) \
    X(int, launch_limited, \
      (const void *kernel, const struct kbuild_launch_config *config, void *const *args), \
      (kernel, config, args)) \
    X(int, describe_function, (struct kbuild_cpu_function * function, const void *kernel), \
      (function, kernel)) \
    X(int, occupancy, \
      (int *blocks, const void *kernel, int threads, size_t shared_bytes, unsigned flags), \
      (blocks, kernel, threads, shared_bytes, flags)) \
    X(int, allocate, (void **pointer, size_t bytes), (pointer, bytes)) \
    X(int, release, (void *pointer), (pointer)) \
    X(int, queue_copy, (const struct kbuild_cpu_area_copy *copy, void *stream), (copy, stream)) \
    X(int, queue_fill, \
      (const struct kbuild_cpu_area_fill *fill, unsigned element_bytes, void *stream), \
      (fill, element_bytes, stream)) \
    X(int, describe_array, (struct kbuild_cpu_array * description, const void *array), \
      (description, array)) \
    X(int, find_in_array, \
      (struct kbuild_cpu_area * area, const void *array, size_t byte, size_t row, size_t slice, \
       const struct kbuild_cpu_area_copy *copy), \
      (area, array, byte, row, slice, copy)) \
    X(int, create_stream, (void **stream, unsigned flags, int priority), \
      (stream, flags, priority)) \
    X(int, destroy_stream, (void *stream), (stream)) \
    X(int, create_event, (void **event, unsigned flags), (event, flags)) \
    X(int, destroy_event, (void *event), (event)) \
    X(int, record_event, (void *event, void *stream), (event, stream)) \
    X(int, record_external_event, (void *event, void *stream), (event, stream)) \
    X(int, wait_for_event, (void *stream, void *event), (stream, event)) \
    X(int, wait_for_external_event, (void *stream, void *event), (stream, event)) \
    X(int, device_count, (int *count), (count)) \
    X(int, device_properties, (void *properties, size_t bytes, int device), \
      (properties, bytes, device)) \
    X(int, device_attribute, (int *value, int number, int device), (value, number, device)) \
    X(int, limit, (size_t *value, int number), (value, number)) \
    X(int, fail, (int code, const char *detail), (code, detail)) \
    X(int, peek_error, (void), ()) \
    X(int, take_error, (void), ()) \
    X(const char *, error_name, (int code), (code)) \
    X(const char *, error_text, (int code), (code))

struct kbuild_cpu_device_runtime {
#define KBUILD_CPU_DEVICE_FUNCTION(result, name, parameters, arguments) result(*name) parameters;
    KBUILD_CPU_DEVICE_FUNCTIONS(KBUILD_CPU_DEVICE_FUNCTION)
#undef KBUILD_CPU_DEVICE_FUNCTION
};

#endif
