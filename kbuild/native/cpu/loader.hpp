// What the runtime needs from the dynamic loader.
//
// While the loader runs constructors or destructors of a library, its lock is held, and they can wait
// for kernels. So no code that kernels or streams run takes this lock: it calls neither dladdr, nor
// dlopen, dlclose, or dlsym, and uses no thread_local variable with a destructor, because a thread's
// first use takes the lock. The functions below do not take it, except for the first call of
// pin_this_library, before any kernel runs.
#ifndef KBUILD_CPU_LOADER_HPP
#define KBUILD_CPU_LOADER_HPP

#include <cstdint>
#include <string>

namespace kbuild::cpu {

// Makes every later dlclose leave this library, or the artifact that the runtime is linked into, in
// memory. The runtime's threads and thread-exit handlers still run its code.
void pin_this_library() noexcept;

struct LoadedObject {
    std::string path;     // empty for the program
    std::uintptr_t base;  // what addresses in the file are relative to; 0 if there is no object
};

// Returns the program or library that contains an address.
LoadedObject find_object(const void* address);

// Returns whether both addresses are in one program or library.
bool are_in_one_object(const void* first, const void* second) noexcept;

// Returns whether an address is in the program or library that contains the runtime. Takes no lock, so
// that allocations of a forked child do not wait for one that another thread of the parent held.
bool is_in_own_object(const void* address) noexcept;

}  // namespace kbuild::cpu

#endif
