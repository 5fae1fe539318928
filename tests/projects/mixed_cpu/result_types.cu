// The result type of each device function is known in host code, which does not contain its calls of
// warp operations. Another source can include the same header.

#include "result_types.hpp"

static_assert(std::is_same_v<decltype(add_type(1)), unsigned>);
static_assert(std::is_same_v<decltype(deduced(1)), int>);
static_assert(std::is_same_v<decltype(deduced_exactly(1)), int>);
static_assert(std::is_same_v<decltype(names::members(1).deduced(1)), int>);

__global__ void sum(int* result) {
    int x = 4;
    const pointed y{4};
    const names::members z(1);
    *result = add_type(4) + add_type_of(4) + deduced(4) + deduced_exactly(4) + deduced_last(x);
    *result += leading(4) + deduced_of(&y) + not_throwing(&y) + unmangled(4) + enabled(4);
    *result += specialized(4) + z.inside(4) + z.outside(4) + z.deduced(4) + z.of_template(4) + z(4);
    *result += function_pointer(4) != nullptr;
}

int sum_again();

int main() {
    int* result;
    cudaMallocManaged(&result, sizeof *result);
    sum<<<1, 1>>>(result);
    cudaDeviceSynchronize();
    return *result != 16 * 5 || sum_again() != 5;
}
