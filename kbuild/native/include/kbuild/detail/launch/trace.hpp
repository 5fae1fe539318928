// KBUILD_TRACE: debug stubs trace each launch.
//
//     KBUILD_TRACE=1          Writes one line per launch to stderr: `kbuild-trace: ` and a JSON object.
//     KBUILD_TRACE=FILE.json  Writes a trace for chrome://tracing and Perfetto. Any name that contains
//                             a `/` is also accepted.
//     KBUILD_TRACE=0          Writes nothing, as if the variable was not set.
//
// The file is valid JSON at any time, even after a crash. All stub units of a process share it. If
// another process is traced while the owner of the file runs, it writes to FILE.json.PID. A file
// that is neither empty nor such a trace is not changed.
#ifndef KBUILD_DETAIL_LAUNCH_TRACE_HPP
#define KBUILD_DETAIL_LAUNCH_TRACE_HPP

#include <kbuild/detail/launch/text.hpp>

#include <cstdint>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KBUILD_TRACE_END "\n]\n"
// The maximum length of a kernel's name in a line, and the space that is reserved for the end.
#define KBUILD_TRACE_NAME 1500
#define KBUILD_TRACE_RESERVE 800

struct kbuild_launch_event {
    const char* __kernel;
    const struct kbuild_argument* arguments;
    uint32_t argument_count;
    void* const* values;
    const struct kbuild_launch_config* __config;
    const char* file;  // the place of the launch; null if unknown
    unsigned line;
    long long start;     // nanoseconds of the monotonic clock
    long long duration;  // nanoseconds on the host
    int __result;
};

static long long kbuild_now() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long kbuild_thread_number() { return syscall(SYS_gettid); }

static void kbuild_append_facts(struct kbuild_text* text, const struct kbuild_launch_event* event) {
    const struct kbuild_launch_config* __config = event->__config;
    kbuild_append(text, "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]", __config->grid.x,
                  __config->grid.y, __config->grid.z, __config->block.x, __config->block.y,
                  __config->block.z);
    kbuild_append(text, ", \"shared_bytes\": %zu, \"stream\": \"0x%llx\", \"arguments\": {",
                  __config->shared_bytes,
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(__config->stream)));
    for (uint32_t index = 0; index < event->argument_count; index++) {
        if (sizeof text->__bytes - text->length < KBUILD_TRACE_RESERVE) {
            kbuild_append(text, ", \"...\": %u", event->argument_count - index);
            break;
        }
        kbuild_append(text, index ? ", \"" : "\"");
        kbuild_append_escaped(text, event->arguments[index].__name);
        kbuild_append(text, "\": ");
        kbuild_append_value(text, &event->arguments[index], event->values[index]);
    }
    kbuild_append(text, "}, \"result\": %d", event->__result);
    if (event->file != nullptr) {
        kbuild_append(text, ", \"file\": \"");
        kbuild_append_escaped(text, event->file);
        kbuild_append(text, "\", \"line\": %u", event->line);
    }
}

static void kbuild_append_kernel(struct kbuild_text* text, const char* key, const char* __kernel) {
    const size_t start = text->length;
    kbuild_append(text, "\"%s\": \"", key);
    kbuild_append_escaped(text, __kernel);
    if (text->length - start > KBUILD_TRACE_NAME) {  // some names are longer than a page
        text->length = start + KBUILD_TRACE_NAME;
        kbuild_append(text, "...");
    }
    kbuild_append(text, "\", ");
}

static void kbuild_trace_line(const struct kbuild_launch_event* event) {
    struct kbuild_text text;
    text.length = 0;
    kbuild_append(&text, "kbuild-trace: {");
    kbuild_append_kernel(&text, "kernel", event->__kernel);
    kbuild_append_facts(&text, event);
    kbuild_append(&text, ", \"host_ns\": %lld, \"pid\": %d, \"tid\": %ld}\n", event->duration,
                  static_cast<int>(getpid()), kbuild_thread_number());
    (void)!write(STDERR_FILENO, text.__bytes, text.length);
}

