// Keeps the code of this library in memory.
#ifndef KBUILD_CPU_PIN_HPP
#define KBUILD_CPU_PIN_HPP

namespace kbuild::cpu {

// Makes every later dlclose leave this library, or the artifact that the runtime is linked into, in
// memory. The runtime's threads and thread-exit handlers still run its code.
void pin_this_library() noexcept;

}  // namespace kbuild::cpu

#endif
