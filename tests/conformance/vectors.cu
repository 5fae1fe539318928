// CUDA's vector types: sizes, alignments, mangled names, make functions, and passing by value.
#include "conformance.hpp"

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

template <class T>
const char* mangled_name() {
    return typeid(T).name();
}

// Prints what host and device wrote, and how the compiler mangles the type.
void print_facts(const char* name, const std::vector<unsigned char>& host,
                 const conformance::DeviceVector<unsigned char>& device, const char* mangled) {
    conformance::check(cudaDeviceSynchronize(), name);
    std::vector<unsigned char> bytes = host;
    const std::vector<unsigned char> written = device.read();
    bytes.insert(bytes.end(), written.begin(), written.end());
    bytes.insert(bytes.end(), mangled, mangled + std::strlen(mangled));
    conformance::print_hash(name, bytes.data(), bytes.size(), 1);
}

#define DEFINE(name, type, count)                                    \
    __global__ void test_##name(Facts<name>* facts, name passed) {   \
        write_facts<name>(facts, passed, MAKE_##count(name, type));  \
    }
VECTORS(DEFINE)

#define RUN(name, type, count)                                                                 \
    {                                                                                          \
        Facts<name> facts;                                                                     \
        std::vector<unsigned char> host(sizeof facts);                                         \
        const conformance::DeviceVector<unsigned char> device(host);                           \
        void* place = device.data();                                                           \
        test_##name<<<1, 1>>>(static_cast<Facts<name>*>(place), MAKE_##count(name, type));     \
        std::memset(static_cast<void*>(&facts), 0, sizeof facts);                              \
        write_facts<name>(&facts, MAKE_##count(name, type), MAKE_##count(name, type));         \
        std::memcpy(host.data(), &facts, sizeof facts);                                        \
        print_facts(#name, host, device, mangled_name<void (*)(name, const name*)>());           \
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
