#include "cases.hpp"

#include "kernels_kernels.hpp"
#include "loops.hpp"
#include "opencl.hpp"
#include "sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <tuple>

namespace {

template <class T>
std::vector<T> ramp(std::size_t count)
{
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::is_integral_v<T> ? T(i * 2654435761u >> 16) : T(i * 7 % 17) / T(17);
    return values;
}

void require(kbuild::error error)
{
    if (!error)
        return;
    std::fprintf(stderr, "launch failed: %s\n", error.message());
    std::exit(1);
}

template <class T>
bool are_equal(const std::vector<T>& left, const std::vector<T>& right)
{
    for (std::size_t i = 0; i < left.size(); ++i)
        if (std::fabs(double(left[i]) - right[i]) > 1e-3 * (1 + std::fabs(double(left[i]))))
            return false;
    return true;
}

// What a kernel takes between the size and the output.
template <class... Inputs>
using Tuple = std::tuple<std::vector<Inputs>...>;

// A case whose kernel and loop have the parameters (n, input..., output), and whose OpenCL kernel
// has the kernel's name.
template <class T, class... Inputs, class Kernel, class Loop>
Case make_case(const char* name, int n, kbuild::LaunchConfig config, opencl::Range range,
               Tuple<Inputs...> inputs, std::vector<T> output, Kernel kernel, Loop loop)
{
    const auto in = std::make_shared<Tuple<Inputs...>>(std::move(inputs));
    const auto outputs = std::make_shared<std::vector<std::vector<T>>>(3, output);
    std::vector<Side> sides;
    sides.push_back({"kbuild", [=] {
        std::apply([&](auto&... input) {
            require(kbuild::launch(kernel, config, n, input.data()..., (*outputs)[0].data()));
        }, *in);
    }});
    sides.push_back({"OpenMP", [=] {
        std::apply([&](auto&... input) { loop(n, input.data()..., (*outputs)[1].data()); }, *in);
    }});
    if (opencl::is_available() && opencl::has_kernel(name)) {
        auto arguments = std::apply([&](auto&... input) {
            return std::vector{opencl::pass(n), opencl::pass(input)..., opencl::pass((*outputs)[2])};
        }, *in);
        sides.push_back({"OpenCL", opencl::prepare(name, range, std::move(arguments))});
    }
    const std::size_t count = sides.size();
    return {name, n, std::move(sides), [=] {
        for (std::size_t i = 1; i < count; ++i)
            if (!are_equal((*outputs)[0], (*outputs)[i]))
                return false;
        return true;
    }};
}

// Checks need results in memory of the device, which checks/device_memory.cpp allocates for large vectors.
constexpr std::size_t fewest_outputs = 1024;

template <class T, class Input, class Kernel, class Loop>
Case make_linear(const char* name, int n, int per_block, std::vector<Input> input,
                 std::size_t outputs, Kernel kernel, Loop loop)
{
    const int blocks = (n + per_block - 1) / per_block;
    return make_case<T, Input>(name, n, {blocks, BLOCK_SIZE},
                               {{std::size_t(blocks), 1}, {BLOCK_SIZE, 1}}, {std::move(input)},
                               std::vector<T>(std::max(outputs, fewest_outputs)), kernel, loop);
}

template <class... Inputs, class Kernel, class Loop>
Case make_square(const char* name, int n, int tile, std::size_t outputs, Tuple<Inputs...> inputs,
                 Kernel kernel, Loop loop)
{
    const std::size_t blocks = n / tile, threads = tile;
    return make_case<float, Inputs...>(name, n, {{n / tile, n / tile}, {tile, tile}},
                                       {{blocks, blocks}, {threads, threads}}, std::move(inputs),
                                       std::vector<float>(outputs), kernel, loop);
}

template <class Kernel, class Loop>
Case make_matmul(const char* name, int n, int tile, Kernel kernel, Loop loop)
{
    const std::size_t count = std::size_t(n) * n;
    return make_square<float, float>(name, n, tile, count, {ramp<float>(count), ramp<float>(count)},
                                     kernel, loop);
}

Case make_empty()
{
    return {"nothing", 1,
            {{"kbuild", [] { require(kbuild::launch(nothing, {1, 1})); }},
             {"OpenMP", loops::nothing}},
            [] { return true; }};
}

Case make_saxpy(int n)
{
    const auto x = std::make_shared<std::vector<float>>(ramp<float>(n));
    const auto y = std::make_shared<std::vector<std::vector<float>>>(3, ramp<float>(n));
    const std::size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    const kbuild::LaunchConfig config{int(blocks), BLOCK_SIZE};
    Case made{"saxpy", n,
              {{"kbuild", [=] { require(kbuild::launch(saxpy, config, n, 0.5f, x->data(),
                                                       (*y)[0].data())); }},
               {"OpenMP", [=] { loops::saxpy(n, 0.5f, x->data(), (*y)[1].data()); }}},
              [=] { return are_equal((*y)[0], (*y)[1]); }};
    if (opencl::is_available())
        made.sides.push_back(
            {"OpenCL", opencl::prepare("saxpy", {{blocks, 1}, {BLOCK_SIZE, 1}},
                                       {opencl::pass(n), opencl::pass(0.5f), opencl::pass(*x),
                                        opencl::pass((*y)[2])})});
    return made;
}

// The cases whose kernels have barriers, in one size each.
void add_barrier_cases(std::vector<Case>& cases, bool is_tiny)
{
    const int n = is_tiny ? 1 << 12 : 1 << 17;
    const int square = is_tiny ? 64 : 256;
    const std::size_t blocks = n / BLOCK_SIZE;
    const auto values = ramp<float>(n);
    cases.push_back(make_matmul("matmul_large_tile", square, LARGE_TILE, matmul_large_tile,
                                loops::matmul_large_tile));
    cases.push_back(make_linear<float>("guarded_sums", n - 100, BLOCK_SIZE, values, blocks,
                                       guarded_sums, loops::guarded_sums));
    cases.push_back(make_linear<float>("warp_sums", n, BLOCK_SIZE, values, blocks, warp_sums,
                                       loops::block_sums));
    cases.push_back(make_linear<float>("block_scan", n, BLOCK_SIZE, values, n, block_scan,
                                       loops::block_scan));
    cases.push_back(make_linear<float>("stencil", n, BLOCK_SIZE, ramp<float>(n + 2 * RADIUS), n,
                                       stencil, loops::stencil));
    const int counted = n * PER_THREAD;
    cases.push_back(make_linear<int>("histogram", counted, BLOCK_SIZE * PER_THREAD,
                                     ramp<unsigned char>(counted), BINS, histogram,
                                     loops::histogram));
    const std::size_t area = std::size_t(4) * square * square;
    cases.push_back(make_square<float>("transpose", 2 * square, TILE, area, {ramp<float>(area)},
                                       transpose, loops::transpose));
    cases.push_back(make_linear<float>("softmax", n, COLUMNS, values, n, softmax, loops::softmax));
    const int bodies = is_tiny ? 1 << 10 : 1 << 12;
    cases.push_back(make_linear<float>("nbody", bodies, BLOCK_SIZE, ramp<float>(bodies), bodies,
                                       nbody, loops::nbody));
    cases.push_back(make_linear<float>("bitonic_sort", n, BLOCK_SIZE, values, n, bitonic_sort,
                                       loops::bitonic_sort));
    const std::size_t grid = std::size_t(2 * square + 2) * (2 * square + 2);
    cases.push_back(make_square<float>("jacobi", 2 * square, TILE, grid, {ramp<float>(grid)},
                                       jacobi, loops::jacobi));
}

} // namespace

std::vector<Case> make_cases(bool is_tiny)
{
    const auto sizes = [&](std::vector<int> all) {
        all.resize(is_tiny ? 1 : all.size());
        return all;
    };
    std::vector<Case> cases{make_empty()};
    for (const int n : sizes({1 << 12, 1 << 16, 1 << 20, 1 << 24}))
        cases.push_back(make_saxpy(n));
    for (const int n : sizes({64, 256, 512}))
        cases.push_back(make_matmul("matmul_naive", n, TILE, matmul_naive, loops::matmul_naive));
    for (const int n : sizes({64, 256, 512}))
        cases.push_back(make_matmul("matmul_tiled", n, TILE, matmul_tiled, loops::matmul_tiled));
    for (const int n : sizes({1 << 12, 1 << 16, 1 << 20}))
        cases.push_back(make_linear<float>("block_sums", n, BLOCK_SIZE, ramp<float>(n),
                                           n / BLOCK_SIZE, block_sums, loops::block_sums));
    add_barrier_cases(cases, is_tiny);
    return cases;
}
