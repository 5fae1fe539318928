// The extern "C" functions: check arguments, and convert exceptions to error codes.
#include "api/exported.hpp"

#include "allocations.hpp"
#include "api/errors.hpp"
#include "launches/block.hpp"
#include "launches/launch.hpp"
#include "launches/pool.hpp"
#include "registry.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using namespace kbuild::cpu;

// The alignment that CUDA guarantees for device memory.
constexpr std::size_t allocation_alignment = 256;

// CUDA's limits, so that a launch that works on the CPU also works on a GPU.
constexpr kbuild_dim3 largest_grid = {0x7FFFFFFF, 65535, 65535};
constexpr kbuild_dim3 largest_block = {1024, 1024, 64};
constexpr std::uint64_t most_threads_per_block = 1024;

template <class Function>
int guarded(Function function) noexcept {
    try {
        function();
        return KBUILD_CPU_SUCCESS;
    } catch (const Failure& failure) {
        return remember_failure(failure.code(), failure.what());
    } catch (const std::exception& failure) {  // only std::bad_alloc is possible
        return remember_failure(KBUILD_CPU_OUT_OF_MEMORY, failure.what());
    }
}

void require(bool condition, const char* otherwise) {
    if (!condition) throw Failure(KBUILD_CPU_INVALID_VALUE, otherwise);
}

std::string to_string(const kbuild_dim3& extent) {
    return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " +
           std::to_string(extent.z) + ")";
}

void check_extent(const char* what, const kbuild_dim3& extent, const kbuild_dim3& largest) {
    if (extent.x == 0 || extent.y == 0 || extent.z == 0 || extent.x > largest.x ||
        extent.y > largest.y || extent.z > largest.z)
        throw Failure(KBUILD_CPU_INVALID_CONFIGURATION,
                      std::string("the ") + what + " is " + to_string(extent) +
                          ", but must be from (1, 1, 1) to " + to_string(largest));
}

void check_configuration(const kbuild_launch_config& config) {
    check_extent("grid", config.grid, largest_grid);
    check_extent("block", config.block, largest_block);
    const auto threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
    if (threads > most_threads_per_block)
        throw Failure(KBUILD_CPU_INVALID_CONFIGURATION,
                      "the block " + to_string(config.block) + " has " + std::to_string(threads) +
                          " threads, but the maximum is " + std::to_string(most_threads_per_block));
}

void require_unset(bool is_set, const char* attribute) {
    if (is_set)
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      std::string("the cpu backend does not support ") + attribute);
}

void check_attributes(const kbuild_launch_config& config) {
    const auto& cluster = config.cluster;
    require_unset(cluster.x > 1 || cluster.y > 1 || cluster.z > 1, "clusters");
    require_unset(config.cooperative != 0, "cooperative launches");
    require_unset(config.programmatic_dependent_launch != 0, "programmatic dependent launch");
}

// An image without `extern __shared__` arrays ignores the bytes.
void check_shared_bytes(const kbuild_cpu_image& image, std::size_t bytes) {
    const auto capacity = image.dynamic_shared_bytes != 0
                              ? image.dynamic_shared_bytes
                              : std::uint64_t{KBUILD_CPU_DYNAMIC_SHARED_BYTES};
    if (bytes > capacity)
        throw Failure(KBUILD_CPU_INVALID_VALUE, "the launch requests " + std::to_string(bytes) +
                                                    " bytes of dynamic shared memory, but the "
                                                    "maximum is " +
                                                    std::to_string(capacity));
}

void check_arguments(const kbuild_cpu_kernel& kernel, void* const* args) {
    for (std::uint32_t i = 0; i < kernel.param_count; ++i)
        if (args == nullptr || args[i] == nullptr)
            throw Failure(KBUILD_CPU_INVALID_VALUE, "argument " + std::to_string(i) +
                                                        " of kernel " + kernel.name +
                                                        " is a null pointer");
}

void launch(const void* handle, const kbuild_launch_config* config, void* const* args) {
    require(config != nullptr, "the launch configuration is a null pointer");
    if (BlockRunner::of_this_thread().is_running())
        // kbuild verify recognizes a static copy of this runtime by this text, so it must not change.
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      "the cpu backend does not launch kernels from kernels");
    check_configuration(*config);
    check_attributes(*config);
    const KernelUse use(handle);
    check_shared_bytes(use.image(), config->shared_bytes);
    check_arguments(use.kernel(), args);
    Launch work(use.image(), use.kernel(), config->grid, config->block, args);
    Pool::instance().run(work);
}

