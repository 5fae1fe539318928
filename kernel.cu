__global__ void work(int* to) { *to = 7; }
