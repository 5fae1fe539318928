// The behavior of generated debug stubs: they check, capture, make, and trace a launch. Included by
// stub units only.
//
// The backend's registration header defines these functions:
//
//     int kbuild_take_configuration(struct kbuild_launch_config *config);
//         Takes the configuration that was pushed for this stub. Returns nonzero if there is none.
//     int kbuild_find_device(void);
//         Returns the number of the current device, or a negative number.
//     int kbuild_find_limits(const void *handle, struct kbuild_launch_limits *limits);
//         Finds the limits of the current device and of the kernel on it. Returns 0, or the error
//         that a launch would fail with.
//     int kbuild_is_host_memory(const void *pointer);
//         Returns whether the runtime knows that no device can use the memory.
//     int kbuild_launch_from_stub(const void *handle, const struct kbuild_launch_config *config,
//                             void *const *args);
//         Launches the kernel, and leaves the result where kbuild_take_stub_result finds it.
//
// It also defines the functions in kbuild/detail/capture/plan.hpp.
#ifndef KBUILD_DEBUG_STUB_HPP
#define KBUILD_DEBUG_STUB_HPP

#include <kbuild/detail/capture/launch.hpp>
#include <kbuild/detail/launch/limits.h>
#include <kbuild/detail/launch/text.hpp>
#include <kbuild/detail/launch/trace.hpp>
#include <kbuild/detail/module_search.h>

#include <cstdint>
#include <dlfcn.h>

// The type of a parameter whose declarator would otherwise have to surround the parameter's name.
template <class __T>
struct kbuild_parameter {
    using __type = __T;
};

// A parameter whose type the stub unit cannot name.  A stub with such a parameter declares no
// parameters, because only the type tells how the caller passes them.  It finds the arguments where
// the launch left their addresses.
template <size_t __N>
struct kbuild_opaque {
    unsigned char __bytes[__N];
};

// Returns the address of an argument, even if its type overloads operator&.
template <class __T>
void* kbuild_address_of(__T& __argument) {
    return const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(__argument)));
}

// The limits on one device. They are kept because a query costs more than a launch.
struct kbuild_known_limits {
    int state;  // see kbuild_recall_limits
    struct kbuild_launch_limits limits;
};
#define KBUILD_KNOWN_DEVICES 8

// One debug stub. `reported` has a bit for each argument that a report already mentioned.
struct kbuild_stub {
    const struct kbuild_kernel* row;
    const char* __kernel;  // the demangled name
    const struct kbuild_argument* arguments;
    uint32_t argument_count;
    unsigned long long reported;
    struct kbuild_known_limits known[KBUILD_KNOWN_DEVICES];
};

// The information that kbuild::launch and the stub exchange without the runtime; see
// kbuild/kbuild.hpp. If something else calls the stub, `file` is null.
struct kbuild_stub_call {
    const char* file;
    unsigned line;
    const void* caller;
    int has_result;
    int __result;
};
// Weak, so that all stub units that are linked together share one definition.
extern __thread struct kbuild_stub_call kbuild_call
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
__thread struct kbuild_stub_call kbuild_call = {};

extern "C" void kbuild_note_call_site(const char* file, unsigned line)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" void kbuild_note_call_site(const char* file, unsigned line) {
    kbuild_call = {file, line, nullptr, 0, 0};
}

// For launches through pointers; see kbuild/chevron.hpp.
extern "C" const void* kbuild_find_stub(const void* __kernel)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" const void* kbuild_find_stub(const void* __kernel) {
    return kbuild_find_module(__kernel) != nullptr ? *static_cast<const void* const*>(__kernel)
                                                   : nullptr;
}

// The addresses of the arguments of the launch that calls a stub next. It is separate from
// kbuild_call, whose layout stub units of other versions share.
extern __thread void* const* kbuild_arguments
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
__thread void* const* kbuild_arguments = nullptr;

extern "C" void kbuild_note_arguments(void* const* arguments)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" void kbuild_note_arguments(void* const* arguments) { kbuild_arguments = arguments; }

