#include "crashes/line_file.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kbuild::cpu {
namespace {

template <class T>
bool read_struct(std::string_view bytes, std::uint64_t offset, T& value) noexcept {
    if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return true;
}

// Returns the contents of a section of an uncompressed ELF file, or nothing.
std::string_view section_bytes(std::string_view file, const ElfW(Shdr) & section) noexcept {
    if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0) return {};
    if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size)
        return {};
    return file.substr(section.sh_offset, section.sh_size);
}

template <class Visit>
void visit_sections(std::string_view file, Visit visit) {
    ElfW(Ehdr) header;
    if (!read_struct(file, 0, header) || header.e_shentsize != sizeof(ElfW(Shdr))) return;
    ElfW(Shdr) names;
    if (!read_struct(file, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof names, names))
        return;
    const auto text = section_bytes(file, names);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        ElfW(Shdr) section;
        if (!read_struct(file, header.e_shoff + std::uint64_t{i} * sizeof section, section)) return;
        if (section.sh_name >= text.size()) continue;
        const auto name = text.substr(section.sh_name);
        visit(name.substr(0, name.find('\0')), section_bytes(file, section));
    }
}

// Each line is the checksum as 8 hexadecimal digits, a space, and the name.
SourceChecksums read_source_checksums(std::string_view section) {
    constexpr std::size_t digits = 8;
    SourceChecksums checksums;
    for (std::size_t end; (end = section.find('\n')) != std::string_view::npos;
         section.remove_prefix(end + 1)) {
        const auto line = section.substr(0, end);
        if (line.size() <= digits + 1) continue;
        const std::string checksum(line.substr(0, digits));
        checksums.emplace(line.substr(digits + 1),
                          static_cast<std::uint32_t>(std::strtoul(checksum.c_str(), nullptr, 16)));
    }
    return checksums;
}

std::uint32_t add_to_crc32(std::uint32_t crc, unsigned char byte) noexcept {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
    return crc;
}

std::string program_path() {
    char path[PATH_MAX];
    const auto size = readlink("/proc/self/exe", path, sizeof path);
    return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

std::string working_directory() {
    char path[PATH_MAX];
    return getcwd(path, sizeof path) != nullptr ? std::string(path) + "/" : "";
}

// Relative names are relative to the project's root, which often contains the working directory or
// the program.
std::string find_source(const std::string& name) {
    if (name.front() == '/') return access(name.c_str(), R_OK) == 0 ? name : "";
    for (const auto& directory : {working_directory(), program_path()})
        for (auto slash = directory.rfind('/'); slash != std::string::npos && slash != 0;
             slash = directory.rfind('/', slash - 1)) {
            const auto path = directory.substr(0, slash + 1) + name;
            if (access(path.c_str(), R_OK) == 0) return path;
        }
    return "";
}

}  // namespace

std::uint32_t compute_checksum(std::string_view source) noexcept {
    std::uint32_t crc = ~std::uint32_t{0};
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == ' ' || source[i] == '\t' || source[i] == '\r') continue;
        const auto two = source.substr(i, 2);
        if (two != "//" && two != "/*") {
            crc = add_to_crc32(crc, static_cast<unsigned char>(source[i]));
            continue;
        }
        // The comment ends in its line, or the rest of the line is ignored.
        const auto line = source.substr(i, source.find('\n', i) - i);
        const auto end = two == "/*" ? line.find("*/", 2) : std::string_view::npos;
        i += (end == std::string_view::npos ? line.size() : end + 2) - 1;
    }
    return ~crc;
}

MappedFile::MappedFile(const std::string& path) noexcept {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const auto size = static_cast<std::size_t>(status.st_size);
        void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (start != MAP_FAILED) bytes_ = {static_cast<const char*>(start), size};
    }
    close(file);
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

LineFile::LineFile(const std::string& path) : file_(path) {
    visit_sections(file_.bytes(), [this](std::string_view name, std::string_view bytes) {
        if (name == ".debug_line") sections_.line = bytes;
        if (name == ".debug_line_str") sections_.line_str = bytes;
        if (name == ".debug_str") sections_.str = bytes;
        if (name == ".kbuild_sources") sources_ = read_source_checksums(bytes);
    });
}

FoundLines LineFile::find(std::uint64_t address) const {
    return find_lines(sections_, address,
                      [this](const std::string& name) { return sources_.count(name) != 0; });
}

std::optional<SourceLine> LineFile::find_caller(std::uint64_t address) const {
    auto line = find(address).innermost;
    const auto is_own = line && line->file.find("/kbuild_cpu/") != std::string::npos;
    return is_own ? std::nullopt : line;
}

std::vector<LineRange> LineFile::list_own_ranges() const {
    return list_line_ranges(sections_,
                            [this](const std::string& name) { return sources_.count(name) != 0; });
}

std::string LineFile::find_changed_source(const std::string& name) const {
    const auto compiled = sources_.find(name);
    if (compiled == sources_.end()) return "";
    const auto path = find_source(name);
    if (path.empty()) return "";
    const MappedFile now(path);
    return compute_checksum(now.bytes()) == compiled->second ? "" : path;
}

}  // namespace kbuild::cpu
