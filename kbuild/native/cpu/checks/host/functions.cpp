// The functions of the C library that checked host code calls: they read and write memory behind pointers, or end
// the process. Each object of the program calls these instead; see device/cpu/mixed/host_checks.h.
#include "checks/checker.hpp"
#include "checks/host/format_arguments.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <unistd.h>
#include <vector>

namespace {

using kbuild::cpu::checks::Checker;
using kbuild::cpu::checks::visit_text_arguments;

void check(const void* address, std::size_t bytes, bool writes, const void* site) {
    auto* const checker = Checker::find();
    if (checker == nullptr) return;
    if (!writes) checker->check_host_read(address, bytes, site);
    checker->check_host_access(address, bytes, writes, false, site);
}

void check_format(const char* format, std::va_list arguments, const void* site) {
    check(format, 1, false, site);
    visit_text_arguments(format, arguments,
                         [site](const void* text, bool writes) { check(text, 1, writes, site); });
}

// A process that shares the memory of its parent (vfork) is not the one that is checked.
bool is_checked_process() {
    const auto* const checker = Checker::find();
    return checker != nullptr && checker->process() == getpid();
}

char* const* list_arguments(std::vector<char*>& list, const char* first, std::va_list arguments) {
    for (auto* word = const_cast<char*>(first); word != nullptr; word = va_arg(arguments, char*))
        list.push_back(word);
    list.push_back(nullptr);
    return list.data();
}

// Another program takes the place of the process, unless that fails.
void prepare_exec() {
    if (is_checked_process()) Checker::find()->leave_program();
}

}  // namespace

#define KBUILD_EXPORT extern "C" __attribute__((visibility("default")))
#define KBUILD_SITE __builtin_return_address(0)

// Functions that read the memory behind one or two pointers: the first byte of a text.
#define KBUILD_READS_TEXT(T, name, parameters, arguments, text) \
    KBUILD_EXPORT T kbuild_cpu_host_##name parameters { \
        check(text, 1, false, KBUILD_SITE); \
        return name arguments; \
    }
#define KBUILD_READS_TEXTS(T, name, parameters, arguments, first, second) \
    KBUILD_EXPORT T kbuild_cpu_host_##name parameters { \
        check(first, 1, false, KBUILD_SITE); \
        check(second, 1, false, KBUILD_SITE); \
        return name arguments; \
    }
#define KBUILD_READS_BYTES(T, name, parameters, arguments, first, second, bytes) \
    KBUILD_EXPORT T kbuild_cpu_host_##name parameters { \
        check(first, bytes, false, KBUILD_SITE); \
        check(second, bytes, false, KBUILD_SITE); \
        return name arguments; \
    }
#define KBUILD_COPIES_TEXT(T, name, parameters, arguments, to, from) \
    KBUILD_EXPORT T kbuild_cpu_host_##name parameters { \
        check(from, 1, false, KBUILD_SITE); \
        check(to, 1, true, KBUILD_SITE); \
        return name arguments; \
    }

using Text = const char*;

KBUILD_READS_TEXT(std::size_t, strlen, (Text a), (a), a)
KBUILD_READS_TEXT(std::size_t, strnlen, (Text a, std::size_t n), (a, n), a)
KBUILD_READS_TEXT(char*, strdup, (Text a), (a), a)
KBUILD_READS_TEXT(int, puts, (Text a), (a), a)
KBUILD_READS_TEXT(int, fputs, (Text a, std::FILE* file), (a, file), a)
KBUILD_READS_TEXTS(int, strcmp, (Text a, Text b), (a, b), a, b)
KBUILD_READS_TEXTS(int, strncmp, (Text a, Text b, std::size_t n), (a, b, n), a, b)
KBUILD_READS_TEXTS(int, strcasecmp, (Text a, Text b), (a, b), a, b)
KBUILD_READS_BYTES(int, memcmp, (const void* a, const void* b, std::size_t n), (a, b, n), a, b, n)
KBUILD_READS_BYTES(int, bcmp, (const void* a, const void* b, std::size_t n), (a, b, n), a, b, n)
KBUILD_COPIES_TEXT(char*, strcpy, (char* to, Text from), (to, from), to, from)
KBUILD_COPIES_TEXT(char*, stpcpy, (char* to, Text from), (to, from), to, from)
KBUILD_COPIES_TEXT(char*, strncpy, (char* to, Text from, std::size_t n), (to, from, n), to, from)
KBUILD_COPIES_TEXT(char*, strcat, (char* to, Text from), (to, from), to, from)
KBUILD_COPIES_TEXT(char*, strncat, (char* to, Text from, std::size_t n), (to, from, n), to, from)

// In C++, these have overloads.
KBUILD_EXPORT void* kbuild_cpu_host_memchr(const void* memory, int byte, std::size_t bytes) {
    check(memory, bytes, false, KBUILD_SITE);
    return const_cast<void*>(std::memchr(memory, byte, bytes));
}
KBUILD_EXPORT char* kbuild_cpu_host_strchr(Text text, int byte) {
    check(text, 1, false, KBUILD_SITE);
    return const_cast<char*>(std::strchr(text, byte));
}
KBUILD_EXPORT char* kbuild_cpu_host_strrchr(Text text, int byte) {
    check(text, 1, false, KBUILD_SITE);
    return const_cast<char*>(std::strrchr(text, byte));
}
KBUILD_EXPORT char* kbuild_cpu_host_strstr(Text text, Text part) {
    check(text, 1, false, KBUILD_SITE);
    check(part, 1, false, KBUILD_SITE);
    return const_cast<char*>(std::strstr(text, part));
}

