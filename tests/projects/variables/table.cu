__constant__ int table[2] = {10, 20};

__global__ void read_table(int* out)
{
    out[0] = table[0] + table[1];
}
