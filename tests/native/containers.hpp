// Writes containers, as builds do.
#ifndef KBUILD_TESTS_CONTAINERS_HPP
#define KBUILD_TESTS_CONTAINERS_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

template <class... Numbers>
std::string pack(Numbers... numbers) {
    std::string text;
    (text.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return text;
}

inline std::string pad(std::string text) { return text.append((8 - text.size() % 8) % 8, '\0'); }

// Returns an LLVM offload binary, version 1, with one image.
inline std::string make_container(const std::string& image, const std::string& arch,
                                  const std::string& sha256 = std::string(64, '0')) {
    const std::vector<std::pair<std::string, std::string>> strings = {{"arch", arch},
                                                                      {"sha256", sha256}};
    constexpr std::uint64_t header_bytes = 32, entry_bytes = 40;
    const std::uint64_t table_offset = header_bytes + entry_bytes;
    const std::uint64_t text_offset = table_offset + 16 * strings.size();
    std::string table, text;
    for (const auto& [key, value] : strings) {
        const std::uint64_t offset = text_offset + text.size();
        table += pack(offset, offset + key.size() + 1);
        text += key + '\0' + value + '\0';
    }
    const auto names = pad(table + text);
    const std::uint64_t image_offset = table_offset + names.size();
    const std::uint64_t size = pad(image).size() + image_offset;
    const auto header =
        "\x10\xff\x10\xad" + pack(std::uint32_t{1}, size, header_bytes, entry_bytes);
    const auto entry =
        pack(std::uint16_t{1}, std::uint16_t{0}, std::uint32_t{0}, table_offset,
             std::uint64_t{strings.size()}, image_offset, std::uint64_t{image.size()});
    return header + entry + names + pad(image);
}

#endif