// Returns when a process started, in clock ticks since the machine started, or -1. Together with
// the process number, this identifies a process.
static long long kbuild_process_start(int process) {
    char path[64], content[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t length = read(file, content, sizeof content - 1);
    close(file);
    content[length > 0 ? length : 0] = '\0';
    const char* position = strrchr(content, ')');  // the name can contain anything
    for (int field = 2; position != nullptr && field < 22; field++)
        position = strchr(position + 1, ' ');
    return position != nullptr ? atoll(position) : -1;
}

// Reads which process owns the trace file. Returns false if the file is not such a trace.
static bool kbuild_read_owner(int file, int* process, long long* start) {
    char head[256];
    const ssize_t length = pread(file, head, sizeof head - 1, 0);
    if (length <= 0) return false;
    head[length] = '\0';
    return sscanf(head,
                  "[\n{\"name\": \"process\", \"ph\": \"M\", \"pid\": %d, \"args\": "
                  "{\"start\": %lld",
                  process, start) == 2;
}

// The process that already reported why it is not traced. Weak, so that all stub units that are
// linked together share one definition.
extern int kbuild_trace_refused __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
int kbuild_trace_refused = 0;

// Reports, once per library and process, why the value of KBUILD_TRACE does not work.
static void kbuild_reject_trace(const char* __value, const char* __reason) {
    const int own = static_cast<int>(getpid());
    if (__atomic_exchange_n(&kbuild_trace_refused, own, __ATOMIC_RELAXED) == own) return;
    struct kbuild_text text;
    text.length = 0;
    kbuild_append(&text, "kbuild: KBUILD_TRACE: %.3000s: %s; nothing is traced\n", __value,
                  __reason);
    (void)!write(STDERR_FILENO, text.__bytes, text.length);
}

static int kbuild_abandon_trace(int file, const char* path, const char* __reason) {
    kbuild_reject_trace(path, __reason);
    if (file >= 0) close(file);
    return -1;
}

// Opens the trace file at `path` and writes its header if necessary. Returns -1 if that is not
// possible.
static int kbuild_begin_trace(const char* path, bool may_move) {
    const int own = static_cast<int>(getpid());
    int process = 0;
    long long start = 0;
    struct stat status;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (file < 0) return kbuild_abandon_trace(-1, path, strerror(errno));
    flock(file, LOCK_EX);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return kbuild_abandon_trace(file, path, "not a regular file");
    const bool has_owner = kbuild_read_owner(file, &process, &start);
    if (!has_owner && status.st_size != 0)
        return kbuild_abandon_trace(
            file, path,
            "the file exists and is not a trace of launches; remove it or choose another name");
    const bool is_alive = has_owner && kbuild_process_start(process) == start;
    if (is_alive && process != own && may_move) {
        char other[KBUILD_TEXT_BYTES];
        close(file);
        snprintf(other, sizeof other, "%s.%d", path, own);
        return kbuild_begin_trace(other, false);
    }
    if (!is_alive || process != own) {
        struct kbuild_text text;
        text.length = 0;
        kbuild_append(&text,
                      "[\n{\"name\": \"process\", \"ph\": \"M\", \"pid\": %d, \"args\": "
                      "{\"start\": %lld}}" KBUILD_TRACE_END,
                      own, kbuild_process_start(own));
        if (ftruncate(file, 0) != 0 ||
            pwrite(file, text.__bytes, text.length, 0) != static_cast<ssize_t>(text.length))
            return kbuild_abandon_trace(file, path, strerror(errno));
    }
    flock(file, LOCK_UN);
    return file;
}

// The file of this stub unit and the process that opened it. A forked child opens its own.
static int kbuild_trace_file = -1;
static int kbuild_trace_process = 0;
static int kbuild_trace_lock = 0;

// The value of the lock is the number of the process that holds it. A forked child can therefore
// ignore a lock that another thread held during the fork.
static void kbuild_lock_trace() {
    const int own = static_cast<int>(getpid());
    int holder = 0;
    while (!__atomic_compare_exchange_n(&kbuild_trace_lock, &holder, own, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (holder == own) {
            holder = 0;
            sched_yield();
        }
    }
}

static void kbuild_trace_event(const char* path, const struct kbuild_launch_event* event) {
    struct kbuild_text text;
    struct stat status;
    text.length = 0;
    kbuild_append(&text, ",\n{");
    kbuild_append_kernel(&text, "name", event->__kernel);
    kbuild_append(&text,
                  "\"cat\": \"launch\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, "
                  "\"tid\": %ld, \"args\": {",
                  event->start / 1e3, event->duration / 1e3, static_cast<int>(getpid()),
                  kbuild_thread_number());
    kbuild_append_facts(&text, event);
    // Close the brackets even if the text was truncated.
    memcpy(text.__bytes + text.length, "}}" KBUILD_TRACE_END, sizeof "}}" KBUILD_TRACE_END - 1);
    text.length += sizeof "}}" KBUILD_TRACE_END - 1;

    kbuild_lock_trace();
    if (kbuild_trace_process != getpid()) {
        kbuild_trace_file = kbuild_begin_trace(path, true);
        kbuild_trace_process = static_cast<int>(getpid());
    }
    const int file = kbuild_trace_file;
    if (file >= 0 && flock(file, LOCK_EX) == 0) {
        const off_t end = sizeof KBUILD_TRACE_END - 1;
        if (fstat(file, &status) == 0 && status.st_size >= end)
            (void)!pwrite(file, text.__bytes, text.length, status.st_size - end);
        flock(file, LOCK_UN);
    }
    __atomic_store_n(&kbuild_trace_lock, 0, __ATOMIC_RELEASE);
}

// Returns the value of KBUILD_TRACE, or null if launches are not traced.
static const char* kbuild_trace_target() {
    const char* const target = getenv("KBUILD_TRACE");
    if (target == nullptr || target[0] == '\0' || strcmp(target, "0") == 0) return nullptr;
    const char* const dot = strrchr(target, '.');
    if (strcmp(target, "1") == 0 || strchr(target, '/') != nullptr ||
        (dot != nullptr && strcmp(dot, ".json") == 0))
        return target;
    kbuild_reject_trace(target, "expected 1 (lines on stderr), FILE.json, a path with a /, or 0");
    return nullptr;
}

static void kbuild_trace(const char* target, const struct kbuild_launch_event* event) {
    if (strcmp(target, "1") == 0)
        kbuild_trace_line(event);
    else
        kbuild_trace_event(target, event);
}

#endif
