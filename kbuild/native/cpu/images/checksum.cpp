#include "images/checksum.hpp"

#include "api/errors.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace kbuild::cpu {
namespace {

using Table = std::array<std::uint32_t, 256>;

// For the reflected polynomial of RFC 1952, appendix 8.
constexpr Table make_table() {
    Table table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit)
            value = (value & 1) != 0 ? 0xEDB88320U ^ (value >> 1) : value >> 1;
        table[byte] = value;
    }
    return table;
}

std::uint32_t compute_crc(std::string_view bytes) {
    static constexpr Table table = make_table();
    std::uint32_t crc = ~std::uint32_t{0};
    for (const unsigned char byte : bytes) crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8);
    return ~crc;
}

}  // namespace

void check_image(std::string_view image) {
    if (image.size() >= checksum_bytes) {
        const auto end = image.substr(image.size() - checksum_bytes);
        std::uint32_t crc = 0;
        std::memcpy(&crc, end.data() + checksum_magic.size(), sizeof crc);
        if (end.substr(0, checksum_magic.size()) == checksum_magic &&
            crc == compute_crc(image.substr(0, image.size() - checksum_bytes)))
            return;
    }
    throw Failure(KBUILD_CPU_INVALID_IMAGE,
                  "the device image is damaged, or another tool has changed it: its checksum is "
                  "missing or wrong; compile it again");
}

}  // namespace kbuild::cpu
