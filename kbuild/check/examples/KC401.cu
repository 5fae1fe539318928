__global__ void add(int* sums) { sums[threadIdx.x] += threadIdx.x; }

int main() {
    int* sums;
    cudaMalloc(&sums, 64 * sizeof(int));
    add<<<1, 64>>>(sums);
    cudaFree(sums);
}
