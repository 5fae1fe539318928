// JSON text of any length, for captures of launches. If memory runs out, `__is_whole` becomes
// false. Names start with two underscores, because projects can define macros with any other name.
#ifndef KBUILD_DETAIL_CAPTURE_JSON_HPP
#define KBUILD_DETAIL_CAPTURE_JSON_HPP

#include <kbuild/module.h>

#include <cstdint>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kbuild_json {
    char* __text;
    size_t __length;
    size_t __capacity;
    bool __is_whole;
};

static void kbuild_put_bytes(struct kbuild_json* __json, const char* __bytes, size_t __count) {
    if (__json->__length + __count > __json->__capacity) {
        const size_t __capacity = 2 * (__json->__length + __count) + 1024;
        char* const __text = static_cast<char*>(realloc(__json->__text, __capacity));
        if (__text == nullptr) {
            __json->__is_whole = false;
            return;
        }
        __json->__text = __text;
        __json->__capacity = __capacity;
    }
    memcpy(__json->__text + __json->__length, __bytes, __count);
    __json->__length += __count;
}

// Appends formatted text of at most 511 bytes.
__attribute__((format(printf, 2, 3))) static void kbuild_put(struct kbuild_json* __json,
                                                             const char* __format, ...) {
    char __line[512];
    va_list __arguments;
    va_start(__arguments, __format);
    const int __written = vsnprintf(__line, sizeof __line, __format, __arguments);
    va_end(__arguments);
    if (__written < 0 || static_cast<size_t>(__written) >= sizeof __line)
        __json->__is_whole = false;
    else
        kbuild_put_bytes(__json, __line, static_cast<size_t>(__written));
}

// Returns the length of the UTF-8 character that starts here, or 0 if the bytes are not valid
// UTF-8.
static size_t kbuild_character_size(const unsigned char* __byte) {
    const unsigned char __first = __byte[0];
    if (__first < 0x80) return 1;
    if (__first < 0xC2 || __first > 0xF4) return 0;
    const size_t __size = __first < 0xE0 ? 2 : __first < 0xF0 ? 3 : 4;
    for (size_t __index = 1; __index < __size; __index++)
        if ((__byte[__index] & 0xC0) != 0x80) return 0;
    // Rejects overlong forms, surrogates, and code points above U+10FFFF.
    const bool __is_wrong =
        (__first == 0xE0 && __byte[1] < 0xA0) || (__first == 0xED && __byte[1] > 0x9F) ||
        (__first == 0xF0 && __byte[1] < 0x90) || (__first == 0xF4 && __byte[1] > 0x8F);
    return __is_wrong ? 0 : __size;
}

// Appends a JSON string of about `__limit` bytes at most, or null. File names might not be valid
// UTF-8.
static void kbuild_put_string(struct kbuild_json* __json, const char* __words, size_t __limit) {
    if (__words == nullptr) {
        kbuild_put(__json, "null");
        return;
    }
    const size_t __start = __json->__length;
    kbuild_put(__json, "\"");
    while (*__words != '\0' && __json->__length - __start < __limit) {
        const unsigned char* const __byte = reinterpret_cast<const unsigned char*>(__words);
        const size_t __size = kbuild_character_size(__byte);
        if (__size == 0)
            kbuild_put(__json, "\\ufffd");
        else if (*__byte == '"' || *__byte == '\\')
            kbuild_put(__json, "\\%c", *__byte);
        else if (*__byte < 0x20)
            kbuild_put(__json, "\\u%04x", static_cast<unsigned>(*__byte));
        else
            kbuild_put_bytes(__json, __words, __size);
        __words += __size == 0 ? 1 : __size;
    }
    kbuild_put(__json, "\"");
}

static void kbuild_put_hexadecimal(struct kbuild_json* __json, const unsigned char* __bytes,
                                   size_t __count) {
    kbuild_put(__json, "\"");
    for (size_t __index = 0; __index < __count; __index++)
        kbuild_put(__json, "%02x", __bytes[__index]);
    kbuild_put(__json, "\"");
}

// Empties the text, but keeps its memory.
static void kbuild_clear_json(struct kbuild_json* __json) {
    __json->__length = 0;
    __json->__is_whole = true;
}

// Copies an element of a list in the module's kernel table, which is compact JSON. `__list` is the
// start of the list, such as `"kernels":[`. Returns false if the element does not exist.
static bool kbuild_put_row(struct kbuild_json* __json, const struct kbuild_module* __module,
                           const char* __list, uint64_t __index) {
    const char* const __end = __module->record + __module->record_size;
    const char* __row = nullptr;
    const size_t __list_length = strlen(__list);
    uint64_t __number = 0;
    int __depth = 0;
    bool __is_inside = false, __is_string = false;
    for (const char* __place = __module->record; __place < __end; __place++) {
        if (__is_string) {
            if (*__place == '\\')
                __place++;
            else
                __is_string = *__place != '"';
        } else if (*__place == '"') {
            __is_string = __is_inside || __depth != 1 ||
                          static_cast<size_t>(__end - __place) < __list_length ||
                          memcmp(__place, __list, __list_length) != 0;
            if (__is_string) continue;
            __is_inside = true;
            __depth = 2;
            __place += __list_length - 1;
        } else if (*__place == '{' || *__place == '[') {
            if (__is_inside && __depth == 2) __row = __place;
            __depth++;
        } else if (*__place == '}' || *__place == ']') {
            __depth--;
            if (__is_inside && __depth < 2) return false;
            if (!__is_inside || __depth != 2 || __number++ != __index) continue;
            kbuild_put_bytes(__json, __row, static_cast<size_t>(__place + 1 - __row));
            return true;
        }
    }
    return false;
}

#endif
