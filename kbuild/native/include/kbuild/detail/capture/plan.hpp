// The contents of a captured launch: the bytes of the arguments, the allocations that they point
// to, and notes about what cannot be captured.
//
// The backend's registration header defines these functions:
//
//     void kbuild_find_memory(const void *pointer, struct kbuild_memory *memory);
//         Finds the allocation that contains an address.
//     const char *kbuild_begin_reading(void *stream, int *state);
//         Waits for the stream. Returns null if memory can then be read, otherwise the reason.
//     void kbuild_end_reading(int state);
//         Restores what kbuild_begin_reading changed.
//     int kbuild_synchronize_stream(void *stream);
//         Waits for the stream. Returns 0 or an error code.
//     void kbuild_describe_device(char *device, size_t device_size, char *driver, size_t driver_size);
//         Writes the names of the device and the driver. Leaves unknown names unchanged.
#ifndef KBUILD_DETAIL_CAPTURE_PLAN_HPP
#define KBUILD_DETAIL_CAPTURE_PLAN_HPP

#include <kbuild/detail/capture/json.hpp>
#include <kbuild/detail/launch/memory.h>
#include <kbuild/detail/launch/text.hpp>

#include <cstdint>

struct kbuild_captured_buffer {
    struct kbuild_memory __memory;
    bool __has_content;
};

// A pointer in the arguments: its offset there, and the buffer and the offset in it that it points
// to.
struct kbuild_captured_pointer {
    size_t __offset;
    size_t __buffer;
    size_t __within;
};

struct kbuild_capture_plan {
    const struct kbuild_argument* __described;
    unsigned char* __arguments;
    size_t __argument_bytes;
    struct kbuild_captured_pointer* __pointers;
    size_t __pointer_count;
    struct kbuild_captured_buffer* __buffers;
    size_t __buffer_count;
    size_t __buffer_limit;  // the content of larger buffers is not captured
    struct kbuild_json __notes;
    const char* __obstacle;  // why no memory can be read, or null
};

// Adds a note about something that was not captured or was guessed. `__param` is the parameter that
// it concerns, or -1.
__attribute__((format(printf, 4, 5))) static void kbuild_note(struct kbuild_capture_plan* __plan,
                                                              const char* __kind, int __param,
                                                              const char* __format, ...) {
    struct kbuild_json* const __notes = &__plan->__notes;
    char __message[1024];
    va_list __arguments;
    va_start(__arguments, __format);
    vsnprintf(__message, sizeof __message, __format, __arguments);
    va_end(__arguments);
    kbuild_put(__notes, "%s{\"kind\":\"%s\",\"param\":", __notes->__length ? "," : "", __kind);
    if (__param < 0)
        kbuild_put(__notes, "null");
    else
        kbuild_put(__notes, "%d", __param);
    kbuild_put(__notes, ",\"message\":");
    kbuild_put_string(__notes, __message, 2 * sizeof __message);
    kbuild_put(__notes, "}");
}

// Returns the number of the buffer for the memory. Pointers into the same allocation share a
// buffer.
static size_t kbuild_add_buffer(struct kbuild_capture_plan* __plan,
                                const struct kbuild_memory* __memory, int __param) {
    size_t __index = 0;
    for (; __index < __plan->__buffer_count; __index++)
        if (__plan->__buffers[__index].__memory.__base == __memory->__base) return __index;
    const bool __has_content = __memory->__bytes <= __plan->__buffer_limit;
    __plan->__buffers[__plan->__buffer_count++] = {*__memory, __has_content};
    if (!__has_content)
        kbuild_note(__plan, "over-limit", __param,
                    "the memory that %.300s points to is not captured: it has %zu bytes, but "
                    "KBUILD_CAPTURE_BYTES allows %zu",
                    __plan->__described[__param].__name, __memory->__bytes, __plan->__buffer_limit);
    if (__memory->__kind == KBUILD_MEMORY_MANAGED)
        kbuild_note(__plan, "managed-memory", __param,
                    "%.300s points to managed memory, which is captured as device memory",
                    __plan->__described[__param].__name);
    return __index;
}

static void kbuild_note_unknown(struct kbuild_capture_plan* __plan, int __param,
                                const struct kbuild_memory* __memory, const void* __address) {
    const char* const __words = __memory->__kind == KBUILD_MEMORY_HOST ? "host memory"
                                : __memory->__kind == KBUILD_MEMORY_MANAGED
                                    ? "managed memory of unknown extent"
                                    : "memory of unknown extent that the runtime did not allocate";
    kbuild_note(__plan,
                __memory->__kind == KBUILD_MEMORY_HOST      ? "host-memory"
                : __memory->__kind == KBUILD_MEMORY_MANAGED ? "managed-memory"
                                                            : "unknown-extent",
                __param, "%.300s points to 0x%llx in %s, whose content is not captured",
                __plan->__described[__param].__name,
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(__address)), __words);
}

