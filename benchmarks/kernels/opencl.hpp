// The other peer: OpenCL C on a CPU device, such as PoCL's.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace opencl {

struct Range {
    std::size_t blocks[2] = {1, 1};
    std::size_t threads[2] = {1, 1};
};

// The bytes of an argument, or memory of the host that the kernel uses in place.
struct Argument {
    std::vector<unsigned char> value;
    void* memory = nullptr;
    std::size_t bytes = 0;
};

// Whether there is a CPU device.
bool is_available();

// Whether kernels.cl has the kernel.
bool has_kernel(const std::string& name);

// Returns a function that runs the kernel and waits.
std::function<void()> prepare(const std::string& name, Range range, std::vector<Argument> arguments);

template <class T>
Argument pass(T value)
{
    static_assert(std::is_arithmetic_v<T>);
    Argument argument;
    argument.value.resize(sizeof value);
    std::memcpy(argument.value.data(), &value, sizeof value);
    return argument;
}

template <class T>
Argument pass(std::vector<T>& values)
{
    return {{}, values.data(), values.size() * sizeof(T)};
}

} // namespace opencl
