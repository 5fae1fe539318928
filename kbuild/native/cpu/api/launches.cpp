// Launches of kernels, and their attributes.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "api/kernel_calls.hpp"
#include "checks/checker.hpp"
#include "crashes/signals.hpp"
#include "devices/properties.hpp"
#include "launches/pool.hpp"
#include "launches/runner.hpp"
#include "launches/watchdog.hpp"
#include "registry.hpp"
#include "streams/stream_table.hpp"

#include <algorithm>
#include <cstdint>

namespace {

using namespace kbuild::cpu;

std::string to_string(const kbuild_dim3& extent) {
    return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " +
           std::to_string(extent.z) + ")";
}

void check_extent(const char* what, const kbuild_dim3& extent, const kbuild_dim3& largest) {
    if (extent.x == 0 || extent.y == 0 || extent.z == 0 || extent.x > largest.x ||
        extent.y > largest.y || extent.z > largest.z)
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      std::string("the ") + what + " is " + to_string(extent) +
                          ", but must be from (1, 1, 1) to " + to_string(largest));
}

void check_configuration(const kbuild_launch_config& config) {
    check_extent("grid", config.grid, largest_grid);
    check_extent("block", config.block, largest_block);
    const auto threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
    if (threads > std::uint64_t{most_threads_per_block})
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      "the block " + to_string(config.block) + " has " + std::to_string(threads) +
                          " threads, but the maximum is " + std::to_string(most_threads_per_block));
}

void require_unset(bool is_set, const char* attribute) {
    if (is_set)
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      std::string("the cpu backend does not support ") + attribute);
}

void check_attributes(const kbuild_launch_config& config) {
    require_unset(config.programmatic_dependent_launch != 0, "programmatic dependent launch");
}

void require_cluster(bool is_valid, const kbuild_dim3& cluster, const std::string& rule) {
    if (!is_valid)
        throw Failure(KBUILD_CPU_INVALID_CLUSTER_SIZE,
                      "the cluster is " + to_string(cluster) + ", but " + rule);
}

unsigned largest_cluster(const KernelUse& use) {
    return use.attributes().allows_large_clusters ? most_cluster_blocks
                                                  : most_portable_cluster_blocks;
}

// Returns the blocks of a cluster, from the launch or else from __cluster_dims__; 0 without clusters.
kbuild_dim3 choose_cluster(const kbuild_launch_config& config, const KernelUse& use) {
    const auto dims = use.kernel().cluster;
    kbuild_dim3 own = {};
    if (dims != 0)
        own = {static_cast<std::uint32_t>((dims - 1) % 16 + 1),
               static_cast<std::uint32_t>((dims - 1) / 16 % 16 + 1),
               static_cast<std::uint32_t>((dims - 1) / 256 + 1)};
    const bool is_given = config.cluster.x != 0 || config.cluster.y != 0 || config.cluster.z != 0;
    const auto& cluster = is_given ? config.cluster : own;
    if (cluster.x == 0 && !is_given) return cluster;
    const auto blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    const auto most = largest_cluster(use);
    const auto& grid = config.grid;
    require_cluster(blocks != 0, cluster, "each number must be at least 1");
    require_cluster(dims == 0 || to_string(cluster) == to_string(own), cluster,
                    std::string("the __cluster_dims__ of kernel ") + use.kernel().name + " are " +
                        to_string(own));
    require_cluster(blocks <= most, cluster,
                    "it can have at most " + std::to_string(most) +
                        " blocks; cudaFuncAttributeNonPortableClusterSizeAllowed allows " +
                        std::to_string(most_cluster_blocks));
    require_cluster(grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0,
                    cluster, "each number must divide that of the grid " + to_string(grid));
    require_unset(config.cooperative != 0, "clusters in cooperative launches");
    return cluster;
}

// The blocks of a cooperative launch need memory for all of their threads.
void check_cooperative(const kbuild_launch_config& config) {
    if (config.cooperative == 0) return;
    const auto threads = config.block.x * config.block.y * config.block.z;
    const auto blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    const auto most = std::uint64_t{usable_cores()} * resident_blocks(static_cast<int>(threads));
    if (blocks > most)
        throw Failure(KBUILD_CPU_COOPERATIVE_LAUNCH_TOO_LARGE,
                      "the cooperative launch has " + std::to_string(blocks) + " blocks of " +
                          std::to_string(threads) + " threads, but the maximum on " +
                          std::to_string(usable_cores()) + " cores is " + std::to_string(most) +
                          "; use the number of blocks that the occupancy functions return");
}

