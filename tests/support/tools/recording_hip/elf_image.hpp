// Test code: reads ELF files and AMD's code objects, to judge what a runtime is handed.
#ifndef RECORDING_HIP_ELF_IMAGE_HPP
#define RECORDING_HIP_ELF_IMAGE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace recording {

// One that a loader maps where `address` is not 0.
struct Section {
    std::string name;
    std::uint64_t address, offset, size;
};

struct Symbol {
    std::string name;
    std::uint64_t value, size;
    bool is_local;
};

// A parameter of a kernel, where the code object's own metadata puts it.
struct Parameter {
    std::uint64_t offset, size;
};

// What an ELF file says of its sections and symbols; a violation where it contradicts itself.
struct ElfImage {
    std::uint16_t machine = 0;
    std::vector<Section> sections;
    std::vector<Symbol> symbols;

    const Section* find_section(const std::string& name) const;
    const Symbol* find_symbol(const std::string& name) const;
};

ElfImage read_elf(const unsigned char* data, std::size_t size);

// The visible parameters of a kernel, from the note that the compiler wrote.
std::vector<Parameter> read_parameters(const unsigned char* data, std::size_t size,
                                       const std::string& kernel);

constexpr std::uint16_t kAmdGpu = 224;

}  // namespace recording

#endif
