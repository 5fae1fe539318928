__constant__ int table[64];

__global__ void fill() { const_cast<volatile int*>(table)[threadIdx.x] = 1; }

int main() {
    fill<<<1, 64>>>();
    cudaDeviceSynchronize();
}
