/* What link_kernel.cu needs, and a host function, which a link at run time leaves out. */
#include <cstdio>
__device__ int offset = 5;
__device__ int twice(int x) { return 2 * x; }
void print() { std::puts("host"); }
