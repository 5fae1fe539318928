#include "cases.hpp"

#include "loops.hpp"
#include "opencl.hpp"
#include "sizes.hpp"
#include "spellings.hpp"

#include <kbuild/kbuild.hpp>

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
               Tuple<Inputs...> inputs, std::vector<T> output, Kernel Spelling::* kernel, Loop loop)
{
    const auto& spellings = list_spellings();
    const auto in = std::make_shared<Tuple<Inputs...>>(std::move(inputs));
    // One per side.
    const auto outputs
        = std::make_shared<std::vector<std::vector<T>>>(spellings.size() + 2, output);
    std::vector<Side> sides;
    for (const Spelling& spelling : spellings)
        sides.push_back({spelling.name, [=, &spelling, &own = (*outputs)[sides.size()]] {
            std::apply([&](auto&... input) {
                require(kbuild::launch(spelling.*kernel, config, n, input.data()..., own.data()));
            }, *in);
        }});
    sides.push_back({"OpenMP", [=, &own = (*outputs)[sides.size()]] {
        std::apply([&](auto&... input) { loop(n, input.data()..., own.data()); }, *in);
    }});
    if (opencl::is_available() && opencl::has_kernel(name)) {
        auto arguments = std::apply([&](auto&... input) {
            return std::vector{opencl::pass(n), opencl::pass(input)...,
                               opencl::pass((*outputs)[sides.size()])};
        }, *in);
        sides.push_back({"OpenCL", opencl::prepare(name, range, std::move(arguments))});
    }
    return {name, n, std::move(sides), [outputs](std::size_t side) {
        return are_equal((*outputs)[0], (*outputs)[side]);
    }};
}

// Checks need results in memory of the device, which checks/device_memory.cpp allocates for large vectors.
constexpr std::size_t fewest_outputs = 1024;

template <class T, class Input, class Kernel, class Loop>
Case make_linear(const char* name, int n, int per_block, std::vector<Input> input,
                 std::size_t outputs, Kernel Spelling::* kernel, Loop loop)
{
    const int blocks = (n + per_block - 1) / per_block;
    return make_case<T, Input>(name, n, {blocks, BLOCK_SIZE},
                               {{std::size_t(blocks), 1}, {BLOCK_SIZE, 1}}, {std::move(input)},
                               std::vector<T>(std::max(outputs, fewest_outputs)), kernel, loop);
}

template <class... Inputs, class Kernel, class Loop>
Case make_square(const char* name, int n, int tile, std::size_t outputs, Tuple<Inputs...> inputs,
                 Kernel Spelling::* kernel, Loop loop)
{
    const std::size_t blocks = n / tile, threads = tile;
    return make_case<float, Inputs...>(name, n, {{n / tile, n / tile}, {tile, tile}},
                                       {{blocks, blocks}, {threads, threads}}, std::move(inputs),
                                       std::vector<float>(outputs), kernel, loop);
}

template <class Kernel, class Loop>
Case make_matmul(const char* name, int n, int tile, Kernel Spelling::* kernel, Loop loop)
{
    const std::size_t count = std::size_t(n) * n;
    return make_square<float, float>(name, n, tile, count, {ramp<float>(count), ramp<float>(count)},
                                     kernel, loop);
}

Case make_empty()
{
    std::vector<Side> sides;
    for (const Spelling& spelling : list_spellings())
        sides.push_back({spelling.name, [&spelling] {
            require(kbuild::launch(spelling.nothing, {1, 1}));
        }});
    sides.push_back({"OpenMP", loops::nothing});
    return {"nothing", 1, std::move(sides), [](std::size_t) { return true; }};
}

Case make_saxpy(int n)
{
    const auto& spellings = list_spellings();
    const auto x = std::make_shared<std::vector<float>>(ramp<float>(n));
    const auto y = std::make_shared<std::vector<std::vector<float>>>(spellings.size() + 2,
                                                                     ramp<float>(n));
    const std::size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    const kbuild::LaunchConfig config{int(blocks), BLOCK_SIZE};
    std::vector<Side> sides;
    for (const Spelling& spelling : spellings)
        sides.push_back({spelling.name, [=, &spelling, &own = (*y)[sides.size()]] {
            require(kbuild::launch(spelling.saxpy, config, n, 0.5f, x->data(), own.data()));
        }});
    sides.push_back({"OpenMP", [=, &own = (*y)[sides.size()]] {
        loops::saxpy(n, 0.5f, x->data(), own.data());
    }});
    if (opencl::is_available())
        sides.push_back({"OpenCL", opencl::prepare("saxpy", {{blocks, 1}, {BLOCK_SIZE, 1}},
                                                   {opencl::pass(n), opencl::pass(0.5f),
                                                    opencl::pass(*x),
                                                    opencl::pass((*y)[sides.size()])})});
    return {"saxpy", n, std::move(sides), [y](std::size_t side) {
        return are_equal((*y)[0], (*y)[side]);
    }};
}

