#include "loader.hpp"

#include <atomic>
#include <dlfcn.h>
#include <link.h>

// The linker defines where each program or library starts and ends.
extern "C" {
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace kbuild::cpu {
namespace {

bool contains(const dl_phdr_info& object, std::uintptr_t address) noexcept {
    for (int index = 0; index < object.dlpi_phnum; ++index) {
        const auto& segment = object.dlpi_phdr[index];
        if (segment.p_type == PT_LOAD &&
            address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
            return true;
    }
    return false;
}

// Calls `visit` with the object that contains the address, if there is one. The lock of the list of
// objects is not the loader's own: the loader holds it only while it changes the list.
template <class Visit>
void visit_object(const void* address, Visit visit) {
    struct Search {
        std::uintptr_t address;
        Visit& visit;
    } search = {reinterpret_cast<std::uintptr_t>(address), visit};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
            auto& found = *static_cast<Search*>(data);
            if (!contains(*object, found.address)) return 0;
            found.visit(*object);
            return 1;
        },
        &search);
}

}  // namespace

void pin_this_library() noexcept {
    // Not a static variable with an initializer: a thread that waits for the loader's lock would make
    // the thread that holds it wait.
    static std::atomic<bool> is_pinned{false};
    if (is_pinned.load(std::memory_order_acquire)) return;
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&pin_this_library), &self) == 0) return;
    // For the main program, dlopen finds nothing; it always stays loaded.
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    is_pinned.store(true, std::memory_order_release);
}

LoadedObject find_object(const void* address) {
    LoadedObject found = {"", 0};
    visit_object(address,
                 [&](const dl_phdr_info& object) { found = {object.dlpi_name, object.dlpi_addr}; });
    return found;
}

bool are_in_one_object(const void* first, const void* second) noexcept {
    bool has_both = false;
    visit_object(first, [&](const dl_phdr_info& object) {
        has_both = contains(object, reinterpret_cast<std::uintptr_t>(second));
    });
    return has_both;
}

bool is_in_own_object(const void* address) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return place >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
           place < reinterpret_cast<std::uintptr_t>(&_end);
}

}  // namespace kbuild::cpu