// Returns whether a stub has left a result, and sets it. The last error that the runtime reports
// could be an older one.
extern "C" int kbuild_take_launch_result(int* __result)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" int kbuild_take_launch_result(int* __result) {
    const int has_result = kbuild_call.has_result;
    *__result = kbuild_call.__result;
    kbuild_call.has_result = 0;
    return has_result;
}

// A configuration that a launch leaves for the stub without the runtime.
struct kbuild_kept_configuration {
    int is_kept;
    struct kbuild_launch_config __config;
};
extern __thread struct kbuild_kept_configuration kbuild_kept
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
__thread struct kbuild_kept_configuration kbuild_kept = {};

extern "C" void kbuild_keep_configuration(const struct kbuild_launch_config* __config)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" void kbuild_keep_configuration(const struct kbuild_launch_config* __config) {
    kbuild_kept = {1, *__config};
}

extern "C" int kbuild_take_kept_configuration(struct kbuild_launch_config* __config)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
extern "C" int kbuild_take_kept_configuration(struct kbuild_launch_config* __config) {
    const int is_kept = kbuild_kept.is_kept;
    if (is_kept) *__config = kbuild_kept.__config;
    kbuild_kept.is_kept = 0;
    return is_kept;
}

static void kbuild_begin_report(struct kbuild_text* text, const struct kbuild_stub* stub) {
    Dl_info info;
    text->length = 0;
    kbuild_append(text, "kbuild: launch of %.1500s", stub->__kernel);
    if (kbuild_call.file != nullptr)
        kbuild_append(text, " at %s:%u: ", kbuild_call.file, kbuild_call.line);
    else if (dladdr(kbuild_call.caller, &info) != 0 && info.dli_sname != nullptr)
        kbuild_append(text, " in %s (%s): ", info.dli_sname, info.dli_fname);
    else
        kbuild_append(text, ": ");
}

static void kbuild_end_report(struct kbuild_text* text) {
    kbuild_append(text, "\n");
    (void)!write(STDERR_FILENO, text->__bytes, text->length);
}

// Reports an extent that is empty or exceeds the limits of the device. Returns whether it is valid.
static bool kbuild_check_extent(const struct kbuild_stub* stub, const char* what,
                                struct kbuild_dim3 requested, struct kbuild_dim3 largest) {
    struct kbuild_text text;
    const uint32_t counts[] = {requested.x, requested.y, requested.z};
    const uint32_t limits[] = {largest.x, largest.y, largest.z};  // 0 if the device does not say
    bool is_valid = true;
    for (int axis = 0; axis < 3; axis++) {
        const bool is_empty = counts[axis] == 0;
        if (!is_empty && (limits[axis] == 0 || counts[axis] <= limits[axis])) continue;
        if (is_valid) {
            kbuild_begin_report(&text, stub);
            kbuild_append(&text, "the %s is ", what);
            kbuild_append_extent(&text, requested);
        }
        kbuild_append(&text, ", %s %s.%c must be at %s %u", is_valid ? "but" : "and", what,
                      "xyz"[axis], is_empty ? "least" : "most", is_empty ? 1 : limits[axis]);
        is_valid = false;
    }
    if (!is_valid) kbuild_end_report(&text);
    return is_valid;
}

static bool kbuild_check_threads(const struct kbuild_stub* stub, struct kbuild_dim3 block,
                                 const struct kbuild_launch_limits* limits) {
    struct kbuild_text text;
    const unsigned long long threads = 1ull * block.x * block.y * block.z;
    const bool is_bounded = limits->kernel_threads != 0 && threads > limits->kernel_threads;
    const bool is_too_large = limits->device_threads != 0 && threads > limits->device_threads;
    if (!is_bounded && !is_too_large) return true;
    kbuild_begin_report(&text, stub);
    kbuild_append(&text, "the block ");
    kbuild_append_extent(&text, block);
    kbuild_append(&text, " has %llu threads, but the %s allows at most %u%s", threads,
                  is_too_large ? "device" : "kernel",
                  is_too_large ? limits->device_threads : limits->kernel_threads,
                  is_too_large ? "" : " because of its launch bounds or registers");
    kbuild_end_report(&text);
    return false;
}

