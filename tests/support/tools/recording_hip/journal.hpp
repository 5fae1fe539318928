// Test code: writes the recording, with one JSON object per line, and ends the program on
// violations.
#ifndef RECORDING_HIP_JOURNAL_HPP
#define RECORDING_HIP_JOURNAL_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace recording {

// Ends the program with a message about a wrong argument of the runtime.
[[noreturn]] void violate(const std::string& what);

inline void require(bool condition, const std::string& what) {
    if (!condition) violate(what);
}

// The record of one call, which the destructor writes.
class Line {
public:
    explicit Line(const char* call);
    Line(const Line&) = delete;
    ~Line();

    Line& add(const char* key, std::uint64_t value);
    Line& add(const char* key, const std::string& value);
    Line& add(const char* key, const void* address);
    Line& add(const char* key, const std::vector<std::string>& values);
    Line& add(const char* key, std::uint32_t x, std::uint32_t y, std::uint32_t z);

private:
    Line& put(const char* key, const std::string& json);

    std::string text_;
};

std::string to_hex(const void* bytes, std::size_t size);
std::string to_hex(const void* address);

}  // namespace recording

#endif
