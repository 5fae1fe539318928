#include <cstdio>
#include <utility>
template <class T>
__global__ void fill(int *p, T) {
    *p += 42;
}
template <class T>
__global__ static void add(int *p, T) {
    *p += 100;
}
template <class T>
struct launcher {
    static cudaError_t run(int *p) {
        fill<T><<<1, 1>>>(p, T());
        add<T><<<1, 1>>>(p, T());
        return cudaGetLastError();
    }
};
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    *p = 0;
    int r = launcher<std::make_integer_sequence<int, 1000>>::run(p);
    cudaDeviceSynchronize();
    printf("%d %d\n", r, *p);
}
