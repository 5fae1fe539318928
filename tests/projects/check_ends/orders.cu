// Writes past the end if block 1 runs first.
__global__ void order(int* out)
{
    int before = atomicAdd(out, 1);
    if (blockIdx.x == 1 && before == 0) atomicAdd(out + 1, 1);
}
