#include "images/extent.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>

namespace kbuild::cpu {
namespace {

constexpr std::string_view offload_magic = "\x10\xFF\x10\xAD";
constexpr std::string_view fat_binary_magic = "\x50\xED\x55\xBA";  // of nvcc
constexpr std::uint16_t cuda_machine = 190;                        // EM_CUDA

bool starts_with(const char* bytes, std::size_t most, std::string_view start) {
    return most >= start.size() && std::memcmp(bytes, start.data(), start.size()) == 0;
}

[[noreturn]] void reject(int code, const std::string& what) {
    throw Failure(static_cast<kbuild_cpu_error>(code),
                  "the image is " + what +
                      ", which the cpu backend does not run; compile its source with kbuild-nvcc "
                      "(-fatbin, -cubin, or -ptx) for the cpu backend, or with NVRTC");
}

// A container is a sequence of offload binaries, each of which says its size.
std::size_t measure_container(const char* bytes, std::size_t most) {
    std::size_t size = 0;
    while (starts_with(bytes + size, most - size, offload_magic)) {
        std::uint64_t own = 0;
        require(most - size >= 32, "the container is incomplete");
        std::memcpy(&own, bytes + size + 8, sizeof own);
        require(own >= 32 && own <= most - size, "the container is incomplete");
        size += own;
    }
    return size;
}

std::size_t measure_elf(const char* bytes, std::size_t most) {
    Elf64_Ehdr header;
    require(most >= sizeof header, "the image is incomplete");
    std::memcpy(&header, bytes, sizeof header);
    if (header.e_machine == cuda_machine) reject(KBUILD_CPU_NO_IMAGE_FOR_MACHINE, "a cubin");
    // Linkers write the section headers last.
    std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
    require(header.e_phoff + std::size_t{header.e_phnum} * sizeof(Elf64_Phdr) <= most,
            "the image is incomplete");
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        std::memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        size = std::max<std::size_t>(size, segment.p_offset + segment.p_filesz);
    }
    require(size <= most, "the image is incomplete");
    return size;
}

// PTX is text that starts with comments and a version.
bool is_ptx(const char* bytes, std::size_t most) {
    std::size_t start = 0;
    while (start < most && std::strchr(" \t\r\n", bytes[start]) != nullptr && bytes[start] != '\0')
        ++start;
    return starts_with(bytes + start, most - start, "//") ||
           starts_with(bytes + start, most - start, "/*") ||
           starts_with(bytes + start, most - start, ".version");
}

}  // namespace

std::string_view measure_image(const void* image, std::size_t most_bytes) {
    require(image != nullptr, "the image is a null pointer");
    const auto* const bytes = static_cast<const char*>(image);
    if (starts_with(bytes, most_bytes, offload_magic))
        return {bytes, measure_container(bytes, most_bytes)};
    if (starts_with(bytes, most_bytes, ELFMAG)) return {bytes, measure_elf(bytes, most_bytes)};
    if (starts_with(bytes, most_bytes, fat_binary_magic))
        reject(KBUILD_CPU_NO_IMAGE_FOR_MACHINE, "a fat binary of nvcc");
    if (is_ptx(bytes, most_bytes)) reject(KBUILD_CPU_INVALID_PTX, "PTX");
    throw Failure(KBUILD_CPU_INVALID_IMAGE, "the image is neither a container nor a device image");
}

}  // namespace kbuild::cpu
