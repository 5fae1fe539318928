__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int out[128];
    fill<<<1, 128>>>(out);
    cudaDeviceSynchronize();
}
