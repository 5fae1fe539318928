// The text that debug stubs write. Each line is composed in memory and written with one call, so
// that the lines of several threads do not mix. This code does not need the C++ library at run
// time, because kernel archives are also linked into C programs.
#ifndef KBUILD_DETAIL_LAUNCH_TEXT_HPP
#define KBUILD_DETAIL_LAUNCH_TEXT_HPP

#include <kbuild/module.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <type_traits>

#define KBUILD_TEXT_BYTES 4096

struct kbuild_text {
    char __bytes[KBUILD_TEXT_BYTES];
    size_t length;
};

// Appends formatted text, and truncates what does not fit. Always leaves room for the end of the
// line.
__attribute__((format(printf, 2, 3))) static void kbuild_append(struct kbuild_text* text,
                                                                const char* format, ...) {
    const size_t room = sizeof text->__bytes - 8 - text->length;
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(text->__bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (written > 0) text->length += static_cast<size_t>(written) < room ? written : room - 1;
}

// Appends text with the escapes of a JSON string.
static void kbuild_append_escaped(struct kbuild_text* text, const char* words) {
    for (; *words != '\0'; words++) {
        const unsigned char byte = static_cast<unsigned char>(*words);
        if (byte == '"' || byte == '\\')
            kbuild_append(text, "\\%c", byte);
        else if (byte < 0x20)
            kbuild_append(text, "\\u%04x", byte);
        else
            kbuild_append(text, "%c", byte);
    }
}

// The description of a kernel argument, apart from its address.
struct kbuild_argument {
    const char* __name;
    size_t size;
    char kind;  // 'i' signed, 'u' unsigned, 'b' bool, 'f' floating point, 'p' pointer, ' ' other
};

template <class __T>
constexpr kbuild_argument kbuild_describe(const char* __name) {
    constexpr char __kind = std::is_same_v<__T, bool>                           ? 'b'
                            : std::is_pointer_v<__T>                            ? 'p'
                            : std::is_floating_point_v<__T> && sizeof(__T) <= 8 ? 'f'
                            : std::is_enum_v<__T> || std::is_integral_v<__T>    ? 'i'
                                                                                : ' ';
    constexpr bool __has_no_sign = std::is_integral_v<__T> && std::is_unsigned_v<__T>;
    return {__name, sizeof(__T), __kind == 'i' && __has_no_sign ? 'u' : __kind};
}

template <class __T>
static __T kbuild_load(const void* __address) {
    __T __value;
    memcpy(&__value, __address, sizeof __value);
    return __value;
}

static long long kbuild_load_integer(const void* __address, size_t size) {
    return size == 1   ? kbuild_load<signed char>(__address)
           : size == 2 ? kbuild_load<short>(__address)
           : size == 4 ? kbuild_load<int>(__address)
                       : kbuild_load<long long>(__address);
}

static unsigned long long kbuild_load_unsigned(const void* __address, size_t size) {
    return size == 1   ? kbuild_load<unsigned char>(__address)
           : size == 2 ? kbuild_load<unsigned short>(__address)
           : size == 4 ? kbuild_load<unsigned>(__address)
                       : kbuild_load<unsigned long long>(__address);
}

// Appends the value as JSON. Addresses, the bytes of structs, infinities, and NaN are strings.
static void kbuild_append_value(struct kbuild_text* text, const struct kbuild_argument* argument,
                                const void* __value) {
    const size_t size = argument->size;
    const bool has_number = size == 1 || size == 2 || size == 4 || size == 8;
    if (argument->kind == 'p') {
        kbuild_append(text, "\"0x%llx\"", kbuild_load_unsigned(__value, size));
    } else if (argument->kind == 'b') {
        kbuild_append(text, kbuild_load<unsigned char>(__value) != 0 ? "true" : "false");
    } else if (argument->kind == 'f') {
        const double number =
            size == 4 ? kbuild_load<float>(__value) : kbuild_load<double>(__value);
        const bool is_finite = number - number == 0;
        kbuild_append(text, is_finite ? "%.*g" : "\"%.*g\"", size == 4 ? 9 : 17, number);
    } else if (argument->kind == 'i' && has_number) {
        kbuild_append(text, "%lld", kbuild_load_integer(__value, size));
    } else if (argument->kind == 'u' && has_number) {
        kbuild_append(text, "%llu", kbuild_load_unsigned(__value, size));
    } else {
        kbuild_append(text, "\"");
        for (size_t index = 0; index < size && index < 64; index++)
            kbuild_append(text, "%02x", static_cast<const unsigned char*>(__value)[index]);
        kbuild_append(text, size > 64 ? "...\"" : "\"");
    }
}

// Appends an extent in the form `(4, 1, 1)`.
static void kbuild_append_extent(struct kbuild_text* text, struct kbuild_dim3 extent) {
    kbuild_append(text, "(%u, %u, %u)", extent.x, extent.y, extent.z);
}

#endif
