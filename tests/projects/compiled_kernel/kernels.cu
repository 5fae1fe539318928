namespace ns {

__global__ void scale(float* values, float factor, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
}

}  // namespace ns

template <class T>
__global__ void fill(T* values, T value)
{
    values[threadIdx.x] = value;
}
template __global__ void fill<float>(float*, float);
template __global__ void fill<double>(double*, double);

__global__ void over(int*) {}
__global__ void over(float*) {}

struct Pair {
    int first, second;
};
extern "C" __global__ void add_pair(char sign, Pair pair, int* sum)
{
    *sum = sign * (pair.first + pair.second);
}

__global__ void __launch_bounds__(64) count_threads(int* counter)
{
    atomicAdd(counter, 1);
}