// Returns the address in a device variable at which a copy starts. Throws Failure if the copy does
// not fit.
char* address_in(const void* symbol, std::size_t bytes, std::size_t offset) {
    const auto& variable = Registry::instance().locate(symbol);
    if (offset > variable.size || bytes > variable.size - offset)
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      "a copy of " + std::to_string(bytes) + " bytes at offset " +
                          std::to_string(offset) + " does not fit in variable " + variable.name +
                          ", which has " + std::to_string(variable.size) + " bytes");
    return static_cast<char*>(variable.address) + offset;
}

void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* pointer = nullptr;
    if (posix_memalign(&pointer, allocation_alignment, bytes) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot allocate " + std::to_string(bytes) + " bytes");
    try {
        Allocations::instance().add(pointer, bytes);
    } catch (...) {
        std::free(pointer);
        throw;
    }
    return pointer;
}

}  // namespace

int kbuild_cpu_register(const kbuild_module* module) {
    return guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().add(*module);
    });
}

void kbuild_cpu_unregister(const kbuild_module* module) {
    guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().remove(*module);
    });
}

int kbuild_cpu_device_count(int* count) {
    return guarded([&] {
        require(count != nullptr, "the count is a null pointer");
        *count = 1;
    });
}

int kbuild_cpu_resolve(const void* handle) {
    return guarded([&] { const KernelUse loaded(handle); });
}

int kbuild_cpu_launch(const void* handle, const kbuild_launch_config* config, void* const* args) {
    return guarded([&] { launch(handle, config, args); });
}

int kbuild_cpu_get_symbol_address(void** pointer, const void* symbol) {
    return guarded([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        *pointer = address_in(symbol, 0, 0);
    });
}

int kbuild_cpu_copy_to_symbol(const void* symbol, const void* source, std::size_t bytes,
                              std::size_t offset) {
    return guarded([&] {
        auto* const destination = address_in(symbol, bytes, offset);
        require(source != nullptr || bytes == 0, "the source of the copy is a null pointer");
        if (bytes != 0) std::memmove(destination, source, bytes);
    });
}

int kbuild_cpu_copy_from_symbol(void* destination, const void* symbol, std::size_t bytes,
                                std::size_t offset) {
    return guarded([&] {
        const auto* const source = address_in(symbol, bytes, offset);
        require(destination != nullptr || bytes == 0, "the destination of the copy is a null pointer");
        if (bytes != 0) std::memmove(destination, source, bytes);
    });
}

int kbuild_cpu_initialise_managed(const kbuild_module* module, void (*initialize)()) {
    return guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().initialize_managed(*module, initialize);
    });
}

int kbuild_cpu_allocate(void** pointer, std::size_t bytes) {
    return guarded([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        *pointer = allocate(bytes);
    });
}

int kbuild_cpu_release(void* pointer) {
    return guarded([&] {
        // Remove the entry first: another thread can get the same memory as soon as it is free.
        Allocations::instance().remove(pointer);
        std::free(pointer);
    });
}

int kbuild_cpu_find_allocation(const void* pointer, void** base, std::size_t* bytes) {
    return guarded([&] {
        require(base != nullptr && bytes != nullptr, "an address for the result is a null pointer");
        const auto allocation = Allocations::instance().find(pointer);
        *base = allocation.base;
        *bytes = allocation.bytes;
    });
}

// The host and the device share their memory, so the direction is checked but has no effect.
int kbuild_cpu_copy(void* destination, const void* source, std::size_t bytes,
                    kbuild_copy_direction direction) {
    return guarded([&] {
        require(direction == KBUILD_COPY_TO_DEVICE || direction == KBUILD_COPY_TO_HOST ||
                    direction == KBUILD_COPY_ON_DEVICE,
                "unknown copy direction");
        if (bytes == 0) return;
        require(destination != nullptr && source != nullptr, "the source or destination of the copy is a null pointer");
        std::memmove(destination, source, bytes);
    });
}

int kbuild_cpu_synchronize() {
    return KBUILD_CPU_SUCCESS;  // launches are synchronous
}

const char* kbuild_cpu_error_message(int code) { return error_message(code); }
