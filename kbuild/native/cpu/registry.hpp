// The process's kernels: which module, container and image a handle stands for.
#ifndef KBUILD_CPU_REGISTRY_HPP
#define KBUILD_CPU_REGISTRY_HPP

#include "images/container.hpp"

#include <kbuild/cpu_image.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kbuild::cpu {

struct RegisteredModule {
    explicit RegisteredModule(const kbuild_module& descriptor);

    struct Container {
        LoadedContainer loaded;  // empty until a kernel of it is needed
        bool loading = false;    // by one thread; the others wait
    };

    const kbuild_module& descriptor;
    std::vector<Container> containers;
    // Of each row of the kernel table: null until its container is loaded, and for good if
    // the image has no such kernel.
    std::vector<std::atomic<const kbuild_cpu_kernel*>> kernels;
    unsigned uses = 0;  // launches under way
};

// A row of a module's kernel table.
struct KernelRow {
    RegisteredModule* module;
    std::uint64_t index;

    const kbuild_kernel& data() const { return module->descriptor.kernels[index]; }
    RegisteredModule::Container& container() const { return module->containers[data().container]; }
};

// A row of a module's table of device variables.
struct VariableRow {
    RegisteredModule* module;
    std::uint64_t index;
};

class Registry {
public:
    // Never freed, because artifacts unregister in atexit handlers. A forked child gets a
    // successor with the same modules.
    static Registry& instance();

    void add(const kbuild_module& descriptor);

    // Forgets the module's kernels, waits for launches of them and unloads its images.
    void remove(const kbuild_module& descriptor);

    // The variable that a shadow stands for, its container loaded. Throws Failure.
    const kbuild_cpu_variable& locate(const void* shadow);

    // Writes to the module's shadows of managed variables where these are. Throws Failure.
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

    // Held for moments: never while a kernel runs, and never across a call of the dynamic
    // loader, whose own lock is held by whoever registers during a dlopen.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_map<const kbuild_module*, std::unique_ptr<RegisteredModule>> modules_;
    // Of a handle or shadow: the first counts.
    std::unordered_map<const void*, std::vector<KernelRow>> rows_;
    std::unordered_map<const void*, std::vector<VariableRow>> shadows_;
};

// A loaded kernel, which stays loaded while this object lives.
class KernelUse {
public:
    // Finds the kernel and, at its container's first use, loads it. Throws Failure.
    explicit KernelUse(const void* handle);
    ~KernelUse();
    KernelUse(const KernelUse&) = delete;
    KernelUse& operator=(const KernelUse&) = delete;

    const kbuild_cpu_image& image() const { return row_.container().loaded.image->table(); }
    const kbuild_cpu_kernel& kernel() const { return *row_.module->kernels[row_.index]; }

private:
    explicit KernelUse(const KernelRow& row) : row_(row) {}

    KernelRow row_;
};

}  // namespace kbuild::cpu

#endif
