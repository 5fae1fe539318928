#include "loaded_file.hpp"

#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "elf_image.hpp"
#include "journal.hpp"

namespace recording {
namespace {

struct Place {
    const void* address;
    std::string path;
    std::uint64_t offset = 0;  // the virtual address in the file
    bool is_found = false;
};

std::string find_executable() {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

int look_at(dl_phdr_info* object, std::size_t, void* data) {
    auto& place = *static_cast<Place*>(data);
    const auto offset = reinterpret_cast<std::uintptr_t>(place.address) - object->dlpi_addr;
    for (unsigned index = 0; index < object->dlpi_phnum; ++index) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[index];
        if (segment.p_type != PT_LOAD || offset - segment.p_vaddr >= segment.p_memsz) continue;
        place.path = object->dlpi_name[0] != '\0' ? object->dlpi_name : find_executable();
        place.offset = offset;
        place.is_found = true;
        return 1;
    }
    return 0;
}

Place find_place(const void* address) {
    Place place{address, {}, 0, false};
    dl_iterate_phdr(look_at, &place);
    return place;
}

const ElfImage& read_file(const std::string& path) {
    static std::map<std::string, ElfImage> known;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(path);
    if (found != known.end()) return found->second;
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    const auto* data = reinterpret_cast<const unsigned char*>(content.data());
    // Some objects in a process are not files, such as the vDSO.
    return known[path] = content.empty() ? ElfImage() : read_elf(data, content.size());
}

}  // namespace

std::string file_of(const void* address) {
    const Place place = find_place(address);
    return place.path.substr(place.path.rfind('/') + 1);
}

std::string section_of(const void* address) {
    const Place place = find_place(address);
    if (!place.is_found) return "";
    for (const Section& section : read_file(place.path).sections)
        if (section.address != 0 && place.offset - section.address < section.size) return section.name;
    return "";
}

// Returns whether the rest of a symbol is what kbuild appends to the second handle with one name:
// two numbers.
static bool is_number_pair(const std::string& rest) {
    return !rest.empty() && rest[0] == '.' && std::count(rest.begin(), rest.end(), '.') == 2 &&
           rest.find_first_not_of(".0123456789") == std::string::npos;
}

bool is_named(const void* address, const std::string& name) {
    const Place place = find_place(address);
    if (!place.is_found) return false;
    const auto& symbols = read_file(place.path).symbols;
    return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
        return symbol.value == place.offset && symbol.name.compare(0, name.size(), name) == 0 &&
               (symbol.name.size() == name.size() || is_number_pair(symbol.name.substr(name.size())));
    });
}

bool has_name(const void* address) {
    const Place place = find_place(address);
    if (!place.is_found) return false;
    const auto& symbols = read_file(place.path).symbols;
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const Symbol& symbol) { return symbol.value == place.offset; });
}

std::string function_around(const void* address) {
    const Place place = find_place(address);
    if (!place.is_found) return "?";
    std::string local = "?";
    for (const Symbol& symbol : read_file(place.path).symbols) {
        if (place.offset - symbol.value >= symbol.size) continue;
        if (!symbol.is_local) return symbol.name; // debuggers also prefer global names
        local = symbol.name;
    }
    return local;
}

}  // namespace recording
