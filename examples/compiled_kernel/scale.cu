namespace ns {

__global__ void scale(float* values, float factor, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
}

}  // namespace ns
