// The contexts of the driver API.
#ifndef KBUILD_CPU_DEVICES_CONTEXTS_HPP
#define KBUILD_CPU_DEVICES_CONTEXTS_HPP

namespace kbuild::cpu {

// Notes that the calling thread uses the runtime API, which makes the primary context current.
void use_primary_context() noexcept;

}  // namespace kbuild::cpu

#endif
