// Loads and stores with cache hints, and the functions of C and C++ for memory in device code.
#include "conformance.hpp"

#include <new>

#define TYPES(V)                                                                              \
    V(char) V(signed_char) V(unsigned_char) V(short) V(unsigned_short) V(int) V(unsigned_int) \
    V(long) V(unsigned_long) V(long_long) V(unsigned_long_long) V(float) V(double)            \
    V(char2) V(char4) V(uchar2) V(uchar4) V(short2) V(short4) V(ushort2) V(ushort4)           \
    V(int2) V(int4) V(uint2) V(uint4) V(longlong2) V(ulonglong2) V(float2) V(float4) V(double2)

using signed_char = signed char;
using unsigned_char = unsigned char;
using unsigned_short = unsigned short;
using unsigned_int = unsigned int;
using unsigned_long = unsigned long;
using long_long = long long;
using unsigned_long_long = unsigned long long;

// Copies six elements with the six loads, and four of them again with the four stores.
template <class T>
__global__ void copy(const T* in, T* out) {
    out[0] = __ldg(in);
    out[1] = __ldca(in + 1);
    out[2] = __ldcg(in + 2);
    out[3] = __ldcs(in + 3);
    out[4] = __ldlu(in + 4);
    out[5] = __ldcv(in + 5);
    __stwb(out + 6, in[0]);
    __stcg(out + 7, in[1]);
    __stcs(out + 8, in[2]);
    __stwt(out + 9, in[3]);
}

template <class T>
void run_copy(const char* name) {
    conformance::Random random;
    std::vector<T> in(6);
    for (std::size_t i = 0; i < 6 * sizeof(T); ++i)
        reinterpret_cast<unsigned char*>(in.data())[i] = static_cast<unsigned char>(random.next() % 63);
    const conformance::DeviceVector<T> input(in), output(std::vector<T>(10));
    copy<T><<<1, 1>>>(input.data(), output.data());
    conformance::check(cudaDeviceSynchronize(), name);
    const std::vector<T> out = output.read();
    conformance::print_hash(name, out.data(), out.size() * sizeof(T), 10);
}

struct Node {
    int value;
    Node* next;
    __device__ Node(int value, Node* next) : value(value), next(next) {}
};
struct alignas(64) Aligned {
    int value[16];
};

__global__ void test_new(int* out) {
    Node* list = nullptr;
    const int n = static_cast<int>(threadIdx.x);
    for (int i = 0; i < 10; ++i) list = new Node(n * i, list);
    int sum = 0;
    while (list) {
        Node* next = list->next;
        sum = sum * 3 + list->value;
        delete list;
        list = next;
    }
    int* numbers = new int[20];
    for (int i = 0; i < 20; ++i) numbers[i] = i * n;
    sum += numbers[19];
    delete[] numbers;
    alignas(Node) unsigned char place[sizeof(Node)];
    sum += (new (place) Node(5, nullptr))->value;
    out[n] = sum;
}

__global__ void test_aligned_new(int* out) {
    Aligned* aligned = new Aligned;
    out[threadIdx.x] = static_cast<int>(reinterpret_cast<unsigned long long>(aligned) % 64);
    delete aligned;
}

__global__ void test_malloc(int* out) {
    const int n = static_cast<int>(threadIdx.x);
    int* memory = static_cast<int*>(malloc(100 * sizeof(int)));
    memset(memory, 1, 100 * sizeof(int));
    int copy[100];
    memcpy(copy, memory, sizeof copy);
    copy[50] += n;
    memcpy(memory, copy, sizeof copy);
    out[n] = memory[50] + memory[99];
    free(memory);
    free(nullptr);
}

// A block's memory that a thread allocates and another one frees.
__global__ void test_shared_malloc(int* out) {
    __shared__ int* memory;
    if (threadIdx.x == 0) memory = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
    __syncthreads();
    memory[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) free(memory);
}

__global__ void test_alloca(int* out) {
    const int n = static_cast<int>(threadIdx.x);
    int* memory = static_cast<int*>(alloca((n + 1) * sizeof(int)));
    for (int i = 0; i <= n; ++i) memory[i] = i;
    out[n] = memory[n / 2];
}

void run_memory(const char* name, void (*kernel)(int*)) {
    const conformance::DeviceVector<int> out(std::vector<int>(64));
    kernel<<<1, 64>>>(out.data());
    conformance::check(cudaDeviceSynchronize(), name);
    conformance::print(name, out.read(), 0);
}

#define RUN(type) run_copy<type>("copy_" #type);

int main() {
    TYPES(RUN)
    run_memory("new", test_new);
    run_memory("aligned_new", test_aligned_new);
    run_memory("malloc", test_malloc);
    run_memory("shared_malloc", test_shared_malloc);
    run_memory("alloca", test_alloca);
}
