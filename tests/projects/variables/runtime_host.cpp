// Host code that passes the names of variables to the runtime's API, without kbuild's headers.
#include <cuda_runtime.h>

#include <cstdio>

extern float weights[4];
extern float factor;
extern "C" int plain_c;
void weigh(const float* in, float* out);

namespace {

int failures = 0;

void check(cudaError_t error, const char* what)
{
    if (error == cudaSuccess) return;
    std::printf("FAILED %s: %s\n", what, cudaGetErrorString(error));
    ++failures;
}

} // namespace

int main()
{
    const float values[4] = {1, 2, 3, 4};
    float back[4] = {};
    check(cudaMemcpyToSymbol(weights, values, sizeof values), "cudaMemcpyToSymbol");
    check(cudaMemcpyFromSymbol(back, weights, sizeof back), "cudaMemcpyFromSymbol");
    size_t size = 0;
    check(cudaGetSymbolSize(&size, weights), "cudaGetSymbolSize");
    void* address = nullptr;
    check(cudaGetSymbolAddress(&address, &plain_c), "cudaGetSymbolAddress");
    const float two = 2;
    check(cudaMemcpyToSymbolAsync(&factor, &two, sizeof two, 0, cudaMemcpyHostToDevice, nullptr),
          "cudaMemcpyToSymbolAsync");
    int three = 0;
    check(cudaMemcpy(&three, address, sizeof three, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (back[3] != 4 || size != 16 || three != 3) {
        std::printf("FAILED: %g, %zu bytes, %d\n", back[3], size, three);
        return 1;
    }
    return failures;
}
