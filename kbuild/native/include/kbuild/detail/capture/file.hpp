// Writes the file of a captured launch: start, header, and payload.
// docs/reference/launch-record-format.md describes the format.
#ifndef KBUILD_DETAIL_CAPTURE_FILE_HPP
#define KBUILD_DETAIL_CAPTURE_FILE_HPP

#include <kbuild/detail/capture/plan.hpp>
#include <kbuild/detail/module_search.h>

#include <cstdint>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#define KBUILD_CAPTURE_MAGIC "KBLAUNCH"
#define KBUILD_CAPTURE_VERSION 1
#define KBUILD_CAPTURE_START 24
#define KBUILD_CAPTURE_ALIGNMENT 64
// The space that is reserved for the outcome. The outcome is written over spaces later.
#define KBUILD_CAPTURE_OUTCOME 1024
#define KBUILD_CAPTURE_CHUNK (size_t{1} << 20)

// A file that is being written. `__error` is the errno of the first failure, after which nothing
// more is written.
struct kbuild_capture_file {
    int __number;
    int __error;
    off_t __outcome;  // the position of the outcome
};

// The parts of a capture that go into its file.
struct kbuild_capture_content {
    const struct kbuild_module* __module;
    const struct kbuild_kernel* __kernel;
    const struct kbuild_launch_config* __config;
    struct kbuild_capture_plan* __plan;
    const struct kbuild_json* __origin;
};

static void kbuild_write_part(struct kbuild_capture_file* __file, const void* __bytes,
                              size_t __count) {
    const char* __place = static_cast<const char*>(__bytes);
    while (__count != 0 && __file->__error == 0) {
        const ssize_t __written = write(__file->__number, __place, __count);
        if (__written > 0) {
            __place += __written;
            __count -= static_cast<size_t>(__written);
        } else if (__written == 0 || errno != EINTR) {
            __file->__error = __written == 0 ? ENOSPC : errno;
        }
    }
}

static size_t kbuild_pad_capture(size_t __size) {
    return (KBUILD_CAPTURE_ALIGNMENT - __size % KBUILD_CAPTURE_ALIGNMENT) %
           KBUILD_CAPTURE_ALIGNMENT;
}

static void kbuild_write_padding(struct kbuild_capture_file* __file, size_t __size) {
    static const char __zeros[KBUILD_CAPTURE_ALIGNMENT] = {};
    kbuild_write_part(__file, __zeros, kbuild_pad_capture(__size));
}

static const struct kbuild_container* kbuild_find_code(
    const struct kbuild_capture_content* __content) {
    return &__content->__module->containers[__content->__kernel->container];
}

static void kbuild_put_extent(struct kbuild_json* __json, const char* __name,
                              struct kbuild_dim3 __extent) {
    kbuild_put(__json, "\"%s\":[%u,%u,%u],", __name, __extent.x, __extent.y, __extent.z);
}

static void kbuild_put_config(struct kbuild_json* __json,
                              const struct kbuild_launch_config* __config) {
    kbuild_put(__json, ",\"config\":{");
    kbuild_put_extent(__json, "grid", __config->grid);
    kbuild_put_extent(__json, "block", __config->block);
    if (__config->cluster.x != 0) kbuild_put_extent(__json, "cluster", __config->cluster);
    kbuild_put(__json,
               "\"shared_bytes\":%zu,\"cooperative\":%s,\"programmatic_dependent_launch\":%s,"
               "\"priority\":%d}",
               __config->shared_bytes, __config->cooperative ? "true" : "false",
               __config->programmatic_dependent_launch ? "true" : "false", __config->priority);
}

