// Launches kernels that have reference parameters, and prints what they see. The output,
// references.txt, is that of CUDA 13.0 on an H100 (driver 580.159). The CPU backend prints the same.
// The objects are in managed memory: with a variable of the host, the launch ends with
// cudaErrorIllegalAddress on that machine, whose devices cannot access pageable memory.
#include <cuda_runtime.h>

#include <cstdio>

struct Numbers {
    int values[20];
};
__global__ void add_one(const int& number, int* out) { *out = number + 1; }
__global__ void add_one_to_last(const Numbers& numbers, int* out) { *out = numbers.values[19] + 1; }
__global__ void write(int& number) { number = 77; }
template <class T>
__global__ void add_one_of_type(const T& number, T* out) {
    *out = number + T(1);
}

static void show(const char* what, int* out) {
    const cudaError_t launched = cudaGetLastError(), waited = cudaDeviceSynchronize();
    std::printf("%s: %s, %s, %d\n", what, cudaGetErrorName(launched), cudaGetErrorName(waited), *out);
    *out = 0;
}

int main() {
    int *number, *out;
    Numbers* numbers;
    cudaMallocManaged(&number, sizeof *number);
    cudaMallocManaged(&out, sizeof *out);
    cudaMallocManaged(&numbers, sizeof *numbers);
    *number = 5;
    numbers->values[19] = 9;
    *out = 0;
    add_one<<<1, 1>>>(*number, out);
    show("number", out);
    add_one_to_last<<<1, 1>>>(*numbers, out);
    show("structure", out);
    write<<<1, 1>>>(*number);
    show("write", out);
    add_one_of_type<<<1, 1>>>(*number, out);
    show("deduced type", out);
    add_one_of_type<int><<<1, 1>>>(*number, out);
    show("given type", out);
    void* arguments[] = {&number, &out};
    cudaLaunchKernel(add_one, dim3(1), dim3(1), arguments);
    show("cudaLaunchKernel", out);
    cudaFree(numbers);
    cudaFree(out);
    cudaFree(number);
    return 0;
}
