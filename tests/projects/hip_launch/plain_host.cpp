// (a) Kernels launched by name from plain C++, without kbuild's headers.
#include <hip/hip_runtime_api.h>

#include <cstdio>

struct Step {
    char tag;
    double time;
    short count;
    int path[3];
};

namespace ns {
void scale(float* p, float a, int n);
}
void over(int* out, int value);
void over(int* out, double value);
void advance(char first, Step step, double* out);
template <class T>
void copy(const T* from, T* to, unsigned char count);
extern template void copy(const float*, float*, unsigned char);

namespace {

int failures = 0;

template <class... P>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, P... args)
{
    void* addresses[] = {&args...};
    const hipError_t error = hipLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses, 0, nullptr);
    if (error != hipSuccess) std::printf("error %d\n", error), ++failures;
}

} // namespace

int main()
{
    float floats[2] = {};
    double doubles[1] = {};
    int ints[1] = {};
    launch(ns::scale, dim3(7, 8, 9), dim3(32, 2), floats, 1.5f, -2);
    launch<int*, int>(over, dim3(1), dim3(1), ints, 77);
    launch<int*, double>(over, dim3(1), dim3(1), ints, 7.5);
    launch(advance, dim3(2), dim3(3), 'f', Step{'t', 0.5, -3, {1, 2, -7}}, doubles);
    launch<const float*, float*, unsigned char>(copy<float>, dim3(1), dim3(64), floats, floats + 1, 200);
    return failures == 0 ? 0 : 3;
}
