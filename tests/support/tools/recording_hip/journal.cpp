#include "journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace recording {
namespace {

constexpr const char* kVariable = "KBUILD_HIP_RECORDING";

std::string quote(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

// Writes each line with one call, so that lines stay whole with several threads and after a crash.
void append(const std::string& text) {
    const char* path = std::getenv(kVariable);
    require(path != nullptr, std::string("this library records and runs nothing; name the file in ") + kVariable);
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    require(file >= 0, std::string("cannot write ") + path);
    require(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "the recording was truncated");
    close(file);
}

}  // namespace

void violate(const std::string& what) {
    std::fprintf(stderr, "recording_hip (test code, runs nothing): VIOLATION: %s\n", what.c_str());
    std::abort();
}

Line::Line(const char* call) : text_("{\"call\": " + quote(call)) {}

Line::~Line() { append(text_ + "}\n"); }

Line& Line::put(const char* key, const std::string& json) {
    text_ += ", " + quote(key) + ": " + json;
    return *this;
}

Line& Line::add(const char* key, std::uint64_t value) { return put(key, std::to_string(value)); }

Line& Line::add(const char* key, const std::string& value) { return put(key, quote(value)); }

Line& Line::add(const char* key, const void* address) { return put(key, quote(to_hex(address))); }

Line& Line::add(const char* key, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + quote(value);
    return put(key, "[" + list + "]");
}

Line& Line::add(const char* key, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return put(key, "[" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + "]");
}

std::string to_hex(const void* bytes, std::size_t size) {
    std::string result;
    char digits[3];
    for (std::size_t index = 0; index < size; ++index) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(bytes)[index]);
        result += digits;
    }
    return result;
}

std::string to_hex(const void* address) {
    char text[32];
    std::snprintf(text, sizeof text, "%#lx", reinterpret_cast<unsigned long>(address));
    return text;
}

}  // namespace recording
