// cuda::atomic and cuda::atomic_ref, in device and host code.
#include "conformance.hpp"

#include <cuda/atomic>

template <class T, cuda::thread_scope scope>
__global__ void test_ref(T* cells) {
    cuda::atomic_ref<T, scope> sum(cells[0]), least(cells[1]), greatest(cells[2]);
    const T value = static_cast<T>(threadIdx.x + 1);
    sum.fetch_add(value, cuda::memory_order_relaxed);
    sum.fetch_sub(1, cuda::std::memory_order_acq_rel);
    sum += 2;
    least.fetch_min(value, cuda::memory_order_relaxed);
    greatest.fetch_max(value);
    cuda::atomic_ref<T, scope> product(cells[3]);
    T old = product.load(cuda::memory_order_relaxed);
    while (!product.compare_exchange_weak(old, static_cast<T>(old + 3), cuda::memory_order_release,
                                          cuda::memory_order_relaxed)) {
    }
    if constexpr (std::is_integral<T>::value) {
        cuda::atomic_ref<T, scope> bits(cells[4]);
        bits.fetch_or(static_cast<T>(1 << threadIdx.x % 20));
        bits ^= static_cast<T>(1 << 20);
        sum++;
        --sum;
        cuda::atomic_ref<T, scope>(cells[5]).fetch_and(static_cast<T>(~(1 << threadIdx.x % 5)));
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        cuda::atomic_ref<T, scope> single(cells[6]);
        T expected = 5;
        const bool failed = !single.compare_exchange_strong(expected, 1);  // the cell is 50
        single.store(static_cast<T>(expected + failed), cuda::memory_order_release);
        cells[7] = single.exchange(static_cast<T>(single + 1));
    }
}

// One block waits for what another one writes.
__global__ void test_message(cuda::atomic<int, cuda::thread_scope_device>* flag, int* message, int* out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            *message = 42;
            flag->store(1, cuda::memory_order_release);
            flag->notify_all();
        } else {
            flag->wait(0, cuda::memory_order_acquire);
            *out = *message + flag->load();
        }
    }
}

__global__ void test_shared(int* out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> counter;
    if (threadIdx.x == 0) new (&counter) cuda::atomic<int, cuda::thread_scope_block>(7);
    __syncthreads();
    volatile auto& same = counter;  // as in libcu++, operations are also those of volatile objects
    same.fetch_add(2, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    __syncthreads();
    out[threadIdx.x] = counter.load();
}

template <class T, cuda::thread_scope scope>
void run_ref(const char* name) {
    const conformance::DeviceVector<T> cells(std::vector<T>(8, T(50)));
    test_ref<T, scope><<<4, 64>>>(cells.data());
    conformance::check(cudaDeviceSynchronize(), name);
    conformance::print(name, cells.read(), 0);
}

int main() {
    run_ref<int, cuda::thread_scope_device>("ref_int");
    run_ref<unsigned int, cuda::thread_scope_system>("ref_unsigned");
    run_ref<long long, cuda::thread_scope_device>("ref_long_long");
    run_ref<unsigned long long, cuda::thread_scope_device>("ref_unsigned_long_long");
    run_ref<float, cuda::thread_scope_device>("ref_float");
    run_ref<double, cuda::thread_scope_device>("ref_double");

    const conformance::DeviceVector<int> words(std::vector<int>(64));
    test_message<<<2, 32>>>(reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(words.data()),
                            words.data() + 1, words.data() + 2);
    conformance::check(cudaDeviceSynchronize(), "message");
    conformance::print("message", words.read(), 0);
    test_shared<<<1, 64>>>(words.data());
    conformance::check(cudaDeviceSynchronize(), "shared");
    conformance::print("shared", words.read(), 0);

    cuda::atomic<int> host(3);
    host.fetch_add(4);
    volatile auto& same = host;
    same = host + 1;
    host = same + 0;
    int number = 5;
    cuda::std::atomic_ref<int>(number)++;
    conformance::print("host", std::vector<int>{host.load(), number, ++host, sizeof(host)}, 0);
}
