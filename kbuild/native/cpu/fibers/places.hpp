// The places in device code at which lanes of a warp meet without a mask.
#ifndef KBUILD_CPU_FIBERS_PLACES_HPP
#define KBUILD_CPU_FIBERS_PLACES_HPP

#include "fibers/fiber.hpp"

#include <cstdint>
#include <vector>

namespace kbuild::cpu {

// Numbers for the places at which device code calls the runtime. All functions that a thread is in belong to
// its place, up to the kernel. Unwinding a stack is slow, so the places of a launch are kept, with the addresses to
// which their functions return. A stack with the same addresses, at the same distances, is at the same place.
class Places {
public:
    // Returns the number of the calling thread's place.
    //
    // `call` is the address above that to which the runtime's function returns. `variable` is null, or the address of
    // a variable in a function that the thread is in: then the place of the variable counts, and not that of the call in
    // this function, which compilers can copy.
    std::uint64_t find(const void* call, const volatile char* variable, const Stack& stack);
    void clear() noexcept { known_.clear(); }

private:
    struct Return {
        std::uintptr_t distance, address;
    };
    struct Known {
        std::vector<Return> returns;  // the innermost first
        std::uintptr_t variable;      // its distance
        std::uint64_t number;
    };
    std::vector<Known> known_;
};

}  // namespace kbuild::cpu

#endif
