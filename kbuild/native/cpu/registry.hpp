// The kernels of the process: maps a handle to its module, container, and image.
#ifndef KBUILD_CPU_REGISTRY_HPP
#define KBUILD_CPU_REGISTRY_HPP

#include "fork_safe_mutex.hpp"
#include "devices/properties.hpp"
#include "images/container.hpp"

#include <kbuild/cpu_image.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kbuild::cpu {

// What a program can set for a kernel.
struct KernelAttributes {
    std::atomic<int> dynamic_shared_limit{default_shared_bytes};
    std::atomic<bool> allows_large_clusters{false};
    std::atomic<int> shared_carveout{-1};  // no preference
};

struct RegisteredModule {
    explicit RegisteredModule(const kbuild_module& descriptor);

    struct Container {
        LoadedContainer loaded;  // empty until one of its kernels is needed
        unsigned loads = 0;      // the number of threads that load it; other threads wait
    };

    const kbuild_module& descriptor;
    std::vector<Container> containers;
    // One entry for each row of the kernel table. It is null until the container is loaded, and
    // remains null if the image does not contain the kernel.
    std::vector<std::atomic<const kbuild_cpu_kernel*>> kernels;
    std::vector<KernelAttributes> attributes;
    unsigned uses = 0;  // the number of launches in progress
};

// A row in the kernel table of a module.
struct KernelRow {
    RegisteredModule* module;
    std::uint64_t index;

    const kbuild_kernel& data() const { return module->descriptor.kernels[index]; }
    RegisteredModule::Container& container() const { return module->containers[data().container]; }
};

// A row in a module's table of device variables.
struct VariableRow {
    RegisteredModule* module;
    std::uint64_t index;
};

class Registry {
public:
    // Returns the registry of the process. It is never freed, because artifacts unregister in
    // atexit handlers. A forked child gets a successor with the same modules.
    static Registry& instance();

    void add(const kbuild_module& descriptor);

    // Removes the module's kernels, waits for their launches, and unloads the module's images.
    void remove(const kbuild_module& descriptor);

    // Returns the device variable that a shadow represents, and loads its container if necessary.
    // Throws Failure.
    kbuild_cpu_variable locate(const void* shadow);

    // Returns the variable with this name in a module's only container. Throws Failure.
    kbuild_cpu_variable locate(const kbuild_module& descriptor, const char* name);

    // Returns the module with the kernel, or null.
    const kbuild_module* find_module(const void* handle);

    // Returns whether the address is in a device variable. Throws Failure.
    bool has_variable_at(const void* address);

    // Returns the symbol of the kernel with a handle; empty if the address is not one of a handle.
    std::string name_kernel(const void* handle);

    // Gives the attributes of all kernels their initial values.
    void reset_attributes();

    // Writes the addresses of the module's managed variables to their shadows. Throws Failure.
    void initialize_managed(const kbuild_module& descriptor, void (*initialize)());

private:
    friend class KernelUse;

    Registry() = default;
    Registry* make_successor();

    KernelRow begin_use(const void* handle);
    void end_use(RegisteredModule& module) noexcept;
    void load(const KernelRow& row);
    void load(RegisteredModule& module, std::uint32_t container, const char* name);
    const kbuild_cpu_variable& load(RegisteredModule& module, const kbuild_variable& row);

    // Held only briefly: never while a kernel runs, and never during a call of the dynamic loader.
    // A thread that registers a module during dlopen already holds the loader's own lock.
    ForkSafeMutex mutex_{LockRank::registry};
    std::condition_variable changed_;
    std::unordered_map<const kbuild_module*, std::unique_ptr<RegisteredModule>> modules_;
    // The rows of each handle or shadow, and of each function of a loaded kernel, which is its handle in
    // device code. The first row counts.
    std::unordered_map<const void*, std::vector<KernelRow>> rows_;
    std::unordered_map<const void*, std::vector<VariableRow>> shadows_;
};

// A loaded kernel. It stays loaded while this object exists.
class KernelUse {
public:
    // Finds the kernel, and loads its container on first use. Throws Failure.
    explicit KernelUse(const void* handle);
    ~KernelUse();
    KernelUse(KernelUse&& other) noexcept : row_(other.row_) { other.row_.module = nullptr; }
    KernelUse& operator=(KernelUse&& other) noexcept {
        std::swap(row_, other.row_);
        return *this;
    }

    const Image& image() const { return *row_.container().loaded.image; }
    const kbuild_cpu_kernel& kernel() const { return *row_.module->kernels[row_.index]; }
    KernelAttributes& attributes() const { return row_.module->attributes[row_.index]; }

private:
    explicit KernelUse(const KernelRow& row) : row_(row) {}

    KernelRow row_;
};

}  // namespace kbuild::cpu

#endif
