#include "api/linker.hpp"

#include "api/command.hpp"
#include "api/errors.hpp"
#include "images/checksum.hpp"
#include "images/machine.hpp"
#include "images/program_image.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace kbuild::cpu {
namespace {

struct LinkedImage {
    std::string image;
    std::string text;
};

struct Link {
    std::vector<LinkInput> inputs;
    LinkedImage result;
    std::string log;
    kbuild_cpu_jit_options options;
    std::vector<void*> given;  // the values of the options, which the results replace
};

LinkedImage run_link(const std::vector<LinkInput>& inputs) {
    try {
        const CommandDirectory directory;
        const auto architectures = runnable_architectures();
        directory.write_list("architectures", {architectures.begin(), architectures.end()});
        std::vector<std::string> names;
        for (const auto& input : inputs) {
            const char* const kind = input.is_host_file ? "host" : "images";
            directory.write(std::filesystem::path(kind) / std::to_string(names.size()),
                            input.content);
            names.push_back(input.name);
        }
        directory.write_list("names", names);
        if (directory.run({"--link"}) != 0)
            throw Failure(KBUILD_CPU_INVALID_IMAGE,
                          "cannot link the device code: " + directory.read("log"));
        return {directory.read("image"), directory.read("text")};
    } catch (const Failure&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw Failure(KBUILD_CPU_INVALID_IMAGE, error.what());
    }
}

// Returns whether the bytes are an archive, or an object of the host, which has no checksum.
bool is_host_file(std::string_view content) {
    if (content.substr(0, 8) == "!<arch>\n" || content.substr(0, 8) == "!<thin>\n") return true;
    const auto end = content.substr(content.size() - std::min(content.size(), checksum_bytes));
    return content.substr(0, SELFMAG) == ELFMAG &&
           end.substr(0, checksum_magic.size()) != checksum_magic;
}

void add(Link& link, const void* data, std::size_t bytes, const char* name) {
    require(data != nullptr, "the data are a null pointer");
    LinkInput input;
    input.name = name == nullptr ? "<input " + std::to_string(link.inputs.size() + 1) + ">" : name;
    const std::string_view content(static_cast<const char*>(data), bytes);
    input.is_host_file = is_host_file(content);
    input.content = input.is_host_file ? std::string(content) : copy_program_image(data, bytes);
    link.inputs.push_back(std::move(input));
}

void copy_text(char* buffer, std::size_t bytes, std::string_view text) {
    if (buffer == nullptr || bytes == 0) return;
    const auto count = text.copy(buffer, bytes - 1);
    buffer[count] = '\0';
}

std::vector<void*> list_values(const kbuild_cpu_jit_options& options) {
    if (options.names == nullptr || options.values == nullptr) return {};
    // Not a list of these two pointers.
    return std::vector<void*>(options.values, options.values + options.count);
}

void return_jit_results(const kbuild_cpu_jit_options& options, const std::vector<void*>& given,
                        std::string_view log, float milliseconds) {
    if (given.empty()) return;
    // Source: CUjit_option of CUDA 13.
    constexpr int wall_time = 2, info_log = 3, info_bytes = 4, error_log = 5, error_bytes = 6;
    const auto find = [&](int name) {
        const auto* const end = options.names + given.size();
        return static_cast<std::size_t>(std::find(options.names, end, name) - options.names);
    };
    const auto write = [&](int buffer, int size, std::string_view text) {
        const auto address = find(buffer), bytes = find(size);
        if (address == given.size() || bytes == given.size()) return;
        const auto most = reinterpret_cast<std::uintptr_t>(given[bytes]) & 0xFFFFFFFFU;
        copy_text(static_cast<char*>(given[address]), most, text);
        options.values[bytes] =
            reinterpret_cast<void*>(std::min<std::uintptr_t>(most, text.size() + 1));
    };
    write(info_log, info_bytes, "");
    write(error_log, error_bytes, log);
    if (const auto time = find(wall_time); time != given.size())
        std::memcpy(&options.values[time], &milliseconds, sizeof milliseconds);
}

// Calls the function, and keeps the message of a failure in the log of the link.
template <class Function>
int log_failure(void* link, Function function) {
    if (link == nullptr) return remember_failure(KBUILD_CPU_INVALID_HANDLE, "the link is null");
    auto& found = *static_cast<Link*>(link);
    const auto start = std::chrono::steady_clock::now();
    const int code = guarded([&] { function(found); });
    const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - start;
    if (code != KBUILD_CPU_SUCCESS)
        found.log += std::string("kbuild: error: ") + error_message(code) + "\n";
    return_jit_results(found.options, found.given, found.log, time.count());
    return code;
}

int get_result(const char** result, std::size_t* bytes, void* link,
               std::string LinkedImage::* kind) {
    return guarded([&] {
        require(result != nullptr && bytes != nullptr && link != nullptr,
                "an argument is a null pointer");
        const auto& found = static_cast<Link*>(link)->result.*kind;
        require(!found.empty(), "the link is not complete");
        *result = found.data();
        *bytes = found.size();
    });
}

}  // namespace

std::string link_images(const std::vector<LinkInput>& inputs) { return run_link(inputs).image; }

std::string read_program_file(const char* path) {
    require(path != nullptr, "the path is a null pointer");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw Failure(KBUILD_CPU_FILE_NOT_FOUND, std::string("cannot read the file ") + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace kbuild::cpu

using namespace kbuild::cpu;

int kbuild_cpu_create_link(void** link, kbuild_cpu_jit_options options) {
    return guarded([&] {
        require(link != nullptr, "the address for the result is a null pointer");
        *link = new Link{{}, {}, "", options, list_values(options)};
    });
}

void kbuild_cpu_destroy_link(void* link) { delete static_cast<Link*>(link); }

int kbuild_cpu_add_to_link(void* link, const void* data, std::size_t bytes, const char* name) {
    return log_failure(link, [&](Link& found) { add(found, data, bytes, name); });
}

int kbuild_cpu_add_file_to_link(void* link, const char* path) {
    return log_failure(link, [&](Link& found) {
        const auto content = read_program_file(path);
        add(found, content.data(), content.size(), path);
    });
}

int kbuild_cpu_complete_link(void* link) {
    return log_failure(link, [&](Link& found) { found.result = run_link(found.inputs); });
}

int kbuild_cpu_get_linked_image(const char** image, std::size_t* bytes, void* link) {
    return get_result(image, bytes, link, &LinkedImage::image);
}

int kbuild_cpu_get_linked_text(const char** text, std::size_t* bytes, void* link) {
    return get_result(text, bytes, link, &LinkedImage::text);
}

void kbuild_cpu_get_link_log(const char** log, std::size_t* bytes, void* link) {
    *log = static_cast<Link*>(link)->log.c_str();
    *bytes = static_cast<Link*>(link)->log.size() + 1;
}

void kbuild_cpu_return_jit_results(kbuild_cpu_jit_options options, const char* log,
                                   float milliseconds) {
    return_jit_results(options, list_values(options), log, milliseconds);
}
