// C = A * B in 16 x 16 tiles: two-dimensional blocks, shared memory, barriers in a loop.
constexpr int tile = 16;

__global__ void __launch_bounds__(tile* tile)
    matmul(int rows, int inner, int columns, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[tile][tile];
    __shared__ float tile_b[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < inner; start += tile) {
        const int k = start + threadIdx.x;
        const int l = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0;
        tile_b[threadIdx.y][threadIdx.x] = l < inner && column < columns ? b[l * columns + column] : 0;
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}
