// KBUILD_CAPTURE: debug stubs write each launch to a file, from which `kbuild replay` repeats it.
// docs/reference/launch-record-format.md describes the format.
//
//     KBUILD_CAPTURE=DIRECTORY      The directory for the files. It is created, but its parents are not.
//     KBUILD_CAPTURE_KERNEL=GLOB    Captures only kernels whose name matches, as in fnmatch(3).
//     KBUILD_CAPTURE_LIMIT=N        The maximum number of captured launches per process. Default: 100.
//     KBUILD_CAPTURE_BYTES=N        Omits the content of larger buffers. Default: 1 GiB.
//
// A file is complete before its launch starts, and the outcome is added afterwards. A failed
// capture is reported once and does not affect the program.
#ifndef KBUILD_DETAIL_CAPTURE_LAUNCH_HPP
#define KBUILD_DETAIL_CAPTURE_LAUNCH_HPP

#include <kbuild/detail/capture/file.hpp>
#include <kbuild/detail/capture/state.hpp>

#include <cstdint>
#include <dlfcn.h>
#include <fnmatch.h>

// A launch from the view of its stub. `__source` is null if the place of the launch is unknown.
struct kbuild_captured_launch {
    const void* __handle;
    const char* __kernel;
    const struct kbuild_argument* __described;
    uint32_t __count;
    void* const* __values;
    const struct kbuild_launch_config* __config;
    const char* __source;
    unsigned __line;
    const void* __caller;
};

// Extracts the unqualified name of a kernel from its demangled name: `scale` from
// `void ns::scale<int>(int*)`.
static void kbuild_find_unqualified_name(const char* __display, char* __name, size_t __capacity) {
    static const char __nameless[] = "(anonymous namespace)";
    size_t __length = 0;
    for (; *__display != '\0' && *__display != '<'; __display++) {
        if (strncmp(__display, __nameless, sizeof __nameless - 1) == 0)
            __display += sizeof __nameless - 2;
        else if (*__display == '(')
            break;
        else if (*__display == ':' || *__display == ' ')
            __length = 0;
        else if (__length < __capacity - 1)
            __name[__length++] = *__display == '/' ? '_' : *__display;
    }
    __name[__length] = '\0';
}

static bool kbuild_is_selected(const char* __display, const char* __name) {
    const char* const __pattern = getenv("KBUILD_CAPTURE_KERNEL");
    return __pattern == nullptr || __pattern[0] == '\0' || fnmatch(__pattern, __display, 0) == 0 ||
           fnmatch(__pattern, __name, 0) == 0;
}

