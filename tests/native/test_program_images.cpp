// The images that programs load, which can be damaged or truncated.
#include "containers.hpp"
#include "launches.hpp"

#include "api/errors.hpp"
#include "images/checksum.hpp"
#include "images/program_image.hpp"

#include <cstring>
#include <elf.h>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace kbuild::cpu;

namespace {

// The CRC-32 of zlib, bit by bit.
std::uint32_t compute_crc(const std::string& text) {
    std::uint32_t crc = ~std::uint32_t{0};
    for (const unsigned char byte : text) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) * 0xEDB88320U);
    }
    return ~crc;
}

// Returns a file that is ELF as far as its size is concerned, with its checksum.
std::string make_image() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_type = ET_DYN;
    header.e_shoff = 200;
    header.e_shnum = 2;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    const Elf64_Phdr segment{};
    auto image = pack(header, segment);
    while (image.size() < 200 + 2 * sizeof(Elf64_Shdr)) image += static_cast<char>(image.size());
    return image + std::string(checksum_magic) + pack(compute_crc(image));
}

// The same as text, which `kbuild-nvcc -ptx` writes.
std::string make_text(const std::string& image) {
    const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char count[14];
    std::snprintf(count, sizeof count, "%012zu\n", image.size());
    auto text = std::string("// kbuild: a device image for the CPU, which has no PTX: ") + count;
    const auto start = text.size();
    for (std::size_t i = 0; i < image.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits =
                bits << 8 | (i + k < image.size() ? static_cast<unsigned char>(image[i + k]) : 0);
        for (int shift = 18; shift >= 0; shift -= 6) text += digits[bits >> shift & 63];
        if ((text.size() - start) % 77 == 76) text += '\n';
    }
    if (text.back() == '\n') text.pop_back();
    for (std::size_t k = 0; k < (3 - image.size() % 3) % 3; ++k) text[text.size() - 1 - k] = '=';
    return text + "\n";
}

bool is_rejected(const void* image, std::size_t bytes) {
    try {
        copy_program_image(image, bytes);
        return false;
    } catch (const Failure& failure) {
        const int code = failure.code();
        REQUIRE((code == KBUILD_CPU_INVALID_IMAGE || code == KBUILD_CPU_INVALID_PTX ||
                 code == KBUILD_CPU_NO_IMAGE_FOR_MACHINE));
        return true;
    }
}

TEST_CASE("images of programs are read in all their forms") {
    REQUIRE(compute_crc("123456789") == 0xCBF43926);
    const auto image = make_image();
    REQUIRE(copy_program_image(image.data(), unknown_size) == image);
    const auto text = make_text(image);
    REQUIRE(copy_program_image(text.c_str(), unknown_size) == image);
    REQUIRE(copy_program_image(text.data(), text.size()) == image);
    const auto container = make_container(image, "a") + make_container(image, "b");
    REQUIRE(copy_program_image((container + '\0').data(), unknown_size) == container);
}

TEST_CASE("an image that ends too early is rejected, and nothing behind it is read") {
    const auto image = make_image();
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* const memory = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mprotect(memory + page, page, PROT_NONE) == 0);
    for (const auto& whole : {image, make_text(image), make_container(image, "a")})
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const std::unique_ptr<char[]> copy(new char[size]);  // sanitizers detect overruns
            std::memcpy(copy.get(), whole.data(), size);
            const bool has_lost_a_line_break = size + 1 == whole.size() && whole[size] == '\n';
            if (!has_lost_a_line_break) REQUIRE(is_rejected(copy.get(), size));
            std::memcpy(memory + page - size, whole.data(), size);
            REQUIRE(is_rejected(memory + page - size, unknown_size));
        }
    munmap(memory, 2 * page);
}

TEST_CASE("a damaged image is rejected") {
    const auto image = make_image();
    for (std::size_t at = 0; at < image.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            auto damaged = image;
            damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
            REQUIRE(is_rejected(damaged.data(), damaged.size()));
            const auto text = make_text(damaged);
            REQUIRE(is_rejected(text.data(), text.size()));
        }
}

}  // namespace