static bool kbuild_check_shared(const struct kbuild_stub* stub, size_t __bytes,
                                const struct kbuild_launch_limits* limits) {
    struct kbuild_text text;
    const unsigned long long total = limits->static_shared_bytes + __bytes;
    if (limits->device_shared_bytes == 0 || total <= limits->device_shared_bytes) return true;
    kbuild_begin_report(&text, stub);
    kbuild_append(&text,
                  "the launch requests %zu bytes of dynamic shared memory and the kernel has %llu "
                  "static bytes, but a block has at most %llu",
                  __bytes, static_cast<unsigned long long>(limits->static_shared_bytes),
                  static_cast<unsigned long long>(limits->device_shared_bytes));
    kbuild_end_report(&text);
    return false;
}

// Reports pointers that no device can use. They can be intentional, so each argument is reported
// only once, and the kernel is launched.
static void kbuild_check_pointers(struct kbuild_stub* stub, void* const* values) {
    for (uint32_t index = 0; index < stub->argument_count && index < 64; index++) {
        const unsigned long long bit = 1ull << index;
        if (stub->arguments[index].kind != 'p') continue;
        const void* const __pointer = kbuild_load<const void*>(values[index]);
        if (__pointer != nullptr && !kbuild_is_host_memory(__pointer)) continue;
        if (__atomic_fetch_or(&stub->reported, bit, __ATOMIC_RELAXED) & bit) continue;
        struct kbuild_text text;
        kbuild_begin_report(&text, stub);
        kbuild_append(&text, "note: %s is %s", stub->arguments[index].__name,
                      __pointer == nullptr ? "a null pointer" : "not device memory");
        kbuild_end_report(&text);
    }
}

static void kbuild_report_failure(const struct kbuild_stub* stub, const char* message,
                                  int __result) {
    struct kbuild_text text;
    kbuild_begin_report(&text, stub);
    kbuild_append(&text, "%s (error %d)", message, __result);
    kbuild_end_report(&text);
}

static bool kbuild_exceeds(struct kbuild_dim3 requested, struct kbuild_dim3 largest) {
    return requested.x == 0 || requested.y == 0 || requested.z == 0 ||
           (largest.x != 0 &&
            (requested.x > largest.x || requested.y > largest.y || requested.z > largest.z));
}

// Returns whether the launch is within limits that were found earlier. If it is not, the caller
// queries the limits again, for the report.
static bool kbuild_is_within(const struct kbuild_launch_config* __config,
                             const struct kbuild_launch_limits* limits) {
    const unsigned long long threads =
        1ull * __config->block.x * __config->block.y * __config->block.z;
    const unsigned long long total = limits->static_shared_bytes + __config->shared_bytes;
    return !kbuild_exceeds(__config->grid, limits->grid) &&
           !kbuild_exceeds(__config->block, limits->block) &&
           (limits->kernel_threads == 0 || threads <= limits->kernel_threads) &&
           (limits->device_threads == 0 || threads <= limits->device_threads) &&
           (limits->device_shared_bytes == 0 || total <= limits->device_shared_bytes);
}

enum { KBUILD_LIMITS_UNKNOWN, KBUILD_LIMITS_BUSY, KBUILD_LIMITS_KNOWN };

// Returns the stub's limits on the device, or null if they are not known yet.
static const struct kbuild_launch_limits* kbuild_recall_limits(struct kbuild_stub* stub,
                                                               int device) {
    if (device < 0 || device >= KBUILD_KNOWN_DEVICES) return nullptr;
    struct kbuild_known_limits* const known = &stub->known[device];
    return __atomic_load_n(&known->state, __ATOMIC_ACQUIRE) == KBUILD_LIMITS_KNOWN ? &known->limits
                                                                                   : nullptr;
}

