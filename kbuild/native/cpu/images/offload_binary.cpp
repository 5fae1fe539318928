#include "images/offload_binary.hpp"

#include "api/errors.hpp"

#include <cstdint>
#include <cstring>

namespace kbuild::cpu {
namespace {

constexpr std::uint8_t magic[4] = {0x10, 0xFF, 0x10, 0xAD};
constexpr std::uint32_t version = 1;
constexpr std::uint16_t image_kind_object = 1;
constexpr std::uint64_t alignment = 8;

struct Header {
    std::uint8_t magic[4];
    std::uint32_t version;
    std::uint64_t size;
    std::uint64_t entry_offset;
    std::uint64_t entry_size;
};
static_assert(sizeof(Header) == 32);

struct Entry {
    std::uint16_t image_kind;
    std::uint16_t offload_kind;
    std::uint32_t flags;
    std::uint64_t string_offset;
    std::uint64_t string_count;
    std::uint64_t image_offset;
    std::uint64_t image_size;
};
static_assert(sizeof(Entry) == 40);

struct StringEntry {
    std::uint64_t key_offset;
    std::uint64_t value_offset;
};

[[noreturn]] void malformed(const char* what) {
    throw Failure(KBUILD_CPU_INVALID_IMAGE, std::string("malformed container: ") + what);
}

std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                       const char* what) {
    if (offset > bytes.size() || size > bytes.size() - offset) malformed(what);
    return bytes.substr(offset, size);
}

// Copies the record, because the bytes might not be aligned.
template <class T>
T record_at(std::string_view bytes, std::uint64_t offset, const char* what) {
    T record;
    std::memcpy(&record, slice(bytes, offset, sizeof record, what).data(), sizeof record);
    return record;
}

std::string_view string_at(std::string_view bytes, std::uint64_t offset) {
    if (offset > bytes.size()) malformed("a string starts past the end");
    const auto end = bytes.find('\0', offset);
    if (end == std::string_view::npos) malformed("a string is not terminated");
    return bytes.substr(offset, end - offset);
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

OffloadImage read_image(std::string_view binary, const Entry& entry) {
    OffloadImage image;
    image.bytes =
        slice(binary, entry.image_offset, entry.image_size, "an image extends past the end");
    if (entry.string_count > binary.size() / sizeof(StringEntry))
        malformed("the string table is larger than the container");
    const auto table = slice(binary, entry.string_offset, entry.string_count * sizeof(StringEntry),
                             "the string table extends past the end");
    for (std::uint64_t i = 0; i < entry.string_count; ++i) {
        const auto row = record_at<StringEntry>(table, i * sizeof(StringEntry), "a string");
        const auto key = string_at(binary, row.key_offset);
        if (key == "arch") image.arch = string_at(binary, row.value_offset);
        if (key == "sha256") image.sha256 = string_at(binary, row.value_offset);
    }
    if (image.arch.empty()) malformed("an image has no architecture");
    // The hash becomes a file name, so an invalid one would be a security problem.
    if (!is_sha256(image.sha256)) malformed("an image's sha256 is missing or not 64 hex digits");
    return image;
}

}  // namespace

std::vector<OffloadImage> read_offload_images(std::string_view container) {
    std::vector<OffloadImage> images;
    while (!container.empty()) {
        const auto header = record_at<Header>(container, 0, "the header is truncated");
        if (std::memcmp(header.magic, magic, sizeof magic) != 0) malformed("wrong magic number");
        if (header.version != version) malformed("unsupported version");
        if (header.size < sizeof header) malformed("the size is smaller than the header");
        if (header.entry_size < sizeof(Entry)) malformed("the entry is too small");
        const auto binary = slice(container, 0, header.size, "it extends past the end of the data");
        const auto entry =
            record_at<Entry>(binary, header.entry_offset, "the entry extends past the end");
        if (entry.image_kind == image_kind_object) images.push_back(read_image(binary, entry));
        const auto padded = header.size + (alignment - header.size % alignment) % alignment;
        container.remove_prefix(padded < container.size() ? padded : container.size());
    }
    return images;
}

}  // namespace kbuild::cpu