// The cases whose kernels have barriers, in one size each.
void add_barrier_cases(std::vector<Case>& cases, bool is_tiny)
{
    const int n = is_tiny ? 1 << 12 : 1 << 17;
    const int square = is_tiny ? 64 : 256;
    const std::size_t blocks = n / BLOCK_SIZE;
    const auto values = ramp<float>(n);
    cases.push_back(make_matmul("matmul_large_tile", square, LARGE_TILE,
                                &Spelling::matmul_large_tile, loops::matmul_large_tile));
    cases.push_back(make_linear<float>("guarded_sums", n - 100, BLOCK_SIZE, values, blocks,
                                       &Spelling::guarded_sums, loops::guarded_sums));
    cases.push_back(make_linear<float>("warp_sums", n, BLOCK_SIZE, values, blocks,
                                       &Spelling::warp_sums, loops::block_sums));
    cases.push_back(make_linear<float>("block_scan", n, BLOCK_SIZE, values, n,
                                       &Spelling::block_scan, loops::block_scan));
    cases.push_back(make_linear<float>("stencil", n, BLOCK_SIZE, ramp<float>(n + 2 * RADIUS), n,
                                       &Spelling::stencil, loops::stencil));
    const int counted = n * PER_THREAD;
    cases.push_back(make_linear<int>("histogram", counted, BLOCK_SIZE * PER_THREAD,
                                     ramp<unsigned char>(counted), BINS, &Spelling::histogram,
                                     loops::histogram));
    const std::size_t area = std::size_t(4) * square * square;
    cases.push_back(make_square<float>("transpose", 2 * square, TILE, area, {ramp<float>(area)},
                                       &Spelling::transpose, loops::transpose));
    cases.push_back(make_linear<float>("softmax", n, COLUMNS, values, n, &Spelling::softmax,
                                       loops::softmax));
    const int bodies = is_tiny ? 1 << 10 : 1 << 12;
    cases.push_back(make_linear<float>("nbody", bodies, BLOCK_SIZE, ramp<float>(bodies), bodies,
                                       &Spelling::nbody, loops::nbody));
    cases.push_back(make_linear<float>("bitonic_sort", n, BLOCK_SIZE, values, n,
                                       &Spelling::bitonic_sort, loops::bitonic_sort));
    const std::size_t grid = std::size_t(2 * square + 2) * (2 * square + 2);
    cases.push_back(make_square<float>("jacobi", 2 * square, TILE, grid, {ramp<float>(grid)},
                                       &Spelling::jacobi, loops::jacobi));
}

} // namespace

std::vector<Case> make_cases(bool is_tiny)
{
    // The second size is the one that spellings are compared with.
    const bool is_single = list_spellings().size() > 1;
    const auto sizes = [&](std::vector<int> all) -> std::vector<int> {
        if (is_tiny)
            return {all[0]};
        return is_single ? std::vector{all[1]} : all;
    };
    std::vector<Case> cases{make_empty()};
    for (const int n : sizes({1 << 12, 1 << 16, 1 << 20, 1 << 24}))
        cases.push_back(make_saxpy(n));
    for (const int n : sizes({64, 256, 512}))
        cases.push_back(make_matmul("matmul_naive", n, TILE, &Spelling::matmul_naive,
                                    loops::matmul_naive));
    for (const int n : sizes({64, 256, 512}))
        cases.push_back(make_matmul("matmul_tiled", n, TILE, &Spelling::matmul_tiled,
                                    loops::matmul_tiled));
    for (const int n : sizes({1 << 12, 1 << 16, 1 << 20}))
        cases.push_back(make_linear<float>("block_sums", n, BLOCK_SIZE, ramp<float>(n),
                                           n / BLOCK_SIZE, &Spelling::block_sums,
                                           loops::block_sums));
    add_barrier_cases(cases, is_tiny);
    return cases;
}
