// What an operation of a library reads and writes. Checks report memory that is not the device's.
#ifndef KBUILD_MATHLIBS_COMMON_MEMORY_HPP
#define KBUILD_MATHLIBS_COMMON_MEMORY_HPP

#include <kbuild/cpu_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace kbuild::mathlibs {

class Memory {
public:
    // Without the name of a function, all memory of the process is allowed.
    explicit Memory(const char* function) : function_(function) {}

    // Without a type, the number is in bytes.
    template <class T>
    void reads(const char* parameter, const T* start, std::int64_t elements) {
        check(parameter, start, bytes_of<T>(elements), false);
    }
    template <class T>
    void writes(const char* parameter, const T* start, std::int64_t elements) {
        check(parameter, start, bytes_of<T>(elements), true);
    }

    // Returns false if a check has reported something. The operation must not run then.
    bool is_valid() const { return is_valid_; }

private:
    template <class T>
    static std::size_t bytes_of(std::int64_t elements) {
        if constexpr (std::is_void_v<T>)
            return static_cast<std::size_t>(elements);
        else
            return static_cast<std::size_t>(elements) * sizeof(T);
    }

    void check(const char* parameter, const void* start, std::size_t bytes, bool writes) {
        if (function_ != nullptr && kbuild_cpu_check_library_access(function_, parameter, start,
                                                                    bytes, writes ? 1 : 0) != 0)
            is_valid_ = false;
    }

    const char* function_;
    bool is_valid_ = true;
};

// Each of these returns the elements from the first one to the last one.
inline std::int64_t matrix_extent(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
    return rows == 0 || columns == 0 ? 0 : (columns - 1) * leading + rows;
}
inline std::int64_t vector_extent(std::int64_t elements, std::int64_t increment) {
    return elements == 0 ? 0 : (elements - 1) * std::abs(increment) + 1;
}
inline std::int64_t batch_extent(std::int64_t item, std::int64_t stride, std::int64_t items) {
    return item == 0 || items == 0 ? 0 : (items - 1) * stride + item;
}

}  // namespace kbuild::mathlibs

#endif
