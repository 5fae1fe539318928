#include "memory/copies.hpp"

#include "api/errors.hpp"
#include "memory/allocations.hpp"

#include <cstring>
#include <string>

namespace kbuild::cpu {
namespace {

struct Shape {
    std::size_t width;  // bytes of a row
    std::size_t height;
    std::size_t depth;

    bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
    bool is_one_row() const { return height == 1 && depth == 1; }
};

void check_pitch(const kbuild_cpu_area& area, const Shape& shape, int code) {
    if (!shape.is_one_row() && shape.width > area.pitch)
        throw Failure(static_cast<kbuild_cpu_error>(code),
                      "a row has " + std::to_string(shape.width) +
                          " bytes, but the pitch is only " + std::to_string(area.pitch));
}

// Returns the distance from the first byte of the area to the end of its last row.
std::size_t span(const kbuild_cpu_area& area, const Shape& shape) {
    const auto rows = (shape.depth - 1) * area.rows + (shape.height - 1);
    return rows * area.pitch + shape.width;
}

// Checks one side of a copy or fill against the allocation that contains it. Host memory that the
// runtime does not know, and device variables, are in no allocation.
void check_side(const char* side, const kbuild_cpu_area& area, const Shape& shape, bool is_host) {
    if (area.start == nullptr)
        throw Failure(KBUILD_CPU_INVALID_VALUE, std::string("the ") + side + " is a null pointer");
    const auto found = Allocations::instance().find(area.start);
    if (found.base == nullptr) return;
    if (is_host && found.kind == KBUILD_CPU_MEMORY_DEVICE)
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      std::string("the ") + side +
                          " is device memory, but the direction of the copy says host memory");
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(area.start) -
                                                 static_cast<const char*>(found.base));
    const auto bytes = span(area, shape);
    if (bytes > found.bytes - offset)
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      std::string("the ") + side + " has " + std::to_string(found.bytes - offset) +
                          " bytes, but the operation needs " + std::to_string(bytes));
}

char* row(const kbuild_cpu_area& area, std::size_t y, std::size_t z) {
    return static_cast<char*>(area.start) + (z * area.rows + y) * area.pitch;
}

}  // namespace

void copy(const kbuild_cpu_area_copy& copy) {
    const Shape shape = {copy.width, copy.height, copy.depth};
    if (copy.kind > KBUILD_CPU_COPY_DEFAULT)
        throw Failure(KBUILD_CPU_INVALID_COPY_DIRECTION,
                      "unknown copy direction " + std::to_string(copy.kind));
    check_pitch(copy.to, shape, KBUILD_CPU_INVALID_PITCH);
    check_pitch(copy.from, shape, KBUILD_CPU_INVALID_PITCH);
    if (shape.is_empty()) return;
    const bool to_host = copy.kind == KBUILD_CPU_COPY_HOST_TO_HOST ||
                         copy.kind == KBUILD_CPU_COPY_DEVICE_TO_HOST;
    const bool from_host = copy.kind == KBUILD_CPU_COPY_HOST_TO_HOST ||
                           copy.kind == KBUILD_CPU_COPY_HOST_TO_DEVICE;
    check_side("destination", copy.to, shape, to_host);
    check_side("source", copy.from, shape, from_host);
    for (std::size_t z = 0; z < shape.depth; ++z)
        for (std::size_t y = 0; y < shape.height; ++y)
            std::memmove(row(copy.to, y, z), row(copy.from, y, z), shape.width);
}

void fill(const kbuild_cpu_area_fill& fill) {
    const Shape shape = {fill.width, fill.height, fill.depth};
    check_pitch(fill.to, shape, KBUILD_CPU_INVALID_VALUE);
    if (shape.is_empty()) return;
    check_side("destination", fill.to, shape, false);
    for (std::size_t z = 0; z < shape.depth; ++z)
        for (std::size_t y = 0; y < shape.height; ++y)
            std::memset(row(fill.to, y, z), fill.byte, shape.width);
}

}  // namespace kbuild::cpu
