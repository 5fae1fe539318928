// The threads of the runtime itself.
#ifndef KBUILD_CPU_OWN_THREADS_HPP
#define KBUILD_CPU_OWN_THREADS_HPP

#include <functional>

namespace kbuild::cpu {

// Starts a thread that handles no signals of the program. It never keeps the process alive, also not if the main thread
// has called pthread_exit. The name has up to 8 characters. Throws std::system_error.
void start_own_thread(const char* name, std::function<void()> work);

}  // namespace kbuild::cpu

#endif
