#include "registry.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "launches/runner.hpp"
#include "loader.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

Registry* process_registry = nullptr;

// How long a thread waits for another one that loads the same container.
constexpr std::chrono::milliseconds longest_wait{200};

// How long the end of the process waits for launches. The driver of a GPU does not wait at all, but here
// kernels that print usually finish.
constexpr std::chrono::seconds longest_end{2};

std::atomic<bool> is_process_ending{false};
std::atomic<bool> observes_end{false};

// Makes the handlers that modules have registered so far know the end of the process from dlclose. Handlers run in
// reverse order. Those for on_exit do not run when a library is closed.
void observe_end() noexcept {
    if (observes_end.exchange(true)) return;
    pin_this_library();
    on_exit([](int, void*) { is_process_ending = true; }, nullptr);
}

void report_end() noexcept {
    std::fputs(
        "kbuild: the program ends while kernels run, and does not wait for them, as with a GPU; "
        "synchronize the device first\n",
        stderr);
}

std::string describe_address(const void* handle) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", handle);
    // A name costs the loader's lock.
    if (BlockRunner::running() != nullptr || is_in_host_function()) return address;
    Dl_info symbol;
    if (dladdr(handle, &symbol) == 0 || symbol.dli_saddr != handle) return address;
    return std::string(address) + " (" + symbol.dli_sname + ")";
}

// The descriptors of artifacts that older versions made end before the table of variables.
std::uint64_t variable_count(const kbuild_module& module) {
    return module.size < sizeof module ? 0 : module.variable_count;
}

void check_descriptor(const kbuild_module& module) {
    if (module.abi != KBUILD_MODULE_ABI || module.size < offsetof(kbuild_module, variables))
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      "the module has ABI version " + std::to_string(module.abi) +
                          ", but this runtime supports " + std::to_string(KBUILD_MODULE_ABI));
    for (std::uint64_t i = 0; i < module.kernel_count; ++i)
        if (module.kernels[i].container >= module.container_count)
            throw Failure(KBUILD_CPU_INVALID_VALUE,
                          "a kernel refers to a container that its module does not have");
    for (std::uint64_t i = 0; i < variable_count(module); ++i)
        if (module.variables[i].container >= module.container_count)
            throw Failure(KBUILD_CPU_INVALID_VALUE,
                          "a variable refers to a container that its module does not have");
}

template <class Row>
void erase_rows(std::unordered_map<const void*, std::vector<Row>>& rows, const void* address,
                const RegisteredModule* module) {
    const auto found = rows.find(address);
    if (found == rows.end()) return;  // a previous row of the module had the same address
    auto& of_address = found->second;
    of_address.erase(std::remove_if(of_address.begin(), of_address.end(),
                                    [&](const Row& row) { return row.module == module; }),
                     of_address.end());
    if (of_address.empty()) rows.erase(found);
}

bool same_parameters(const kbuild_kernel& row, const kbuild_cpu_kernel& kernel) {
    return std::equal(row.params, row.params + row.param_count, kernel.params,
                      kernel.params + kernel.param_count,
                      [](const kbuild_param& a, const kbuild_param& b) {
                          return a.offset == b.offset && a.size == b.size;
                      });
}

// Returns the image's kernel for a row of the artifact's table, or null if the two do not match.
const kbuild_cpu_kernel* match(const Image& image, const kbuild_kernel& row) {
    const auto* kernel = image.find(row.device_name);
    return kernel != nullptr && same_parameters(row, *kernel) ? kernel : nullptr;
}

[[noreturn]] void report_mismatch(const Image& image, const kbuild_kernel& row) {
    const std::string name = row.device_name;
    if (image.find(name) == nullptr)
        throw Failure(KBUILD_CPU_KERNEL_NOT_FOUND,
                      "the device image does not contain kernel " + name);
    throw Failure(KBUILD_CPU_INVALID_IMAGE,
                  "the artifact and its device image have different parameters for kernel " + name);
}

