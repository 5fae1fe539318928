__global__ void announce(volatile int* flag, int* out) {
    if (threadIdx.x == 0) *flag = 1;
    else *out = *flag;
}

int main() {
    int* flag;
    cudaMalloc(&flag, 2 * sizeof(int));
    cudaMemset(flag, 0, 2 * sizeof(int));
    announce<<<1, 2>>>(flag, flag + 1);
    cudaFree(flag);
}
