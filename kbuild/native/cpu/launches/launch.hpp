// A launch in progress, and its blocks that have not run yet.
#ifndef KBUILD_CPU_LAUNCHES_LAUNCH_HPP
#define KBUILD_CPU_LAUNCHES_LAUNCH_HPP

#include "images/image.hpp"
#include "launches/block_order.hpp"
#include "launches/grid_barrier.hpp"
#include "streams/children.hpp"

#include <kbuild/cpu_image.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace kbuild::cpu {

struct BlockRange {
    std::uint64_t begin;
    std::uint64_t end;
};

class Launch {
public:
    Launch(const Image& image, const kbuild_cpu_kernel& kernel, const kbuild_launch_config& config,
           void* const* args)
        : image(image.table()),
          storage(image.storage()),
          kernel(kernel),
          grid(config.grid),
          block(config.block),
          shared_bytes(config.shared_bytes),
          is_cooperative(config.cooperative != 0),
          cluster(config.cluster),
          args(args),
          block_count(std::uint64_t{grid.x} * grid.y * grid.z),
          threads_per_block(block.x * block.y * block.z),
          blocks_per_cluster(std::max(cluster.x * cluster.y * cluster.z, 1u)),
          order(block_count,
                image.table().is_instrumented != 0 && blocks_per_cluster == 1 ? read_seed() : 0),
          grid_barrier(block_count) {}

    const kbuild_cpu_image& image;
    const StorageLayout storage;
    const kbuild_cpu_kernel& kernel;
    const kbuild_dim3 grid;
    const kbuild_dim3 block;
    const std::size_t shared_bytes;  // in `extern __shared__` arrays
    const bool is_cooperative;       // all blocks run at the same time
    const kbuild_dim3 cluster;       // its blocks run at the same time; 0 without clusters
    void* const* const args;
    const std::uint64_t block_count;
    const std::uint32_t threads_per_block;
    const std::uint32_t blocks_per_cluster;
    const BlockOrder order;  // of blocks that are checked

    GridBarrier grid_barrier;
    Children children;

    bool has_argument_at(std::uintptr_t address) const noexcept {
        for (std::uint32_t i = 0; i < kernel.param_count; ++i)
            if (address - reinterpret_cast<std::uintptr_t>(args[i]) < kernel.params[i].size)
                return true;
        return false;
    }
    bool has_blocks() const noexcept { return next_.load(std::memory_order_relaxed) < block_count; }

    // Returns the next blocks to run, or an empty range if none are left. Large grids are handed
    // out in larger ranges: the runtime does nothing between the blocks of a range. Blocks are counted
    // one cluster after another, and all blocks of a cluster are in one range.
    BlockRange take() noexcept {
        const auto begin = next_.fetch_add(blocks_per_range_, std::memory_order_relaxed);
        return {std::min(begin, block_count), std::min(begin + blocks_per_range_, block_count)};
    }

    // Chooses ranges for a number of threads. Call this before any of them takes blocks.
    void share(unsigned threads) noexcept {
        if (is_cooperative) return;
        const auto blocks = block_count / (std::uint64_t{8} * threads);
        blocks_per_range_ =
            std::clamp<std::uint64_t>(blocks / blocks_per_cluster, 1, 64) * blocks_per_cluster;
    }

    bool has_clusters() const noexcept { return cluster.x != 0; }

    // Returns blockIdx of the block with a number.
    kbuild_dim3 locate(std::uint64_t number) const noexcept {
        const auto split = [](std::uint64_t of, const kbuild_dim3& extent) {
            return kbuild_dim3{static_cast<std::uint32_t>(of % extent.x),
                               static_cast<std::uint32_t>(of / extent.x % extent.y),
                               static_cast<std::uint32_t>(of / extent.x / extent.y)};
        };
        if (!has_clusters()) return split(order(number), grid);
        const kbuild_dim3 clusters = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
        const auto first = split(number / blocks_per_cluster, clusters);
        const auto own = split(number % blocks_per_cluster, cluster);
        return {first.x * cluster.x + own.x, first.y * cluster.y + own.y,
                first.z * cluster.z + own.z};
    }

    // Ends the launch: blocks that have not started do not run. Returns false if it failed before.
    bool fail(int error) noexcept {
        int none = 0;
        const bool is_first = error_.compare_exchange_strong(none, error);
        next_.store(block_count, std::memory_order_relaxed);
        grid_barrier.wake_all();
        return is_first;
    }

    // Returns the error that ended the launch, or 0.
    int error() const noexcept { return error_.load(std::memory_order_relaxed); }

    // The state of the OS threads that run blocks. An idle one has no thread that does anything but
    // wait. `events` counts what other threads could wait for.
    std::atomic<unsigned> runners{0};
    std::atomic<unsigned> idle_runners{0};
    std::atomic<std::uint64_t> events{0};

    unsigned helpers =
        0;  // the number of pool threads that run its blocks; guarded by the pool's mutex

private:
    std::uint64_t blocks_per_range_ = blocks_per_cluster;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<int> error_{0};
};

}  // namespace kbuild::cpu

#endif
