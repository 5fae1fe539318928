// Runs device functions on generated inputs, and prints one line per function:
//
//     NAME exact COUNT HASH            the hash of the results' bytes
//     NAME ulp N TYPE RESULT...        the results' bits in hexadecimal, which can differ by N ulp
//     NAME within D float RESULT...    the same, but they can differ by the number D
//
// The same source runs on the CPU and on a GPU. NAME.txt next to a source is what it prints on a GPU.
// NaNs are printed as one pattern, because their payloads are not specified.
#ifndef KBUILD_CONFORMANCE_HPP
#define KBUILD_CONFORMANCE_HPP

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace conformance {

inline void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
    std::exit(1);
}

// A small generator, so that all platforms have the same inputs.
class Random {
public:
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_ = 1;
};

// What inputs of a function look like: any bits, or numbers of the interval, with special values.
struct Domain {
    double low = 0, high = 0;
    bool has_any_bits() const { return low == high; }
};

template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns input number `index`: the first ones are special, the others are random.
template <class T>
T make_input(Random& random, int index, Domain domain) {
    const std::uint64_t bits = random.next();
    if constexpr (std::is_floating_point<T>::value) {
        if (!domain.has_any_bits())
            return static_cast<T>(domain.low + (domain.high - domain.low) *
                                                   (static_cast<double>(bits >> 11) * 0x1p-53));
        using Limits = std::numeric_limits<T>;
        const T special[] = {T(0),           -T(0),        T(1),           T(-1),
                             T(0.5),         T(2),         T(-2.5),        Limits::infinity(),
                             -Limits::infinity(), Limits::quiet_NaN(), Limits::min(), Limits::max(),
                             Limits::denorm_min(), -Limits::denorm_min(), T(3.5), T(1e6)};
        if (index < 16) return special[index];
        return from_bits<T>(bits);
    } else {
        if (!domain.has_any_bits())
            return static_cast<T>(domain.low + static_cast<double>(bits >> 11) * 0x1p-53 *
                                                   (domain.high - domain.low));
        if (index == 0) return from_bits<T>(0);
        if (index == 1) return from_bits<T>(~std::uint64_t{0});
        if (index < 34) return from_bits<T>(bits >> (2 * (index - 2)));
        return from_bits<T>(bits);
    }
}

inline void print_hash(const char* name, const void* bytes, std::size_t size, int count) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3u;
    std::printf("%s exact %d %016llx\n", name, count, static_cast<unsigned long long>(hash));
}

template <class T>
const char* name_type() {
    if (std::is_same<T, float>::value) return "float";
    if (std::is_same<T, double>::value) return "double";
    return "bits";
}

template <class T>
void canonicalize(T& value) {
    if constexpr (std::is_floating_point<T>::value)
        if (value != value) value = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
void print_bits(const char* name, const std::string& bound, const std::vector<T>& results) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t), "only exact results can be larger");
    std::printf("%s %s %s", name, bound.c_str(), name_type<T>());
    for (const T& result : results) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &result, sizeof result);
        std::printf(" %llx", static_cast<unsigned long long>(bits));
    }
    std::printf("\n");
}

// Prints the results of a function, exactly with `ulp` = 0.
template <class T>
void print(const char* name, std::vector<T> results, unsigned ulp) {
    for (T& result : results) canonicalize(result);
    const int count = static_cast<int>(results.size());
    if (ulp == 0) return print_hash(name, results.data(), results.size() * sizeof(T), count);
    if constexpr (sizeof(T) <= sizeof(std::uint64_t))
        print_bits(name, "ulp " + std::to_string(ulp), results);
}

inline void print_within(const char* name, std::vector<float> results, double difference) {
    for (float& result : results) canonicalize(result);
    print_bits(name, "within " + std::to_string(difference), results);
}

// Memory on the device that holds a copy of a vector.
template <class T>
class DeviceVector {
public:
    explicit DeviceVector(const std::vector<T>& values) : count_(values.size()) {
        check(cudaMalloc(&data_, count_ * sizeof(T)), "cudaMalloc");
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~DeviceVector() { cudaFree(data_); }
    DeviceVector(const DeviceVector&) = delete;
    DeviceVector& operator=(const DeviceVector&) = delete;

    T* data() const { return static_cast<T*>(data_); }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "read");
        return values;
    }

private:
    void* data_ = nullptr;
    std::size_t count_;
};

template <class Kernel, class Out, class... In>
void launch(Kernel* kernel, Out* out, int count, const DeviceVector<In>&... inputs) {
    kernel<<<(count + 63) / 64, 64>>>(inputs.data()..., out, count);
    check(cudaDeviceSynchronize(), "kernel");
}

// Runs a kernel with the parameters `const In*..., Out*, int` on inputs of the domain, and prints.
template <class Out, class... In, class Kernel>
void run(const char* name, Kernel* kernel, unsigned ulp, Domain domain = {}, int count = 256) {
    Random random;
    std::vector<Out> results(static_cast<std::size_t>(count));
    std::memset(static_cast<void*>(results.data()), 0, results.size() * sizeof(Out));
    const DeviceVector<Out> out(results);
    const auto make = [&](auto type) {
        std::vector<decltype(type)> values;
        for (int i = 0; i < count; ++i)
            values.push_back(make_input<decltype(type)>(random, i, domain));
        return values;
    };
    // Otherwise, the first inputs would combine each special value only with itself.
    int shift = 0;
    const auto rotate = [&](auto values) {
        std::rotate(values.begin(), values.begin() + shift, values.end());
        shift += 3;
        return values;
    };
    const std::tuple<std::vector<In>...> inputs{rotate(make(In()))...};  // in this order
    std::apply([&](const auto&... values) { launch(kernel, out.data(), count, DeviceVector<In>(values)...); },
               inputs);
    print(name, out.read(), ulp);
}

}  // namespace conformance

// Defines a kernel that applies a function to each element, as test_NAME.
#define CONFORMANCE_UNARY(name, Out, A)                                                     \
    __global__ void test_##name(const A* a, Out* out, int n) {                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                \
        if (i < n) out[i] = name(a[i]);                                                     \
    }
#define CONFORMANCE_BINARY(name, Out, A, B)                                                 \
    __global__ void test_##name(const A* a, const B* b, Out* out, int n) {                  \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                \
        if (i < n) out[i] = name(a[i], b[i]);                                               \
    }
#define CONFORMANCE_TERNARY(name, Out, A, B, C)                                             \
    __global__ void test_##name(const A* a, const B* b, const C* c, Out* out, int n) {      \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                \
        if (i < n) out[i] = name(a[i], b[i], c[i]);                                         \
    }

#endif
