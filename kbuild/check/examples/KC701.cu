__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main(int count, char**) {
    if (count > 2) fill<<<1, 64>>>(nullptr);
}
