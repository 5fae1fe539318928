// Arrays: rows of elements without gaps, which textures and surfaces read.
#ifndef KBUILD_CPU_TEXTURES_ARRAYS_HPP
#define KBUILD_CPU_TEXTURES_ARRAYS_HPP

#include "textures/format.hpp"

#include <kbuild/cpu_runtime.h>

#include <algorithm>
#include <vector>

namespace kbuild::cpu {

struct Array {
    static constexpr const char* what = "array";

    kbuild_cpu_array description;
    Format format;
    char* data;  // one of the process's allocations
    bool belongs_to_mipmap;

    // At least one element in each dimension. Layers and faces are in the last one.
    std::size_t height() const { return std::max<std::size_t>(description.height, 1); }
    std::size_t depth() const { return std::max<std::size_t>(description.depth, 1); }
    std::size_t row_bytes() const { return description.width * format.bytes(); }

    bool has(unsigned flag) const { return (description.flags & flag) != 0; }
};

struct MipmappedArray {
    static constexpr const char* what = "mipmapped array";

    std::vector<Array*> levels;
};

// All functions throw Failure. Objects<Array> and Objects<MipmappedArray> have what exists.
Array* create_array(const kbuild_cpu_array& description);
void destroy_array(const void* array);
MipmappedArray* create_mipmapped_array(const kbuild_cpu_array& description);
void destroy_mipmapped_array(const void* array);

}  // namespace kbuild::cpu

#endif