// Examines eight bytes of a parameter. If its type is not known to be a pointer, the bytes are
// still treated as one if the runtime knows an allocation at the address.
static void kbuild_follow(struct kbuild_capture_plan* __plan, int __param, size_t __offset,
                          bool __is_guess) {
    struct kbuild_memory __memory = {nullptr, 0, KBUILD_MEMORY_UNKNOWN};
    const void* const __address = kbuild_load<const void*>(__plan->__arguments + __offset);
    if (__address == nullptr || __plan->__obstacle != nullptr) return;
    kbuild_find_memory(__address, &__memory);
    if (__memory.__base == nullptr) {
        if (!__is_guess) kbuild_note_unknown(__plan, __param, &__memory, __address);
        return;
    }
    const size_t __buffer = kbuild_add_buffer(__plan, &__memory, __param);
    const size_t __within = static_cast<size_t>(static_cast<const char*>(__address) -
                                                static_cast<const char*>(__memory.__base));
    __plan->__pointers[__plan->__pointer_count++] = {__offset, __buffer, __within};
    if (__is_guess)
        kbuild_note(__plan, "taken-for-pointer", __param,
                    "the eight bytes at argument offset %zu, in %.300s, are an address in device "
                    "memory and are treated as a pointer",
                    __offset, __plan->__described[__param].__name);
}

// Examines a parameter of a type whose members are unknown.
static void kbuild_follow_opaque(struct kbuild_capture_plan* __plan, int __param, size_t __start,
                                 size_t __size) {
    const size_t __step = sizeof(void*), __before = __plan->__pointer_count;
    const size_t __first = (__start + __step - 1) / __step * __step;
    for (size_t __offset = __first; __offset + __step <= __start + __size; __offset += __step)
        kbuild_follow(__plan, __param, __offset, true);
    if (__size >= __step)
        kbuild_note(
            __plan, "opaque", __param,
            "the members of %.300s are unknown; words treated as pointers: %zu; other addresses "
            "in it keep their values",
            __plan->__described[__param].__name, __plan->__pointer_count - __before);
}

static void kbuild_follow_arguments(struct kbuild_capture_plan* __plan,
                                    const struct kbuild_param* __params, uint32_t __count) {
    for (uint32_t __index = 0; __index < __count; __index++) {
        const int __param = static_cast<int>(__index);
        const char __kind = __plan->__described[__index].kind;
        const size_t __offset = __params[__index].offset, __size = __params[__index].size;
        if (__kind == 'p' && __size == sizeof(void*))
            kbuild_follow(__plan, __param, __offset, false);
        else if (__kind == ' ')
            kbuild_follow_opaque(__plan, __param, __offset, __size);
    }
}

static size_t kbuild_measure_arguments(const struct kbuild_param* __params, uint32_t __count) {
    size_t __bytes = 0;
    for (uint32_t __index = 0; __index < __count; __index++) {
        const size_t __end = size_t{__params[__index].offset} + __params[__index].size;
        if (__end > __bytes) __bytes = __end;
    }
    return __bytes;
}

// Copies each parameter to its offset. Returns false if memory runs out.
static bool kbuild_begin_plan(struct kbuild_capture_plan* __plan,
                              const struct kbuild_kernel* __kernel,
                              const struct kbuild_argument* __described, uint32_t __count,
                              void* const* __values) {
    const size_t __bytes = kbuild_measure_arguments(__kernel->params, __kernel->param_count);
    const size_t __words = __bytes / sizeof(void*) + __kernel->param_count + 1;
    __plan->__described = __described;
    __plan->__argument_bytes = __bytes;
    __plan->__arguments = static_cast<unsigned char*>(calloc(1, __bytes + 1));
    __plan->__pointers =
        static_cast<struct kbuild_captured_pointer*>(calloc(__words, sizeof *__plan->__pointers));
    __plan->__buffers =
        static_cast<struct kbuild_captured_buffer*>(calloc(__words, sizeof *__plan->__buffers));
    __plan->__notes.__is_whole = true;
    if (__plan->__arguments == nullptr || __plan->__pointers == nullptr ||
        __plan->__buffers == nullptr)
        return false;
    for (uint32_t __index = 0; __index < __count; __index++) {
        const struct kbuild_param* const __param = &__kernel->params[__index];
        const size_t __size = __described[__index].size;
        memcpy(__plan->__arguments + __param->offset, __values[__index],
               __size < __param->size ? __size : __param->size);
    }
    return true;
}

static void kbuild_end_plan(struct kbuild_capture_plan* __plan) {
    free(__plan->__arguments);
    free(__plan->__pointers);
    free(__plan->__buffers);
    free(__plan->__notes.__text);
}

#endif