// Lets device code use the shadow of a managed variable as its storage.
void connect(const Image& image, const kbuild_variable& row) {
    const auto* variable = image.find_variable(row.device_name);
    if (variable != nullptr && variable->kind == KBUILD_CPU_REFERENCE)
        *static_cast<void**>(variable->address) = row.shadow;
}

// Returns the shadow that contains the address, or null.
const void* find_shadow(const kbuild_module& module, const void* address) {
    const auto target = reinterpret_cast<std::uintptr_t>(address);
    for (std::uint64_t i = 0; i < variable_count(module); ++i) {
        const auto& row = module.variables[i];
        if (target - reinterpret_cast<std::uintptr_t>(row.shadow) < row.size) return row.shadow;
    }
    return nullptr;
}

// Several modules or sources have a variable with this name, but the host has only one symbol for it.
[[noreturn]] void report_ambiguity(const std::vector<VariableRow>& rows) {
    const auto name_of = [](const VariableRow& row) { return row.module->descriptor.target; };
    const std::string start = std::string("device variable ") +
                              rows[0].module->descriptor.variables[rows[0].index].device_name +
                              " is defined by several ";
    if (rows[0].module == rows[1].module)
        throw Failure(
            KBUILD_CPU_INVALID_SYMBOL,
            start + "sources of kernel target " + name_of(rows[0]) +
                ", each for its own kernels; make it static, or build the target with RDC ON");
    throw Failure(KBUILD_CPU_INVALID_SYMBOL, start + "kernel targets, among them " +
                                                 name_of(rows[0]) + " and " + name_of(rows[1]) +
                                                 "; rename one");
}

}  // namespace

RegisteredModule::RegisteredModule(const kbuild_module& descriptor)
    : descriptor(descriptor),
      containers(descriptor.container_count),
      kernels(descriptor.kernel_count),
      attributes(descriptor.kernel_count) {}

