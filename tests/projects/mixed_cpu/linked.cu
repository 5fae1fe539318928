// Two sources with equal names of internal linkage, which a device link puts into one image.
#include "check.h"
#include "linked.h"

#include <string>

std::string host_variable = "constructed";
__device__ int shared_value = 3;
__managed__ int counter = 10;
static __managed__ int own = 1;
static __device__ int value = 100;

static __global__ void same_name(int* p) {
    p[0] = value + add_shared(1);
    own += 1;
}
template <class T>
static __global__ void same_template(T* p) {
    p[1] = 1;
}
static __global__ void read_inline(int* p) { *p = inline_value; }

int main() {
    int x[2] = {0, 0};
    same_name<<<1, 1>>>(x);
    same_template<<<1, 1>>>(x);
    CHECK(x[0] == 104 && x[1] == 1 && own == 2);
    launch_second(x);
    CHECK(x[0] == 203 && x[1] == 2 && counter == 12 && own == 2);
    read_inline<<<1, 1>>>(x);
    CHECK(x[0] == 7);
    CHECK(cudaMemcpyFromSymbol(x, value, sizeof value) == cudaSuccess && x[0] == 100);
}
