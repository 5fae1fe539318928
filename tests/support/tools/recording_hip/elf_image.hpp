// Test code: reads ELF files and AMD's code objects, to check the arguments of the runtime.
#ifndef RECORDING_HIP_ELF_IMAGE_HPP
#define RECORDING_HIP_ELF_IMAGE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace recording {

// A section. The loader maps it if `address` is not 0.
struct Section {
    std::string name;
    std::uint64_t address, offset, size;
};

struct Symbol {
    std::string name;
    std::uint64_t value, size;
    bool is_local;
};

// A kernel parameter, as described in the code object's metadata.
struct Parameter {
    std::uint64_t offset, size;
};

// The sections and symbols of an ELF file. Inconsistencies end the program as violations.
struct ElfImage {
    std::uint16_t machine = 0;
    std::vector<Section> sections;
    std::vector<Symbol> symbols;

    const Section* find_section(const std::string& name) const;
    const Symbol* find_symbol(const std::string& name) const;
};

ElfImage read_elf(const unsigned char* data, std::size_t size);

// Returns the explicit parameters of a kernel, from the note that the compiler wrote.
std::vector<Parameter> read_parameters(const unsigned char* data, std::size_t size,
                                       const std::string& kernel);

constexpr std::uint16_t kAmdGpu = 224;

}  // namespace recording

#endif
