#include "memory/copies.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "memory/allocations.hpp"
#include "registry.hpp"

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

// What memory one side of a copy or fill can be in.
enum class Side { any, device };

void check_pitch(const kbuild_cpu_area& area, const Shape& shape, kbuild_cpu_error code) {
    if (shape.width > area.pitch)
        throw Failure(code, "a row has " + std::to_string(shape.width) +
                                " bytes, but the pitch is only " + std::to_string(area.pitch));
}

void check_layout(const kbuild_cpu_area& area, const Shape& shape) {
    check_pitch(area, shape,
                shape.is_one_row() ? KBUILD_CPU_INVALID_VALUE : KBUILD_CPU_INVALID_PITCH);
    if (shape.depth > 1 && shape.height > area.rows)
        throw Failure(KBUILD_CPU_INVALID_PITCH,
                      "a slice of the copy has " + std::to_string(shape.height) +
                          " rows, but a slice of the memory has only " + std::to_string(area.rows));
}

// Returns the distance from the first byte of the area to the end of its last row.
std::size_t span(const kbuild_cpu_area& area, const Shape& shape) {
    const auto rows = (shape.depth - 1) * area.rows + (shape.height - 1);
    return rows * area.pitch + shape.width;
}

void check_start(const char* name, const kbuild_cpu_area& area) {
    if (area.start == nullptr)
        throw Failure(KBUILD_CPU_INVALID_VALUE, std::string("the ") + name + " is a null pointer");
}

// A program can ignore the error, so checks report it.
[[noreturn]] void reject_side(const std::string& problem, const void* address) {
    if (auto* const checker = checks::Checker::find())
        checker->report_invalid_copy(problem, address);
    throw Failure(KBUILD_CPU_INVALID_VALUE, problem);
}

// Checks one side of a copy or fill against the allocation that contains it. Host memory that the
// runtime does not know, and device variables, are in no allocation.
void check_side(const char* name, const kbuild_cpu_area& area, const Shape& shape, Side side) {
    const auto found = Allocations::instance().find(area.start);
    if (found.base == nullptr) {
        if (side == Side::device && !Registry::instance().has_variable_at(area.start))
            reject_side(std::string("the ") + name +
                            " is ordinary host memory, but must be memory of the device; "
                            "allocate it with cudaMalloc, or correct the direction of the copy",
                        area.start);
        return;
    }
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(area.start) -
                                                 static_cast<const char*>(found.base));
    const auto bytes = span(area, shape);
    if (bytes > found.bytes - offset)
        reject_side(std::string("the ") + name + " has " + std::to_string(found.bytes - offset) +
                        " bytes, but the operation needs " + std::to_string(bytes),
                    area.start);
}

char* row(const kbuild_cpu_area& area, std::size_t y, std::size_t z) {
    return static_cast<char*>(area.start) + (z * area.rows + y) * area.pitch;
}

bool is_pageable(const kbuild_cpu_area& area) noexcept {
    return Allocations::instance().find(area.start).base == nullptr;
}

// Writes an element of 1, 2, or 4 bytes to every place of a row.
void fill_row(char* row, std::size_t bytes, unsigned value, unsigned element_bytes) noexcept {
    if (element_bytes == 1) {
        std::memset(row, static_cast<int>(value), bytes);
        return;
    }
    for (std::size_t i = 0; i + element_bytes <= bytes; i += element_bytes)
        std::memcpy(row + i, &value, element_bytes);  // the low bytes come first
}

}  // namespace

void check_copy(const kbuild_cpu_area_copy& copy) {
    const Shape shape = {copy.width, copy.height, copy.depth};
    if (copy.kind > KBUILD_CPU_COPY_DEFAULT)
        throw Failure(KBUILD_CPU_INVALID_COPY_DIRECTION,
                      "unknown copy direction " + std::to_string(copy.kind));
    if (shape.is_empty()) return;
    check_start("destination", copy.to);
    check_start("source", copy.from);
    check_layout(copy.to, shape);
    check_layout(copy.from, shape);
    // With unified addresses, a side that the direction calls host memory can be in any memory.
    const bool to_device = copy.kind == KBUILD_CPU_COPY_HOST_TO_DEVICE ||
                           copy.kind == KBUILD_CPU_COPY_DEVICE_TO_DEVICE;
    const bool from_device = copy.kind == KBUILD_CPU_COPY_DEVICE_TO_HOST ||
                             copy.kind == KBUILD_CPU_COPY_DEVICE_TO_DEVICE;
    check_side("destination", copy.to, shape, to_device ? Side::device : Side::any);
    check_side("source", copy.from, shape, from_device ? Side::device : Side::any);
}

void perform_copy(const kbuild_cpu_area_copy& copy) noexcept {
    if (Shape{copy.width, copy.height, copy.depth}.is_empty()) return;
    for (std::size_t z = 0; z < copy.depth; ++z)
        for (std::size_t y = 0; y < copy.height; ++y)
            std::memmove(row(copy.to, y, z), row(copy.from, y, z), copy.width);
    auto* const checker = checks::Checker::find();
    for (std::size_t z = 0; checker != nullptr && z < copy.depth; ++z)
        for (std::size_t y = 0; y < copy.height; ++y)
            checker->note_copied(row(copy.to, y, z), row(copy.from, y, z), copy.width);
}

HostMemory find_pageable(const kbuild_cpu_area_copy& copy) noexcept {
    if (Shape{copy.width, copy.height, copy.depth}.is_empty()) return HostMemory::none;
    if (is_pageable(copy.to)) return HostMemory::target;
    return is_pageable(copy.from) ? HostMemory::source : HostMemory::none;
}

void stage(kbuild_cpu_area_copy& copy, char* memory) noexcept {
    auto staged = copy;
    staged.to = {memory, copy.width, copy.height};
    perform_copy(staged);
    copy.from = staged.to;
}

void check_fill(const kbuild_cpu_area_fill& fill) {
    const Shape shape = {fill.width, fill.height, fill.depth};
    if (!shape.is_one_row()) check_pitch(fill.to, shape, KBUILD_CPU_INVALID_VALUE);
    if (shape.is_empty()) return;
    check_start("destination", fill.to);
    check_side("destination", fill.to, shape, Side::device);
}

void perform_fill(const kbuild_cpu_area_fill& fill, unsigned element_bytes) noexcept {
    if (Shape{fill.width, fill.height, fill.depth}.is_empty()) return;
    for (std::size_t z = 0; z < fill.depth; ++z)
        for (std::size_t y = 0; y < fill.height; ++y)
            fill_row(row(fill.to, y, z), fill.width, static_cast<unsigned>(fill.byte),
                     element_bytes);
    auto* const checker = checks::Checker::find();
    for (std::size_t z = 0; checker != nullptr && z < fill.depth; ++z)
        for (std::size_t y = 0; y < fill.height; ++y)
            checker->note_written(row(fill.to, y, z), fill.width);
}

}  // namespace kbuild::cpu
