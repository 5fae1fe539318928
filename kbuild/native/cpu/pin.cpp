#include "pin.hpp"

#include <dlfcn.h>

namespace kbuild::cpu {

void pin_this_library() noexcept {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&pin_this_library), &self) == 0) return;
    // Finds nothing for the main program, which stays anyway.
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace kbuild::cpu
