// Declares the runtime's functions with the visibility of this build: exported from the shared
// library, but hidden in the static one, so that two copies in a process do not interfere.
#ifndef KBUILD_CPU_API_EXPORTED_HPP
#define KBUILD_CPU_API_EXPORTED_HPP

#if defined(KBUILD_CPU_STATIC)
#pragma GCC visibility push(hidden)
#else
#pragma GCC visibility push(default)
#endif
#include <kbuild/cpu_runtime.h>
#pragma GCC visibility pop

#endif
