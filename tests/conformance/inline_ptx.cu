// The instructions of inline PTX that the CPU has. All others are errors that name them.
#include "conformance.hpp"

using conformance::run;

namespace {

#define READ_REGISTER(name)                                                            \
    __global__ void test_##name(const unsigned* a, unsigned* out, int n) {             \
        const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);         \
        unsigned value;                                                                \
        asm("mov.u32 %0, %%" #name ";" : "=r"(value));                                 \
        if (i < n) out[i] = value + 0 * a[i];                                          \
    }

READ_REGISTER(laneid)
READ_REGISTER(lanemask_eq)
READ_REGISTER(lanemask_lt)
READ_REGISTER(lanemask_le)
READ_REGISTER(lanemask_gt)
READ_REGISTER(lanemask_ge)

__global__ void test_bfind(const unsigned* a, unsigned* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned bit;
    if (i >= n) return;
    asm volatile("bfind.u32 %0, %1;" : "=r"(bit) : "r"(a[i]));
    out[i] = bit;
}

__global__ void test_vabsdiff4(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out,
                               int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned sum;
    if (i >= n) return;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a[i]), "r"(b[i]), "r"(c[i]));
    out[i] = sum;
}

}  // namespace

int main() {
    run<unsigned, unsigned>("%laneid", test_laneid, 0);
    run<unsigned, unsigned>("%lanemask_eq", test_lanemask_eq, 0);
    run<unsigned, unsigned>("%lanemask_lt", test_lanemask_lt, 0);
    run<unsigned, unsigned>("%lanemask_le", test_lanemask_le, 0);
    run<unsigned, unsigned>("%lanemask_gt", test_lanemask_gt, 0);
    run<unsigned, unsigned>("%lanemask_ge", test_lanemask_ge, 0);
    run<unsigned, unsigned>("bfind.u32", test_bfind, 0);
    run<unsigned, unsigned, unsigned, unsigned>("vabsdiff4.u32.u32.u32.add", test_vabsdiff4, 0);
}
