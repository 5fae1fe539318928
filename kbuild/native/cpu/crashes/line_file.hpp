// The file of a loaded device image: its line tables, and the sources it was compiled from.
#ifndef KBUILD_CPU_CRASHES_LINE_FILE_HPP
#define KBUILD_CPU_CRASHES_LINE_FILE_HPP

#include "crashes/line_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kbuild::cpu {

// A file that is mapped into memory. Empty if it cannot be read.
class MappedFile {
public:
    explicit MappedFile(const std::string& path) noexcept;
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view bytes() const noexcept { return bytes_; }

private:
    std::string_view bytes_;
};

// Images list the project's own sources, with checksums, in the section `.kbuild_sources`; see
// kbuild/backends/cpu/options/lines.py.
using SourceChecksums = std::map<std::string, std::uint32_t>;

class LineFile {
public:
    explicit LineFile(const std::string& path);

    // Returns the lines of an instruction. The address is relative to the load address.
    FoundLines find(std::uint64_t address) const;

    // Returns the line of a call in host code, unless it is in kbuild's own headers.
    std::optional<SourceLine> find_caller(std::uint64_t address) const;

    // Returns the code of all lines in the project's own sources, in the order of addresses.
    std::vector<LineRange> list_own_ranges() const;

    // Returns the path of a source that differs from what the image was compiled from. Returns an
    // empty text if the source is the same or is not found on this machine.
    std::string find_changed_source(const std::string& name) const;

private:
    MappedFile file_;
    LineSections sections_;
    SourceChecksums sources_;
};

// Returns the CRC-32 of the lines of a source without spaces and comments.
std::uint32_t compute_checksum(std::string_view source) noexcept;

}  // namespace kbuild::cpu

#endif