void check_shared_bytes(std::size_t bytes) {
    if (bytes > most_shared_bytes)
        throw Failure(KBUILD_CPU_INVALID_VALUE, "the launch requests " + std::to_string(bytes) +
                                                    " bytes of dynamic shared memory, but the "
                                                    "maximum is " +
                                                    std::to_string(most_shared_bytes));
}

void check_arguments(const kbuild_cpu_kernel& kernel, void* const* args) {
    for (std::uint32_t i = 0; i < kernel.param_count; ++i)
        if (args == nullptr || args[i] == nullptr)
            throw Failure(KBUILD_CPU_INVALID_VALUE, "argument " + std::to_string(i) +
                                                        " of kernel " + kernel.name +
                                                        " is a null pointer");
}

// The threads that a block of the kernel can have.
int allowed_threads(const kbuild_cpu_kernel& kernel) {
    const auto limit = std::uint64_t{most_threads_per_block};
    return static_cast<int>(kernel.max_threads == 0 ? limit : std::min(kernel.max_threads, limit));
}

void check_launch_bounds(const kbuild_cpu_kernel& kernel, const kbuild_dim3& block) {
    const auto threads = block.x * block.y * block.z;
    if (threads > static_cast<unsigned>(allowed_threads(kernel)))
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      "the block " + to_string(block) + " has " + std::to_string(threads) +
                          " threads, but the __launch_bounds__ of kernel " + kernel.name +
                          " allow " + std::to_string(allowed_threads(kernel)));
}

void check_shared_limit(const KernelUse& use, std::size_t bytes) {
    const std::size_t limit = use.attributes().dynamic_shared_limit;
    if (bytes > limit)
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      "the launch requests " + std::to_string(bytes) +
                          " bytes of dynamic shared memory, but the limit of kernel " +
                          use.kernel().name + " is " + std::to_string(limit) +
                          "; raise it with cudaFuncSetAttribute");
}

// Launches from host code. Returns the job, or null if the stream captures.
JobPointer queue_launch(const void* handle, const kbuild_launch_config* config, void* const* args,
                        SharedLimit limit, bool is_awaited) {
    require_device();
    if (BlockRunner::running() != nullptr)
        // kbuild verify recognizes a static copy of this runtime by this text, so it must not change.
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      "the cpu backend does not launch kernels from kernels");
    require(config != nullptr, "the launch configuration is a null pointer");
    Streams::instance().describe(config->stream);
    const bool borrows = is_awaited && !Streams::instance().is_capturing(config->stream);
    auto call = make_kernel_call(handle, *config, args, limit, borrows);
    return Streams::instance().enqueue(config->stream, std::move(call), is_awaited);
}

// Waits for the launch or not. Programs can ignore the error, so checks report a launch that does not start.
int launch(const void* handle, const kbuild_launch_config* config, void* const* args,
           SharedLimit limit, bool is_awaited) {
    JobPointer job;
    const int code = guarded([&] { job = queue_launch(handle, config, args, limit, is_awaited); });
    if (code != 0) checks::report_refused(handle, code, error_message(code));
    checks::note_launch_place(nullptr, 0);
    return code != 0 || !is_awaited ? code : guarded([&] { Streams::instance().await(job); });
}

// The vendor's numbers of the attributes that the runtime keeps.
constexpr int dynamic_shared_limit_attribute = 8;
constexpr int shared_carveout_attribute = 9;
constexpr int large_cluster_attribute = 14;

void set_attribute(const void* handle, int attribute, int value) {
    const KernelUse use(handle);
    auto& attributes = use.attributes();
    switch (attribute) {
    case dynamic_shared_limit_attribute:
        require(value >= 0 && static_cast<std::size_t>(value) <= most_shared_bytes,
                "the limit of dynamic shared memory must be from 0 to 232448 bytes");
        attributes.dynamic_shared_limit = value;
        return;
    case shared_carveout_attribute:
        require(value >= -1 && value <= 100, "the carveout must be from -1 to 100");
        attributes.shared_carveout = value;
        return;
    case large_cluster_attribute: attributes.allows_large_clusters = value != 0; return;
    default:
        throw Failure(
            KBUILD_CPU_INVALID_VALUE,
            "the cpu backend does not support kernel attribute " + std::to_string(attribute));
    }
}

}  // namespace