KBUILD_EXPORT std::size_t kbuild_cpu_host_fwrite(const void* from, std::size_t size,
                                                 std::size_t count, std::FILE* file) {
    check(from, size * count, false, KBUILD_SITE);
    return std::fwrite(from, size, count, file);
}
KBUILD_EXPORT std::size_t kbuild_cpu_host_fread(void* to, std::size_t size, std::size_t count,
                                                std::FILE* file) {
    check(to, size * count, true, KBUILD_SITE);
    return std::fread(to, size, count, file);
}
// Formatted output.
KBUILD_EXPORT int kbuild_cpu_host_vfprintf(std::FILE* file, Text format, std::va_list arguments) {
    check_format(format, arguments, KBUILD_SITE);
    return std::vfprintf(file, format, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_vprintf(Text format, std::va_list arguments) {
    check_format(format, arguments, KBUILD_SITE);
    return std::vprintf(format, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_vsnprintf(char* to, std::size_t bytes, Text format,
                                            std::va_list arguments) {
    if (bytes != 0) check(to, 1, true, KBUILD_SITE);
    check_format(format, arguments, KBUILD_SITE);
    return std::vsnprintf(to, bytes, format, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_vsprintf(char* to, Text format, std::va_list arguments) {
    check(to, 1, true, KBUILD_SITE);
    check_format(format, arguments, KBUILD_SITE);
    return std::vsprintf(to, format, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_printf(Text format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    check_format(format, arguments, KBUILD_SITE);
    const int result = std::vprintf(format, arguments);
    va_end(arguments);
    return result;
}
KBUILD_EXPORT int kbuild_cpu_host_fprintf(std::FILE* file, Text format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    check_format(format, arguments, KBUILD_SITE);
    const int result = std::vfprintf(file, format, arguments);
    va_end(arguments);
    return result;
}
KBUILD_EXPORT int kbuild_cpu_host_snprintf(char* to, std::size_t bytes, Text format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    if (bytes != 0) check(to, 1, true, KBUILD_SITE);
    check_format(format, arguments, KBUILD_SITE);
    const int result = std::vsnprintf(to, bytes, format, arguments);
    va_end(arguments);
    return result;
}
KBUILD_EXPORT int kbuild_cpu_host_sprintf(char* to, Text format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    check(to, 1, true, KBUILD_SITE);
    check_format(format, arguments, KBUILD_SITE);
    const int result = std::vsprintf(to, format, arguments);
    va_end(arguments);
    return result;
}

// The end of the process without exit handlers.
KBUILD_EXPORT void kbuild_cpu_host__exit(int status) {
    if (is_checked_process()) Checker::find()->leave_process();
    _exit(status);
}
KBUILD_EXPORT int kbuild_cpu_host_execve(Text path, char* const* arguments,
                                         char* const* variables) {
    prepare_exec();
    return execve(path, arguments, variables);
}
KBUILD_EXPORT int kbuild_cpu_host_execv(Text path, char* const* arguments) {
    prepare_exec();
    return execv(path, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_execvp(Text file, char* const* arguments) {
    prepare_exec();
    return execvp(file, arguments);
}
KBUILD_EXPORT int kbuild_cpu_host_execvpe(Text file, char* const* arguments,
                                          char* const* variables) {
    prepare_exec();
    return execvpe(file, arguments, variables);
}
KBUILD_EXPORT int kbuild_cpu_host_fexecve(int file, char* const* arguments,
                                          char* const* variables) {
    prepare_exec();
    return fexecve(file, arguments, variables);
}
KBUILD_EXPORT int kbuild_cpu_host_execl(Text path, Text first, ...) {
    prepare_exec();
    std::vector<char*> list;
    std::va_list arguments;
    va_start(arguments, first);
    auto* const words = list_arguments(list, first, arguments);
    va_end(arguments);
    return execv(path, words);
}
KBUILD_EXPORT int kbuild_cpu_host_execlp(Text file, Text first, ...) {
    prepare_exec();
    std::vector<char*> list;
    std::va_list arguments;
    va_start(arguments, first);
    auto* const words = list_arguments(list, first, arguments);
    va_end(arguments);
    return execvp(file, words);
}
// The variables come after the arguments.
KBUILD_EXPORT int kbuild_cpu_host_execle(Text path, Text first, ...) {
    prepare_exec();
    std::vector<char*> list;
    std::va_list arguments;
    va_start(arguments, first);
    for (auto* word = const_cast<char*>(first); word != nullptr; word = va_arg(arguments, char*))
        list.push_back(word);
    list.push_back(nullptr);
    auto* const variables = va_arg(arguments, char**);
    va_end(arguments);
    return execve(path, list.data(), variables);
}
