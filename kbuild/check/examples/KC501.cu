__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    fill<<<1, 64>>>(out);
}