static void kbuild_keep_limits(struct kbuild_stub* stub, int device,
                               const struct kbuild_launch_limits* limits) {
    int unknown = KBUILD_LIMITS_UNKNOWN;
    if (device < 0 || device >= KBUILD_KNOWN_DEVICES) return;
    struct kbuild_known_limits* const known = &stub->known[device];
    if (!__atomic_compare_exchange_n(&known->state, &unknown, KBUILD_LIMITS_BUSY, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    known->limits = *limits;
    __atomic_store_n(&known->state, KBUILD_LIMITS_KNOWN, __ATOMIC_RELEASE);
}

// Reports everything that would make the launch fail. Returns whether it can succeed.
static bool kbuild_check_launch(struct kbuild_stub* stub,
                                const struct kbuild_launch_config* __config, void* const* values) {
    struct kbuild_launch_limits limits = {};
    const int device = kbuild_find_device();
    const struct kbuild_launch_limits* const known = kbuild_recall_limits(stub, device);
    if (known != nullptr && kbuild_is_within(__config, known)) {
        kbuild_check_pointers(stub, values);
        return true;
    }
    // There is no image for this device, no such kernel, or no device.
    if (const int obstacle = kbuild_find_limits(stub->row->handle, &limits)) {
        kbuild_report_failure(stub, kbuild_launch_error_message(stub->row->handle, obstacle),
                              obstacle);
        return false;
    }
    kbuild_keep_limits(stub, device, &limits);
    kbuild_check_pointers(stub, values);
    return kbuild_check_extent(stub, "grid", __config->grid, limits.grid) &&
           kbuild_check_extent(stub, "block", __config->block, limits.block) &&
           kbuild_check_threads(stub, __config->block, &limits) &&
           kbuild_check_shared(stub, __config->shared_bytes, &limits);
}

// Runs a debug stub. `values` has the addresses of its arguments.
static void kbuild_run_stub(struct kbuild_stub* stub, void* const* values, const void* caller) {
    struct kbuild_launch_config __config = {};
    kbuild_call.caller = caller;
    kbuild_arguments = nullptr;
    if (kbuild_take_configuration(&__config) != 0) {
        struct kbuild_text text;
        kbuild_begin_report(&text, stub);
        kbuild_append(&text, "a debug stub was called directly; use kbuild::launch");
        kbuild_end_report(&text);
        return;
    }
    const bool is_valid = kbuild_check_launch(stub, &__config, values);
    const struct kbuild_captured_launch __launch = {
        stub->row->handle,    stub->__kernel,   stub->arguments,
        stub->argument_count, values,           &__config,
        kbuild_call.file,     kbuild_call.line, caller,
    };
    struct kbuild_capture_file __capture = {-1, 0, 0};
    bool __may_wait = false;
    if (const char* const __directory = kbuild_capture_target())
        __may_wait = kbuild_begin_capture(&__capture, __directory, &__launch);
    const long long start = kbuild_now();
    const int __result = kbuild_launch_from_stub(stub->row->handle, &__config, values);
    const long long duration = kbuild_now() - start;
    // From here on, nothing calls the runtime, so that its last error remains that of the launch.
    // The only exception is that a successful captured launch waits for the end of the kernel.
    if (__result != 0 && is_valid)
        kbuild_report_failure(stub, kbuild_error_message(__result), __result);
    kbuild_end_capture(&__capture, __may_wait, &__launch, __result);
    if (const char* const target = kbuild_trace_target()) {
        const struct kbuild_launch_event event = {
            stub->__kernel, stub->arguments,  stub->argument_count, values,
            &__config,      kbuild_call.file, kbuild_call.line,     start,
            duration,       __result,
        };
        kbuild_trace(target, &event);
    }
    kbuild_call = {nullptr, 0, nullptr, 1, __result};
}

// Returns the addresses of the arguments of an opaque stub. Returns null if its caller did not leave
// them, because it is not kbuild::launch or is compiled with an older version of it.
__attribute__((unused)) static void* const* kbuild_find_arguments(struct kbuild_stub* stub,
                                                                  const void* caller) {
    struct kbuild_launch_config __config = {};
    if (kbuild_arguments != nullptr) return kbuild_arguments;
    struct kbuild_text text;
    kbuild_call.caller = caller;
    kbuild_begin_report(&text, stub);
    kbuild_append(&text,
                  "the types of the arguments are unknown; launch the kernel with kbuild::launch "
                  "of this version, or list the headers that define the types in HEADERS");
    kbuild_end_report(&text);
    (void)kbuild_take_configuration(&__config);
    return nullptr;
}

#endif
