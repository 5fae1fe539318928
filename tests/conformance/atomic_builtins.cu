// The __nv_atomic functions, which have explicit orders and scopes.
#include "conformance.hpp"

template <class T>
__global__ void test_builtins(T* cells) {
    const T value = static_cast<T>(threadIdx.x + 1);
    // nvcc does not accept these for long long.
    if constexpr (!std::is_same<T, long long>::value) {
        __nv_atomic_fetch_add(cells, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_fetch_sub(cells + 1, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    }
    __nv_atomic_fetch_or(cells + 2, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_and(cells + 3, static_cast<T>(~value), __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_xor(cells + 4, value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_min(cells + 5, value, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(cells + 6, value, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    T old = __nv_atomic_load_n(cells + 7, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    while (!__nv_atomic_compare_exchange_n(cells + 7, &old, static_cast<T>(old + 2), false,
                                           __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED,
                                           __NV_THREAD_SCOPE_DEVICE)) {
    }
    __syncthreads();
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        T given = 3, got = 0;
        __nv_atomic_store(cells + 8, &given, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_store_n(cells + 9, T(4), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_load(cells + 9, &got, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
        cells[10] = got + __nv_atomic_exchange_n(cells + 8, T(9), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_exchange(cells + 8, &given, &got, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        T expected = 3, wrong = 100;
        cells[11] = got + __nv_atomic_compare_exchange(cells + 8, &expected, &got, true, __NV_ATOMIC_RELAXED,
                                                       __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        cells[12] = __nv_atomic_compare_exchange(cells + 8, &wrong, &got, false, __NV_ATOMIC_RELAXED,
                                                 __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) + 10 * wrong;
    }
}

// The functions for floating-point numbers.
template <class T>
__global__ void test_floating_point(T* cells) {
    const T value = static_cast<T>(threadIdx.x + 1);
    __nv_atomic_fetch_add(cells, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    T old;
    __nv_atomic_load(cells + 1, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    T desired = old + 2;
    while (!__nv_atomic_compare_exchange(cells + 1, &old, &desired, false, __NV_ATOMIC_RELAXED,
                                         __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
        desired = old + 2;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        T given = 3, got = 0;
        __nv_atomic_store(cells + 2, &given, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        given = 4;
        __nv_atomic_exchange(cells + 2, &given, &got, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        cells[3] = got;
    }
}

template <class T>
void run_builtins(const char* name, void (*kernel)(T*)) {
    const conformance::DeviceVector<T> cells(std::vector<T>(13, T(50)));
    kernel<<<2, 64>>>(cells.data());
    conformance::check(cudaDeviceSynchronize(), name);
    conformance::print(name, cells.read(), 0);
}

int main() {
    run_builtins("int", test_builtins<int>);
    run_builtins("unsigned", test_builtins<unsigned int>);
    run_builtins("long_long", test_builtins<long long>);
    run_builtins("unsigned_long_long", test_builtins<unsigned long long>);
    run_builtins("float", test_floating_point<float>);
    run_builtins("double", test_floating_point<double>);
}