namespace kbuild::cpu {

KernelCall make_kernel_call(const void* handle, const kbuild_launch_config& config,
                            void* const* args, SharedLimit limit, bool borrows) {
    check_configuration(config);
    check_attributes(config);
    check_cooperative(config);
    KernelUse use(handle);
    check_launch_bounds(use.kernel(), config.block);
    if (limit == SharedLimit::kernel) check_shared_limit(use, config.shared_bytes);
    check_shared_bytes(config.shared_bytes);
    check_arguments(use.kernel(), args);
    spin_timeout();
    handles_signals();
    auto configured = config;
    configured.cluster = choose_cluster(config, use);
    KernelCall call(handle, configured, borrows ? Arguments(args) : Arguments(use.kernel(), args));
    call.use = std::move(use);
    return call;
}

}  // namespace kbuild::cpu

int kbuild_cpu_resolve(const void* handle) {
    return guarded([&] { const KernelUse loaded(handle); });
}

int kbuild_cpu_launch(const void* handle, const kbuild_launch_config* config, void* const* args) {
    return launch(handle, config, args, SharedLimit::device, true);
}

int kbuild_cpu_queue_launch(const void* handle, const kbuild_launch_config* config,
                            void* const* args) {
    return launch(handle, config, args, SharedLimit::device, false);
}

int kbuild_cpu_launch_limited(const void* handle, const kbuild_launch_config* config,
                              void* const* args) {
    return launch(handle, config, args, SharedLimit::kernel, false);
}

int kbuild_cpu_describe_function(kbuild_cpu_function* function, const void* handle) {
    return guarded([&] {
        require(function != nullptr, "the address for the result is a null pointer");
        const KernelUse use(handle);
        const auto& attributes = use.attributes();
        // `__shared__` variables belong to the image, so those of one kernel are unknown.
        *function = {use.kernel().name,
                     0,
                     static_cast<std::size_t>(attributes.dynamic_shared_limit),
                     attributes.shared_carveout,
                     allowed_threads(use.kernel()),
                     registers_per_block / most_threads_per_block,
                     compute_capability(),
                     static_cast<int>(largest_cluster(use))};
    });
}

int kbuild_cpu_describe_parameter(std::size_t* offset, std::size_t* bytes, const void* handle,
                                  std::size_t index) {
    return guarded([&] {
        require(offset != nullptr, "the address for the result is a null pointer");
        const KernelUse use(handle);
        require(index < use.kernel().param_count, "the kernel does not have so many parameters");
        const auto& parameter = use.kernel().params[index];
        *offset = parameter.offset;
        if (bytes != nullptr) *bytes = parameter.size;
    });
}

int kbuild_cpu_set_function_attribute(const void* handle, int attribute, int value) {
    return guarded([&] { set_attribute(handle, attribute, value); });
}

int kbuild_cpu_occupancy(int* blocks, const void* handle, int threads, std::size_t shared_bytes,
                         unsigned) {
    return guarded([&] {
        require(blocks != nullptr, "the address for the result is a null pointer");
        require(threads > 0, "the number of threads per block must be positive");
        const KernelUse use(handle);
        const std::size_t limit = use.attributes().dynamic_shared_limit;
        // Launch bounds do not count: NVIDIA's runtime reports blocks with more threads, too.
        const bool fits = threads <= most_threads_per_block && shared_bytes <= limit;
        *blocks = fits ? resident_blocks(threads) : 0;
    });
}

int kbuild_cpu_available_shared_bytes(std::size_t* bytes, const void* handle, int blocks,
                                      int threads) {
    return guarded([&] {
        require(bytes != nullptr, "the address for the result is a null pointer");
        require(blocks > 0 && threads > 0 && threads <= most_threads_per_block &&
                    blocks <= resident_blocks(threads),
                "a core cannot run that many blocks or threads at the same time");
        const KernelUse use(handle);
        *bytes = most_shared_bytes;
    });
}
