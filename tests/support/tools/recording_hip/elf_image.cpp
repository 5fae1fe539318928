#include "elf_image.hpp"

#include <elf.h>

#include <cstring>
#include <map>

#include "journal.hpp"

namespace recording {
namespace {

// A range of bytes with bounds checks.
struct View {
    const unsigned char* data;
    std::size_t size;

    View part(std::uint64_t offset, std::uint64_t length) const {
        require(offset <= size && length <= size - offset, "an ELF file is truncated");
        return {data + offset, static_cast<std::size_t>(length)};
    }

    template <class T>
    T get(std::uint64_t offset) const {
        T result;
        std::memcpy(&result, part(offset, sizeof result).data, sizeof result);
        return result;
    }

    std::string text(std::uint64_t offset) const {
        require(offset < size, "a name is outside of its table");
        const auto* start = reinterpret_cast<const char*>(data + offset);
        return {start, strnlen(start, size - offset)};
    }
};

std::vector<Elf64_Shdr> read_headers(View file, const Elf64_Ehdr& header) {
    std::vector<Elf64_Shdr> result;
    for (unsigned index = 0; index < header.e_shnum; ++index)
        result.push_back(file.get<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr)));
    return result;
}

void add_symbols(View file, const Elf64_Shdr& table, const Elf64_Shdr& strings, ElfImage& image) {
    const View names = file.part(strings.sh_offset, strings.sh_size);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = file.get<Elf64_Sym>(table.sh_offset + at);
        if (symbol.st_name != 0 && symbol.st_shndx != SHN_UNDEF)
            image.symbols.push_back({names.text(symbol.st_name), symbol.st_value, symbol.st_size,
                                     ELF64_ST_BIND(symbol.st_info) == STB_LOCAL});
    }
}

// A value in the part of MessagePack that AMD's metadata uses.
struct Value {
    std::uint64_t number = 0;
    std::string text;
    std::vector<Value> list;
    std::map<std::string, Value> fields;

    const Value& at(const char* key) const {
        const auto found = fields.find(key);
        require(found != fields.end(), std::string("metadata without ") + key);
        return found->second;
    }
};

class MessagePack {
public:
    explicit MessagePack(View view) : view_(view) {}

    Value read() {
        const unsigned tag = static_cast<unsigned>(take(1));
        Value value;
        if (tag < 0x80) value.number = tag;
        else if (tag < 0x90) read_map(value, tag & 15);
        else if (tag < 0xa0) read_list(value, tag & 15);
        else if (tag < 0xc0) read_text(value, tag & 31);
        else if (tag == 0xc0 || tag == 0xc2) value.number = 0;
        else if (tag == 0xc3) value.number = 1;
        else if (tag >= 0xcc && tag <= 0xcf) value.number = take(1u << (tag - 0xcc));
        else if (tag >= 0xd0 && tag <= 0xd3) value.number = take(1u << (tag - 0xd0));
        else if (tag >= 0xd9 && tag <= 0xdb) read_text(value, take(1u << (tag - 0xd9)));
        else if (tag == 0xdc || tag == 0xdd) read_list(value, take(2u << (tag - 0xdc)));
        else if (tag == 0xde || tag == 0xdf) read_map(value, take(2u << (tag - 0xde)));
        else require(tag >= 0xe0, "metadata is not valid MessagePack");
        return value;
    }

private:
    // Numbers are big-endian.
    std::uint64_t take(unsigned bytes) {
        const View part = view_.part(position_, bytes);
        std::uint64_t number = 0;
        for (unsigned index = 0; index < bytes; ++index) number = number << 8 | part.data[index];
        position_ += bytes;
        return number;
    }

    void read_text(Value& value, std::uint64_t length) {
        const View part = view_.part(position_, length);
        value.text.assign(reinterpret_cast<const char*>(part.data), part.size);
        position_ += length;
    }

    void read_list(Value& value, std::uint64_t count) {
        while (count-- > 0) value.list.push_back(read());
    }

    void read_map(Value& value, std::uint64_t count) {
        while (count-- > 0) {
            const std::string key = read().text;
            value.fields[key] = read();
        }
    }

    View view_;
    std::uint64_t position_ = 0;
};

// Returns the description of the note with owner AMDGPU and type 32, which contains the metadata.
View find_metadata(View file, const ElfImage& image) {
    constexpr unsigned kMetadata = 32;
    for (const Section& section : image.sections) {
        if (section.name != ".note") continue;
        const View notes = file.part(section.offset, section.size);
        for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size;) {
            const auto header = notes.get<Elf64_Nhdr>(at);
            const std::uint64_t start = at + sizeof header + ((header.n_namesz + 3) & ~3u);
            if (header.n_type == kMetadata && notes.text(at + sizeof header) == "AMDGPU")
                return notes.part(start, header.n_descsz);
            at = start + ((header.n_descsz + 3) & ~3u);
        }
    }
    require(false, "a code object without metadata");
    return {};
}

}  // namespace

const Section* ElfImage::find_section(const std::string& name) const {
    for (const Section& section : sections)
        if (section.name == name) return &section;
    return nullptr;
}

const Symbol* ElfImage::find_symbol(const std::string& name) const {
    for (const Symbol& symbol : symbols)
        if (symbol.name == name) return &symbol;
    return nullptr;
}

ElfImage read_elf(const unsigned char* data, std::size_t size) {
    const View file{data, size};
    const auto header = file.get<Elf64_Ehdr>(0);
    require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                header.e_ident[EI_CLASS] == ELFCLASS64,
            "not an ELF file");
    ElfImage image;
    image.machine = header.e_machine;
    const auto headers = read_headers(file, header);
    if (headers.empty()) return image;
    require(header.e_shstrndx < headers.size(), "an ELF file without section names");
    const Elf64_Shdr& strings = headers[header.e_shstrndx];
    const View names = file.part(strings.sh_offset, strings.sh_size);
    for (const Elf64_Shdr& section : headers) {
        // The addresses of thread-local sections are not addresses in memory.
        const std::uint64_t address = section.sh_flags & SHF_TLS ? 0 : section.sh_addr;
        image.sections.push_back(
            {names.text(section.sh_name), address, section.sh_offset, section.sh_size});
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
            add_symbols(file, section, headers.at(section.sh_link), image);
    }
    return image;
}

std::vector<Parameter> read_parameters(const unsigned char* data, std::size_t size,
                                       const std::string& kernel) {
    const View file{data, size};
    const Value metadata = MessagePack(find_metadata(file, read_elf(data, size))).read();
    for (const Value& row : metadata.at("amdhsa.kernels").list) {
        if (row.at(".name").text != kernel) continue;
        std::vector<Parameter> result;
        const auto args = row.fields.find(".args");
        if (args == row.fields.end()) return result;
        for (const Value& arg : args->second.list)
            if (arg.at(".value_kind").text.rfind("hidden_", 0) != 0)
                result.push_back({arg.at(".offset").number, arg.at(".size").number});
        return result;
    }
    require(false, "no metadata of kernel " + kernel);
    return {};
}

}  // namespace recording
