// See linked.cu.
#include "check.h"
#include "linked.h"

#include <iostream>

static __device__ int value = 200;
static __managed__ int own = 50;

__device__ int add_shared(int x) { return shared_value + x; }

static __global__ void same_name(int* p) {
    p[0] = value + shared_value;
    counter += 1;
    own += 1;
}
template <class T>
static __global__ void same_template(T* p) {
    p[1] = 2;
}

struct Tracer {
    Tracer() { std::cout << "constructed\n"; }
} tracer;

void launch_second(int* p) {
    counter += 1;
    same_name<<<1, 1>>>(p);
    same_template<<<1, 1>>>(p);
    CHECK(own == 51);
    const int seven = 7;
    CHECK(cudaMemcpyToSymbol(inline_value, &seven, sizeof seven) == cudaSuccess);
}
