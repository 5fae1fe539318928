// Calls the host API, and launches a kernel, without a mixed source and without a header of the library.
#include <cuda_runtime.h>

void square(int* values);
int count_squares(int* values, int count);

int main()
{
    int* values = nullptr;
    if (cudaMallocManaged(reinterpret_cast<void**>(&values), 2 * sizeof *values))
        return 1;
    values[0] = 2;
    values[1] = 3;
    void* arguments[] = {&values};
    if (cudaLaunchKernel(reinterpret_cast<const void*>(square), dim3(1), dim3(2), arguments, 0, nullptr))
        return 2;
    if (count_squares(values, 2) != 2)
        return 3;
    return values[0] == 16 && values[1] == 81 ? 0 : 4;
}