// Creates a file in the directory, under a temporary name that no other stub unit uses. Returns -1
// on failure.
static int kbuild_open_capture(const char* __directory, const char* __name, char* __partial,
                               char* __path, size_t __capacity) {
    for (;;) {
        const unsigned long long __number = kbuild_number_capture();
        const int __process = static_cast<int>(getpid());
        const int __length = snprintf(__partial, __capacity, "%s/.%s-%d-%llu.launch.partial",
                                      __directory, __name, __process, __number);
        snprintf(__path, __capacity, "%s/%s-%d-%llu.launch", __directory, __name, __process,
                 __number);
        if (__length < 0 || static_cast<size_t>(__length) >= __capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int __file = open(__partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (__file < 0 && errno == EEXIST) continue;
        if (__file < 0 || access(__path, F_OK) != 0) return __file;
        close(__file);
        unlink(__partial);
    }
}

// Adds notes about the parts of the launch that cannot be captured.
static void kbuild_note_launch(struct kbuild_capture_plan* __plan,
                               const struct kbuild_module* __module,
                               const struct kbuild_kernel* __kernel, const void* __stream) {
    char __names[600] = "";
    size_t __length = 0;
    for (uint64_t __row = 0; __row < __module->variable_count; __row++)
        if (__module->variables[__row].container == __kernel->container &&
            __length < sizeof __names)
            __length += static_cast<size_t>(snprintf(__names + __length, sizeof __names - __length,
                                                     "%s%s", __length ? ", " : "",
                                                     __module->variables[__row].device_name));
    if (__length != 0)
        kbuild_note(__plan, "device-variables", -1,
                    "the device variables of the kernel's source are not captured: %s", __names);
    if (__stream != nullptr)
        kbuild_note(__plan, "stream", -1,
                    "launched on stream 0x%llx, which exists only in this process",
                    static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(__stream)));
    if (__plan->__obstacle != nullptr)
        kbuild_note(__plan, "no-buffers", -1, "no buffers are captured: %s", __plan->__obstacle);
}

// Copies the version of the kbuild that built the module from the kernel table.
static void kbuild_put_version(struct kbuild_json* __json, const struct kbuild_module* __module) {
    static const char __key[] = ",\"version\":\"";
    const char* const __end = __module->record + __module->record_size;
    const char* const __start = static_cast<const char*>(
        memmem(__module->record, __module->record_size, __key, sizeof __key - 1));
    if (__start == nullptr) return;
    const char* const __version = __start + sizeof __key - 1;
    const char* const __quote =
        static_cast<const char*>(memchr(__version, '"', static_cast<size_t>(__end - __version)));
    if (__quote != nullptr)
        kbuild_put_bytes(__json, __start, static_cast<size_t>(__quote + 1 - __start));
}

static void kbuild_describe_origin(struct kbuild_json* __origin,
                                   const struct kbuild_module* __module,
                                   const struct kbuild_captured_launch* __launch, bool __may_ask) {
    char __program[4096] = "", __device[512] = "", __driver[64] = "", __function[2048] = "";
    Dl_info __info;
    const ssize_t __length = readlink("/proc/self/exe", __program, sizeof __program - 1);
    __program[__length > 0 ? __length : 0] = '\0';
    if (__may_ask) kbuild_describe_device(__device, sizeof __device, __driver, sizeof __driver);
    if (__launch->__source == nullptr && dladdr(__launch->__caller, &__info) != 0 &&
        __info.dli_sname != nullptr)
        snprintf(__function, sizeof __function, "%s (%s)", __info.dli_sname, __info.dli_fname);
    kbuild_put(__origin, "{\"program\":");
    kbuild_put_string(__origin, __program[0] ? __program : nullptr, 8192);
    kbuild_put(__origin, ",\"pid\":%d,\"target\":", static_cast<int>(getpid()));
    kbuild_put_string(__origin, __module->target, 8192);
    kbuild_put_version(__origin, __module);
    kbuild_put(__origin, ",\"file\":");
    kbuild_put_string(__origin, __launch->__source, 8192);
    if (__launch->__source != nullptr) kbuild_put(__origin, ",\"line\":%u", __launch->__line);
    kbuild_put(__origin, ",\"function\":");
    kbuild_put_string(__origin, __function[0] ? __function : nullptr, 8192);
    kbuild_put(__origin, ",\"device\":");
    kbuild_put_string(__origin, __device[0] ? __device : nullptr, 8192);
    kbuild_put(__origin, ",\"driver\":");
    kbuild_put_string(__origin, __driver[0] ? __driver : nullptr, 8192);
    kbuild_put(__origin, "}");
}

static const struct kbuild_kernel* kbuild_find_captured(
    const struct kbuild_module* __module, const struct kbuild_captured_launch* __launch) {
    for (uint64_t __row = 0; __module != nullptr && __row < __module->kernel_count; __row++)
        if (__module->kernels[__row].handle == __launch->__handle &&
            __module->kernels[__row].param_count == __launch->__count)
            return &__module->kernels[__row];
    return nullptr;
}

// Writes the file, and gives it its final name once it is complete. On failure, `__number` is -1.
static void kbuild_finish_capture(struct kbuild_capture_file* __file,
                                  const struct kbuild_capture_content* __content,
                                  const char* __directory, const char* __name) {
    char __partial[PATH_MAX], __path[PATH_MAX];
    __file->__number = kbuild_open_capture(__directory, __name, __partial, __path, sizeof __path);
    if (__file->__number < 0) {
        kbuild_stop_captures(__directory, strerror(errno));
        return;
    }
    kbuild_write_capture(__file, __content);
    if (__file->__error == 0 && rename(__partial, __path) != 0) __file->__error = errno;
    if (__file->__error == 0) return;
    close(__file->__number);
    __file->__number = -1;
    unlink(__partial);
    kbuild_stop_captures(__directory, strerror(__file->__error));
}

// Captures the launch if the settings select it. Returns whether the caller may wait for its end.
static bool kbuild_begin_capture(struct kbuild_capture_file* __file, const char* __directory,
                                 const struct kbuild_captured_launch* __launch) {
    char __name[80];
    *__file = {-1, 0, 0};
    kbuild_find_unqualified_name(__launch->__kernel, __name, sizeof __name);
    if (!kbuild_is_selected(__launch->__kernel, __name)) return false;
    const struct kbuild_module* const __module = kbuild_find_module(__launch->__handle);
    const struct kbuild_kernel* const __kernel = kbuild_find_captured(__module, __launch);
    if (__kernel == nullptr)
        kbuild_stop_captures(__directory, "a kernel is not in any kernel table");
    const unsigned long long __capture_number =
        __kernel != nullptr ? kbuild_claim_capture(__directory) : 0;
    if (__capture_number == 0) return false;

    struct kbuild_capture_plan __plan = {};
    struct kbuild_json __origin = {};
    int __state = 0;
    __origin.__is_whole = true;
    __plan.__buffer_limit = static_cast<size_t>(kbuild_read_setting(
        "KBUILD_CAPTURE_BYTES", KBUILD_CAPTURE_BUFFER_BYTES, __capture_number == 1));
    __plan.__obstacle = kbuild_begin_reading(__launch->__config->stream, &__state);
    const bool __may_read = __plan.__obstacle == nullptr;
    if (kbuild_begin_plan(&__plan, __kernel, __launch->__described, __launch->__count,
                          __launch->__values)) {
        const struct kbuild_capture_content __content = {__module, __kernel, __launch->__config,
                                                         &__plan, &__origin};
        kbuild_note_launch(&__plan, __module, __kernel, __launch->__config->stream);
        kbuild_follow_arguments(&__plan, __kernel->params, __launch->__count);
        kbuild_describe_origin(&__origin, __module, __launch, __may_read);
        kbuild_finish_capture(__file, &__content, __directory, __name);
    } else {
        kbuild_stop_captures(__directory, strerror(ENOMEM));
    }
    if (__may_read) kbuild_end_reading(__state);
    kbuild_end_plan(&__plan);
    free(__origin.__text);
    return __may_read;
}

// Writes the outcome of the launch, which can be an error of the launch or of waiting for it. If
// waiting is not allowed and the launch did not fail immediately, the outcome remains null.
static void kbuild_end_capture(const struct kbuild_capture_file* __file, bool __may_wait,
                               const struct kbuild_captured_launch* __launch, int __result) {
    int __late = 0;
    if (__file->__number < 0) return;
    if (__result == 0 && __may_wait) __late = kbuild_synchronize_stream(__launch->__config->stream);
    const int __code = __result != 0 ? __result : __late;
    if (__code != 0)
        kbuild_write_outcome(
            __file, __code, kbuild_launch_error_message(__launch->__handle, __code), __result == 0);
    else if (__may_wait)
        kbuild_write_outcome(__file, 0, "", false);
    close(__file->__number);
}

#endif
