__global__ void other(int n) {}
