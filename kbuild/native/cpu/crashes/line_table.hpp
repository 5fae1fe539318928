// Finds source lines in the DWARF line tables of an ELF file.
#ifndef KBUILD_CPU_CRASHES_LINE_TABLE_HPP
#define KBUILD_CPU_CRASHES_LINE_TABLE_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbuild::cpu {

struct SourceLine {
    std::string file;
    unsigned line;
};

// The contents of sections. A missing section is empty.
struct LineSections {
    std::string_view line;      // .debug_line
    std::string_view line_str;  // .debug_line_str
    std::string_view str;       // .debug_str
};

struct FoundLines {
    std::optional<SourceLine> innermost;
    // The closest line before the address in a file that `is_own` accepts, if possible one where a
    // statement begins.
    std::optional<SourceLine> own;
};

// Code of one line: the addresses from `start` on, up to `end`.
struct LineRange {
    std::uint64_t start;
    std::uint64_t end;
    SourceLine line;
};

// Returns the code of all lines in files that `is_own` accepts, in the order of addresses.
std::vector<LineRange> list_line_ranges(const LineSections& sections,
                                        const std::function<bool(const std::string&)>& is_own);

// Returns the lines of an instruction, as far as the tables know them. The address is relative to
// the load address of the file. Reads DWARF 2 to 5, and skips what is malformed.
FoundLines find_lines(const LineSections& sections, std::uint64_t address,
                      const std::function<bool(const std::string&)>& is_own);

}  // namespace kbuild::cpu

#endif
