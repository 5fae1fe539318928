#include "cases.hpp"

#include "kernels_kernels.hpp"
#include "loops.hpp"
#include "sizes.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using Values = std::vector<float>;

struct Data {
    Values a, b, of_kernel, of_loop;

    bool agree() const
    {
        for (std::size_t i = 0; i < of_kernel.size(); ++i)
            if (std::fabs(of_kernel[i] - of_loop[i]) > 1e-3f * (1 + std::fabs(of_loop[i])))
                return false;
        return true;
    }
};

Values ramp(std::size_t count)
{
    Values values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i % 17) / 17;
    return values;
}

void require(kbuild::error error)
{
    if (!error)
        return;
    std::fprintf(stderr, "launch failed: %s\n", error.message());
    std::exit(1);
}

Case make_empty()
{
    return {"nothing", 1, [] { require(kbuild::launch(nothing, {1, 1})); }, loops::nothing,
            [] { return true; }};
}

Case make_saxpy(int n)
{
    const auto data = std::make_shared<Data>(Data{ramp(n), {}, ramp(n), ramp(n)});
    const kbuild::LaunchConfig config{(n + block_size - 1) / block_size, block_size};
    return {"saxpy", n,
            [=] { require(kbuild::launch(saxpy, config, n, 0.5f, data->a.data(),
                                         data->of_kernel.data())); },
            [=] { loops::saxpy(n, 0.5f, data->a.data(), data->of_loop.data()); },
            [=] { return data->agree(); }};
}

template <class Kernel, class Loop>
Case make_matmul(const char* name, int n, Kernel kernel, Loop loop)
{
    const std::size_t count = std::size_t(n) * n;
    const auto data = std::make_shared<Data>(Data{ramp(count), ramp(count), Values(count),
                                                  Values(count)});
    const kbuild::LaunchConfig config{{n / tile, n / tile}, {tile, tile}};
    return {name, n,
            [=] { require(kbuild::launch(kernel, config, n, data->a.data(), data->b.data(),
                                         data->of_kernel.data())); },
            [=] { loop(n, data->a.data(), data->b.data(), data->of_loop.data()); },
            [=] { return data->agree(); }};
}

Case make_block_sums(int n)
{
    const std::size_t blocks = n / block_size;
    const auto data = std::make_shared<Data>(Data{ramp(n), {}, Values(blocks), Values(blocks)});
    const kbuild::LaunchConfig config{int(blocks), block_size};
    return {"block_sums", n,
            [=] { require(kbuild::launch(block_sums, config, n, data->a.data(),
                                         data->of_kernel.data())); },
            [=] { loops::block_sums(n, data->a.data(), data->of_loop.data()); },
            [=] { return data->agree(); }};
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
        cases.push_back(make_matmul("matmul_naive", n, matmul_naive, loops::matmul_naive));
    for (const int n : sizes({64, 256, 512}))
        cases.push_back(make_matmul("matmul_tiled", n, matmul_tiled, loops::matmul_tiled));
    for (const int n : sizes({1 << 12, 1 << 16, 1 << 20}))
        cases.push_back(make_block_sums(n));
    return cases;
}
