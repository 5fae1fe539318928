// Changes the launch bounds of a kernel in PTX text.
//
// Source: "Parallel Thread Execution ISA", chapter "Performance-Tuning Directives".
#ifndef KBUILD_DETAIL_COMPILED_LAUNCH_BOUNDS_HPP
#define KBUILD_DETAIL_COMPILED_LAUNCH_BOUNDS_HPP

#include <cctype>
#include <string>

namespace kbuild {
namespace detail {

// Returns where the name of an entry ends, or npos if the text does not define it.
inline std::size_t find_ptx_entry(const std::string& ptx, const std::string& kernel) {
    static const std::string keyword = ".entry";
    const auto none = std::string::npos;
    for (auto found = ptx.find(keyword); found != none; found = ptx.find(keyword, found + 1)) {
        const auto line = ptx.rfind('\n', found) + 1;  // npos + 1 is 0
        const auto start = ptx.find_first_not_of(" \t", found + keyword.size());
        if (start == none || ptx.compare(start, kernel.size(), kernel) != 0) continue;
        const auto end = start + kernel.size();
        const char next = end < ptx.size() ? ptx[end] : '(';
        const bool is_longer =
            std::isalnum(static_cast<unsigned char>(next)) || next == '_' || next == '$';
        if (!is_longer && ptx.substr(line, found - line).find("//") == none) return end;
    }
    return none;
}

// Returns the text with other limits of threads and registers for one kernel. Returns an empty text
// if it does not define the kernel, or if the size of its blocks is a guarantee (.reqntid) that the
// code can rely on.
inline std::string set_launch_bounds(const std::string& ptx, const std::string& kernel,
                                     unsigned threads, unsigned registers) {
    const auto none = std::string::npos;
    const auto head = find_ptx_entry(ptx, kernel);
    const auto body = ptx.find('{', head == none ? ptx.size() : head);
    if (body == none) return {};
    const auto list_end = ptx.rfind(')', body);
    const auto start = list_end != none && list_end > head ? list_end + 1 : head;
    std::string directives = ptx.substr(start, body - start);
    if (directives.find(".reqntid") != none) return {};
    for (const char* word : {".maxntid", ".minnctapersm", ".maxnreg"}) {
        const auto found = directives.find(word);
        if (found != none)
            directives.erase(found, directives.find_first_of(".\n", found + 1) - found);
    }
    directives +=
        "\n.maxntid " + std::to_string(threads) + "\n.maxnreg " + std::to_string(registers) + "\n";
    return ptx.substr(0, start) + directives + ptx.substr(body);
}

}  // namespace detail
}  // namespace kbuild

#endif
