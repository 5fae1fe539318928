// Complex numbers: cuComplex.h.
#include "blocks.hpp"

#include <cuComplex.h>

namespace {

constexpr int threads = 128, results = 12;

template <class T>
__device__ T number(int seed) {
    const T special[] = {0, 1, -1, T(0.5), T(3e30), T(-2e-30), T(1) / 3, -7};
    const int i = (static_cast<int>(threadIdx.x) * 7 + seed * 13 + static_cast<int>(blockIdx.x) * 5) % 41;
    return i < 8 ? special[i] : T(i - 20) * T(0.37);
}

// The operations have the same results on both devices, except for NaN, which has many patterns.
template <class T>
__device__ T keep(T value) { return value == value ? value : T(-1); }

__global__ void test_float(float* out) {
    const auto a = make_cuFloatComplex(number<float>(1), number<float>(2));
    const auto b = make_cuComplex(number<float>(3), number<float>(4));
    const auto c = make_cuComplex(number<float>(5), number<float>(6));
    const cuFloatComplex values[] = {cuCaddf(a, b), cuCsubf(a, b), cuCmulf(a, b), cuCdivf(a, b),
                                     cuCfmaf(a, b, c)};
    float* const own = out + results * THREAD;
    for (int i = 0; i < 5; ++i) {
        own[2 * i] = keep(cuCrealf(values[i]));
        own[2 * i + 1] = keep(cuCimagf(cuConjf(values[i])));
    }
    own[10] = keep(cuCabsf(a));
    own[11] = keep(static_cast<float>(cuCimag(cuComplexFloatToDouble(a))));
}

__global__ void test_double(double* out) {
    const auto a = make_cuDoubleComplex(number<double>(1), number<double>(2));
    const auto b = make_cuDoubleComplex(number<double>(3), number<double>(4));
    const auto c = make_cuDoubleComplex(number<double>(5), number<double>(6));
    const cuDoubleComplex values[] = {cuCadd(a, b), cuCsub(a, b), cuCmul(a, b), cuCdiv(a, b),
                                      cuCfma(a, b, c)};
    double* const own = out + results * THREAD;
    for (int i = 0; i < 5; ++i) {
        own[2 * i] = keep(cuCreal(values[i]));
        own[2 * i + 1] = keep(cuCimag(cuConj(values[i])));
    }
    own[10] = keep(cuCabs(a));
    own[11] = keep(static_cast<double>(cuCrealf(cuComplexDoubleToFloat(a))));
}

}  // namespace

int main() {
    conformance::run_blocks("cuFloatComplex", test_float, 3, threads, results);
    conformance::run_blocks("cuDoubleComplex", test_double, 3, threads, results);
}
