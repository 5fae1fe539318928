#include "pin.hpp"

#include <dlfcn.h>

namespace kbuild::cpu {

void pin_this_library() noexcept {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&pin_this_library), &self) == 0) return;
    // For the main program, dlopen finds nothing; it always stays loaded.
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace kbuild::cpu