// Appends the pointers and buffers. `__end` is the end of the preceding payload.
static void kbuild_put_memory(struct kbuild_json* __json, const struct kbuild_capture_plan* __plan,
                              unsigned long long __end) {
    kbuild_put(__json, ",\"pointers\":[");
    for (size_t __index = 0; __index < __plan->__pointer_count; __index++)
        kbuild_put(__json, "%s{\"offset\":%zu,\"buffer\":%zu,\"buffer_offset\":%zu}",
                   __index ? "," : "", __plan->__pointers[__index].__offset,
                   __plan->__pointers[__index].__buffer, __plan->__pointers[__index].__within);
    kbuild_put(__json, "],\"buffers\":[");
    for (size_t __index = 0; __index < __plan->__buffer_count; __index++) {
        const struct kbuild_captured_buffer* const __buffer = &__plan->__buffers[__index];
        const size_t __size = __buffer->__memory.__bytes;
        kbuild_put(
            __json, "%s{\"address\":%llu,\"size\":%zu", __index ? "," : "",
            static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(__buffer->__memory.__base)),
            __size);
        if (__buffer->__has_content) {
            kbuild_put(__json, ",\"content\":{\"offset\":%llu,\"size\":%zu}", __end, __size);
            __end += __size + kbuild_pad_capture(__size);
        }
        kbuild_put(__json, "}");
    }
    kbuild_put(__json, "],\"notes\":[");
    kbuild_put_bytes(__json, __plan->__notes.__text, __plan->__notes.__length);
    kbuild_put(__json, "]");
}

// Composes the header, and sets `__outcome` to the position of the outcome in it. If any part is
// missing, `__is_whole` becomes false.
static void kbuild_put_header(struct kbuild_json* __json,
                              const struct kbuild_capture_content* __content, size_t* __outcome) {
    const struct kbuild_capture_plan* const __plan = __content->__plan;
    const struct kbuild_module* const __module = __content->__module;
    const unsigned long long __code = kbuild_find_code(__content)->size;
    kbuild_clear_json(__json);
    kbuild_put(__json, "{\"schema\":\"kbuild.launch/1\",\"backend\":");
    kbuild_put_string(__json, __module->backend, 100);
    kbuild_put(__json, ",\"kernel\":");
    const uint64_t __row = static_cast<uint64_t>(__content->__kernel - __module->kernels);
    const bool __has_kernel = kbuild_put_row(__json, __module, "\"kernels\":[", __row);
    kbuild_put(__json,
               ",\"code\":{\"fat_binary\":{\"offset\":0,\"size\":%llu},\"described\":", __code);
    const bool __has_code =
        kbuild_put_row(__json, __module, "\"containers\":[", __content->__kernel->container);
    kbuild_put(__json, "}");
    kbuild_put_config(__json, __content->__config);
    kbuild_put(__json, ",\"arguments\":");
    kbuild_put_hexadecimal(__json, __plan->__arguments, __plan->__argument_bytes);
    kbuild_put_memory(__json, __plan, __code + kbuild_pad_capture(__code));
    kbuild_put(__json, ",\"origin\":");
    kbuild_put_bytes(__json, __content->__origin->__text, __content->__origin->__length);
    kbuild_put(__json, ",\"outcome\":");
    *__outcome = __json->__length;
    kbuild_put(__json, "null");
    for (int __index = 4; __index < KBUILD_CAPTURE_OUTCOME; __index++) kbuild_put(__json, " ");
    kbuild_put(__json, "}");
    __json->__is_whole &=
        __has_kernel && __has_code && __plan->__notes.__is_whole && __content->__origin->__is_whole;
}

// Writes the content of device memory. Returns false if the runtime cannot copy it.
static bool kbuild_write_memory(struct kbuild_capture_file* __file,
                                const struct kbuild_memory* __memory, char* __chunk) {
    const char* const __base = static_cast<const char*>(__memory->__base);
    for (size_t __done = 0; __done < __memory->__bytes && __file->__error == 0;) {
        const size_t __left = __memory->__bytes - __done;
        const size_t __size = __left < KBUILD_CAPTURE_CHUNK ? __left : KBUILD_CAPTURE_CHUNK;
        if (kbuild_runtime.copy(__chunk, __base + __done, __size, KBUILD_COPY_TO_HOST) != 0)
            return false;
        kbuild_write_part(__file, __chunk, __size);
        __done += __size;
    }
    kbuild_write_padding(__file, __memory->__bytes);
    return true;
}

// Writes all buffers. Returns the number of the first buffer that cannot be copied, or the number
// of buffers.
static size_t kbuild_write_buffers(struct kbuild_capture_file* __file,
                                   const struct kbuild_capture_plan* __plan) {
    char* const __chunk = static_cast<char*>(malloc(KBUILD_CAPTURE_CHUNK));
    size_t __index = 0;
    if (__chunk == nullptr) __file->__error = ENOMEM;
    for (; __index < __plan->__buffer_count && __file->__error == 0; __index++) {
        const struct kbuild_captured_buffer* const __buffer = &__plan->__buffers[__index];
        if (__buffer->__has_content && !kbuild_write_memory(__file, &__buffer->__memory, __chunk))
            break;
    }
    free(__chunk);
    return __index;
}

