// Device functions of a header, whose result types are written in all ways. Host code cannot run them.

#pragma once

#include <type_traits>

__device__ auto add_type(int x) -> decltype(x + 1u) {
    __syncwarp();
    return x + 1;
}
template <class T>
__device__ auto add_type_of(T x) -> decltype(x + 1) {
    __syncwarp();
    return x + 1;
}
__device__ auto deduced(int x) {
    __syncwarp();
    return x + 1;
}
__device__ decltype(auto) deduced_exactly(int x) {
    __syncwarp();
    return x + 1;
}
__device__ auto deduced_last(int& x) -> auto& {
    __syncwarp();
    return ++x;
}
__device__ decltype(1 + 1u) leading(int x) {
    __syncwarp();
    return x + 1;
}
struct pointed {
    int value;
    __device__ int get() const noexcept { return value; }
};
__device__ auto deduced_of(const pointed* x) noexcept(noexcept(x->get())) {
    __syncwarp();
    return x->get() + 1;
}
__device__ auto not_throwing(const pointed* x) noexcept(noexcept(x->get())) -> int {
    __syncwarp();
    return x->get() + 1;
}
__device__ auto function_pointer(int x) -> int (*)(int) {
    __syncwarp();
    return x ? static_cast<int (*)(int)>(nullptr) : nullptr;
}
extern "C" __device__ auto unmangled(int x) -> int {
    __syncwarp();
    return x + 1;
}
template <class T, std::enable_if_t<(sizeof(T) > 2), int> = 0>
__device__ auto enabled(T x) -> std::enable_if_t<(sizeof(T) > 1), T> {
    __syncwarp();
    return x + 1;
}
template <class T>
__device__ auto specialized(T x) -> T {
    return x;
}
template <>
__device__ inline auto specialized<int>(int x) -> int {
    __syncwarp();
    return x + 1;
}
namespace names {
struct members {
    int value;
    __device__ members(int x);
    __device__ auto inside(int x) const -> int {
        __syncwarp();
        return x + value;
    }
    __device__ auto outside(int x) const -> int;
    __device__ auto deduced(int x) const;
    template <class T>
    __device__ auto of_template(T x) const -> decltype(x + value);
    __device__ auto operator()(int x) const -> int;
};
__device__ members::members(int x) : value(x) { __syncwarp(); }
__device__ auto members::outside(int x) const -> int {
    __syncwarp();
    return x + value;
}
__device__ auto members::deduced(int x) const {
    __syncwarp();
    return x + value;
}
template <class T>
__device__ auto members::of_template(T x) const -> decltype(x + value) {
    __syncwarp();
    return x + value;
}
__device__ auto members::operator()(int x) const -> int {
    __syncwarp();
    return x + value;
}
}  // namespace names
