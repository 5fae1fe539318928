// The readable names of kernels.
#ifndef KBUILD_DETAIL_COMPILED_NAMES_HPP
#define KBUILD_DETAIL_COMPILED_NAMES_HPP

#include <cxxabi.h>
#include <cstdlib>
#include <string>

namespace kbuild {
namespace detail {

// Returns the C++ name of a symbol, or the symbol itself if it is not mangled.
inline std::string demangle(const std::string& symbol) {
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 && text != nullptr ? text : symbol;
    std::free(text);
    return name;
}

inline std::string without_parameters(const std::string& display) {
    if (display.empty() || display.back() != ')') return display;
    int depth = 0;
    for (auto position = display.size(); position-- > 0;) {
        depth += (display[position] == ')') - (display[position] == '(');
        if (depth == 0) return display.substr(0, position);
    }
    return display;
}

// Returns whether a user can mean the kernel by the name: with or without the return type, which
// demanglers print for templates, and the parameter list.
inline bool is_name_of(const std::string& wanted, const std::string& display) {
    const auto plain = display.compare(0, 5, "void ") == 0 ? display.substr(5) : display;
    return wanted == display || wanted == plain || wanted == without_parameters(plain) ||
           wanted == without_parameters(display);
}

}  // namespace detail
}  // namespace kbuild

#endif