// Writes everything in front of the buffers.
static void kbuild_write_front(struct kbuild_capture_file* __file, struct kbuild_json* __header,
                               const struct kbuild_capture_content* __content) {
    const struct kbuild_container* const __code = kbuild_find_code(__content);
    const uint32_t __version[2] = {KBUILD_CAPTURE_VERSION, 0};
    size_t __outcome = 0;
    kbuild_put_header(__header, __content, &__outcome);
    if (!__header->__is_whole) __file->__error = ENOMEM;
    if (lseek(__file->__number, 0, SEEK_SET) != 0 || ftruncate(__file->__number, 0) != 0)
        __file->__error = errno;
    const uint64_t __size = __header->__length;
    kbuild_write_part(__file, KBUILD_CAPTURE_MAGIC, sizeof KBUILD_CAPTURE_MAGIC - 1);
    kbuild_write_part(__file, __version, sizeof __version);
    kbuild_write_part(__file, &__size, sizeof __size);
    kbuild_write_part(__file, __header->__text, __header->__length);
    kbuild_write_padding(__file, KBUILD_CAPTURE_START + __header->__length);
    kbuild_write_part(__file, __code->data, __code->size);
    kbuild_write_padding(__file, __code->size);
    __file->__outcome = static_cast<off_t>(KBUILD_CAPTURE_START + __outcome);
}

// Returns whether the file is within the limit for file sizes (RLIMIT_FSIZE). A program that
// exceeds the limit is terminated.
static bool kbuild_fits(const struct kbuild_capture_content* __content) {
    struct rlimit __limit;
    rlim_t __bytes = kbuild_find_code(__content)->size + (rlim_t{16} << 20);
    for (size_t __index = 0; __index < __content->__plan->__buffer_count; __index++)
        if (__content->__plan->__buffers[__index].__has_content)
            __bytes += __content->__plan->__buffers[__index].__memory.__bytes + 64;
    return getrlimit(RLIMIT_FSIZE, &__limit) != 0 || __limit.rlim_cur == RLIM_INFINITY ||
           __limit.rlim_cur > __bytes;
}

// Writes the whole file. If a buffer cannot be copied, starts again without its content.
static void kbuild_write_capture(struct kbuild_capture_file* __file,
                                 const struct kbuild_capture_content* __content) {
    struct kbuild_capture_plan* const __plan = __content->__plan;
    struct kbuild_json __header = {};
    if (!kbuild_fits(__content)) __file->__error = EFBIG;
    while (__file->__error == 0) {
        kbuild_write_front(__file, &__header, __content);
        const size_t __failed = kbuild_write_buffers(__file, __plan);
        if (__failed == __plan->__buffer_count || __file->__error != 0) break;
        __plan->__buffers[__failed].__has_content = false;
        kbuild_note(__plan, "not-copied", -1,
                    "the runtime failed to copy the content of buffer %zu", __failed);
    }
    free(__header.__text);
}

// Writes the outcome over the null and the spaces, so that the length of the header does not
// change.
static void kbuild_write_outcome(const struct kbuild_capture_file* __file, int __code,
                                 const char* __message, bool __is_late) {
    char __room[KBUILD_CAPTURE_OUTCOME];
    struct kbuild_json __outcome = {};
    __outcome.__is_whole = true;
    kbuild_put(&__outcome, "{\"code\":%d,\"is_late\":%s,\"message\":", __code,
               __is_late ? "true" : "false");
    kbuild_put_string(&__outcome, __message, sizeof __room - 200);
    kbuild_put(&__outcome, "}");
    if (__outcome.__is_whole && __outcome.__length <= sizeof __room) {
        memset(__room, ' ', sizeof __room);
        memcpy(__room, __outcome.__text, __outcome.__length);
        (void)!pwrite(__file->__number, __room, sizeof __room, __file->__outcome);
    }
    free(__outcome.__text);
}

#endif
