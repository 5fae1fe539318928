// What AMD's code objects say about their kernels: a MessagePack map in an ELF note.
//
// Source: "Code Object Metadata" for versions 3 to 6 in LLVM's "User Guide for AMDGPU Backend".
#ifndef KBUILD_DETAIL_COMPILED_AMD_METADATA_HPP
#define KBUILD_DETAIL_COMPILED_AMD_METADATA_HPP

#include <kbuild/detail/compiled/kernel.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kbuild {
namespace detail {

// Returns a number of at most eight bytes; 0 outside of the content.
inline std::uint64_t read_number(const std::string& content, std::uint64_t offset,
                                 std::size_t bytes) {
    std::uint64_t number = 0;
    if (offset <= content.size() && bytes <= content.size() - offset)
        std::memcpy(&number, content.data() + offset, bytes);
    return number;
}

// A value of the metadata: a number, a text, a list, or a map. All others are 0.
struct MetadataValue {
    std::uint64_t number = 0;
    std::string text;
    std::vector<std::string> keys;  // of a map
    std::vector<MetadataValue> items;

    // Returns the value of a key; an empty value if the map does not have it.
    const MetadataValue& operator[](const char* key) const {
        static const MetadataValue none;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == key) return items[i];
        return none;
    }
};

// Reads MessagePack. Its numbers are big-endian.
class MetadataReader {
public:
    explicit MetadataReader(std::string content) : content_(std::move(content)) {}

    // Returns false if the content is damaged, or has values that metadata does not contain.
    bool read(MetadataValue* value, int depth = 0) {
        std::uint64_t tag = 0, count = 0;
        if (depth > most_levels || !take(&tag, 1)) return false;
        if (tag < 0x80) return value->number = tag, true;
        if (tag < 0x90) return read_items(value, tag & 15, true, depth);
        if (tag < 0xa0) return read_items(value, tag & 15, false, depth);
        if (tag < 0xc0) return read_text(&value->text, tag & 31);
        switch (tag) {
        case 0xc0:
        case 0xc2: return true;
        case 0xc3: return value->number = 1, true;
        case 0xcc:
        case 0xcd:
        case 0xce:
        case 0xcf: return take(&value->number, std::size_t{1} << (tag - 0xcc));
        case 0xd9:
        case 0xda:
        case 0xdb:
            return take(&count, std::size_t{1} << (tag - 0xd9)) && read_text(&value->text, count);
        case 0xdc:
        case 0xdd:
        case 0xde:
        case 0xdf:
            return take(&count, tag % 2 == 0 ? 2 : 4) &&
                   read_items(value, count, tag >= 0xde, depth);
        default: return false;
        }
    }

private:
    static constexpr int most_levels = 16;

    bool take(std::uint64_t* number, std::size_t bytes) {
        if (content_.size() - next_ < bytes) return false;
        for (*number = 0; bytes > 0; --bytes)
            *number = *number << 8 | static_cast<unsigned char>(content_[next_++]);
        return true;
    }

    bool read_text(std::string* text, std::uint64_t bytes) {
        if (content_.size() - next_ < bytes) return false;
        text->assign(content_, next_, static_cast<std::size_t>(bytes));
        next_ += static_cast<std::size_t>(bytes);
        return true;
    }

    bool read_items(MetadataValue* value, std::uint64_t count, bool is_map, int depth) {
        for (; count > 0; --count) {
            MetadataValue key, item;
            if (is_map && !read(&key, depth + 1)) return false;
            if (!read(&item, depth + 1)) return false;
            if (is_map) value->keys.push_back(std::move(key.text));
            value->items.push_back(std::move(item));
        }
        return true;
    }

    const std::string content_;
    std::size_t next_ = 0;
};

// Returns the description of the first note of a type in the sections of an ELF file.
inline std::string find_note(const std::string& elf, const std::string& owner, std::uint64_t type) {
    const auto padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
    const auto sections = read_number(elf, 40, 8), row_bytes = read_number(elf, 58, 2);
    for (std::uint64_t i = 0; i < read_number(elf, 60, 2); ++i) {
        const auto row = sections + i * row_bytes;
        if (read_number(elf, row + 4, 4) != 7) continue;  // SHT_NOTE
        auto note = read_number(elf, row + 24, 8);
        const auto section_bytes = read_number(elf, row + 32, 8);
        if (note > elf.size() || section_bytes > elf.size() - note) continue;
        for (const auto end = note + section_bytes; note + 12 <= end;) {
            const auto name = note + 12, name_bytes = read_number(elf, note, 4);
            const auto text = name + padded(name_bytes), bytes = read_number(elf, note + 4, 4);
            if (text > end || bytes > end - text) break;
            if (read_number(elf, note + 8, 4) == type && name_bytes == owner.size() + 1 &&
                elf.compare(name, owner.size(), owner) == 0)
                return elf.substr(text, bytes);
            note = text + padded(bytes);
        }
    }
    return {};
}

struct AmdKernelFacts {
    std::string name;
    std::vector<kbuild_param> params;
    KernelResources resources;
};

inline AmdKernelFacts describe_amd_kernel(const MetadataValue& row) {
    AmdKernelFacts facts;
    const std::string descriptor = row[".symbol"].text, suffix = ".kd";
    facts.name = descriptor.substr(0, descriptor.size() - suffix.size());
    for (const auto& argument : row[".args"].items)
        if (argument[".value_kind"].text.compare(0, 7, "hidden_") != 0)
            facts.params.push_back({static_cast<std::uint32_t>(argument[".offset"].number),
                                    static_cast<std::uint32_t>(argument[".size"].number)});
    const auto count = [&](const char* key) { return static_cast<int>(row[key].number); };
    facts.resources.registers = count(".vgpr_count");
    facts.resources.shared_bytes = count(".group_segment_fixed_size");
    facts.resources.local_bytes = count(".private_segment_fixed_size");
    if (row[".max_flat_workgroup_size"].number != 0)
        facts.resources.max_threads = count(".max_flat_workgroup_size");
    return facts;
}

// Reads the kernels of a code object, and its architecture, such as gfx90a:xnack-.
inline error read_amd_metadata(std::vector<AmdKernelFacts>* kernels, std::string* arch,
                               const std::string& image) {
    MetadataValue root;
    const auto note = find_note(image, "AMDGPU", 32);
    if (note.empty() || !MetadataReader(note).read(&root))
        return error(error_invalid_image,
                     "the code object has no metadata, or it is damaged; compile it with "
                     "-mcode-object-version=3 or newer");
    for (const auto& row : root["amdhsa.kernels"].items)
        if (row[".symbol"].text.size() > 3) kernels->push_back(describe_amd_kernel(row));
    // amdgcn-amd-amdhsa--gfx90a
    std::string target = root["amdhsa.target"].text;
    const auto separator = target.find("--");
    *arch = separator == std::string::npos ? "" : target.substr(separator + 2);
    return error();
}

}  // namespace detail
}  // namespace kbuild

#endif
