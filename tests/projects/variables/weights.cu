// One variable of each kind that a host can name, and some that it cannot.
__device__ float weights[4];
__constant__ float factor = 2;
__managed__ int calls;
__managed__ double sums[2] = {1, 2};

namespace ns {
__device__ int offset = 40;
}

extern "C" {
__device__ int plain_c = 3;
}

static __device__ int own = 7;
static __managed__ int own_managed = 1;
namespace {
__device__ int nameless = 5;
}

// Each source has a separate one.
__constant__ int table[2] = {1, 2};

__global__ void weigh(const float* in, float* out)
{
    const int i = threadIdx.x;
    out[i] = weights[i] * factor * in[i] + ns::offset + plain_c + own * own_managed + nameless + table[1];
    __syncthreads();
    if (i == 0) {
        ++calls;
        sums[0] += sums[1];
        ns::offset += 1;
    }
}
