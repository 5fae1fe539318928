#define WITH_BODY
#include "fill.cuh"

namespace ns {
template __global__ void fill<float, 8>(float*, float);
}
// The parameters are looked up in the namespace.
template __global__ void ns::fill<int, 4>(int*, int);
namespace alias = ns;
template __global__ void alias::fill<long, 2>(long*, long);

// Each source has its own implicit instances.
template <class T>
__global__ void implicit(T* out) {
    out[0] = SOURCE;
}
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
void JOIN(run_implicit_, SOURCE)(float* out) { implicit<<<1, 1>>>(out); }
