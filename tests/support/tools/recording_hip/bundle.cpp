// Sources: clang's CGCUDANV.cpp (wrapper), "Clang Offload Bundler" (bundle), LLVM's "User
// Guide for AMDGPU Backend" (code objects).
#include "bundle.hpp"

#include <cstdint>
#include <cstring>

#include "journal.hpp"
#include "loaded_file.hpp"

namespace recording {
namespace {

struct Wrapper {
    std::uint32_t magic, version;
    const unsigned char* data;
    const void* unused;
};

constexpr std::uint32_t kWrapperMagic = 0x48495046;
constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::size_t kPage = 4096;

template <class T>
T take(const unsigned char*& at) {
    T result;
    std::memcpy(&result, at, sizeof result);
    at += sizeof result;
    return result;
}

bool starts_with(const std::string& text, const char* front) { return text.rfind(front, 0) == 0; }

void check_inside(const unsigned char* first, std::uint64_t size, const std::string& id) {
    const bool is_inside = size == 0 || (section_of(first) == ".hip_fatbin" &&
                                         section_of(first + size - 1) == ".hip_fatbin");
    require(is_inside, id + ": an image outside of .hip_fatbin");
}

CodeObject read_code_object(const unsigned char* bundle, std::uint64_t offset, std::uint64_t size,
                            const std::string& id) {
    constexpr const char* kTarget = "hipv4-amdgcn-amd-amdhsa--";
    require(starts_with(id, kTarget), id + ": an entry that is for no AMD device");
    require(offset % kPage == 0, id + ": an image that does not start a page");
    CodeObject image{id.substr(std::strlen(kTarget)), bundle + offset, size, read_elf(bundle + offset, size)};
    require(image.elf.machine == kAmdGpu, id + ": an image for another machine");
    return image;
}

std::vector<CodeObject> read_bundle(const unsigned char* bundle) {
    require(reinterpret_cast<std::uintptr_t>(bundle) % kPage == 0, "a bundle that does not start a page");
    require(section_of(bundle) == ".hip_fatbin", "a bundle outside of .hip_fatbin");
    require(std::memcmp(bundle, kBundleMagic, sizeof kBundleMagic - 1) == 0, "no bundle's magic");
    const unsigned char* at = bundle + sizeof kBundleMagic - 1;
    const auto count = take<std::uint64_t>(at);
    require(count >= 2, "a bundle without images");
    std::vector<CodeObject> images;
    for (std::uint64_t index = 0; index < count; ++index) {
        const auto offset = take<std::uint64_t>(at);
        const auto size = take<std::uint64_t>(at);
        const auto length = take<std::uint64_t>(at);
        check_inside(at, length, "an entry's name");
        const std::string id(reinterpret_cast<const char*>(at), length);
        at += length;
        check_inside(bundle + offset, size, id);
        if (index == 0) {
            require(starts_with(id, "host-") && size == 0, id + ": the first entry is not the host's");
            continue;
        }
        images.push_back(read_code_object(bundle, offset, size, id));
    }
    return images;
}

}  // namespace

std::vector<CodeObject> read_wrapper(const void* address) {
    require(section_of(address) == ".hipFatBinSegment", "a wrapper outside of .hipFatBinSegment");
    require(reinterpret_cast<std::uintptr_t>(address) % 8 == 0, "a wrapper that is not aligned");
    const auto& wrapper = *static_cast<const Wrapper*>(address);
    require(wrapper.magic == kWrapperMagic, "a wrapper with another magic");
    require(wrapper.version == 1, "a wrapper of another version");
    require(wrapper.unused == nullptr, "a wrapper whose last word is not null");
    return read_bundle(wrapper.data);
}

}  // namespace recording
