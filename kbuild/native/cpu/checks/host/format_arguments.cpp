#include "checks/host/format_arguments.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kbuild::cpu::checks {
namespace {

enum class Length { ordinary, wide, widest };  // int, long and all of its size, long double

const char* skip_any(const char* place, const char* characters) {
    return place + std::strspn(place, characters);
}

// Skips a number or a `*`, which takes an argument.
const char* skip_number(const char* place, std::va_list arguments) {
    if (*place != '*') return skip_any(place, "0123456789");
    static_cast<void>(va_arg(arguments, int));
    return place + 1;
}

}  // namespace

void visit_text_arguments(const char* format, std::va_list original,
                          const std::function<void(const void* text, bool writes)>& visit) {
    if (std::strchr(format, '$') != nullptr) return;
    std::va_list arguments;
    va_copy(arguments, original);
    for (const char* place = std::strchr(format, '%'); place != nullptr;
         place = std::strchr(place, '%')) {
        place = skip_number(skip_any(place + 1, "-+ #0'I"), arguments);
        if (*place == '.') place = skip_number(place + 1, arguments);
        const char* const conversion = skip_any(place, "hlLqjzt");
        const bool has_length = conversion != place && *place != 'h';
        const auto length = !has_length     ? Length::ordinary
                            : *place == 'L' ? Length::widest
                                            : Length::wide;
        place = conversion;
        if (*place == '\0') break;
        switch (*place++) {
        case '%':
        case 'm': break;
        case 's': visit(va_arg(arguments, const void*), false); break;
        case 'n': visit(va_arg(arguments, const void*), true); break;
        case 'p': static_cast<void>(va_arg(arguments, const void*)); break;
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
        case 'c':
            if (length == Length::ordinary)
                static_cast<void>(va_arg(arguments, int));
            else
                static_cast<void>(va_arg(arguments, std::int64_t));
            break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (length == Length::widest)
                static_cast<void>(va_arg(arguments, long double));
            else
                static_cast<void>(va_arg(arguments, double));
            break;
        default: va_end(arguments); return;
        }
    }
    va_end(arguments);
}

}  // namespace kbuild::cpu::checks
