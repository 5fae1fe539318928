#include "images/program_image.hpp"

#include "api/errors.hpp"
#include "images/checksum.hpp"
#include "images/offload_binary.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

constexpr std::string_view offload_magic = "\x10\xFF\x10\xAD";
constexpr std::string_view fat_binary_magic = "\x50\xED\x55\xBA";  // of nvcc
constexpr std::uint16_t cuda_machine = 190;                        // EM_CUDA
// See kbuild/formats/image_text.py. The number of bytes in 12 digits and a line break follow, and then
// lines of base64.
constexpr std::string_view text_magic = "// kbuild: a device image for the CPU, which has no PTX: ";
constexpr std::size_t text_digits = 12, text_line = 76;

[[noreturn]] void reject(int code, const std::string& what) {
    throw Failure(static_cast<kbuild_cpu_error>(code),
                  "the image is " + what +
                      ", which the cpu backend does not run; compile its source with kbuild-nvcc "
                      "(-fatbin, -cubin, or -ptx) for the cpu backend, or with NVRTC");
}

std::size_t bytes_to_next_page(const char* address) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (page - reinterpret_cast<std::uintptr_t>(address) % page) % page;
}

// Returns whether the process can read the bytes. The kernel says it without a signal.
bool is_readable(const char* start, std::size_t bytes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "cannot create a pipe to read an image");
    bool can_read = true;
    for (std::size_t at = 0; can_read && at < bytes;) {
        char ignored = 0;
        // Not write(), whose arguments AddressSanitizer checks.
        can_read =
            syscall(SYS_write, ends[1], start + at, 1) == 1 && read(ends[0], &ignored, 1) == 1;
        at += 1 + bytes_to_next_page(start + at + 1);
    }
    close(ends[0]);
    close(ends[1]);
    return can_read;
}

// The memory of a program from an address on.
class Memory {
public:
    Memory(const char* start, std::size_t most) : start_(start), most_(most) {}

    // Returns the first bytes. Throws Failure if there are not so many.
    std::string_view first(std::size_t bytes) {
        if (bytes > most_ || (most_ == unknown_size && bytes > known_ &&
                              !is_readable(start_ + known_, bytes - known_)))
            throw Failure(KBUILD_CPU_INVALID_IMAGE, "the device image is incomplete");
        if (bytes > known_) known_ = bytes + bytes_to_next_page(start_ + bytes);
        return {start_, bytes};
    }

    bool starts_with(std::string_view text, std::size_t from = 0) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (from + i >= most_ || first(from + i + 1).back() != text[i]) return false;
        return true;
    }

private:
    const char* start_;
    std::size_t most_;
    std::size_t known_ = 0;  // bytes that can be read
};

template <class T>
T read_record(Memory& memory, std::uint64_t offset) {
    T record;
    if (offset > unknown_size - sizeof record)
        throw Failure(KBUILD_CPU_INVALID_IMAGE, "the device image is damaged");
    const auto bytes = memory.first(offset + sizeof record);
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    return record;
}

// A container is a sequence of offload binaries, each of which says its size.
std::string_view copy_container(Memory& memory) {
    std::uint64_t size = 0;
    while (memory.starts_with(offload_magic, size)) {
        const auto own = read_record<std::uint64_t>(memory, size + 8);
        if (own < 32 || own > unknown_size - size)
            throw Failure(KBUILD_CPU_INVALID_IMAGE, "the container is damaged");
        size += own;
        memory.first(size);
    }
    return memory.first(size);
}

std::string_view copy_elf(Memory& memory) {
    const auto header = read_record<Elf64_Ehdr>(memory, 0);
    if (header.e_machine == cuda_machine) reject(KBUILD_CPU_NO_IMAGE_FOR_MACHINE, "a cubin");
    const auto limit = [](std::uint64_t start, std::uint64_t bytes) {
        return start > unknown_size / 2 || bytes > unknown_size / 2 ? unknown_size : start + bytes;
    };
    // Linkers write the section headers last.
    std::uint64_t size = limit(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto segment = read_record<Elf64_Phdr>(
            memory, limit(header.e_phoff, std::uint64_t{i} * sizeof(Elf64_Phdr)));
        size = std::max(size, limit(segment.p_offset, segment.p_filesz));
    }
    const auto image = memory.first(limit(size, checksum_bytes));
    check_image(image);
    return image;
}

int read_digit(char character) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto found = alphabet.find(character);
    if (found == alphabet.npos)
        throw Failure(KBUILD_CPU_INVALID_PTX, "the text of the device image is damaged");
    return static_cast<int>(found);
}

std::string decode_text(Memory& memory) {
    const auto head = memory.first(text_magic.size() + text_digits + 1);
    std::uint64_t bytes = 0;
    std::from_chars(head.data() + text_magic.size(), head.data() + head.size() - 1, bytes);
    const auto characters = (bytes + 2) / 3 * 4;
    const auto lines = (characters + text_line - 1) / text_line;
    const auto text = memory.first(head.size() + characters + lines).substr(head.size());
    std::string decoded;
    unsigned pending = 0, count = 0;
    for (std::size_t i = 0; i < text.size() && decoded.size() < bytes; ++i) {
        if (i % (text_line + 1) == text_line) continue;  // a line break
        pending = pending << 6 | static_cast<unsigned>(text[i] == '=' ? 0 : read_digit(text[i]));
        if (++count % 4 != 0) continue;
        for (const int shift : {16, 8, 0})
            if (decoded.size() < bytes)
                decoded.push_back(static_cast<char>(pending >> shift & 0xFF));
        pending = 0;
    }
    return decoded;
}

// PTX is text that starts with comments and a version.
bool is_ptx(Memory& memory) {
    std::size_t start = 0;
    while (memory.starts_with(" ", start) || memory.starts_with("\t", start) ||
           memory.starts_with("\r", start) || memory.starts_with("\n", start))
        ++start;
    return memory.starts_with("//", start) || memory.starts_with("/*", start) ||
           memory.starts_with(".version", start);
}

bool is_relocatable_elf(std::string_view image) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header || image.substr(0, SELFMAG) != ELFMAG) return false;
    std::memcpy(&header, image.data(), sizeof header);
    return header.e_type == ET_REL;
}

}  // namespace

std::string copy_program_image(const void* image, std::size_t most_bytes) {
    require(image != nullptr, "the image is a null pointer");
    Memory memory(static_cast<const char*>(image), most_bytes);
    if (memory.starts_with(text_magic)) {
        const auto decoded = decode_text(memory);
        return copy_program_image(decoded.data(), decoded.size());
    }
    if (memory.starts_with(offload_magic)) return std::string(copy_container(memory));
    if (memory.starts_with(ELFMAG)) return std::string(copy_elf(memory));
    if (memory.starts_with(fat_binary_magic))
        reject(KBUILD_CPU_NO_IMAGE_FOR_MACHINE, "a fat binary of nvcc");
    if (is_ptx(memory)) reject(KBUILD_CPU_INVALID_PTX, "PTX");
    throw Failure(KBUILD_CPU_INVALID_IMAGE, "the image is neither a container nor a device image");
}

bool is_relocatable(std::string_view content) {
    if (content.substr(0, offload_magic.size()) != offload_magic)
        return is_relocatable_elf(content);
    const auto images = read_offload_images(content);
    return std::any_of(images.begin(), images.end(),
                       [](const auto& image) { return is_relocatable_elf(image.bytes); });
}

}  // namespace kbuild::cpu