Registry& Registry::instance() {
    static const bool created = [] {
        process_registry = new Registry;
        pthread_atfork(nullptr, nullptr,
                       [] { process_registry = process_registry->make_successor(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_registry;
}

// In a forked child, the threads that launched, loaded, or waited do not exist. No module is in use
// there, and the mutex and the condition variable must be new. The old ones are not destroyed.
Registry* Registry::make_successor() {
    auto* successor = new Registry;
    successor->modules_ = std::move(modules_);
    successor->rows_ = std::move(rows_);
    successor->shadows_ = std::move(shadows_);
    for (auto& [descriptor, module] : successor->modules_) {
        module->uses = 0;
        for (auto& container : module->containers) container.loads = 0;
    }
    return successor;
}

void Registry::add(const kbuild_module& descriptor) {
    check_descriptor(descriptor);
    auto module = std::make_unique<RegisteredModule>(descriptor);
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = modules_.try_emplace(&descriptor, std::move(module));
    if (!is_new) throw Failure(KBUILD_CPU_INVALID_VALUE, "the module is already registered");
    observes_end = false;
    for (std::uint64_t i = 0; i < descriptor.kernel_count; ++i)
        rows_[descriptor.kernels[i].handle].push_back({place->second.get(), i});
    for (std::uint64_t i = 0; i < variable_count(descriptor); ++i)
        if ((descriptor.variables[i].kind & KBUILD_VARIABLE_FOREIGN) == 0)
            shadows_[descriptor.variables[i].shadow].push_back({place->second.get(), i});
}

void Registry::remove(const kbuild_module& descriptor) {
    std::unique_lock<std::mutex> lock(mutex_);
    auto removed = modules_.extract(&descriptor);
    if (removed.empty()) return;
    const auto* module = removed.mapped().get();
    for (std::uint64_t i = 0; i < descriptor.kernel_count; ++i)
        erase_rows(rows_, descriptor.kernels[i].handle, module);
    for (std::uint64_t i = 0; i < variable_count(descriptor); ++i)
        erase_rows(shadows_, descriptor.variables[i].shadow, module);
    if (is_in_host_function() && module->uses != 0) {
        // The launches come after the host function that ends the program, so they never run.
        static_cast<void>(removed.mapped().release());
        return;
    }
    const auto is_unused = [&] { return module->uses == 0; };
    if (!is_process_ending || checks::is_active()) {
        changed_.wait(lock, is_unused);
    } else if (!changed_.wait_for(lock, longest_end, is_unused)) {
        static_cast<void>(removed.mapped().release());
        lock.unlock();
        report_end();
        return;
    }
    // Until now, running kernels could launch others.
    for (const auto& kernel : module->kernels)
        if (kernel.load() != nullptr) erase_rows(rows_, kernel.load()->function, module);
    lock.unlock();  // unloading calls the dynamic loader
}

std::string Registry::name_kernel(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(handle);
    if (found == rows_.end()) return {};
    const auto& row = found->second.front();
    return row.module->descriptor.kernels[row.index].device_name;
}

KernelRow Registry::begin_use(const void* handle) {
    observe_end();
    {
        const std::lock_guard lock(mutex_);
        const auto found = rows_.find(handle);
        if (found != rows_.end()) {
            const auto row = found->second.front();
            ++row.module->uses;
            return row;
        }
    }
    // As with the vendor, only a null pointer is no kernel at all.
    throw Failure(handle == nullptr ? KBUILD_CPU_INVALID_KERNEL : KBUILD_CPU_INVALID_HANDLE,
                  "no kernel is registered at " + describe_address(handle));
}

void Registry::end_use(RegisteredModule& module) noexcept {
    const std::lock_guard lock(mutex_);
    if (--module.uses == 0) changed_.notify_all();
}

// Loads the image of a container and finds its kernels, unless that is already done. Throws
// Failure.
void Registry::load(RegisteredModule& module, std::uint32_t index, const char* name) {
    auto& container = module.containers[index];
    std::unique_lock<std::mutex> lock(mutex_);
    // A thread that loads the container can wait for the loader's lock, which this thread holds if a
    // constructor launches the kernel. Then this one loads another copy.
    changed_.wait_for(lock, longest_wait, [&] { return container.loads == 0; });
    if (container.loaded.image != nullptr) return;
    ++container.loads;
    lock.unlock();
    LoadedContainer loaded;
    std::exception_ptr failure;
    try {
        loaded = load_container(module.descriptor.containers[index], name);
    } catch (...) {
        failure = std::current_exception();
    }
    lock.lock();
    --container.loads;
    changed_.notify_all();
    if (container.loaded.image != nullptr) {  // another thread was faster
        lock.unlock();                        // unloading calls the dynamic loader
        return;
    }
    if (failure) std::rethrow_exception(failure);
    container.loaded = std::move(loaded);
    for (std::uint64_t i = 0; i < module.descriptor.kernel_count; ++i) {
        const auto& kernel = module.descriptor.kernels[i];
        if (kernel.container != index) continue;
        const auto* found = match(*container.loaded.image, kernel);
        module.kernels[i] = found;
        if (found != nullptr && found->function != nullptr)
            rows_[found->function].push_back({&module, i});
    }
    for (std::uint64_t i = 0; i < variable_count(module.descriptor); ++i)
        if (module.descriptor.variables[i].container == index)
            connect(*container.loaded.image, module.descriptor.variables[i]);
}

// Sets row.module->kernels[row.index], or throws Failure.
void Registry::load(const KernelRow& row) {
    load(*row.module, row.data().container, row.data().device_name);
    if (row.module->kernels[row.index] == nullptr)
        report_mismatch(*row.container().loaded.image, row.data());
}

const kbuild_cpu_variable& Registry::load(RegisteredModule& module, const kbuild_variable& row) {
    load(module, row.container, row.device_name);
    const auto& image = *module.containers[row.container].loaded.image;
    const auto* variable = image.find_variable(row.device_name);
    if (variable == nullptr || variable->size != row.size)
        throw Failure(KBUILD_CPU_INVALID_IMAGE,
                      std::string("the artifact and its device image do not match in variable ") +
                          row.device_name);
    return *variable;
}

kbuild_cpu_variable Registry::locate(const void* shadow) {
    VariableRow row = {nullptr, 0};
    {
        const std::lock_guard lock(mutex_);
        const auto found = shadows_.find(shadow);
        if (found != shadows_.end()) {
            row = found->second.front();
            if (found->second.size() > 1) report_ambiguity(found->second);
        }
    }
    if (row.module == nullptr)
        throw Failure(KBUILD_CPU_INVALID_SYMBOL,
                      "no device variable is registered at " + describe_address(shadow));
    auto variable = load(*row.module, row.module->descriptor.variables[row.index]);
    if (variable.kind == KBUILD_CPU_REFERENCE)
        variable.address = row.module->descriptor.variables[row.index].shadow;
    return variable;
}

kbuild_cpu_variable Registry::locate(const kbuild_module& descriptor, const char* name) {
    RegisteredModule* module = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = modules_.find(&descriptor);
        if (found != modules_.end()) module = found->second.get();
    }
    if (module == nullptr) throw Failure(KBUILD_CPU_INVALID_HANDLE, "the module is not loaded");
    load(*module, 0, nullptr);
    const auto* const variable = module->containers[0].loaded.image->find_variable(name);
    if (variable == nullptr)
        throw Failure(KBUILD_CPU_KERNEL_NOT_FOUND,
                      std::string("the device image does not contain variable ") + name);
    return *variable;
}

const kbuild_module* Registry::find_module(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(handle);
    return found == rows_.end() ? nullptr : &found->second.front().module->descriptor;
}

// All data of a device image counts as its variables: `static` ones are not in the tables. The
// storage of a managed variable of a mixed source is its shadow.
bool Registry::has_variable_at(const void* address) {
    const auto* const base = reinterpret_cast<const void*>(find_object(address).base);
    if (base == nullptr) return false;
    const void* shadow = nullptr;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [descriptor, module] : modules_) {
            for (const auto& container : module->containers)
                if (container.loaded.image != nullptr && container.loaded.image->base() == base)
                    return true;
            if (shadow == nullptr) shadow = find_shadow(*descriptor, address);
        }
    }
    return shadow != nullptr && locate(shadow).kind == KBUILD_CPU_REFERENCE;
}

void Registry::reset_attributes() {
    const KernelAttributes initial;
    const std::lock_guard lock(mutex_);
    for (auto& [descriptor, module] : modules_)
        for (auto& attributes : module->attributes) {
            attributes.dynamic_shared_limit = initial.dynamic_shared_limit.load();
            attributes.shared_carveout = initial.shared_carveout.load();
        }
}

void Registry::initialize_managed(const kbuild_module& descriptor, void (*initialize)()) {
    RegisteredModule* module = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = modules_.find(&descriptor);
        if (found != modules_.end()) module = found->second.get();
    }
    if (module == nullptr) throw Failure(KBUILD_CPU_INVALID_VALUE, "the module is not registered");
    for (std::uint64_t i = 0; i < variable_count(descriptor); ++i) {
        const auto& row = descriptor.variables[i];
        if (!kbuild_is_managed(&row, initialize)) continue;
        auto* const shadow = static_cast<kbuild_managed*>(row.shadow);
        __atomic_store_n(&shadow->data, load(*module, row).address, __ATOMIC_RELEASE);
    }
}

KernelUse::KernelUse(const void* handle) : KernelUse(Registry::instance().begin_use(handle)) {
    // The delegated constructor has finished, so the destructor runs if loading throws.
    if (row_.module->kernels[row_.index] == nullptr) Registry::instance().load(row_);
}

KernelUse::~KernelUse() {
    if (row_.module != nullptr) Registry::instance().end_use(*row_.module);
}

}  // namespace kbuild::cpu
