extern "C" __global__ void cfill(int* values, int value)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

namespace vectors {

struct Range {
    int first, last;
};

__global__ void scale(float* values, float factor, Range range)
{
    int i = range.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < range.last) values[i] *= factor;
}

template <class T>
__global__ void add(const T* a, const T* b, T* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

template __global__ void add<float>(const float*, const float*, float*, int);
template __global__ void add<double>(const double*, const double*, double*, int);

}  // namespace vectors
