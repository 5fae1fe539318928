#include "registry.hpp"

#include "errors.hpp"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

Registry* process_registry = nullptr;

std::string describe_address(const void* handle) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", handle);
    Dl_info symbol;
    if (dladdr(handle, &symbol) == 0 || symbol.dli_saddr != handle) return address;
    return std::string(address) + " (" + symbol.dli_sname + ")";
}

void check_descriptor(const kbuild_module& module) {
    if (module.abi != KBUILD_MODULE_ABI || module.size < sizeof module)
        throw Failure(KBUILD_CPU_INVALID_VALUE, "the module has ABI " + std::to_string(module.abi) +
                                                    ", this runtime " +
                                                    std::to_string(KBUILD_MODULE_ABI));
    for (std::uint64_t i = 0; i < module.kernel_count; ++i)
        if (module.kernels[i].container >= module.container_count)
            throw Failure(KBUILD_CPU_INVALID_VALUE,
                          "a kernel names a container that its module lacks");
}

bool same_parameters(const kbuild_kernel& row, const kbuild_cpu_kernel& kernel) {
    return std::equal(row.params, row.params + row.param_count, kernel.params,
                      kernel.params + kernel.param_count,
                      [](const kbuild_param& a, const kbuild_param& b) {
                          return a.offset == b.offset && a.size == b.size;
                      });
}

// The image's kernel for a row of the artifact's table, if the two agree.
const kbuild_cpu_kernel* match(const Image& image, const kbuild_kernel& row) {
    const auto* kernel = image.find(row.device_name);
    return kernel != nullptr && same_parameters(row, *kernel) ? kernel : nullptr;
}

[[noreturn]] void report_mismatch(const Image& image, const kbuild_kernel& row) {
    const std::string name = row.device_name;
    if (image.find(name) == nullptr)
        throw Failure(KBUILD_CPU_KERNEL_NOT_FOUND, "the device image has no kernel " + name);
    throw Failure(KBUILD_CPU_INVALID_IMAGE,
                  "the artifact and its device image disagree on the parameters of kernel " + name);
}

}  // namespace

RegisteredModule::RegisteredModule(const kbuild_module& descriptor)
    : descriptor(descriptor),
      containers(descriptor.container_count),
      kernels(descriptor.kernel_count) {}

Registry& Registry::instance() {
    static const bool created = [] {
        process_registry = new Registry;
        pthread_atfork([] { process_registry->mutex_.lock(); },
                       [] { process_registry->mutex_.unlock(); },
                       [] { process_registry = process_registry->make_successor(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_registry;
}

// In a forked child the threads that launched, loaded or waited are gone: nothing is in
// use, and the mutex and the condition must be new ones. The old ones are left as they are.
Registry* Registry::make_successor() {
    auto* successor = new Registry;
    successor->modules_ = std::move(modules_);
    successor->rows_ = std::move(rows_);
    for (auto& [descriptor, module] : successor->modules_) {
        module->uses = 0;
        for (auto& container : module->containers) container.loading = false;
    }
    return successor;
}

void Registry::add(const kbuild_module& descriptor) {
    check_descriptor(descriptor);
    auto module = std::make_unique<RegisteredModule>(descriptor);
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = modules_.try_emplace(&descriptor, std::move(module));
    if (!is_new) throw Failure(KBUILD_CPU_INVALID_VALUE, "the module is registered already");
    for (std::uint64_t i = 0; i < descriptor.kernel_count; ++i)
        rows_[descriptor.kernels[i].handle].push_back({place->second.get(), i});
}

void Registry::remove(const kbuild_module& descriptor) {
    std::unique_lock lock(mutex_);
    const auto removed = modules_.extract(&descriptor);
    if (removed.empty()) return;
    const auto* module = removed.mapped().get();
    for (std::uint64_t i = 0; i < descriptor.kernel_count; ++i) {
        const auto found = rows_.find(descriptor.kernels[i].handle);
        if (found == rows_.end()) continue;  // an earlier row had the same handle
        auto& rows = found->second;
        rows.erase(std::remove_if(rows.begin(), rows.end(),
                                  [&](const KernelRow& row) { return row.module == module; }),
                   rows.end());
        if (rows.empty()) rows_.erase(found);
    }
    changed_.wait(lock, [&] { return module->uses == 0; });
    lock.unlock();  // unloading calls the dynamic loader
}

KernelRow Registry::begin_use(const void* handle) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = rows_.find(handle);
        if (found != rows_.end()) {
            const auto row = found->second.front();
            ++row.module->uses;
            return row;
        }
    }
    throw Failure(KBUILD_CPU_INVALID_KERNEL,
                  "no kernel is registered at " + describe_address(handle));
}

void Registry::end_use(RegisteredModule& module) noexcept {
    const std::lock_guard lock(mutex_);
    if (--module.uses == 0) changed_.notify_all();
}

// Makes row.module->kernels[row.index] valid, or throws Failure.
void Registry::load(const KernelRow& row) {
    auto& module = *row.module;
    auto& container = row.container();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !container.loading; });
    if (container.loaded.image == nullptr) {
        container.loading = true;
        lock.unlock();
        LoadedContainer loaded;
        std::exception_ptr failure;
        try {
            const auto& data = module.descriptor.containers[row.data().container];
            loaded = load_container(data, row.data().device_name);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        container.loading = false;
        changed_.notify_all();
        if (failure) std::rethrow_exception(failure);
        container.loaded = std::move(loaded);
        for (std::uint64_t i = 0; i < module.descriptor.kernel_count; ++i) {
            const auto& kernel = module.descriptor.kernels[i];
            if (kernel.container == row.data().container)
                module.kernels[i] = match(*container.loaded.image, kernel);
        }
    }
    if (module.kernels[row.index] == nullptr) report_mismatch(*container.loaded.image, row.data());
}

KernelUse::KernelUse(const void* handle) : KernelUse(Registry::instance().begin_use(handle)) {
    // The delegated constructor is done, so that the destructor runs if loading throws.
    if (row_.module->kernels[row_.index] == nullptr) Registry::instance().load(row_);
}

KernelUse::~KernelUse() { Registry::instance().end_use(*row_.module); }

}  // namespace kbuild::cpu
