// Keeping this library's code in memory.
#ifndef KBUILD_CPU_PIN_HPP
#define KBUILD_CPU_PIN_HPP

namespace kbuild::cpu {

// From now on dlclose leaves the library (or the artifact that the runtime is linked into)
// in memory: threads and thread-exit handlers of ours will run its code.
void pin_this_library() noexcept;

}  // namespace kbuild::cpu

#endif
