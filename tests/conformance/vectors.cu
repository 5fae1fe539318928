// CUDA's vector types: sizes, alignments, mangled names, make functions, and passing by value.
#include "conformance.hpp"

#include <string>
#include <typeinfo>

#define VECTORS_OF(V, name, type) \
    V(name##1, type, 1)           \
    V(name##2, type, 2)           \
    V(name##3, type, 3)           \
    V(name##4, type, 4)
#define ALIGNED_VECTORS_OF(V, name, type) \
    V(name##4_16a, type, 4)               \
    V(name##4_32a, type, 4)
#define VECTORS(V)                                      \
    VECTORS_OF(V, char, signed char)                    \
    VECTORS_OF(V, uchar, unsigned char)                 \
    VECTORS_OF(V, short, short)                         \
    VECTORS_OF(V, ushort, unsigned short)               \
    VECTORS_OF(V, int, int)                             \
    VECTORS_OF(V, uint, unsigned int)                   \
    VECTORS_OF(V, long, long)                           \
    VECTORS_OF(V, ulong, unsigned long)                 \
    VECTORS_OF(V, longlong, long long)                  \
    VECTORS_OF(V, ulonglong, unsigned long long)        \
    VECTORS_OF(V, float, float)                         \
    VECTORS_OF(V, double, double)                       \
    ALIGNED_VECTORS_OF(V, long, long)                   \
    ALIGNED_VECTORS_OF(V, ulong, unsigned long)         \
    ALIGNED_VECTORS_OF(V, longlong, long long)          \
    ALIGNED_VECTORS_OF(V, ulonglong, unsigned long long) \
    ALIGNED_VECTORS_OF(V, double, double)

#define MAKE_1(name, type) make_##name(static_cast<type>(1))
#define MAKE_2(name, type) make_##name(static_cast<type>(1), static_cast<type>(2))
#define MAKE_3(name, type) \
    make_##name(static_cast<type>(1), static_cast<type>(2), static_cast<type>(3))
#define MAKE_4(name, type)                                                        \
    make_##name(static_cast<type>(1), static_cast<type>(2), static_cast<type>(3), \
                static_cast<type>(4))

// Two vectors, and what the compiler knows about their type.
template <class Vector>
struct Facts {
    Vector passed, made;
    unsigned long long size, alignment, size_after_char;
};

template <class Vector>
__host__ __device__ void write_facts(Facts<Vector>* facts, Vector passed, Vector made) {
    struct AfterChar {
        char first;
        Vector second;
    };
    facts->passed = passed;
    facts->made = made;
    facts->size = sizeof(Vector);
    facts->alignment = alignof(Vector);
    facts->size_after_char = sizeof(AfterChar);
}

template <class Vector>
void print_facts(const char* name, const std::vector<Facts<Vector>>& host,
                 const std::vector<Facts<Vector>>& device) {
    const std::string mangled = typeid(void (*)(Vector, const Vector*)).name();
    const std::size_t size = sizeof(Facts<Vector>);
    std::string bytes(2 * size, '\0');
    std::memcpy(&bytes[0], host.data(), size);
    std::memcpy(&bytes[size], device.data(), size);
    bytes += mangled;
    conformance::print_hash(name, bytes.data(), bytes.size(), 1);
}

template <class Vector>
std::vector<Facts<Vector>> make_facts() {
    std::vector<Facts<Vector>> facts(1);
    std::memset(static_cast<void*>(facts.data()), 0, sizeof(Facts<Vector>));
    return facts;
}

#define DEFINE(name, type, count)                                    \
    __global__ void test_##name(Facts<name>* facts, name passed) {   \
        write_facts<name>(facts, passed, MAKE_##count(name, type));  \
    }
VECTORS(DEFINE)

#define RUN(name, type, count)                                                             \
    {                                                                                      \
        std::vector<Facts<name>> host = make_facts<name>();                                \
        const conformance::DeviceVector<Facts<name>> device(host);                         \
        test_##name<<<1, 1>>>(device.data(), MAKE_##count(name, type));                    \
        conformance::check(cudaDeviceSynchronize(), #name);                                \
        write_facts<name>(host.data(), MAKE_##count(name, type), MAKE_##count(name, type)); \
        print_facts<name>(#name, host, device.read());                                     \
    }

__global__ void test_dim3(unsigned int* out, dim3 passed) {
    const dim3 made(2, 3), converted = make_uint3(4, 5, 6);
    const uint3 back = passed;
    const unsigned int values[] = {made.x, made.y, made.z, converted.x, converted.y,
                                   converted.z, back.x, back.y, back.z};
    for (int i = 0; i < 9; ++i) out[i] = values[i];
}

int main() {
    VECTORS(RUN)
    const conformance::DeviceVector<unsigned int> out(std::vector<unsigned int>(9));
    test_dim3<<<1, 1>>>(out.data(), dim3(7));
    conformance::check(cudaDeviceSynchronize(), "dim3");
    conformance::print("dim3", out.read(), 0);
}
